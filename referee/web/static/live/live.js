// The table on the page: picture, plays as they come, flags, the score if it ended now, the call.
import { ask, complain, make, table as grid } from "../ask.js";
import { clock, colouredSuits, remarkLines, sureness } from "../words.js";
import { openCorrection } from "./correct.js";
import { clipOf, drawPlaces, showPicture, still } from "./picture.js";
import { canSpeak, sound, speak, want, wanted } from "./sound.js";
import { follow, nameOf, players, plays, showAmiss, stateWords } from "./table.js";

const byId = (id) => document.getElementById(id);
// So many plays and flags are shown; the others are in the record.
const SHOWN = 80;
const FLAGS = 6;
const MASTER = document.body.dataset.role === "master";
const CORRECTED = new Set(["play", "draw", "take-back", "turn", "call"]);

let leave = null;
let drawn = new Set(); // what changed since it was drawn
let now = null;

export async function showLive() {
  if (leave) return;
  try {
    await ask("/api/live");
  } catch (error) {
    byId("live-none").hidden = error.status !== 404;
    byId("live-table").hidden = true;
    if (error.status !== 404) complain(error.message);
    return;
  }
  byId("live-none").hidden = true;
  byId("live-table").hidden = false;
  for (const kind of ["sound", "voice"]) byId(`live-${kind}`).checked = wanted(kind);
  byId("live-voice").disabled = !canSpeak();
  const ends = [follow(changed, broken), showPicture(byId("live-canvas"), (yes) => (byId("live-dark").hidden = yes))];
  leave = () => ends.forEach((end) => end());
}

export function leaveLive() {
  leave?.();
  leave = null;
}

function broken(text) {
  byId("live-broken").textContent = text;
  byId("live-broken").hidden = !text;
}

function changed(kind, table, data) {
  now = table;
  if (kind === "line" && data.flag && data.fresh) {
    sound();
    speak(`${nameOf(table, data.flag.seat)}: ${data.flag.why}`);
  }
  if (!drawn.size) requestAnimationFrame(draw);
  drawn.add(kind);
}

function draw() {
  const kinds = drawn;
  drawn = new Set();
  const any = (...some) => some.some((kind) => kinds.has(kind));
  if (any("table", "state")) drawState();
  if (any("table", "line", "provisional")) drawPlays();
  if (any("table", "line", "standing", "state")) drawFlags();
  if (any("standing", "state")) drawScore();
  if (any("counts")) drawCounts();
  if (any("amiss")) showAmiss(byId("live-amiss"), now);
  if (any("places", "line")) drawOverlay();
}

function drawState() {
  const { head, more } = stateWords(now.state);
  byId("live-state").dataset.state = now.state.state ?? "";
  byId("live-head").textContent = head;
  byId("live-say").textContent = more;
  const { question } = now.state;
  byId("live-question").hidden = !question;
  if (question) {
    byId("live-asks").textContent = question.asks;
    byId("live-question").dataset.number = question.number;
  }
}

function drawPlays() {
  const all = plays(now);
  const shown = all.filter((entry) => entry.kind !== "deal").slice(-SHOWN).reverse();
  byId("live-plays").replaceChildren(...shown.map(row));
  const count = all.filter((entry) => entry.kind === "play" && !entry.unsettled).length;
  byId("live-count").textContent = now.hand ? `Hand ${now.hand}: ${count} plays` : "No hand has begun.";
}

function row(entry) {
  const kinds = [entry.illegal && "illegal", entry.kind === "gap" && "gap", entry.unsettled && "unsettled"];
  return make("li", { className: kinds.filter(Boolean).join(" ") },
    make("span", { className: "time" }, clock(entry.at)),
    make("span", {}, entry.seat ? nameOf(now, entry.seat) : ""),
    make("span", { className: "what" }, ...colouredSuits(entry.text), sureness(entry),
      entry.unsettled ? make("span", { className: "hush-light" }, " · not settled yet") : null),
    ...remarkLines(entry),
    entry.unsettled ? null : make("span", { className: "acts" }, closelyLink(entry), MASTER && CORRECTED.has(entry.kind) ? correctButton(entry) : null));
}

/** Where a hand, or a play of it, is looked at frame by frame. */
const closely = (hand, index) => `#moment/${encodeURIComponent(`${now.kept}.${hand}`)}${index === undefined ? "" : `//${index}`}`;
const words = (entry) => `${clock(entry.at)} ${entry.seat ? nameOf(now, entry.seat) : ""} ${entry.text}`;

function closelyLink(entry) {
  if (!now.kept) return null;
  return make("a", { href: closely(now.hand, entry.index), "aria-label": `Look closely: ${words(entry)}` }, "look closely");
}

