// A dispute: any moment frame by frame, why the referee says what it says, challenges and corrections.
import { ask, complain, make } from "../ask.js";
import { clock, colouredSuits, remarkLines, sureness } from "../words.js";
import { drawCorrection } from "./correct.js";
import { openFrames } from "./frames.js";

const byId = (id) => document.getElementById(id);
const NAME = "nerts-referee name";
// How long before a card comes to rest a play is shown, and what is repeated around it, s.
const LEAD = 0.6;
const AROUND = [1.2, 0.8];
const TOLD = new Set(["play", "take-back", "call", "draw", "end", "gap", "correct"]);

let id = "";
let film = null;
let recording = null;
let entry = null; // the event that is looked at
let challenges = [];

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
    byId("moment-frame").max = Math.max(0, film.count - 1);
  }
  byId("moment-title").textContent = `Look closely: ${recording.name}`;
  document.title = `${recording.name} · nerts-referee`;
  entry = entries().find((each) => String(each.index) === index) ?? entry;
  draw();
  if (frame !== "") film.go(Number(frame));
  else if (entry) film.go(film.indexAt(entry.at - LEAD));
  else film.go(0);
}

export function leaveMoment() {
  film?.close();
  [film, recording, entry, id] = [null, null, null, ""];
}

const entries = () => (recording.account?.entries ?? []).filter((each) => TOLD.has(each.kind) || each.remarks.length);

function shown(number, seconds) {
  byId("moment-frame").value = number;
  byId("moment-where").textContent = `Frame ${number} of ${film.count - 1} · ${clock(seconds)}`;
  byId("moment-picture").alt = `Frame ${number} of ${recording.name}`;
  if (!film.running) keepLink(number);
}

/** The address leads back to this very frame. */
function keepLink(number) {
  const parts = ["moment", encodeURIComponent(id), number, ...(entry ? [entry.index] : [])];
  history.replaceState(null, "", `#${parts.join("/")}`);
}

function draw() {
  const all = entries();
  byId("moment-plays").replaceChildren(...all.map(row));
  byId("moment-none").hidden = all.length > 0;
  byId("moment-chosen").hidden = !entry;
  drawChallenges();
  if (!entry) return;
  byId("moment-what").replaceChildren(
    make("span", { className: "time" }, clock(entry.at)), " ", make("strong", {}, entry.seat), " ",
    ...colouredSuits(entry.text), ...[sureness(entry)].filter(Boolean), ...remarkLines(entry));
  byId("moment-why").open = false;
  drawCorrection(entry, recording.account, address(), say);
}

function row(each) {
  const button = make("button", { type: "button" },
    make("span", { className: "time" }, clock(each.at)), make("span", {}, each.seat),
    make("span", { className: "what" }, ...colouredSuits(each.text)), ...remarkLines(each));
  if (each.number === entry?.number) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => choose(each));
  return make("li", { className: each.illegal ? "illegal" : "" }, button);
}

function choose(each) {
  entry = each;
  film.pause();
  film.go(film.indexAt(each.at - LEAD));
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
  film.go((film.wanted < 0 ? 0 : film.wanted) + by);
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
  byId("moment-challenges").replaceChildren(...challenges.map(challengeRow).reverse());
  byId("moment-challenged").hidden = !challenges.length;
}

const STATES = { asked: "asked", accepted: "accepted", open: "left open" };

function challengeRow(each) {
  const about = entries().find((one) => one.index === each.of);
  const go = make("button", { type: "button", className: "link-like" }, about ? `${clock(about.at)} ${about.seat} ${about.text}` : `event ${each.of}`);
  if (about) go.addEventListener("click", () => choose(about));
  const settle = (state, words) => {
    const button = make("button", { type: "button" }, words);
    button.addEventListener("click", () => post(`challenges/${each.number}`, { state }, replaced));
    return button;
  };
  return make("li", { className: `challenge ${each.state}` },
    make("p", {}, make("span", { className: `chip ${each.state === "accepted" ? "" : "undecided"}` }, STATES[each.state]), " ",
      make("strong", {}, each.by), " challenges ", go),
    each.says ? make("p", { className: "remark" }, `“${each.says}”`) : null,
    make("p", { className: "remark" }, ...colouredSuits(each.answer)),
    each.state === "accepted" ? null : make("p", { className: "choices after for-players" },
      settle("accepted", "Accept"), each.state === "open" ? null : settle("open", "Leave open")));
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
    done(await ask(`${address()}/${what}`, options));
    byId("moment-said").textContent = "";
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
    const was = entry;
    entry = entries().find((each) => each.index === was?.index) ?? null;
    draw();
    byId("moment-said").textContent = "Corrected: plays, rulings and score are derived anew.";
  });
}

async function drawWhy() {
  if (!byId("moment-why").open || !entry) return;
  try {
    const { line, about } = await ask(`${address()}/lines/${entry.index}`);
    byId("moment-because").replaceChildren(...reasons(line, about).map((words) => make("li", {}, words)));
  } catch (error) {
    byId("moment-because").replaceChildren(make("li", {}, error.message));
  }
}

const interval = ([from, to]) => `${clock(from)} to ${clock(to)}`;

function reasons(line, about) {
  const found = [`How sure the referee is of what it saw: ${Math.round(100 * (line.confidence ?? 1))} %.`];
  if (line.lifted) found.push(`Lifted between ${interval(line.lifted)}.`);
  if (line.landed) found.push(`Came to rest between ${interval(line.landed)}.`);
  if (line.frames) found.push(`Seen in frames ${line.frames.join(" to ")}.`);
  for (const { line: other } of about) {
    if (other.event === "doubt") {
      found.push(other.asks || "It may have been otherwise.");
      for (const each of other.candidates ?? []) found.push(`Perhaps ${[each.cards?.join(" "), each.from, each.to].filter(Boolean).join(" ")}: ${Math.round(100 * (each.confidence ?? 0))} %.`);
    }
    if (other.event === "correct") found.push(`${other.by ?? "Somebody"} corrected it.`);
    if (other.event === "ruling") found.push(`${other.verdict} (${other.rule}), ${Math.round(100 * (other.confidence ?? 1))} % sure.`);
  }
  return found;
}

// -- hands on ------------------------------------------------------------------------------------------------

byId("moment-frame").addEventListener("input", ({ target }) => film?.go(Number(target.value)));
byId("moment-steps").addEventListener("click", ({ target }) => film && ACTIONS[target.closest("button")?.dataset.key]?.());
byId("moment-zooms").addEventListener("click", ({ target }) => film && ACTIONS[target.closest("button")?.dataset.key]?.());
byId("moment-speed").addEventListener("change", again);
byId("moment-loop").addEventListener("change", again);
byId("moment-why").addEventListener("toggle", drawWhy);
byId("moment-challenge").addEventListener("click", () =>
  entry && post("challenges", { of: entry.index, says: byId("moment-says").value.trim() }, (asked) => {
    byId("moment-says").value = "";
    replaced(asked);
  }));
document.addEventListener("keydown", (event) => {
  if (!film || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  const action = ACTIONS[event.key.toLowerCase()];
  if (!action || (event.key === " " && event.target.matches("button, a, summary"))) return;
  event.preventDefault();
  action();
});
