// One recording: video, plays and rulings side by side. A click on a play jumps the video to its moment.
import { ask, complain, make } from "./ask.js";
import { clock, colouredSuits, remarkLines, sureness } from "./words.js";
import { scoreOf } from "./score.js";
import { closeFilm, goTo, isOpen, length, now, openFilm, stepFrame, video } from "./film.js";

const byId = (id) => document.getElementById(id);
const PLAYS = new Set(["play", "take-back", "call", "end", "gap"]);
// How long before a card comes to rest the video is put, in seconds: enough to see it come.
const LEAD = 0.6;

let current = ""; // the recording shown
let news = null; // its EventSource while it is refereed
let account = null;
let shown = []; // the entries in the list, in order
let marked = null; // the entry that the video is at
let jumping = false;

export async function showRecording(id) {
  current = id;
  account = null;
  byId("recording-title").textContent = "";
  drawAccount();
  byId("closely").href = `#moment/${encodeURIComponent(id)}`;
  byId("record-link").href = `/api/recordings/${encodeURIComponent(id)}/record`;
  await refresh();
}

export function leaveRecording() {
  news?.close();
  news = null;
  closeFilm();
  current = "";
}

async function refresh() {
  const asked = current;
  try {
    const recording = await ask(`/api/recordings/${encodeURIComponent(asked)}`);
    if (asked !== current) return;
    if (recording.number) return location.replace(`#moment/${encodeURIComponent(asked)}`); // was watched: there is no one film of it
    openFilm(`/api/recordings/${encodeURIComponent(asked)}`);
    draw(recording);
    if (recording.state === "new") await begin();
    else if (recording.state === "waiting" || recording.state === "refereeing") follow();
  } catch (error) {
    complain(error.message);
  }
}

async function begin() {
  byId("again").disabled = true;
  try {
    draw(await ask(`/api/recordings/${encodeURIComponent(current)}/referee`, { method: "POST" }));
    follow();
  } catch (error) {
    complain(error.message);
    byId("again").disabled = false;
  }
}

function follow() {
  news?.close();
  news = new EventSource(`/api/recordings/${encodeURIComponent(current)}/events`);
  news.addEventListener("progress", (event) => drawProgress(JSON.parse(event.data)));
  news.addEventListener("end", () => {
    news.close();
    news = null;
    refresh();
  });
}

function draw(recording) {
  byId("recording-title").textContent = recording.name;
  document.title = `${recording.name} · nerts-referee`;
  drawProgress(recording);
  complain(recording.error ?? "");
  byId("record-link").hidden = !recording.account;
  account = recording.account;
  drawAccount();
}

function drawProgress({ state, share, doing }) {
  const busy = state === "waiting" || state === "refereeing";
  byId("refereeing").hidden = !busy;
  byId("again").disabled = busy;
  if (!busy) return;
  byId("refereeing-text").textContent = state === "waiting" ? "Waiting for its turn…" : `Refereeing… ${doing}`;
  byId("refereeing-bar").value = share;
}

function drawAccount() {
  const entries = account?.entries ?? [];
  const choice = document.querySelector("input[name=show]:checked").value;
  shown = entries.filter((entry) =>
    choice === "all" || entry.remarks.length > 0 || (choice === "plays" && PLAYS.has(entry.kind)));
  byId("plays").replaceChildren(...shown.map(row));
  byId("plays-count").textContent = account
    ? `${account.plays} plays, ${account.illegal} illegal`
    : "The plays appear here when the recording has been refereed.";
  drawScore();
  drawMarks();
}

function row(entry) {
  const button = make("button", { type: "button" },
    make("span", { className: "time" }, clock(entry.at)),
    make("span", {}, entry.seat),
    make("span", { className: "what" }, ...colouredSuits(entry.text), sureness(entry)),
    ...remarkLines(entry));
  button.dataset.number = entry.number;
  button.dataset.at = entry.at;
  button.addEventListener("click", () => jump(entry));
  return make("li", { className: entry.illegal ? "illegal" : entry.kind === "gap" ? "gap" : "" }, button);
}

function jump(entry) {
  jumping = true;
  goTo(entry.at - LEAD);
  mark(entry);
}

function mark(entry) {
  marked = entry ?? null;
  for (const button of byId("plays").querySelectorAll("button[aria-current]")) button.removeAttribute("aria-current");
  const button = entry && byId("plays").querySelector(`button[data-number="${entry.number}"]`);
  if (!button) return;
  button.setAttribute("aria-current", "true");
  const list = byId("plays");
  const [box, frame] = [button.getBoundingClientRect(), list.getBoundingClientRect()];
  if (list.scrollHeight > list.clientHeight && (box.top < frame.top || box.bottom > frame.bottom)) {
    list.scrollTop += box.top - frame.top - frame.height / 3;
  }
}

/** The entry that the video is at: the last one that has begun to come to rest. */
function entryNow() {
  return shown.findLast((entry) => entry.at - LEAD <= now() + 0.05);
}

function drawScore() {
  byId("hand-score").hidden = !account?.score;
  if (!account?.score) return;
  byId("hand-table").replaceChildren(...scoreOf(account));
}

function drawMarks() {
  if (!(length() > 0 && length() < Infinity)) return byId("marks").replaceChildren();
  const needle = make("b");
  const ticks = shown.map((entry) => {
    const tick = make("i", { className: entry.illegal ? "illegal" : "" });
    tick.style.left = `${(100 * entry.at) / length()}%`;
    return tick;
  });
  byId("marks").replaceChildren(...ticks, needle);
  needle.style.left = `${(100 * now()) / length()}%`;
}

function step(by, wanted = () => true) {
  const from = shown.indexOf(marked);
  for (let index = from + by; index >= 0 && index < shown.length; index += by) {
    if (wanted(shown[index])) return jump(shown[index]);
  }
}

const ACTIONS = {
  j: () => step(1, (entry) => entry.kind !== "gap"),
  k: () => step(-1, (entry) => entry.kind !== "gap"),
  i: () => step(1, (entry) => entry.illegal),
  ",": () => stepFrame(-1),
  ".": () => stepFrame(1),
};

function onKey(event) {
  if (!current || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input[type=text], input[type=number], select")) return;
  const action = ACTIONS[event.key.toLowerCase()];
  if (action) {
    event.preventDefault();
    action();
  } else if (event.key === " " && !event.target.matches("button, a, input, video")) {
    event.preventDefault();
    video.paused ? video.play() : video.pause();
  }
}

video.addEventListener("loadedmetadata", drawMarks);
video.addEventListener("timeupdate", () => {
  const needle = byId("marks").querySelector("b");
  if (needle) needle.style.left = `${(100 * now()) / length()}%`;
  if (!video.paused) mark(entryNow());
});
video.addEventListener("seeked", () => {
  if (!jumping) mark(entryNow());
  jumping = false;
});
video.addEventListener("error", () => {
  if (isOpen()) {
    complain("This browser cannot show the recording; the plays are listed all the same.");
  }
});
byId("marks").addEventListener("click", (event) => {
  const box = byId("marks").getBoundingClientRect();
  goTo(((event.clientX - box.left) / box.width) * length());
});
byId("steps").addEventListener("click", ({ target }) => ACTIONS[target.closest("button")?.dataset.key]?.());
byId("filter").addEventListener("change", drawAccount);
byId("again").addEventListener("click", begin);
document.addEventListener("keydown", onKey);
