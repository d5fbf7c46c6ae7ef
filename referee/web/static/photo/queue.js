// Doubts as a short queue: one at a time with the card's crop, answered by yes or no; never more than five a hand.
import { make } from "../ask.js";
import { crop } from "./paint.js";

export const MOST = 5;

/** What a yes or a no says of a card (null: that it is none); null: a choice has to be made, which the sheet offers. */
export function meaning(doubt, yes) {
  if (yes === null) return { gone: "card" };
  if (doubt.kind === "design") return yes ? { alike: "one" } : { alike: "two", deck: doubt.otherwise };
  if (yes && ["deck", "face"].includes(doubt.kind)) return doubt.supposed ? { [doubt.kind]: doubt.supposed } : null;
  // a card that is none, or another deck's: two answers that count differently
  if (doubt.kind === "card" && doubt.supposed) return yes ? { deck: doubt.supposed } : null;
  if (yes) return {};
  return { card: { gone: "card" }, "left out": { gone: "card" }, pile: { gone: "pile" } }[doubt.kind] ?? null;
}

/** The doubts that are asked now, the most open one first; `skipped`: which nobody could tell. */
export function asked(report, keyOf, answered, skipped) {
  const open = report.ask.filter((doubt) => !skipped.includes(keyOf(doubt)));
  return open.slice(0, Math.max(0, MOST - answered));
}

/** The first of these doubts. `on`: {answer(doubt, yes), skip(doubt)}. */
export function drawQueue(doubts, shotOf, on) {
  if (!doubts.length) return [];
  const [doubt] = doubts;
  const named = doubt.kind !== "face" || doubt.supposed;
  const yes = button(named ? "Yes" : "Name it", () => on.answer(doubt, true));
  yes.className = "primary";
  const backs = doubt.kind === "card" && doubt.supposed;
  const words = doubt.kind === "design" ? "The second is no card" : backs ? "No card" : "";
  const none = words ? button(words, () => on.answer(doubt, null)) : null;
  const buttons = [yes, named ? button(backs ? "Another deck's" : "No", () => on.answer(doubt, false)) : null, none, button("Cannot tell", () => on.skip(doubt))];
  const more = doubts.length > 1 ? `and ${doubts.length - 1} more` : "the last one";
  return [
    make("h2", {}, "One question ", make("small", {}, more)),
    make("div", { className: "one-doubt" }, ...[doubt.beside, doubt.corners].filter(Boolean).map((corners) => crop(shotOf(doubt), corners)),
      make("div", {}, make("p", { className: "asks" }, doubt.kind === "design" ? "Are these two cards of one deck?" : doubt.asks), make("p", { className: "choices after" }, ...buttons))),
  ];
}

function button(text, onClick) {
  const element = make("button", { type: "button" }, text);
  element.addEventListener("click", onClick);
  return element;
}
