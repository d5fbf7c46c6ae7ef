// Names, decks, game and house rules: chosen before or after, kept for next time.
import { ask, complain, make } from "./ask.js";
import { changesIn, drawRules } from "./house.js";

const byId = (id) => document.getElementById(id);
let told = null;

export async function showTerms() {
  try {
    told = await ask("/api/table");
    draw();
    byId("terms-said").textContent = told.trouble;
  } catch (error) {
    complain(error.message);
  }
}

function draw() {
  const { table, seats, games } = told;
  const all = [...new Set([...seats, ...Object.keys(table.names), ...Object.keys(table.decks)])];
  byId("terms-seats").replaceChildren(...all.map((seat) => make("tr", {},
    make("th", { scope: "row" }, seat),
    make("td", {}, text("names", seat, table.names[seat], `Who sits at ${seat}`)),
    make("td", {}, text("decks", seat, table.decks[seat], `The back of ${seat}'s deck`)))));
  byId("terms-game").replaceChildren(...games.map(({ name, title }) => make("option", { value: name, selected: name === table.game }, title)));
  drawRules(byId("terms-rules"), game(), table.settings);
}

function text(kind, seat, value, label) {
  const input = make("input", { type: "text", value: value ?? "", maxLength: 60, "aria-label": label, autocomplete: "off" });
  [input.dataset.kind, input.dataset.seat] = [kind, seat];
  return input;
}

const game = () => told.games.find(({ name }) => name === byId("terms-game").value);

function named(kind) {
  const inputs = [...byId("terms-seats").querySelectorAll(`[data-kind="${kind}"]`)];
  return Object.fromEntries(inputs.map(({ dataset, value }) => [dataset.seat, value.trim()]).filter(([, value]) => value));
}

async function keep(event) {
  event.preventDefault();
  const agreed = { game: game().name, settings: changesIn(byId("terms-rules"), game()), names: named("names"), decks: named("decks") };
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(agreed) };
  try {
    told = await ask("/api/table", options);
    draw();
    byId("terms-said").textContent = `Kept for next time. ${told.said}`.trim();
  } catch (error) {
    byId("terms-said").textContent = error.message;
  }
}

byId("terms-game").addEventListener("change", () => drawRules(byId("terms-rules"), game(), {}));
byId("terms").addEventListener("submit", keep);
