// The page's own camera: its frames go to the referee one at a time, and what is seen stands on the live picture. Once
// somebody is satisfied, the frames that were looked at are taken for photos of the same cards.
import { ask, make } from "../ask.js";
import { coloursOf, inkOn, swatch, tagColour, tagSize, tagText } from "./look.js";

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
const SENT_PX = 1280; // longer side of what is sent
const QUALITY = 0.88;
const EVERY_MS = 200; // no frame sooner than that after the one before
const AGAIN_MS = 1000; // after a frame that was refused
const GIVES_UP = 5; // after so many refused one after the other
const LEGIBLE_PX = 9; // letters that are smaller on the screen are dots, but for each deck's count
const COUNT_PX = 13;

let open = null; // {camera, stream, frames: Map(number, Blob), told, drawn}
let take = null; // (files) => …
let players = () => 0;

/** `onTake(files)`: what is done with the frames that are taken, JPEG files; `howMany()`: how many play. */
export function withCamera(onTake, howMany) {
  take = onTake;
  players = howMany;
}

function say(text) {
  byId("camera-refused").textContent = text;
  byId("camera-refused").hidden = !text;
}

/** Why the camera cannot be opened, and what helps. */
function refusal(error) {
  const else_ = "Photos can be chosen or shot all the same.";
  if (!window.isSecureContext || !navigator.mediaDevices) return `Browsers lend the camera to https pages only: start nerts-referee serve with --tls. ${else_}`;
  if (["NotAllowedError", "SecurityError"].includes(error?.name)) return `The browser does not let this page use the camera: allow it beside the address. ${else_}`;
  if (["NotFoundError", "OverconstrainedError"].includes(error?.name)) return `This device has no camera that the page can use. ${else_}`;
  return `The camera cannot be opened (${error?.message || "no reason is given"}). ${else_}`;
}

async function start() {
  say("");
  if (open) return;
  if (!window.isSecureContext || !navigator.mediaDevices) return say(refusal());
  const mine = { camera: crypto.randomUUID(), stream: null, frames: new Map(), told: null };
  open = mine;
  try {
    mine.stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } },
    });
  } catch (error) {
    open = null;
    return say(refusal(error));
  }
  if (open !== mine) return mine.stream.getTracks().forEach((track) => track.stop()); // left meanwhile
  for (const track of mine.stream.getTracks()) track.addEventListener("ended", () => open === mine && close("The camera has ended. Open it again, or choose photos."));
  const video = byId("camera-video");
  video.srcObject = mine.stream;
  byId("camera").hidden = false;
  byId("photo-drop").hidden = true;
  draw({ cards: [], decks: [], glow: [], faces: null, size: [SENT_PX, 720], say: "Looking at the cards: hold the camera over them." });
  byId("camera-take").disabled = true;
  await video.play().catch(() => {});
  byId("camera").scrollIntoView({ block: "nearest" });
  watch(mine);
}

/** Sends frames, each once the one before was answered. */
async function watch(mine) {
  let refused = 0;
  for (let number = 0; open === mine; number++) {
    const began = performance.now();
    if (document.hidden || !byId("camera-video").videoWidth) {
      await pause(EVERY_MS);
      continue;
    }
    try {
      const frame = await still();
      if (open !== mine) return;
      mine.frames.set(number, frame);
      const asked = new URLSearchParams({ camera: mine.camera, frame: number, players: players() });
      const told = await ask(`/api/viewfinder?${asked}`, { method: "POST", body: frame, headers: { "Content-Type": "image/jpeg" } });
      if (open !== mine) return;
      refused = 0;
      mine.told = told;
      const kept = new Set([...told.frames, told.looking, number]);
      for (const one of mine.frames.keys()) if (!kept.has(one)) mine.frames.delete(one);
      draw(told);
      byId("camera-take").disabled = false;
    } catch (error) {
      if (open !== mine) return;
      byId("camera-say").textContent = error.message;
      mine.frames.delete(number);
      if (++refused >= GIVES_UP) return close(error.message);
      await pause(AGAIN_MS);
    }
    await pause(Math.max(0, EVERY_MS - (performance.now() - began)));
  }
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** What the camera shows now, as a JPEG (a Blob). */
function still() {
  const video = byId("camera-video");
  const scale = Math.min(1, SENT_PX / Math.max(video.videoWidth, video.videoHeight));
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(video.videoWidth * scale), height: Math.round(video.videoHeight * scale) });
  canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("The camera shows nothing."))), "image/jpeg", QUALITY));
}

