// A hand under other rules: what would be ruled and scored otherwise, beside what holds. Nothing is written.
import { ask, make, table } from "../ask.js";
import { changesIn, drawRules } from "../house.js";
import { clock, colouredSuits } from "../words.js";

const byId = (id) => document.getElementById(id);
let address = "";
let account = null;
let games = [];
/** The games are on their way: who compares sooner waits for them. */
let offered = Promise.resolve();

/** The hand that it is asked about. */
export function askOtherwise(where, about) {
  const another = where !== address;
  [address, account] = [where, about];
  byId("moment-otherwise").hidden = !about?.score;
  if (!another) return;
  byId("otherwise-found").replaceChildren();
  if (byId("moment-otherwise").open) offered = offer();
}

async function offer() {
  if (!account) return;
  try {
    ({ games } = await ask("/api/table"));
  } catch (error) {
    return say(error.message);
  }
  byId("otherwise-game").replaceChildren(...games.map(({ name, title }) => make("option", { value: name, selected: name === account.game }, title)));
  drawRules(byId("otherwise-rules"), game(), account.settings ?? {});
}

const game = () => games.find(({ name }) => name === byId("otherwise-game").value);
const say = (...words) => byId("otherwise-found").replaceChildren(make("p", {}, ...words));

async function compare(event) {
  event.preventDefault();
  await offered;
  if (!game()) return;
  const query = new URLSearchParams({ game: game().name, settings: JSON.stringify(changesIn(byId("otherwise-rules"), game())) });
  try {
    draw(await ask(`${address}/under?${query}`));
  } catch (error) {
    say(error.message);
  }
}

function draw(found) {
  if (found.same) return say(`Under these rules of ${found.title} everything would be as it is.`);
  const { now, there } = found.rulings;
  byId("otherwise-found").replaceChildren(
    ...points(found), ...winner(found.score.winner),
    ...list(`Would be ruled under these rules (${there.length})`, there),
    ...list(`Is ruled now, and would not be (${now.length})`, now));
}

/** Of each seat whose score differs: what it has, and what it would have. */
function points({ hand }) {
  const names = ["centre", "left", "bonus", "points"];
  const figures = (score) => names.filter((name) => score[name] !== undefined);
  const rows = Object.entries(hand).flatMap(([seat, { now, there }]) => figures(there)
    .filter((name) => now[name] !== there[name])
    .map((name) => [seat, name, String(now[name]), make("strong", {}, String(there[name]))]));
  return rows.length ? [table(["seat", "", "now", "under these"], rows, ["text", "text"])] : [];
}

function winner(differs) {
  if (!differs) return [];
  const named = (who) => (who ? [who].flat().join(" and ") : "nobody yet");
  return [make("p", {}, `Wins the match: ${named(differs.now)} now, ${named(differs.there)} under these rules.`)];
}

function list(words, rulings) {
  if (!rulings.length) return [];
  return [make("h3", {}, words), make("ul", { className: "rulings" }, ...rulings.map((each) => make("li", {},
    make("span", { className: "time" }, clock(each.at)), " ", make("strong", {}, each.seat), " ", ...colouredSuits(each.what),
    make("p", { className: "remark" }, make("span", { className: `chip ${each.verdict}` }, `${each.said} · ${each.rule}`), " ", each.why))))];
}

byId("moment-otherwise").addEventListener("toggle", () => byId("moment-otherwise").open && (offered = offer()));
byId("otherwise-game").addEventListener("change", () => drawRules(byId("otherwise-rules"), game(), {}));
byId("otherwise-form").addEventListener("submit", compare);
