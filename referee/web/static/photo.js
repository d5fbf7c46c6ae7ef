// Scoring a hand from photos: the pictures with what was seen drawn on them, the table, and the doubts.
import { ask, complain, make, mustFit, table, takeDrops } from "./ask.js";

// Of the colours that backs are named by, and for further designs of one colour ("blue 2").
const NAMED = {
  red: "#eb3c3c", orange: "#f58c00", yellow: "#f5d73c", green: "#28aa5a", turquoise: "#1ebebe", blue: "#3282f0",
  purple: "#9650c8", pink: "#ff82be", black: "#323232", grey: "#969696", white: "#f5f5f5",
};
const COLOURS = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

let shots = []; // {name, key, preview, layout}
let typed = { seats: {}, left: {} }; // by back
let hand = 0; // raised by starting over: what is on its way then belongs to the hand before
let waiting = 0; // photos to be looked at
let troubles = []; // with photos and names, told until somebody types or gives photos
let asked = 0; // questions so far
let pause = 0; // timer: the score is asked for when nobody has typed for a moment
const PAUSE_MS = 250;
const PREVIEW_PX = 2000; // sides of what is shown: more is never drawn

export function showPhoto() {}

/** Looks at photos one by one; one that cannot be used is told of and keeps none of the others away. */
async function look(files) {
  const mine = hand;
  if (!waiting) troubles = [];
  say();
  nowWaiting(files.length);
  for (const file of files) {
    if (mine === hand) await lookAt(file, mine).catch((error) => mine === hand && tell(error.message));
    nowWaiting(-1);
  }
  if (mine !== hand) return;
  if (!shots.length) return say();
  await forgetOldNames(mine).catch(() => {}); // what fails there fails below, and is told
  if (mine === hand) await rescore();
}

function tell(trouble) {
  troubles.push(trouble);
  say();
}

/** Shows what is amiss with photos and names, and an error beside it. */
function say(error = "") {
  complain([...troubles, error].filter(Boolean).join(" "));
}

async function lookAt(file, mine) {
  mustFit(file, byId("photo-drop"));
  const form = new FormData();
  form.append("photos", file);
  const seen = await ask(`/api/photos?preview=${PREVIEW_PX}`, { method: "POST", body: form });
  if (mine !== hand) return; // started over meanwhile: it belongs to the hand before
  const [photo] = seen.photos;
  if (shots.some((shot) => shot.key === photo.key)) throw new Error(`${file.name} is here already: it counts once.`);
  shots.push({ ...photo, name: file.name });
}

function nowWaiting(more) {
  waiting += more;
  byId("photo-busy").hidden = waiting === 0;
}

const askScore = (seats, left) =>
  ask("/api/score", {
    method: "POST",
    body: JSON.stringify({ photos: shots.map((shot) => shot.key), seats, left }),
    headers: { "Content-Type": "application/json" },
  });

/** Forgets what was typed for a back that is called otherwise since a photo came; says so. */
async function forgetOldNames(mine) {
  const names = new Set([...Object.keys(typed.seats), ...Object.keys(typed.left)]);
  if (!names.size) return;
  const { decks } = await askScore({}, {});
  if (mine !== hand) return;
  for (const name of names) {
    if (decks.some((deck) => deck.back === name)) continue;
    delete typed.seats[name];
    delete typed.left[name];
    troubles.push(`No deck is called ${name} any more: look who plays with which.`);
  }
}

/** Asks for the score and draws it, unless something was asked after it. */
async function rescore() {
  const mine = ++asked;
  try {
    const answer = await askScore(typed.seats, typed.left);
    if (mine !== asked) return; // a later question is on its way: its answer counts
    say();
    draw(answer);
  } catch (error) {
    if (mine === asked) say(error.message);
  }
}

function draw(report) {
  const colour = colours();
  byId("photo-result").hidden = false;
  keepingFocus(byId("photo-score"), () => byId("photo-score").replaceChildren(...scoreTable(report, colour)));
  sayAgreement(report);
  byId("photo-foundations").replaceChildren(...foundations(report.foundations));
  byId("photo-doubts").replaceChildren(...doubts(report.doubts));
  byId("photo-pictures").replaceChildren(...shots.map((shot, index) => picture(shot, index, colour, report.doubts)));
}

