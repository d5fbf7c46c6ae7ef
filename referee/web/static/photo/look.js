// How cards, decks and their tags look, on the page and in pictures that are kept.
import { make } from "../ask.js";

// Of the colours that backs are named by, and for further designs of one colour ("blue 2").
const NAMED = {
  red: "#eb3c3c", orange: "#f58c00", yellow: "#f5d73c", green: "#28aa5a", turquoise: "#1ebebe", blue: "#3282f0",
  purple: "#9650c8", pink: "#ff82be", black: "#323232", grey: "#969696", white: "#f5f5f5",
};
const SPARE = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
const DARK = ["red", "blue", "purple", "black", "#0072b2", "#d55e00", "#009e73"];
export const RANKS = "A23456789TJQK";
export const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };

/** The colour of each back: its own where it is named by one, else a spare one. */
export function coloursOf(backs) {
  const unnamed = [...new Set(backs)].filter((back) => !NAMED[back]).sort();
  return (back) => NAMED[back] ?? SPARE[Math.max(0, unnamed.indexOf(back)) % SPARE.length];
}

/** What is written on a tag of this colour. */
export const inkOn = (colour) => (DARK.some((dark) => (NAMED[dark] ?? dark) === colour) ? "#fff" : "#000");

export function swatch(colour) {
  const box = make("span", { className: "swatch" });
  box.style.background = colour;
  return box;
}

/** A card as people write it. */
export const cardText = (card) => {
  if (card === "back") return "turned over";
  if (!/^[A2-9TJQK?][SHDC?]$/.test(card ?? "") || card === "??") return "?";
  return (card[0] === "T" ? "10" : card[0]) + (SUITS[card[1]] || "?");
};

/** A card's name as an element, red suits in red. */
export const cardName = (card) => make("span", { className: /[HD]$/.test(card ?? "") ? "red-suit" : "" }, cardText(card));

/** What stands on the tag of a card that counts. */
export const tagText = (tag) => (["back", "left"].includes(tag.shows) && !tag.face ? String(tag.number) : cardText(tag.face ?? tag.name));

/** The colour of a tag. */
export const tagColour = (tag, colour) => (tag.shows === "back" ? colour(tag.name) : "#fff");

/** How a card is called in a sentence. */
export const tagName = (tag) =>
  ({ back: `${tag.name} ${tag.number}`, left: `left over: ${tag.face ? cardText(tag.face) : tag.number}` })[tag.shows] ?? cardText(tag.face ?? tag.name);

/** How large the letters of a photo's tags may be (px of the photo): so that those of neighbours do not cover each other. */
export function tagSize(places, layout) {
  const largest = Math.max(layout.width, layout.height) / 30;
  let nearest = largest * 1.5;
  places.forEach(({ at }, index) => {
    for (const other of places.slice(index + 1)) nearest = Math.min(nearest, Math.hypot(at[0] - other.at[0], at[1] - other.at[1]));
  });
  return Math.min(largest, Math.max(largest / 4, nearest / 1.5));
}
