// The board for a television: the state, the score and the last plays, to be read across the room.
import { make, table as grid } from "../ask.js";
import { colouredSuits } from "../words.js";
import { follow, nameOf, players, plays, showAmiss, stateWords } from "./table.js";

const byId = (id) => document.getElementById(id);
const SHOWN = 4;

function draw(table) {
  const { head, more } = stateWords(table.state);
  byId("board-head").textContent = head;
  byId("board-say").textContent = more;
  byId("board-state").dataset.state = table.state.state ?? "";
  showAmiss(byId("board-amiss"), table);
  const over = ["score", "next deal", "over"].includes(table.state.state);
  byId("board-title").textContent = over ? "Score" : "If it ended now";
  const all = players(table);
  const withMatch = all.some((player) => player.match !== undefined);
  const text = (number) => (number === undefined || number === null ? "–" : String(number));
  byId("board-score").replaceChildren(grid(
    ["player", "Nerts left", "points", ...(withMatch ? ["match"] : [])],
    all.map((player) => [player.name, text(player.left), text(player.points), ...(withMatch ? [text(player.match)] : [])]),
    ["text", "", "points", ""]));
  const last = plays(table).filter((entry) => entry.seat && entry.kind !== "deal").slice(-SHOWN).reverse();
  byId("board-plays").replaceChildren(...last.map((entry) =>
    make("li", { className: [entry.illegal && "illegal", entry.unsettled && "unsettled"].filter(Boolean).join(" ") },
      make("strong", {}, nameOf(table, entry.seat)), " ", ...colouredSuits(entry.text),
      entry.illegal ? make("p", { className: "remark" }, entry.remarks.find((each) => each.verdict === "illegal").why) : null)));
}

follow((kind, table) => kind !== "places" && kind !== "counts" && draw(table), (text) => {
  byId("board-broken").textContent = text;
  byId("board-broken").hidden = !text;
});
