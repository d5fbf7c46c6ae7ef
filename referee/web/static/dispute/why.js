// Why the referee says what it says of an event: how sure it is, what it saw when, what else it may have been.
import { ask, make } from "../ask.js";
import { clock } from "../words.js";

/** The reasons as list items; an error is one, too. */
export async function whyItems(address, entry) {
  try {
    const { line, about } = await ask(`${address}/lines/${entry.index}`);
    return reasons(line, about).map((words) => make("li", {}, words));
  } catch (error) {
    return [make("li", {}, error.message)];
  }
}

const interval = ([from, to]) => `${clock(from)} to ${clock(to)}`;

function reasons(line, about) {
  const found = [`How sure the referee is of what it saw: ${Math.round(100 * (line.confidence ?? 1))} %.`];
  if (line.lifted) found.push(`Lifted between ${interval(line.lifted)}.`);
  if (line.landed) found.push(`Came to rest between ${interval(line.landed)}.`);
  if (line.frames) found.push(frames(line.frames));
  for (const { line: other } of about) {
    if (other.event === "doubt") {
      found.push(other.asks || "It may have been otherwise.");
      for (const each of other.candidates ?? []) found.push(`Perhaps ${[each.cards?.join(" "), each.from, each.to].filter(Boolean).join(" ")}: ${Math.round(100 * (each.confidence ?? 0))} %.`);
    }
    if (other.event === "correct") found.push(correction(other));
    if (other.event === "ruling") found.push(`${other.verdict} (${other.rule}), ${Math.round(100 * (other.confidence ?? 1))} % sure.`);
  }
  return found;
}

const frames = ([first, last]) => (first === last ? `Seen lying there in frame ${first}.` : `Seen in frames ${first} to ${last}.`);

/** The umpire's own corrections are second looks. */
function correction({ by, with: fields = {}, drop }) {
  if (by !== "umpire") return `${by ?? "Somebody"} corrected it.`;
  if (drop) return "The referee took it back at a later look.";
  const sure = fields.confidence;
  return sure === undefined ? "A later look showed it otherwise: it is told so." : `A later look made it ${Math.round(100 * sure)} % sure.`;
}
