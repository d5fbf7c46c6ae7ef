// A counted hand written into a match, with its tagged pictures as the evidence; or a picture saved by itself.
import { ask, counted, make } from "../ask.js";
import { hand, keep, question } from "./hand.js";
import { tagged } from "./paint.js";
import { placesIn } from "./picture.js";

const byId = (id) => document.getElementById(id);
const NEW = " "; // no match has this name
let matches = null; // as they were told last
let drawn = null; // {report, colour, rescore} of what is shown

/** Draws what is left to be said before a hand is kept. */
export function drawKeep(report, colour, rescore) {
  drawn = { report, colour, rescore };
  byId("photo-keep").hidden = !report.decks.length;
  if (!matches) listMatches();
  else drawMatches();
  const players = [...new Set(report.decks.map((deck) => deck.seat).filter(Boolean))];
  const callers = [["", "not said"], ...players.map((player) => [player, player]), ["nobody", "nobody"]];
  fill(byId("photo-caller"), callers, hand.called);
}

async function listMatches() {
  matches = [];
  const told = await ask("/api/matches").catch(() => ({ matches: [] }));
  ({ matches } = told);
  drawMatches();
}

function drawMatches() {
  const names = matches.map(({ name }) => name);
  fill(byId("photo-match"), [["", "none"], ...names.map((name) => [name, name]), [NEW, "a new one"]], names.includes(hand.match) ? hand.match : hand.newMatch ? NEW : "");
  byId("photo-new").hidden = byId("photo-match").value !== NEW;
  if (document.activeElement !== byId("photo-called")) byId("photo-called").value = hand.newName;
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
}

function say(...parts) {
  byId("photo-kept").replaceChildren(...parts);
}

/** Sends the hand as it is counted; `where`: {edit} or {again} once that was asked. */
async function send(where = {}) {
  const select = byId("photo-match").value;
  const match = select === NEW ? byId("photo-called").value.trim() : select;
  if (!match) return say("Choose a match, or begin a new one.");
  say("Keeping it…");
  const form = new FormData();
  form.append("hand", JSON.stringify({ ...question(), match, call: hand.called, ...where }));
  for (const shot of hand.shots) form.append("pictures", await picture(shot, drawn.report, drawn.colour), `${shot.name}.jpg`);
  try {
    const told = await ask("/api/counted", { method: "POST", body: form });
    ({ matches } = told);
    Object.assign(hand, { match, newMatch: false, newName: "" });
    keep();
    drawMatches();
    say(told.said);
  } catch (error) {
    say(error.message, ...(error.status === 409 ? choices(error.said.hand) : []));
  }
}

function choices(number) {
  const button = (text, where) => {
    const element = make("button", { type: "button" }, text);
    element.addEventListener("click", () => send(where));
    return element;
  };
  return [make("span", { className: "choices after" }, button(`In the place of hand ${number}`, { edit: number }), button("One hand more", { again: true }))];
}

function picture(shot, report, colour) {
  const decks = report.decks.map((deck) => `${deck.seat ? `${deck.seat} (${deck.back})` : deck.back}: ${deck.centre} in the centre, ${deck.left} left, ${deck.points} points`);
  const faces = report.total_by_faces === null ? [] : [`${counted(report.total_by_faces, "card")} by the faces`];
  return tagged(shot, placesIn(shot, report), colour, [...decks, ...faces]);
}

/** Saves a photo with its tags as a file. */
export async function keepTagged(shot, report, colour) {
  const address = URL.createObjectURL(await picture(shot, report, colour));
  make("a", { href: address, download: `${shot.name.replace(/\.\w+$/, "")}-tagged.jpg` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

byId("photo-match").addEventListener("change", ({ target }) => {
  Object.assign(hand, { match: target.value.trim(), newMatch: target.value === NEW });
  keep();
  drawMatches();
  drawn?.rescore(); // its rules may pay otherwise for cards left
});
byId("photo-called").addEventListener("input", ({ target }) => {
  hand.newName = target.value;
  keep();
});
byId("photo-caller").addEventListener("change", ({ target }) => {
  hand.called = target.value;
  keep();
});
byId("photo-keep").addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
