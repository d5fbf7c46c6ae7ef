// Scoring a hand from photos: the pictures with what was seen drawn on them, the table, and the doubts.
import { ask, complain, counted, make, mustFit, table, takeDrops } from "../ask.js";
import { add, dropShot, hand, keep, question, restore, say, sayAlike, sayAll, startOver, undo } from "./hand.js";
import { leaveCamera, withCamera } from "./camera.js";
import { cardName, coloursOf, swatch } from "./look.js";
import { drawKeep, keepTagged } from "./keep.js";
import { bringIntoView, picture } from "./picture.js";
import { asked as askedNow, drawQueue, meaning } from "./queue.js";
import { closeSheet, openCard, openGone, openPlace } from "./sheet.js";

const byId = (id) => document.getElementById(id);
const PAUSE_MS = 250;
const SURENESS = { sure: "Sure", asked: "Not sure yet", refused: "Cannot be said" };
const PREVIEW_PX = 2000; // sides of what is shown: more is never drawn

let number = 0; // raised by starting over: what is on its way then belongs to the hand before
let waiting = 0; // photos to be looked at
let troubles = []; // with photos and names, told until somebody types or gives photos
let asked = 0; // questions so far
let pause = 0; // timer: the score is asked for when nobody has typed for a moment
let report = null; // the score as it was told last; its `mends` are those it was told with

export function showPhoto() {}
export const leavePhoto = leaveCamera;

/** Looks at photos one by one; one that cannot be used is told of and keeps none of the others away. `film`: what they are
 * frames of. */
async function look(files, pile = "", film = "") {
  const mine = number;
  const first = byId("photo-result").hidden;
  if (!waiting) troubles = [];
  tellTroubles();
  nowWaiting(1);
  for (const file of files) {
    if (mine === number) await lookAt(file, mine, pile, film).catch((error) => mine === number && tell(error.message));
  }
  if (mine === number) await countAnew(mine);
  nowWaiting(-1); // until then the score that stands there is that of the photos before
  if (mine === number && first) bringUp(byId("photo-result"));
}

async function countAnew(mine) {
  if (!hand.shots.length) return tellTroubles();
  await forgetOldNames(mine).catch(() => {}); // what fails there fails below, and is told
  if (mine === number) await rescore();
}

/** Scrolls to what would else be hardly noticed, far down on a phone. */
function bringUp(part) {
  if (part.getBoundingClientRect().top > innerHeight / 2) part.scrollIntoView({ block: "start", behavior: "smooth" });
}

function tell(trouble) {
  troubles.push(trouble);
  tellTroubles();
}

/** Shows what is amiss with photos and names, and an error beside it. */
function tellTroubles(error = "") {
  complain([...troubles, error].filter(Boolean).join(" "));
}

async function lookAt(file, mine, pile, frameOf) {
  mustFit(file, byId("photo-drop"));
  const photos = await seenBy(file);
  if (mine !== number) return; // started over meanwhile: it belongs to the hand before
  if (hand.shots.some((shot) => photos.some(({ key }) => shot.key === key))) throw new Error(`${file.name} is here already: it counts once.`);
  // of a film some frames are taken for photos
  const film = photos.length > 1 ? photos[0].key : frameOf;
  photos.forEach((photo, index) => hand.shots.push({ ...photo, name: photos.length > 1 ? `${file.name} ${index + 1}` : file.name, file, pile, film }));
  hand.answered = 0;
  keep();
}

/** What the referee sees in a photo, or in the sharpest frames of a film. */
async function seenBy(file, name = file.name) {
  const form = new FormData();
  form.append("photos", file, name);
  const seen = await ask(`/api/photos?preview=${PREVIEW_PX}`, { method: "POST", body: form });
  return seen.photos;
}

function nowWaiting(more) {
  waiting += more;
  byId("photo-busy").hidden = waiting === 0;
}

const askScore = (what) =>
  ask("/api/score", { method: "POST", body: JSON.stringify(what), headers: { "Content-Type": "application/json" } });

/** Forgets what was typed for a back that is called otherwise since a photo came; says so. */
async function forgetOldNames(mine) {
  const names = new Set([...Object.keys(hand.seats), ...Object.keys(hand.left)]);
  if (!names.size) return;
  const { decks } = await askScore({ ...question(), seats: {}, left: {}, piles: {}, mends: [] });
  if (mine !== number) return;
  const said = new Set(hand.mends.map(({ deck }) => deck));
  for (const name of names) {
    if (said.has(name) || decks.some((deck) => deck.back === name)) continue;
    delete hand.seats[name];
    delete hand.left[name];
    troubles.push(`No deck is called ${name} any more: look who plays with which.`);
  }
  keep();
}