function draw(told) {
  const [width, height] = told.size;
  const colour = coloursOf([...told.decks.map(({ back }) => back), ...told.cards.filter(({ shows }) => shows === "back").map(({ name }) => name)].filter(Boolean));
  const drawing = byId("camera-seen");
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const pixel = width / (drawing.clientWidth || width); // px of the frame a px of the screen
  const stroke = Math.max(Math.max(width, height) / 450, 1.2 * pixel);
  const still = told.cards.filter(({ moved }) => !moved);
  const size = tagSize(still, { width, height });
  drawing.replaceChildren(
    ...told.cards.map((card) => outline(card, colour, stroke)),
    ...told.glow.map((around) => svg("polygon", { points: around.join(" "), class: "glow", "stroke-width": 3 * stroke })),
    ...(size < LEGIBLE_PX * pixel ? dots(still, colour, pixel) : still.map((card) => tag(card, colour, size))),
  );
  byId("camera-say").textContent = told.say;
  byId("camera-decks").replaceChildren(...lines(told, colour));
}

function outline(card, colour, stroke) {
  const shape = svg("polygon", { points: card.corners.join(" "), class: card.moved ? "moved" : "still", "stroke-width": stroke });
  shape.style.stroke = tagColour(card, colour);
  return shape;
}

/** Small cards: a dot on each, and each deck's count on its last one. */
function dots(cards, colour, pixel) {
  const nameOf = ({ shows, name }) => (shows === "back" ? `back ${name}` : shows);
  const last = new Map();
  for (const card of cards) if (!(last.get(nameOf(card))?.number > card.number)) last.set(nameOf(card), card);
  const dot = (card) => {
    const spot = svg("circle", { cx: card.at[0], cy: card.at[1], r: 2.2 * pixel, "stroke-width": 0.7 * pixel });
    spot.style.fill = tagColour(card, colour);
    return spot;
  };
  return [...cards.map(dot), ...[...last.values()].filter(({ shows }) => shows === "back").map((card) => tag(card, colour, COUNT_PX * pixel))];
}

function tag(card, colour, size) {
  const text = tagText(card);
  const half = Math.max(size * 0.62, text.length * size * 0.34);
  const [x, y] = card.at;
  const box = svg("rect", { x: x - half, y: y - size * 0.6, width: 2 * half, height: size * 1.2, rx: size * 0.3 });
  box.style.fill = tagColour(card, colour);
  const label = svg("text", { x, y, "font-size": size });
  label.style.fill = inkOn(tagColour(card, colour));
  label.textContent = text;
  const group = svg("g", { class: "tag" });
  group.append(box, label);
  return group;
}

/** A line for each deck: its count, and whether it is sure; one for the faces. */
function lines(told, colour) {
  const items = told.decks.map(({ back, count, moved, sure }) =>
    make("li", { className: sure ? "sure" : "" }, swatch(colour(back)), ` ${back}: `, make("b", {}, String(count)),
      moved ? ` and ${moved} that moved` : sure ? " ✓ sure" : told.state !== "counted" || told.quick ? " …" : told.glow.length ? " ? spread these" : " ? not sure yet"));
  if (told.faces !== null) items.push(make("li", {}, "faces: ", make("b", {}, String(told.faces)), " cards"));
  return items;
}

function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Takes the frames that were looked at, or, where none was or something moved since, what the camera shows now. */
async function taken() {
  const mine = open;
  if (!mine) return;
  const looked = mine.told && mine.told.state !== "moved" ? mine.told.frames.map((number) => mine.frames.get(number)).filter(Boolean) : [];
  const frames = looked.length ? looked : [await still()];
  close();
  take(frames.map((blob, index) => new File([blob], `camera ${index + 1}.jpg`, { type: "image/jpeg" })));
}

function close(why = "") {
  const mine = open;
  if (!mine) return;
  open = null;
  mine.stream?.getTracks().forEach((track) => track.stop());
  byId("camera-video").srcObject = null;
  byId("camera").hidden = true;
  byId("photo-drop").hidden = false;
  say(why);
  ask(`/api/viewfinder?${new URLSearchParams({ camera: mine.camera })}`, { method: "DELETE", keepalive: true }).catch(() => {});
}

/** Closes the camera, when another view is shown. */
export const leaveCamera = () => close();

byId("camera-open").addEventListener("click", start);
byId("camera-take").addEventListener("click", taken);
byId("camera-close").addEventListener("click", () => close());
addEventListener("pagehide", () => close());
