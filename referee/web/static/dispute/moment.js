// A dispute: any moment frame by frame, why the referee says what it says, challenges and corrections.
import { ask, complain, make } from "../ask.js";
import { copyText } from "../copy.js";
import { scoreOf } from "../score.js";
import { clock, colouredSuits, remarkLines, sureness } from "../words.js";
import { challengeRows } from "./challenges.js";
import { drawCorrection } from "./correct.js";
import { askFirst, rivalAsked } from "./first.js";
import { openFrames } from "./frames.js";
import { askOtherwise } from "./otherwise.js";
import { whyItems } from "./why.js";

const byId = (id) => document.getElementById(id);
const NAME = "nerts-referee name";
// How long before a card comes to rest a play is shown, and what is repeated around it, s.
const LEAD = 0.6;
const AROUND = [1.2, 0.8];
// How often a hand that is being played is asked for what is new, ms.
const NEWS_MS = 2000;
const TOLD = new Set(["play", "take-back", "call", "draw", "end", "gap", "correct"]);

let id = "";
let film = null;
let recording = null;
let entry = null; // the event that is looked at
let challenges = [];
let news = 0; // timer

const address = () => `/api/recordings/${encodeURIComponent(id)}`;
export const person = () => byId("moment-by").value.trim();

export async function showMoment([asked, frame = "", index = ""]) {
  if (id !== asked) {
    leaveMoment();
    id = asked;
    byId("moment-by").value = localStorage.getItem(NAME) ?? "";
    try {
      recording = await ask(address());
      ({ challenges } = await ask(`${address()}/challenges`));
    } catch (error) {
      return complain(error.message);
    }
    if (id !== asked) return;
    film = openFrames(address(), byId("moment-picture"), byId("moment-stage"), shown);
    await film.ready.catch((error) => complain(error.message));
    if (id !== asked) return;
    byId("moment-frame").max = Math.max(0, film.count - 1);
    goOn();
  }
  byId("moment-title").textContent = `Look closely: ${recording.name}`;
  document.title = `${recording.name} · nerts-referee`;
  entry = entries().find((each) => String(each.index) === index) ?? entry;
  draw();
  if (frame !== "") film.go(Number(frame));
  else if (entry) film.goAt(entry.at - LEAD);
  else film.goTo(0);
}

/** While the hand is being played, what is told and recorded comes in as it comes. */
function goOn() {
  if (recording.state === "playing") news = setTimeout(takeNews, NEWS_MS);
}

async function takeNews() {
  const asked = id;
  try {
    const [told, known] = await Promise.all([ask(address()), ask(`${address()}/challenges`), film.grow()]);
    if (asked !== id) return;
    byId("moment-frame").max = Math.max(0, film.count - 1);
    const was = JSON.stringify([recording, challenges]);
    if (JSON.stringify([told, known.challenges]) !== was) {
      [recording, challenges] = [told, known.challenges];
      refresh();
    }
  } catch { // asked again
  }
  if (asked === id) goOn();
}

export function leaveMoment() {
  clearTimeout(news);
  film?.close();
  [film, recording, entry, id] = [null, null, null, ""];
}

/** Whether this is the event that is looked at, also once it was told anew. */
const isSame = (one) => one.index === entry?.index && one.part === entry?.part;
const entries = () => (recording.account?.entries ?? []).filter((each) => TOLD.has(each.kind) || each.remarks.length);

function shown(number, seconds) {
  byId("moment-frame").value = film.place;
  byId("moment-where").textContent = `Frame ${number} of ${film.last} · ${clock(seconds)}`;
  byId("moment-picture").alt = `Frame ${number} of ${recording.name}`;
  if (!film.running) keepLink(number);
}

/** The address leads back to this very frame. */
function keepLink(number) {
  const parts = ["moment", encodeURIComponent(id), number, ...(entry ? [entry.index] : [])];
  history.replaceState(null, "", `#${parts.join("/")}`);
  drawKeep();
}

function draw() {
  drawPlays();
  drawScore();
  drawChallenges();
  byId("moment-chosen").hidden = !entry;
  if (!entry) return;
  showInList();
  byId("moment-what").replaceChildren(
    make("span", { className: "time" }, clock(entry.at)), " ", make("strong", {}, entry.seat), " ",
    ...colouredSuits(entry.text), ...[sureness(entry)].filter(Boolean), ...remarkLines(entry));
  byId("moment-why").open = false;
  drawCorrection(entry, recording.account, address(), say);
  askFirst(address(), entry, film, recording.account.entries);
  drawKeep();
}

/** Draws what came in; what somebody is typing or looking at stays. */
function refresh() {
  const now = entry && entries().find(isSame);
  const changed = Boolean(entry) && JSON.stringify({ ...now, number: 0 }) !== JSON.stringify({ ...entry, number: 0 });
  entry = now ?? null;
  if (changed) return draw();
  drawPlays();
  drawScore();
  drawChallenges();
}

function drawPlays() {
  const all = entries();
  const list = byId("moment-plays");
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  list.replaceChildren(...all.map(row));
  if (focused) list.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  byId("moment-none").hidden = all.length > 0;
}

/** The list, not the page, is scrolled to the play that is looked at. */
function showInList() {
  const list = byId("moment-plays");
  const button = list.querySelector("[aria-current]");
  if (!button) return;
  const [box, frame] = [button.getBoundingClientRect(), list.getBoundingClientRect()];
  if (box.top < frame.top || box.bottom > frame.bottom) list.scrollTop += box.top - frame.top - frame.height / 3;
}