/** Asks for the score and draws it, unless something was asked after it. */
async function rescore(again = true) {
  const mine = ++asked;
  const { mends } = hand;
  try {
    const answer = await askScore(question());
    if (mine !== asked) return; // a later question is on its way: its answer counts
    report = { ...answer, mends };
    tellTroubles();
    draw();
  } catch (error) {
    if (mine !== asked) return;
    // a referee that was started again has forgotten the photos: they are kept here
    if (again && error.message.includes("no longer remembered") && (await givenAgain(mine))) return rescore(false);
    tellTroubles(error.message);
  }
}

async function givenAgain(mine) {
  nowWaiting(1);
  try {
    for (const file of new Set(hand.shots.map((shot) => shot.file))) {
      if (mine !== asked) return false;
      const photos = await seenBy(file);
      for (const shot of hand.shots) Object.assign(shot, photos.find(({ key }) => key === shot.key));
    }
    return mine === asked;
  } catch {
    return false;
  } finally {
    nowWaiting(-1);
  }
}

// -- what is said of cards ---------------------------------------------------------------------------------------

const decksOf = () => [...new Set(report.decks.map((deck) => deck.back).filter((back) => back && back !== "unknown"))];
const shotOf = (image) => hand.shots.find((shot) => shot.key === report.photos[image]);
const placeOf = ({ image, card, mend }) => ({ photo: report.photos[image], card, mend: mend === null ? null : report.mends[mend] });
const keyOf = (doubt) => `${doubt.kind} ${report.photos[doubt.place.image]} ${doubt.place.card} ${doubt.corners[0]}`;

function change(act) {
  act();
  closeSheet();
  rescore();
}

function tapped(shot, meant, at, colour) {
  const addHere = () => openPlace(at, shot, decksOf(), colour, !report.decks.length, (what) => change(() => add(shot.key, at, what)));
  if (!meant) return addHere();
  const { tag, place } = meant;
  const places = [place, ...tag.on.filter((other) => other !== place)].map(placeOf);
  const alike = tag.shows === "face-up" ? report.cards.filter(({ shows }) => shows === "face-up") : [];
  const together = (what) => change(() => sayAll(alike.map(({ on }) => on.map(placeOf)), what));
  openCard(meant, shot, decksOf(), colour, (what) => change(() => say(places, what)), addHere, alike.length, together);
}

function answer(doubt, yes) {
  const what = meaning(doubt, yes);
  const { image, card, mend } = doubt.place;
  if (card === null && mend === null) {
    hand.answered++;
    const middle = [0, 1].map((axis) => doubt.corners.reduce((sum, point) => sum + point[axis] / doubt.corners.length, 0));
    return change(() => add(report.photos[image], middle, yes ? { deck: doubt.supposed } : { gone: "card" }));
  }
  if (what) {
    hand.answered++;
    return change(() => (what.alike ? sayAlike : say)(what.alike ? placeOf(doubt.place) : [placeOf(doubt.place)], what));
  }
  openAt(doubt);
}

/** Opens what can be said of the card that a doubt is about, if it counts; whether it does. */
function openAt(doubt) {
  const same = (place) => ["image", "card", "mend"].every((key) => place[key] === doubt.place?.[key]);
  const tag = report.cards.find(({ on }) => on.some(same));
  const place = tag?.on.find(same);
  if (tag) tapped(shotOf(doubt.image), { tag, place }, place.at, colours());
  return Boolean(tag);
}

function skip(doubt) {
  hand.answered++;
  hand.skipped.push(keyOf(doubt));
  keep();
  draw();
}

// -- drawing -----------------------------------------------------------------------------------------------------

const colours = () =>
  coloursOf([...hand.shots.flatMap((shot) => shot.layout.cards.map((card) => card.back)), ...decksOf()].filter(Boolean));

function draw() {
  const colour = colours();
  byId("photo-indices").value = hand.indices;
  byId("photo-players").value = hand.players || "";
  byId("photo-result").hidden = false;
  keepingFocus(byId("photo-score"), () => byId("photo-score").replaceChildren(...scoreTable(colour)));
  sayAgreement();
  byId("photo-foundations").replaceChildren(...foundations(report.foundations));
  const queue = askedNow(report, keyOf, hand.answered, hand.skipped);
  byId("photo-queue").replaceChildren(...drawQueue(queue, (doubt) => shotOf(doubt.image), { answer, skip }));
  byId("photo-doubts").replaceChildren(...doubts(queue));
  drawKeep(report, colour, rescore);
  byId("photo-undo").hidden = !hand.before.length;
  const frames = new Map([...document.querySelectorAll("#photo-pictures .frame")].map((frame) => [frame.parentElement.id, [frame.scrollLeft, frame.scrollTop]]));
  byId("photo-pictures").replaceChildren(...hand.shots.map((shot, index) => drawnShot(shot, index, colour)));
  for (const [id, at] of frames) byId(id)?.querySelector(".frame").scrollTo(...at);
}

