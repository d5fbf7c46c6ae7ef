// Names, decks, game and house rules: chosen before or after, kept for next time.
import { ask, complain, make } from "./ask.js";

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
  drawRules(table.settings);
}

function text(kind, seat, value, label) {
  const input = make("input", { type: "text", value: value ?? "", maxLength: 60, "aria-label": label, autocomplete: "off" });
  [input.dataset.kind, input.dataset.seat] = [kind, seat];
  return input;
}

const game = () => told.games.find(({ name }) => name === byId("terms-game").value);

function drawRules(changed) {
  byId("terms-rules").replaceChildren(...(game()?.settings ?? []).map((setting) => {
    const value = changed[setting.key] ?? setting.usual;
    const input = control(setting, value);
    input.dataset.key = setting.key;
    const description = make("small", { id: `about-${setting.key}`, className: "hush-light" }, setting.description.replace(/`([^`]+)`/g, "“$1”"));
    input.setAttribute("aria-describedby", description.id);
    return make("div", { className: "rule" }, make("label", {}, input, make("span", {}, setting.title)), description);
  }));
}

function control({ type, values, minimum, maximum, usual }, value) {
  if (type === "flag") return make("input", { type: "checkbox", checked: value });
  if (values.length) {
    return make("select", {}, ...values.map((each) =>
      make("option", { value: String(each), selected: each === value }, each === usual ? `${each} (usual)` : String(each))));
  }
  const input = make("input", { type: "number", value, step: type === "integer" ? 1 : "any", required: true });
  if (minimum !== null) input.min = minimum;
  if (maximum !== null) input.max = maximum;
  return input;
}

/** The house rules: what differs from the game's own. */
function changes() {
  const found = {};
  for (const setting of game().settings) {
    const input = byId("terms-rules").querySelector(`[data-key="${CSS.escape(setting.key)}"]`);
    const value = input.type === "checkbox" ? input.checked
      : input.type === "number" ? Number(input.value)
      : setting.values.find((each) => String(each) === input.value);
    if (value !== setting.usual) found[setting.key] = value;
  }
  return found;
}

function named(kind) {
  const inputs = [...byId("terms-seats").querySelectorAll(`[data-kind="${kind}"]`)];
  return Object.fromEntries(inputs.map(({ dataset, value }) => [dataset.seat, value.trim()]).filter(([, value]) => value));
}

async function keep(event) {
  event.preventDefault();
  const agreed = { game: game().name, settings: changes(), names: named("names"), decks: named("decks") };
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(agreed) };
  try {
    told = await ask("/api/table", options);
    draw();
    byId("terms-said").textContent = `Kept for next time. ${told.said}`.trim();
  } catch (error) {
    byId("terms-said").textContent = error.message;
  }
}

byId("terms-game").addEventListener("change", () => drawRules({}));
byId("terms").addEventListener("submit", keep);
