// How cards, decks and their tags look, on the page and in pictures that are kept.
import { make } from "../ask.js";

// Of the colours that backs are named by, and for further designs of one colour ("blue 2").
const NAMED = {
  red: "#eb3c3c", orange: "#f58c00", yellow: "#f5d73c", green: "#28aa5a", turquoise: "#1ebebe", blue: "#3282f0",
  purple: "#9650c8", pink: "#ff82be", black: "#323232", grey: "#969696", white: "#f5f5f5",
};
const SPARE = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
const SAME_PX = 1; // corners are told to a tenth
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

/** What stands on the tag of a card that counts; of a pile turned over what it is taken for: the words would hide what lies beside it. */
export const tagText = (tag) => {
  if (["back", "left"].includes(tag.shows) && !tag.face) return String(tag.number);
  return (tag.face ?? tag.name) === "back" ? "13" : cardText(tag.face ?? tag.name);
};

/** The colour of a tag. */
export const tagColour = (tag, colour) => (tag.shows === "back" ? colour(tag.name) : "#fff");

/** How a card is called in a sentence. */
export const tagName = (tag) =>
  ({ back: `${tag.name} ${tag.number}`, left: `left over: ${tag.face ? cardText(tag.face) : tag.number}` })[tag.shows] ?? cardText(tag.face ?? tag.name);

/** How large the letters of each of a photo's tags may be (px of the photo): so that those of neighbours do not cover each other. */
export function tagSizes(places, layout) {
  const largest = Math.max(layout.width, layout.height) / 30;
  return places.map(({ at }, index) => {
    let nearest = largest * 1.5;
    places.forEach((other, number) => {
      if (number !== index) nearest = Math.min(nearest, Math.hypot(at[0] - other.at[0], at[1] - other.at[1]));
    });
    return Math.min(largest, Math.max(largest / 4, nearest / 1.5));
  });
}

/** How large they may be where all are alike. */
export const tagSize = (places, layout) => Math.min(Math.max(layout.width, layout.height) / 30, ...tagSizes(places, layout));

/** What is in view (px) of the card of a photo that has these corners; they themselves where nobody saw one there. */
export function inView(layout, corners) {
  const alike = (one) => one.every((point, index) => Math.hypot(point[0] - corners[index][0], point[1] - corners[index][1]) < SAME_PX);
  const { visible } = layout.cards.find((card) => alike(card.corners)) ?? {};
  return visible?.length > 2 ? visible : corners;
}