function drawScore() {
  byId("moment-score").hidden = !recording.account?.score;
  if (recording.account?.score) byId("moment-table").replaceChildren(...scoreOf(recording.account));
  askOtherwise(address(), recording.account);
}

// -- to keep -------------------------------------------------------------------------------------------------

/** The link, the clip and the page of the play that is looked at. */
function drawKeep() {
  if (!byId("moment-keep").open || !entry) return;
  byId("keep-link").textContent = byId("keep-link").href = location.href;
  byId("keep-copy").textContent = "Copy the link";
  const [from, to] = [entry.starts - AROUND[0], entry.at + AROUND[1]].map((seconds) => Math.max(0, seconds).toFixed(2));
  byId("keep-clip").href = `${address()}/clip?from=${from}&to=${to}`;
  const rival = rivalAsked();
  byId("keep-page").href = `${address()}/moment/${entry.index}?part=${entry.part}${rival && `&${rival}`}`;
}

function row(each) {
  const button = make("button", { type: "button" },
    make("span", { className: "time" }, clock(each.at)), make("span", {}, each.seat),
    make("span", { className: "what" }, ...colouredSuits(each.text)), ...remarkLines(each));
  button.dataset.key = `${each.index}.${each.part}`;
  if (each.number === entry?.number) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => choose(each));
  return make("li", { className: each.illegal ? "illegal" : "" }, button);
}

function choose(each) {
  entry = each;
  film.pause();
  film.goAt(each.at - LEAD);
  draw();
  byId("moment-said").textContent = "";
}

function step(by) {
  const all = entries();
  const from = all.findIndex((each) => each.number === entry?.number);
  const next = all[from < 0 ? 0 : from + by];
  if (next) choose(next);
}

// -- running -------------------------------------------------------------------------------------------------

const speed = () => Number(byId("moment-speed").value);
const loop = () => (byId("moment-loop").checked && entry ? [entry.at - AROUND[0], entry.at + AROUND[1]] : null);

function toggle() {
  film.running ? film.pause() : film.run(speed(), loop());
  byId("moment-run").textContent = film.running ? "stop" : "run";
}

function again() {
  if (!film?.running) return;
  film.pause();
  film.run(speed(), loop());
}

function stepFrame(by) {
  if (film.running) toggle();
  film.step(by);
}

const ACTIONS = {
  j: () => step(1),
  k: () => step(-1),
  ",": () => stepFrame(-1),
  ".": () => stepFrame(1),
  " ": toggle,
  "+": () => film.zoom(1.5),
  "-": () => film.zoom(1 / 1.5),
  0: () => film.zoom(0),
};

// -- challenges ----------------------------------------------------------------------------------------------

function drawChallenges() {
  const settle = (number, state) => post(`challenges/${number}`, { state }, replaced);
  byId("moment-challenges").replaceChildren(...challengeRows(challenges, entries(), choose, settle));
  byId("moment-challenged").hidden = !challenges.length;
}

function replaced(challenge) {
  challenges = [...challenges.filter((each) => each.number !== challenge.number), challenge].sort((a, b) => a.number - b.number);
  drawChallenges();
}

/** Says something in a person's name; `done` takes the answer. Gives the error where there is one. */
async function post(what, body, done) {
  const by = person();
  if (!by) {
    byId("moment-said").textContent = "Who are you? Type your name, and try again.";
    byId("moment-by").focus();
    return null;
  }
  localStorage.setItem(NAME, by);
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...body, by }) };
  try {
    const answer = await ask(`${address()}/${what}`, options);
    byId("moment-said").textContent = "";
    done(answer);
    return null;
  } catch (error) {
    byId("moment-said").textContent = error.message;
    return error;
  }
}

/** Corrects the record; gives the error where it was refused. */
function say(said, insist = false) {
  return post("correct", { said, insist }, (answer) => {
    recording = answer;
    entry = entries().find(isSame) ?? null;
    draw();
    byId("moment-said").textContent = `Corrected: plays, rulings and score are derived anew. ${answer.beside}`;
  });
}

async function drawWhy() {
  if (byId("moment-why").open && entry) byId("moment-because").replaceChildren(...(await whyItems(address(), entry)));
}

// -- hands on ------------------------------------------------------------------------------------------------

byId("moment-frame").addEventListener("input", ({ target }) => film?.goTo(Number(target.value)));
byId("moment-steps").addEventListener("click", ({ target }) => film && ACTIONS[target.closest("button")?.dataset.key]?.());
byId("moment-zooms").addEventListener("click", ({ target }) => film && ACTIONS[target.closest("button")?.dataset.key]?.());
byId("moment-speed").addEventListener("change", again);
byId("moment-loop").addEventListener("change", again);
byId("moment-why").addEventListener("toggle", drawWhy);
byId("moment-keep").addEventListener("toggle", drawKeep);
byId("moment-first").addEventListener("toggle", drawKeep);
byId("keep-copy").addEventListener("click", ({ target }) => copyText(location.href, target));
byId("keep-page").addEventListener("click", drawKeep); // with the rival that is chosen by now
byId("moment-challenge").addEventListener("click", () =>
  entry && post("challenges", { of: entry.index, says: byId("moment-says").value.trim() }, (asked) => {
    byId("moment-says").value = "";
    replaced(asked);
    byId("moment-challenges").firstElementChild.scrollIntoView({ block: "nearest" });
  }));
document.addEventListener("keydown", (event) => {
  if (!film || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  const action = ACTIONS[event.key.toLowerCase()];
  if (!action || (event.key === " " && event.target.matches("button, a, summary"))) return;
  event.preventDefault();
  action();
});