/** The colour of each back: its own where it is named by one, else a spare one. */
function colours() {
  const backs = new Set(shots.flatMap((shot) => shot.layout.cards.map((card) => card.back)).filter(Boolean));
  const unnamed = [...backs].filter((back) => !NAMED[back]).sort();
  return (back) => NAMED[back] ?? COLOURS[Math.max(0, unnamed.indexOf(back)) % COLOURS.length];
}

function scoreTable(report, colour) {
  if (!report.decks.length) {
    const faces = report.foundations.length;
    return [make("p", {}, faces
      ? "Faces only: whose card is whose shows on the backs. Turn the cards over, spread them, and add that photo."
      : "No card can be seen. Take the photo from above, with all cards in it.")];
  }
  const rows = report.decks.map((deck) => [
    make("span", { className: "deck" }, swatch(colour(deck.back)), deck.back ?? "?"),
    field("text", "seat", deck.back, typed.seats[deck.back] ?? "", `Who plays with ${deck.back}`),
    String(deck.centre),
    field("number", "left", deck.back, typed.left[deck.back] ?? 0, `Cards left in the Nerts pile of ${deck.back}`),
    String(deck.points),
  ]);
  return [
    table(["deck", "player", "centre", "left", "points"], rows, ["text", "text", "", "", "points"]),
    make("p", { className: "hush-light" }, "Type who plays with which deck, and how many cards are left in each Nerts pile."),
  ];
}

function field(type, name, back, value, label) {
  const input = make("input", { type, name, value: String(value), "aria-label": label, autocomplete: "off" });
  if (type === "number") Object.assign(input, { min: "0", max: "52", inputMode: "numeric" });
  else input.placeholder = "name";
  // kept with every key, so that an answer that comes while somebody types wipes nothing out
  input.addEventListener("input", () => keep(name, back, input.value));
  return input;
}

function keep(name, back, text) {
  if (name === "seat") text.trim() ? (typed.seats[back] = text.trim()) : delete typed.seats[back];
  else typed.left[back] = Math.min(52, Math.max(0, Math.round(Number(text) || 0)));
  if (!waiting) troubles = []; // what was told before they typed
  clearTimeout(pause);
  pause = setTimeout(rescore, PAUSE_MS);
}

/** Redraws `part`; whoever is typing in one of its fields goes on typing there, with the text as it was. */
function keepingFocus(part, redraw) {
  const before = part.contains(document.activeElement) ? document.activeElement : null;
  const label = before?.getAttribute("aria-label");
  redraw();
  const after = label && [...part.querySelectorAll("input")].find((input) => input.getAttribute("aria-label") === label);
  if (!after) return;
  after.value = before.value;
  after.focus();
  if (after.type === "text") after.setSelectionRange(before.selectionStart, before.selectionEnd);
}

function sayAgreement(report) {
  const line = byId("photo-agree");
  const [faces, backs] = [report.total_by_faces, report.total_by_backs];
  line.className = report.agrees === false ? "disagree" : report.agrees ? "agree" : "";
  if (faces !== null && backs !== null) {
    const both = `${faces} cards by the faces, ${backs} by the backs`;
    line.textContent = report.agrees === null ? `${both}; the faces are in doubt.` : `${both}: they ${report.agrees ? "agree" : "disagree"}.`;
  } else if (faces !== null) {
    const doubtful = report.foundations.some(({ sure }) => sure === false);
    line.textContent = `${faces} cards by the faces${doubtful ? ", in doubt" : ""}.`;
  }
  else line.textContent = backs !== null ? `${backs} cards by the backs.` : "";
}

function foundations(list) {
  if (!list.length) return [];
  const items = list.map(({ top, cards, sure }) =>
    make("li", {}, make("b", {}, ...cardName(top)), " ", make("small", {}, `${cards}${sure === false ? "?" : ""}`)));
  return [make("h2", {}, `Foundations (${list.length})`), make("ul", { className: "foundations" }, ...items)];
}

