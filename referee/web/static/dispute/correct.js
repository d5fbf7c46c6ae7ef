// What a person says of one event: it was otherwise, it was not, something was missed before it, undo.
import { ask, make } from "../ask.js";
import { colouredSuits } from "../words.js";

// So many other readings are offered.
const OFFERED = 6;
const byId = (id) => document.getElementById(id);
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const PLACES = ["nerts", "waste", ...[1, 2, 3, 4].map((n) => `work ${n}`), ...Array.from({ length: 12 }, (_, n) => `foundation ${n + 1}`)];

let entry = null;
let address = ""; // of its recording
let say = async () => null;
let refused = null; // what was said and went against something that was seen

export function drawCorrection(about, account, where, sayIt) {
  [entry, address, say, refused] = [about, where, sayIt, null];
  drawOthers();
  byId("correct-insist").hidden = true;
  const seats = Object.keys(account.decks);
  fill(byId("correct-seat"), seats.map((seat) => [seat, seat]), entry.seat);
  const { card, from, to } = played(entry.text);
  fill(byId("correct-rank"), RANKS.map((rank) => [rank, rank === "T" ? "10" : rank]), card?.[0]);
  fill(byId("correct-suit"), Object.entries(SUITS), card?.[1]);
  const places = [...new Set([...PLACES, from, to].filter(Boolean))].map((place) => [place, place]);
  fill(byId("correct-from"), places, from ?? "nerts");
  fill(byId("correct-to"), places, to ?? "foundation 1");
  byId("correct-change").disabled = entry.kind !== "play";
  byId("correct-drop").disabled = entry.kind === "correct";
}

/** What it may have been instead: asked for when somebody wants to correct it. */
async function drawOthers() {
  const asked = entry;
  byId("correct-others").replaceChildren();
  byId("correct-first").hidden = true;
  if (!byId("correct").open) return;
  let offered = [];
  try {
    ({ alternatives: offered } = await ask(`${address}/alternatives/${asked.index}?part=${asked.part ?? 0}`));
  } catch {
    return; // nothing is offered: it can be said all the same
  }
  if (asked !== entry) return;
  byId("correct-first").hidden = !offered.length;
  byId("correct-others").replaceChildren(...offered.slice(0, OFFERED).map((each) => {
    const button = make("button", { type: "button" }, make("span", {}, each.seat), make("span", { className: "what" }, ...colouredSuits(each.text)),
      each.legal ? null : make("span", { className: "chip illegal" }, "illegal"));
    button.addEventListener("click", () => tell(each.say));
    return make("li", {}, button);
  }));
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
}

/** The card and the places of a play told in words: `10♥  work 1 → foundation 2`. */
function played(text) {
  const found = text.match(/^(10|[2-9AJQK])([♠♥♦♣])\s+(.+?) → (?:under )?(.+?)(?: \(.*\))?$/);
  if (!found) return {};
  const suit = Object.keys(SUITS).find((key) => SUITS[key] === found[2]);
  return { card: [found[1] === "10" ? "T" : found[1], suit], from: found[3], to: found[4] };
}

const event = () => ({ of: entry.index, part: entry.part });
const fields = () => ({
  seat: byId("correct-seat").value,
  cards: [byId("correct-rank").value + byId("correct-suit").value],
  from: byId("correct-from").value,
  to: byId("correct-to").value,
});

async function tell(said) {
  const error = await say(said);
  refused = error ? said : null;
  byId("correct-insist").hidden = !/goes against/.test(error?.message ?? "");
}

byId("correct").addEventListener("toggle", () => entry && drawOthers());
byId("correct-change").addEventListener("click", () => entry && tell({ ...event(), with: fields() }));
byId("correct-drop").addEventListener("click", () => entry && tell({ ...event(), drop: true }));
byId("correct-insert").addEventListener("click", () =>
  entry && tell({ ...event(), insert: [{ event: "play", at: entry.at, ...fields() }] }));
byId("correct-undo").addEventListener("click", () => tell({ undo: true }));
byId("correct-insist").addEventListener("click", async () => {
  const said = refused;
  if (said && !(await say(said, true))) byId("correct-insist").hidden = true;
});
