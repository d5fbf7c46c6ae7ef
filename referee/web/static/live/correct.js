// A play of the hand that is played, corrected by a tap: the likeliest other readings first.
import { ask, make } from "../ask.js";
import { colouredSuits } from "../words.js";

const byId = (id) => document.getElementById(id);
const NAME = "nerts-referee name";
const OFFERED = 6;

let entry = null;
let refused = null; // what was said and goes against something that was seen

export async function openCorrection(about, words) {
  [entry, refused] = [about, null];
  byId("live-correct").hidden = false;
  byId("live-correct-what").textContent = words;
  byId("live-by").value ||= localStorage.getItem(NAME) ?? "";
  byId("live-corrected").textContent = "";
  byId("live-insist").hidden = true;
  byId("live-others").replaceChildren();
  byId("live-correct").scrollIntoView({ block: "nearest" });
  try {
    const { alternatives } = await ask(`/api/live/alternatives/${about.index}?part=${about.part ?? 0}`);
    if (entry === about) byId("live-others").replaceChildren(...alternatives.slice(0, OFFERED).map(other));
  } catch (error) {
    byId("live-corrected").textContent = error.message;
  }
}

function other(each) {
  const button = make("button", { type: "button" }, make("span", {}, each.seat),
    make("span", { className: "what" }, ...colouredSuits(each.text)), each.legal ? null : make("span", { className: "chip illegal" }, "illegal"));
  button.addEventListener("click", () => say(each.say));
  return make("li", {}, button);
}

async function say(said, insist = false) {
  const by = byId("live-by").value.trim();
  if (!by) {
    byId("live-corrected").textContent = "Who are you? Type your name, and try again.";
    return byId("live-by").focus();
  }
  localStorage.setItem(NAME, by);
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ said, by, insist }) };
  try {
    byId("live-corrected").textContent = (await ask("/api/live/correct", options)).say;
    byId("live-others").replaceChildren();
    byId("live-insist").hidden = true;
  } catch (error) {
    byId("live-corrected").textContent = error.message;
    refused = said;
    byId("live-insist").hidden = !/goes against/.test(error.message);
  }
}

byId("live-drop").addEventListener("click", () => entry && say({ of: entry.index, part: entry.part ?? 0, drop: true }));
byId("live-undo").addEventListener("click", () => say({ undo: true }));
byId("live-insist").addEventListener("click", () => refused && say(refused, true));
byId("live-close").addEventListener("click", () => (byId("live-correct").hidden = true));
