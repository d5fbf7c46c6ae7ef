// A photo with what was seen drawn on it: outlines, a numbered tag on every card that counts, what is asked about; a tap
// on a tag or on an empty place is told of. It can be enlarged for fingers.
import { make } from "../ask.js";
import { inkOn, inView, tagColour, tagName, tagSizes, tagText } from "./look.js";

const SVG = "http://www.w3.org/2000/svg";
const FINGER_PX = 22; // a tap so near to a tag means it
const LARGEST = 4;
const HIGH_VH = 85; // as high as a photo may be, of the window's height (`.frame` in photo.css)
const enlarged = new Map(); // by a photo's key: how much

/** Every place of this photo at which a card counts: {tag, place, corners, at, visible}. */
export function placesIn(shot, report) {
  const image = report.photos.indexOf(shot.key);
  return report.cards.flatMap((tag) =>
    tag.on.filter((place) => place.image === image).map((place) => {
      const visible = shot.layout.cards[place.card]?.visible ?? [];
      return { tag, place, corners: place.corners, at: place.at, visible: visible.length > 2 ? visible : place.corners };
    }));
}

/** `on`: {tap(place or null, [x, y]), gone(said), save(), remove()}. */
export function picture(shot, index, report, colour, gone, on) {
  const { layout } = shot;
  const places = placesIn(shot, report);
  const drawing = svg("svg", { viewBox: `0 0 ${layout.width} ${layout.height}`, role: "group", "aria-label": describe(layout) });
  const stroke = Math.max(layout.width, layout.height) / 450;
  // what lies on a card is not tinted with it
  for (const { tag, visible } of places.filter((one) => one.tag.shows === "back")) {
    const tint = svg("polygon", { points: visible.join(" "), class: "tint" });
    tint.style.fill = colour(tag.name);
    drawing.append(tint);
  }
  for (const { tag, corners } of places) {
    const shape = svg("polygon", { points: corners.join(" "), class: [tag.shows, tag.name].includes("back") ? "back" : "face", "stroke-width": stroke });
    shape.style.stroke = tagColour(tag, colour);
    drawing.append(shape);
  }
  for (const said of gone) drawing.append(noCard(said, layout, stroke, on));
  report.doubts.forEach((doubt, number) => {
    if (doubt.corners && report.photos[doubt.image] === shot.key) {
      drawing.append(svg("polygon", { points: inView(layout, doubt.corners).join(" "), class: "asked", id: `doubt-${number}`, "stroke-width": 2 * stroke }));
    }
  });
  report.requests.forEach((request, number) => {
    if (request.area && report.photos[request.image] === shot.key) {
      drawing.append(svg("polygon", { points: request.area.join(" "), class: "to-spread", id: `request-${number}`, "stroke-width": 3 * stroke }));
    }
  });
  const doubtful = new Set(report.doubts.filter((doubt) => doubt.place).map((doubt) => placeKey(doubt.place)));
  const sizes = tagSizes(places, layout);
  places.forEach((one, number) => drawing.append(tagOf(one, colour, sizes[number], doubtful, on)));
  drawing.addEventListener("click", (event) => {
    const at = pointOf(event, drawing, layout);
    on.tap(placeAt(at, places, (FINGER_PX * layout.width) / drawing.clientWidth), at);
  });
  const stage = make("div", { className: "stage" }, make("img", { src: shot.preview, alt: shot.name }), drawing);
  const frame = make("div", { className: "frame", tabIndex: 0 }, stage);
  const words = `${shot.name}: ${describe(layout)}`;
  const caption = make("figcaption", {}, make("span", {}, words), ...zooms(shot, stage, frame), button("Save with tags", on.save), button("Remove the photo", on.remove));
  return make("figure", { className: "shot", id: `shot-${index}` }, frame, caption);
}

const placeKey = ({ image, card, mend }) => `${image} ${card} ${mend}`;