function correctButton(entry) {
  const button = make("button", { type: "button", className: "link-like", "aria-label": `Correct: ${words(entry)}` }, "correct");
  button.addEventListener("click", () => openCorrection(entry, words(entry)));
  return button;
}

function drawFlags() {
  const standing = now.flags.filter((flag) =>
    [...now.entries.values()].some((entry) => entry.illegal && entry.remarks.some((remark) => remark.why === flag.why)));
  const list = byId("live-flags");
  const known = new Map([...list.children].map((item) => [item.dataset.key, item])); // a clip that runs goes on
  list.replaceChildren(...standing.slice(0, FLAGS).map((flag) => known.get(keyOf(flag)) ?? flagItem(flag)));
}

const keyOf = ({ hand, index, seat }) => `${hand}.${index}.${nameOf(now, seat)}`;

function flagItem(flag) {
  const item = make("li", { className: "panel flag" }, still(flag, now.session), make("div", {},
    make("p", {}, make("span", { className: "chip illegal" }, `illegal · ${flag.rule}`), " ",
      make("strong", {}, nameOf(now, flag.seat)), make("span", { className: "time" }, ` ${clock(flag.at)}`)),
    make("p", { className: "remark" }, ...colouredSuits(flag.why ?? "")),
    now.kept ? make("p", { className: "remark" }, clipButton(flag), " · ", make("a", { href: closely(flag.hand, flag.of) }, "look closely")) : null));
  item.dataset.key = keyOf(flag);
  item.querySelector("img").addEventListener("error", ({ target }) => target.closest("a").remove(), { once: true });
  return item;
}

/** Shows the clip of a flag in the place of its still. */
function clipButton(flag) {
  const button = make("button", { type: "button", className: "link-like" }, "show the clip");
  button.addEventListener("click", () => {
    const item = button.closest("li");
    item.querySelector(".still, video")?.remove();
    item.prepend(clipOf(flag, `/api/recordings/${encodeURIComponent(`${now.kept}.${flag.hand}`)}`));
  });
  return button;
}

function drawScore() {
  const all = players(now);
  byId("live-score").hidden = !all.length;
  const over = ["score", "next deal", "over"].includes(now.state.state);
  byId("live-score-title").textContent = over ? "Score" : "If it ended now";
  byId("live-again").hidden = !(over && now.kept && now.hand);
  byId("live-again-link").href = closely(now.hand);
  const withMatch = all.some((player) => player.match !== undefined);
  byId("live-standing").replaceChildren(grid(
    ["player", "Nerts left", "points", ...(withMatch ? ["match"] : [])],
    all.map((player) => [player.name, ...[player.left, player.points].map(text), ...(withMatch ? [text(player.match)] : [])]),
    ["text", "", "points", ""]));
  const seats = now.standing.seats ?? [];
  const old = [...byId("live-calls").querySelectorAll("button")].map((button) => button.dataset.seat + button.textContent);
  const fresh = seats.map((seat) => `${seat}${callWords(seat)}`);
  if (old.join() !== fresh.join()) byId("live-calls").replaceChildren(...seats.map(callButton));
}

const text = (number) => (number === undefined || number === null ? "–" : String(number));
const callWords = (seat) => `${nameOf(now, seat)} calls Nerts`;

function callButton(seat) {
  const button = make("button", { type: "button" }, callWords(seat));
  button.dataset.seat = seat;
  button.addEventListener("click", () => tell("call", { seat }));
  return button;
}

async function tell(what, body) {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  try {
    byId("live-said").textContent = (await ask(`/api/live/${what}`, options)).say;
  } catch (error) {
    byId("live-said").textContent = error.message;
  }
}

function drawCounts() {
  const words = Object.entries(now.counts).map(([name, number]) => `${name} ${number}`);
  byId("live-counts").textContent = words.length ? `Frames: ${words.join(", ")}` : "";
}

function drawOverlay() {
  const shown = byId("live-overlay").checked ? now.places : [];
  const flagged = [...now.entries.values()].filter((entry) => entry.illegal).slice(-1);
  const marked = new Set(flagged.flatMap(({ seat, text }) => {
    const place = text.split("→")[1]?.replace("under ", "").trim();
    return [place, `${seat} ${place}`];
  }));
  drawPlaces(byId("live-svg"), byId("live-canvas"), shown, marked);
}

byId("live-overlay").addEventListener("change", () => now && drawOverlay());
for (const kind of ["sound", "voice"]) {
  byId(`live-${kind}`).addEventListener("change", ({ target }) => {
    want(kind, target.checked);
    if (target.checked) kind === "sound" ? sound() : speak("Flags are spoken.");
  });
}
for (const [id, yes] of [["live-yes", true], ["live-no", false]]) {
  byId(id).addEventListener("click", () => tell("answer", { number: Number(byId("live-question").dataset.number), yes }));
}