function cardName(card) {
  if (card === "back") return [make("small", {}, "turned over")];
  if (!/^[A2-9TJQK?][SHDC?]$/.test(card)) return ["?"];
  const text = (card[0] === "T" ? "10" : card[0]) + ({ S: "♠", H: "♥", D: "♦", C: "♣" }[card[1]] || "?");
  return [make("span", { className: "HD".includes(card[1]) ? "red-suit" : "" }, text)];
}

function doubts(list) {
  if (!list.length) return [];
  const items = list.map((doubt, index) => {
    const button = make("button", { type: "button" }, doubt.asks ?? String(doubt));
    button.addEventListener("click", () =>
      document.getElementById(doubt.corners ? `doubt-${index}` : `shot-${doubt.image ?? 0}`)
        ?.scrollIntoView({ block: "center", behavior: "smooth" }));
    return make("li", {}, button);
  });
  return [make("h2", {}, `In doubt (${list.length})`), make("ul", { className: "doubts" }, ...items)];
}

function swatch(colour) {
  const box = make("span", { className: "swatch" });
  box.style.background = colour;
  return box;
}

function picture(shot, index, colour, asked) {
  const { layout } = shot;
  const drawing = svg("svg", { viewBox: `0 0 ${layout.width} ${layout.height}`, role: "img" });
  drawing.append(svgText("title", {}, describe(layout)));
  const stroke = Math.max(layout.width, layout.height) / 450;
  for (const card of layout.cards) {
    const face = card.side === "face";
    const shape = svg("polygon", { points: card.corners.join(" "), class: face ? "face" : "back", "stroke-width": stroke });
    shape.style.stroke = face ? "#fff" : colour(card.back);
    if (!face) shape.style.fill = colour(card.back);
    drawing.append(shape);
  }
  asked.forEach((doubt, number) => {
    if (doubt.corners && doubt.image === index) {
      drawing.append(svg("polygon", { points: doubt.corners.join(" "), class: "asked", id: `doubt-${number}`, "stroke-width": 2 * stroke }));
    }
  });
  for (const card of layout.cards.filter((each) => each.side === "face")) drawing.append(label(card, layout));
  const image = make("img", { src: shot.preview, alt: shot.name });
  const stage = make("div", { className: "stage" }, image, drawing);
  return make("figure", { className: "shot", id: `shot-${index}` }, stage, make("figcaption", {}, `${shot.name}: ${describe(layout)}`));
}

function describe(layout) {
  const faces = layout.cards.filter((card) => card.side === "face").length;
  const backs = layout.cards.length - faces;
  return layout.cards.length ? `${faces} face up, ${backs} face down` : "no card on the table";
}

function label(card, layout) {
  const polygon = card.visible.length >= 3 ? card.visible : card.corners;
  const middle = (axis) => polygon.reduce((sum, point) => sum + point[axis], 0) / polygon.length;
  const text = card.face ? (card.face_confidence < 0.8 ? `${card.face}?` : card.face) : "?";
  const size = Math.max(layout.width, layout.height) / 50;
  return svgText("text", { x: middle(0), y: middle(1), "font-size": size, "stroke-width": size / 5 }, text);
}

function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function svgText(tag, attributes, text) {
  const element = svg(tag, attributes);
  element.textContent = text;
  return element;
}

function clear() {
  hand++;
  asked++;
  clearTimeout(pause);
  shots = [];
  typed = { seats: {}, left: {} };
  troubles = [];
  byId("photo-result").hidden = true;
  complain("");
}

takeDrops(byId("photo-drop"), look);
for (const id of ["photo-shoot", "photo-files"]) {
  byId(id).addEventListener("change", ({ target }) => {
    const files = [...target.files];
    target.value = ""; // else the same photo cannot be chosen again
    if (files.length) look(files);
  });
}
byId("photo-clear").addEventListener("click", clear);
byId("photo-score").addEventListener("submit", (event) => event.preventDefault());