function tagOf({ tag, place, at }, colour, size, doubtful, on) {
  const text = tagText(tag) + (doubtful.has(placeKey(place)) && !tag.told ? "?" : "");
  const half = Math.max(size * 0.62, (text.length * 0.34 + 0.12) * size);
  const group = svg("g", { class: "tag", tabindex: 0, role: "button", "aria-label": tagName(tag) });
  const box = svg("rect", { x: at[0] - half, y: at[1] - size * 0.6, width: 2 * half, height: size * 1.2, rx: size * 0.3 });
  box.style.fill = tagColour(tag, colour);
  const label = svg("text", { x: at[0], y: at[1], "font-size": size });
  label.style.fill = inkOn(tagColour(tag, colour));
  label.textContent = text;
  group.append(box, label);
  if (tag.told) group.classList.add("told");
  const open = (event) => {
    event.stopPropagation();
    event.preventDefault();
    on.tap({ tag, place }, [at[0] + 1.3 * size, at[1] + 0.6 * size]); // one more card there would lie beside it
  };
  group.addEventListener("click", open);
  group.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && open(event));
  return group;
}

/** What somebody said is no card: crossed out, and a tap on it takes that back. */
function noCard(said, layout, stroke, on) {
  const { corners } = layout.cards[said.card];
  const group = svg("g", { class: "none", tabindex: 0, role: "button", "aria-label": "no card, as was said" });
  const [a, b, c, d] = corners;
  group.append(svg("polygon", { points: corners.join(" "), "stroke-width": stroke }));
  group.append(svg("path", { d: `M${a} L${c} M${b} L${d}`, "stroke-width": stroke }));
  const open = (event) => {
    event.stopPropagation();
    on.gone(said);
  };
  group.addEventListener("click", open);
  group.addEventListener("keydown", (event) => event.key === "Enter" && open(event));
  return group;
}

function pointOf(event, drawing, layout) {
  const box = drawing.getBoundingClientRect();
  return [((event.clientX - box.left) * layout.width) / box.width, ((event.clientY - box.top) * layout.height) / box.height];
}

/** The card that a tap means: the one whose part in view it falls on, else the nearest tag within a finger. */
function placeAt(at, places, finger) {
  const near = (one) => Math.hypot(one.at[0] - at[0], one.at[1] - at[1]);
  const hit = places.filter((one) => isInside(at, one.visible));
  const meant = hit.length ? hit : places.filter((one) => near(one) <= finger);
  return meant.sort((one, two) => near(one) - near(two))[0] ?? null;
}

function isInside([x, y], polygon) {
  let inside = false;
  polygon.forEach(([x1, y1], index) => {
    const [x2, y2] = polygon.at(index - 1);
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  });
  return inside;
}

function zooms(shot, stage, frame) {
  const { width, height } = shot.layout;
  const whole = `min(100%, ${(HIGH_VH * width) / height}vh)`; // all of it is in view until it is enlarged
  const show = () => (stage.style.width = `calc(${enlarged.get(shot.key) ?? 1} * ${whole})`);
  const by = (factor) => () => {
    const was = enlarged.get(shot.key) ?? 1;
    const now = Math.min(LARGEST, Math.max(1, was * factor));
    const [x, y] = [frame.scrollLeft + frame.clientWidth / 2, frame.scrollTop + frame.clientHeight / 2];
    enlarged.set(shot.key, now);
    show();
    frame.scrollTo((x * now) / was - frame.clientWidth / 2, (y * now) / was - frame.clientHeight / 2);
  };
  show();
  return [button("−", by(0.5), "Smaller"), button("+", by(2), "Larger")];
}

/** Brings a spot of a photo (px) into the middle of what is seen of it. */
export function bringIntoView(figure, [x, y], layout) {
  const frame = figure.querySelector(".frame");
  const stage = figure.querySelector(".stage");
  frame.scrollTo((x / layout.width) * stage.clientWidth - frame.clientWidth / 2, (y / layout.height) * stage.clientHeight - frame.clientHeight / 2);
}

function button(text, onClick, label = text) {
  const element = make("button", { type: "button", "aria-label": label }, text);
  element.addEventListener("click", onClick);
  return element;
}

export function describe(layout) {
  const faces = layout.cards.filter((card) => card.side === "face").length;
  const backs = layout.cards.length - faces;
  return layout.cards.length ? `${faces} face up, ${backs} face down` : "no card on the table";
}

function svg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
