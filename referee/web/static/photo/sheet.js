// What can be said of one card, or of a place where none was seen: a sheet at the lower edge, within a thumb's reach.
import { make } from "../ask.js";
import { cardName, cardText, RANKS, SUITS, swatch, tagName } from "./look.js";
import { crop } from "./paint.js";

const sheet = document.getElementById("photo-sheet");
let before = null; // what had the focus

export function closeSheet() {
  if (sheet.hidden) return;
  sheet.hidden = true;
  sheet.replaceChildren();
  if (before?.isConnected) before.focus({ preventScroll: true });
}

/** Of a card that counts. `say({gone} or {deck} or {face} or null)`, `add()`: another one lies here; `alike`: so many lie
 * face up among the backs, of which `sayAll` says the same. */
export function openCard({ tag, place }, shot, decks, colour, say, add, alike, sayAll) {
  const done = (what) => () => finish(() => say(what));
  const rows = [choices(button("Not a card", done({ gone: "card" })), tag.shows === "top" ? button("Not a foundation", done({ gone: "pile" })) : null)];
  const others = decks.filter((deck) => tag.shows !== "back" || deck !== tag.name);
  if (tag.shows !== "top") rows.push(...deckRow(tag.shows === "back" ? "Another deck's:" : "Counts for:", others, colour, (deck) => finish(() => say({ deck }))));
  if (alike > 1) rows.push(...deckRow(`All ${alike} that lie face up count for:`, decks, colour, (deck) => finish(() => sayAll({ deck }))));
  rows.push(...faceRow(tag.shows === "back" ? "" : tag.face, (face) => finish(() => say({ face })), tag.shows === "back"));
  rows.push(choices(button("One more card here", add), tag.told ? button("Undo what was said", done(null)) : null));
  const title = make("strong", {}, tag.shows === "back" ? swatch(colour(tag.name)) : "", tagName(tag));
  open(title, tag.told ? "as you said" : "", crop(shot, place.corners), rows);
}

/** Of a place where no card was seen. `add({deck} or {face})`. */
export function openPlace(at, shot, decks, colour, faces, add) {
  const size = cardSize(shot.layout);
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [at[0] + (x * size) / 2, at[1] + (y * size) / 2]);
  const backs = deckRow("A card lies here, of the deck:", decks, colour, (deck) => finish(() => add({ deck })));
  const tops = faceRow("", (face) => finish(() => add({ face })), false, "A card lies here, face up:");
  open(make("strong", {}, "A card that was not seen?"), "", crop(shot, corners), faces ? [...tops, ...backs] : [...backs, ...tops]);
}

/** Of what somebody said is no card. */
export function openGone(said, shot, back) {
  const rows = [choices(button("It is a card after all", () => finish(back)))];
  open(make("strong", {}, "No card, as you said"), "", crop(shot, shot.layout.cards[said.card].corners), rows);
}

function open(title, note, picture, rows) {
  before = document.activeElement;
  const close = button("Close", closeSheet);
  close.className = "close";
  const head = make("div", { className: "head" }, title, " ", make("small", {}, note), close);
  sheet.replaceChildren(head, make("div", { className: "body" }, picture, make("div", { className: "says" }, ...rows)));
  sheet.hidden = false;
  close.focus({ preventScroll: true });
}

function finish(use) {
  closeSheet();
  use();
}

function deckRow(words, decks, colour, choose) {
  const known = decks.map((deck) => button(deck, () => choose(deck), swatch(colour(deck))));
  const fresh = ["other", "other 2", "other 3"].find((name) => !decks.includes(name));
  return [make("p", { className: "hush-light" }, words), choices(...known, button("another deck", () => choose(fresh)))];
}

/** Ranks and suits; the card is chosen once both are. `folded`: behind a word, where it is seldom wanted. */
function faceRow(face, choose, folded, words = "It shows:") {
  const chosen = { rank: face?.[0] ?? "", suit: face?.[1] ?? "" };
  const all = [];
  const pick = (part, value, label, name) => {
    const one = button(label, () => {
      chosen[part] = value;
      for (const [key, its, element] of all) element.setAttribute("aria-pressed", chosen[key] === its);
      if (RANKS.includes(chosen.rank || "-") && SUITS[chosen.suit]) choose(chosen.rank + chosen.suit);
    }, null, name);
    one.setAttribute("aria-pressed", chosen[part] === value);
    all.push([part, value, one]);
    return one;
  };
  const suits = Object.keys(SUITS).map((suit) => pick("suit", suit, cardName(`?${suit}`).textContent.slice(1), suit));
  const ranks = [...RANKS].map((rank) => pick("rank", rank, cardText(`${rank}S`).slice(0, -1), rank));
  const rows = [make("div", { className: "picks" }, ...suits), make("div", { className: "picks" }, ...ranks)];
  if (folded) return [make("details", {}, make("summary", {}, "It lies face up"), ...rows)];
  return [make("p", { className: "hush-light" }, words), ...rows];
}

const choices = (...buttons) => make("p", { className: "choices after" }, ...buttons);

function button(text, onClick, before = null, label = "") {
  const element = make("button", { type: "button", ...(label ? { "data-pick": label } : {}) }, before, text);
  element.addEventListener("click", onClick);
  return element;
}

function cardSize(layout) {
  const sizes = layout.cards.map(({ corners: [a, , c] }) => Math.hypot(a[0] - c[0], a[1] - c[1])).sort((x, y) => x - y);
  return sizes[sizes.length >> 1] ?? layout.width / 8;
}

sheet.addEventListener("keydown", (event) => event.key === "Escape" && closeSheet());
