// Challenges of a hand: who doubts what, what the referee says to it, and what became of it.
import { make } from "../ask.js";
import { clock, colouredSuits } from "../words.js";

const STATES = { asked: "asked", accepted: "accepted", open: "left open" };

/** The rows, the latest first. `choose(entry)` leads to what one is about, `settle(number, state)` ends it. */
export function challengeRows(challenges, entries, choose, settle) {
  return challenges.map((each) => row(each, entries, choose, settle)).reverse();
}

function row(each, entries, choose, settle) {
  const about = entries.find((one) => one.index === each.of);
  const words = about ? `${clock(about.at)} ${about.seat} ${about.text}` : `event ${each.of}`;
  const go = make("button", { type: "button", className: "link-like" }, words);
  if (about) go.addEventListener("click", () => choose(about));
  const end = (state, text) => {
    const button = make("button", { type: "button", className: state === "accepted" ? "primary" : "" }, text);
    button.addEventListener("click", () => settle(each.number, state));
    return button;
  };
  return make("li", { className: `challenge ${each.state}` },
    make("p", {}, make("span", { className: `chip ${each.state === "accepted" ? "" : "undecided"}` }, STATES[each.state]), " ",
      make("strong", {}, each.by), " challenges ", go),
    each.says ? make("p", { className: "remark" }, `“${each.says}”`) : null,
    make("p", { className: "remark" }, ...colouredSuits(each.answer)),
    each.state === "accepted" ? null : make("p", { className: "choices after for-players" },
      end("accepted", "Accept"), each.state === "open" ? null : end("open", "Leave open")));
}
