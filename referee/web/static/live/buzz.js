// One big button on a player's phone: "Nerts!". The seat that was chosen is remembered.
import { ask, make } from "../ask.js";
import { follow, nameOf, stateWords } from "./table.js";

const byId = (id) => document.getElementById(id);
const KEPT = "nerts-referee seat";

let seat = localStorage.getItem(KEPT) ?? "";
let now = null;

function draw() {
  const seats = now.standing.seats ?? [];
  const { head, more } = stateWords(now.state);
  byId("buzz-state").textContent = [head, more].filter(Boolean).join(": ");
  const chosen = seat !== "" && (seats.includes(seat) || !seats.length);
  byId("buzz-choose").hidden = chosen;
  byId("buzz-play").hidden = !chosen;
  byId("buzz-who").textContent = nameOf(now, seat);
  const words = seats.map((each) => nameOf(now, each)).join();
  if (byId("buzz-seats").dataset.words !== words) {
    byId("buzz-seats").dataset.words = words;
    byId("buzz-seats").replaceChildren(...seats.map(seatButton));
  }
  byId("buzz-none").hidden = seats.length > 0;
}

function seatButton(each) {
  const button = make("button", { type: "button" }, nameOf(now, each));
  button.addEventListener("click", () => choose(each));
  return button;
}

function choose(each) {
  seat = each;
  localStorage.setItem(KEPT, each);
  byId("buzz-said").textContent = "";
  draw();
  (each ? byId("buzz-button") : byId("buzz-seats").querySelector("button"))?.focus();
}

async function buzz() {
  byId("buzz-said").textContent = "Calling…";
  navigator.vibrate?.(80);
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ seat }) };
  try {
    byId("buzz-said").textContent = (await ask("/api/live/call", options)).say;
  } catch (error) {
    byId("buzz-said").textContent = error.message;
  }
}

byId("buzz-button").addEventListener("click", buzz);
byId("buzz-other").addEventListener("click", () => choose(""));
follow((kind, table) => {
  now = table;
  if (["table", "state", "standing"].includes(kind)) draw();
}, (text) => {
  byId("buzz-broken").textContent = text;
  byId("buzz-broken").hidden = !text;
});
