// The house rules of a game as a form: what each means and may be.
import { make } from "./ask.js";

/** Draws them into an element, `changed` where they differ from the game's own. */
export function drawRules(element, game, changed) {
  element.replaceChildren(...(game?.settings ?? []).map((setting) => {
    const input = control(setting, changed[setting.key] ?? setting.usual);
    input.dataset.key = setting.key;
    const description = make("small", { id: `${element.id}-${setting.key}`, className: "hush-light" }, setting.description.replace(/`([^`]+)`/g, "“$1”"));
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

/** What somebody has chosen otherwise than the game's own. */
export function changesIn(element, game) {
  const found = {};
  for (const setting of game.settings) {
    const input = element.querySelector(`[data-key="${CSS.escape(setting.key)}"]`);
    const value = input.type === "checkbox" ? input.checked
      : input.type === "number" ? Number(input.value)
      : setting.values.find((each) => String(each) === input.value);
    if (value !== setting.usual) found[setting.key] = value;
  }
  return found;
}
