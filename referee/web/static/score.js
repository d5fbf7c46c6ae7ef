// The score of a hand as a table, wherever it is shown.
import { counted, make, table } from "./ask.js";

/** The table, and a sentence about the match. */
export function scoreOf({ score, decks, second_pass: again }) {
  const { hand, match, winner, final, unknown } = score;
  const counts = (name) => Object.values(hand).some((figures) => figures[name]);
  const names = ["centre", "left", "bonus", "disputed", "points"].filter((name) =>
    !["bonus", "disputed"].includes(name) || counts(name));
  const rows = Object.entries(hand).map(([seat, figures]) => [
    make("span", {}, seat, " ", make("small", { className: "time" }, decks[seat] ?? "")),
    ...names.map((name) => String(figures[name] ?? 0)),
    String(match[seat] ?? ""),
  ]);
  const winners = winner ? [winner].flat().join(" and ") : "";
  const words = winners ? `${winners} wins the match.` : final ? "The hand is over; the match goes on." : "The hand is not over.";
  const uncounted = unknown?.left.length ? `, nor how many Nerts cards ${unknown.left.join(" and ")} have left` : "";
  const cards = `${counted(unknown?.centre, "card")} in the centre`;
  const lacks = `The hand had begun before the recording: whose ${cards} were by then is not known${uncounted}: count the cards.`;
  return [
    table(["seat", ...names, "match"], rows, ["text", ...names.map((name) => (name === "points" ? name : "")), ""]),
    ...(unknown ? [make("p", { className: "hush-light" }, lacks)] : []),
    make("p", { className: "hush-light" }, words),
    ...(again ? [make("p", { className: "hush-light" }, `${again[0].toUpperCase()}${again.slice(1)}.`)] : []),
  ];
}