function drawnShot(shot, index, colour) {
  const gone = report.mends.filter((said) => said.photo === shot.key && said.gone && said.card != null);
  return picture(shot, index, report, colour, gone, {
    tap: (meant, at) => tapped(shot, meant, at, colour),
    gone: (said) => openGone(said, shot, () => change(() => say([{ photo: said.photo, card: said.card, mend: null }], null))),
    save: () => keepTagged(shot, report, colour),
    remove: () => {
      dropShot(shot.key);
      if (hand.shots.length) rescore();
      else clear();
    },
  });
}

function scoreTable(colour) {
  if (!report.decks.length) {
    const faces = report.foundations.length;
    return [make("p", {}, faces
      ? "Faces only: whose card is whose shows on the backs. Turn the cards over, spread them, and add that photo."
      : "No card can be seen. Take the photo from above, with all cards in it.")];
  }
  const rows = report.decks.map((deck) => [
    make("span", { className: "deck" }, swatch(colour(deck.back)), deck.back ?? "?"),
    field("text", "seat", deck.back, hand.seats[deck.back] ?? "", `Who plays with ${deck.back}`),
    make("span", { className: "count", title: `${SURENESS[deck.state]}: ${Math.round(100 * deck.confidence)} % that it is exact` }, String(deck.centre), make("small", {}, deck.state === "sure" ? " ✓" : " ?")),
    leftOf(deck),
    String(deck.points),
  ]);
  return [
    table(["deck", "player", "centre", "left", "points"], rows, ["text", "text", "", "", "points"]),
    make("p", { className: "hush-light" }, "Type who plays with which deck, and how many cards are left in each Nerts pile. ✓: sure; ?: may be off, what helps stands below."),
  ];
}

/** The cards left in a pile: typed, or counted from photos of them, of which another one settles what is not sure. */
function leftOf(deck) {
  const seen = hand.shots.some((shot) => shot.pile === deck.back);
  const sure = deck.left_state === "sure";
  const count = make("span", { className: "left-seen count", title: SURENESS[deck.left_state] ?? "" }, String(deck.left), make("small", {}, sure ? " ✓" : " ?"));
  if (seen && sure) return count;
  const shoot = make("input", { type: "file", accept: "image/*", "aria-label": `Photo of what is left of ${deck.back}` });
  shoot.addEventListener("change", () => shoot.files.length && look([...shoot.files], deck.back));
  return make("span", { className: "left-over" },
    seen ? count : field("number", "left", deck.back, hand.left[deck.back] ?? 0, `Cards left in the Nerts pile of ${deck.back}`),
    make("label", { className: "button small", title: "Count them from a photo" }, "◉", shoot));
}

function field(type, name, back, value, label) {
  const input = make("input", { type, name, value: String(value), "aria-label": label, autocomplete: "off" });
  if (type === "number") Object.assign(input, { min: "0", max: "52", inputMode: "numeric" });
  else input.placeholder = "name";
  // kept with every key, so that an answer that comes while somebody types wipes nothing out
  input.addEventListener("input", () => typed(name, back, input.value));
  return input;
}

function typed(name, back, text) {
  if (name === "seat") text.trim() ? (hand.seats[back] = text.trim()) : delete hand.seats[back];
  else hand.left[back] = Math.min(52, Math.max(0, Math.round(Number(text) || 0)));
  keep();
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
  if (!after || after.type === "file") return;
  after.value = before.value;
  after.focus();
  if (after.type === "text") after.setSelectionRange(before.selectionStart, before.selectionEnd);
}

function sayAgreement() {
  const line = byId("photo-agree");
  const [faces, backs] = [report.total_by_faces, report.total_by_backs];
  line.className = report.agrees === false ? "disagree" : report.agrees ? "agree" : "";
  if (faces !== null && backs !== null) {
    const both = `${counted(faces, "card")} by the faces, ${backs} by the backs`;
    line.textContent = report.agrees === null ? `${both}; the faces are in doubt.` : `${both}: they ${report.agrees ? "agree" : "disagree"}.`;
  } else if (faces !== null) {
    const doubtful = report.foundations.some(({ sure }) => sure === false);
    line.textContent = `${counted(faces, "card")} by the faces${doubtful ? ", in doubt" : ""}.`;
  }
  else line.textContent = backs !== null ? `${counted(backs, "card")} by the backs.` : "";
}

