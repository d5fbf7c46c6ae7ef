// How moments, cards and rulings are written, wherever they are shown.
import { make } from "./ask.js";

/** Minutes, seconds and tenths: 1:07.4. */
export function clock(seconds) {
  const tenths = Math.round(Math.max(0, seconds) * 10);
  return `${Math.floor(tenths / 600)}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}.${tenths % 10}`;
}

/** The same to hundredths, for what is a matter of frames: 1:07.43. */
export function exactly(seconds) {
  const hundredths = Math.round(Math.max(0, seconds) * 100);
  const rest = String(hundredths % 6000).padStart(4, "0");
  return `${Math.floor(hundredths / 6000)}:${rest.slice(0, 2)}.${rest.slice(2)}`;
}

/** A text with its hearts and diamonds in red. */
export function colouredSuits(text) {
  return text.split(/(\S+[♥♦])/).map((part) =>
    /[♥♦]$/.test(part) ? make("span", { className: "red-suit" }, part) : part);
}

/** What was ruled about an entry: one line each. */
export const remarkLines = (entry) => entry.remarks.map((remark) =>
  make("p", { className: "remark" },
    make("span", { className: `chip ${remark.verdict}` }, `${remark.said} · ${remark.rule}`), " ", remark.why));

/** How sure the referee is of what it saw, where that is worth saying. */
export const sureness = (entry) => entry.confidence < 0.9
  ? make("span", { className: "sure", title: "how sure the referee is of what it saw" }, ` ${Math.round(entry.confidence * 100)} %`)
  : null;