function foundations(list) {
  if (!list.length) return [];
  const items = list.map(({ top, cards, sure }) =>
    make("li", {}, make("b", {}, cardName(top)), " ", make("small", {}, `${cards}${sure === false ? "?" : ""}`)));
  return [make("h2", {}, `Foundations (${list.length})`), make("ul", { className: "foundations" }, ...items)];
}

/** The doubts that are not asked: those about one card are marked on the picture, what else there is stands here. */
function doubts(queue) {
  // cards face up among the backs are one doubt, whose sheet settles them all
  const other = report.doubts.filter((doubt, index, all) =>
    !doubt.kind && all.findIndex(({ asks, place }) => place && asks === doubt.asks) === (doubt.place ? index : -1));
  const asked = new Set(queue.map(keyOf));
  const marked = report.doubts.filter((doubt) => doubt.kind && !asked.has(keyOf(doubt))).length;
  const items = other.map((doubt) => {
    const alike = report.doubts.filter(({ asks, place }) => place && asks === doubt.asks).length;
    const button = make("button", { type: "button" }, alike > 1 ? `${doubt.asks} (${alike} cards)` : doubt.asks);
    button.addEventListener("click", () => {
      jump(doubt);
      openAt(doubt);
    });
    return make("li", {}, button);
  });
  const todo = report.requests.map((request, number) => {
    const button = make("button", { type: "button" }, request.asks);
    button.addEventListener("click", () => show(request.image, request.area, byId(`request-${number}`)));
    return make("li", {}, button);
  });
  if (!hand.indices && report.doubts.some(({ asks }) => asks.includes("German, French or Dutch"))) todo.push(chooseLetters());
  return [
    todo.length ? make("h2", {}, "To be sure of every count") : null,
    todo.length ? make("ul", { className: "doubts to-do" }, ...todo) : null,
    other.length ? make("h2", {}, `In doubt (${other.length})`) : null,
    make("ul", { className: "doubts" }, ...items),
    marked > 0 ? make("p", { className: "hush-light" }, `${marked} more ${marked === 1 ? "tag is" : "tags are"} marked with ? on the pictures.`) : null,
  ].filter(Boolean);
}

function chooseLetters() {
  const button = make("button", { type: "button" }, "If the courts are German, French or Dutch: choose their letters");
  button.addEventListener("click", () => {
    byId("photo-indices").scrollIntoView({ block: "center" });
    byId("photo-indices").focus();
  });
  return make("li", {}, button);
}

function jump(doubt) {
  show(doubt.image ?? 0, doubt.corners, doubt.corners && byId(`doubt-${report.doubts.indexOf(doubt)}`));
}

/** Brings an outline of a photo into view, `shown` as it is drawn; without one the photo. */
function show(image, outline, shown) {
  const index = Math.max(0, hand.shots.indexOf(shotOf(image)));
  const figure = byId(`shot-${index}`);
  if (figure && outline) bringIntoView(figure, outline[0], hand.shots[index].layout);
  (shown || figure)?.scrollIntoView({ block: "center", behavior: "smooth" });
}

function clear() {
  number++;
  asked++;
  clearTimeout(pause);
  startOver();
  report = null;
  troubles = [];
  closeSheet();
  byId("photo-result").hidden = true;
  byId("photo-kept").textContent = "";
  complain("");
}

takeDrops(byId("photo-drop"), (files) => look(files));
withCamera((files) => look(files, "", files.length > 1 ? `camera ${Date.now()}` : ""), () => hand.players);
for (const id of ["photo-shoot", "photo-sweep", "photo-files"]) {
  byId(id).addEventListener("change", ({ target }) => {
    const files = [...target.files];
    target.value = ""; // else the same photo cannot be chosen again
    if (files.length) look(files);
  });
}
byId("photo-indices").addEventListener("change", ({ target }) => {
  hand.indices = target.value;
  keep();
  if (hand.shots.length) rescore();
});
byId("photo-players").addEventListener("change", ({ target }) => {
  hand.players = Math.min(12, Math.max(0, Math.round(Number(target.value)) || 0));
  keep();
  if (hand.shots.length) rescore();
});
byId("photo-clear").addEventListener("click", clear);
byId("photo-undo").addEventListener("click", () => change(undo));
byId("photo-score").addEventListener("submit", (event) => event.preventDefault());
restore().then((kept) => kept && rescore());
