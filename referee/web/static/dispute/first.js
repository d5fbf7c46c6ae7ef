// Who was first: both landings side by side, between which moments each card came to rest, and the rule's words.
import { ask, make } from "../ask.js";
import { colouredSuits, clock, exactly } from "../words.js";

const byId = (id) => document.getElementById(id);
const PX = 1600; // frames are asked for this long: places in them are enlarged
const ENLARGED = 3;

let address = "";
let entry = null;
let film = null;
let plays = []; // of the hand
let told = null;
let shown = []; // the frame shown of each play: {number, seconds}

/** The play that it is asked about; the rival is chosen anew, among `all` that is told of the hand. */
export function askFirst(where, about, frames, all) {
  [address, entry, film] = [where, about, frames];
  plays = all.filter((each) => each.kind === "play");
  byId("moment-first").hidden = about.kind !== "play";
  if (byId("moment-first").open) draw("");
}

/** The rival that is shown: {rival, rival_part} of an address, "" where none is. */
export const rivalAsked = () => (byId("moment-first").open && told?.plays.length > 1 ? rivalOf(told.plays[1]) : "");

const rivalOf = ({ index, part }) => `rival=${index}&rival_part=${part}`;

async function draw(rival) {
  const asked = entry;
  try {
    const answer = await ask(`${address}/first/${asked.index}?part=${asked.part ?? 0}${rival && `&${rival}`}`);
    if (asked !== entry) return;
    told = answer;
  } catch (error) {
    told = null;
    byId("first-say").textContent = error.message;
    return;
  }
  const [, other] = told.plays;
  offerRivals(other);
  byId("first-found").hidden = !other;
  if (!other) return byId("first-say").replaceChildren(), byId("first-rule").replaceChildren();
  shown = told.plays.map((each) => ({ number: each.frame, seconds: each.at }));
  byId("first-landings").replaceChildren(...told.plays.map(landing));
  drawLine();
  byId("first-say").replaceChildren(make("span", { className: `chip ${told.verdict}` }, VERDICTS[told.verdict] ?? told.verdict), " ", told.say);
  const { rule } = told;
  byId("first-rule").replaceChildren(...(rule ? [make("strong", {}, `${rule.id} ${rule.title}.`), ` ${rule.text}`] : []));
}

/** The likeliest rivals first, and then every other play of the hand. */
function offerRivals(chosen) {
  const option = (each) => make("option", { value: rivalOf(each), selected: Boolean(chosen) && rivalOf(each) === rivalOf(chosen) },
    `${clock(each.at)} ${each.seat} ${each.text}`);
  const near = new Set([entry, ...told.rivals].map(rivalOf));
  const others = plays.filter((each) => !near.has(rivalOf(each)));
  byId("first-rival").replaceChildren(
    ...(chosen ? [] : [make("option", { value: "", selected: true }, "choose a play: none came within ten seconds")]),
    ...told.rivals.map(option),
    ...(others.length ? [make("optgroup", { label: "Further away" }, ...others.map(option))] : []));
}

const VERDICTS = { first: "first", "too-close": "too close", "both-stay": "too close", undecided: "undecided" };

function landing(play, which) {
  const picture = make("img", { alt: "", draggable: false });
  const frame = make("button", { type: "button", className: "enlarge" }, picture);
  frame.addEventListener("click", ({ clientX, clientY, detail }) => {
    const box = frame.getBoundingClientRect();
    detail ? enlarge((clientX - box.left) / box.width, (clientY - box.top) / box.height) : enlarge(0.5, 0.5); // by a key
  });
  const where = make("span", { className: "time" });
  const show = (by) => {
    if (shown[which].number === null) return frame.remove();
    shown[which] = film.beside(shown[which].number, by);
    const { number, seconds } = shown[which];
    picture.src = `${address}/frame/${number}?width=${PX}`;
    picture.alt = `Frame ${number}: ${play.seat} ${play.text}`;
    where.textContent = `frame ${number} · ${clock(seconds)}`;
    drawLine();
  };
  const button = (words, label, act) => {
    const made = make("button", { type: "button", "aria-label": `${label}: ${play.seat}` }, words);
    made.addEventListener("click", act);
    return made;
  };
  show(0);
  return make("figure", {}, frame, make("figcaption", {}, make("strong", {}, play.seat), " ", ...colouredSuits(play.text), " ", where),
    make("p", { className: "choices after" }, button("‹", "The frame before", () => show(-1)), button("›", "The next frame", () => show(1)),
      button("large", "Show it large", () => film.go(shown[which].number))));
}

/** Between which moments each card came to rest, on one line of time; a stroke for the frame shown. */
function drawLine() {
  const { plays } = told;
  const moments = [...plays.flatMap((play) => play.landed), ...shown.map(({ seconds }) => seconds)];
  const beyond = Math.max(0.05, (Math.max(...moments) - Math.min(...moments)) / 10);
  const [from, to] = [Math.min(...moments) - beyond, Math.max(...moments) + beyond];
  const share = (seconds) => (100 * (seconds - from)) / (to - from);
  byId("first-line").replaceChildren(...plays.flatMap((play, row) => {
    const [since, until] = play.landed;
    const bar = make("i", { className: play.seat === told.winner ? "winner" : "" });
    [bar.style.left, bar.style.width] = [`${share(since)}%`, `max(3px, ${share(until) - share(since)}%)`];
    const stroke = make("b");
    stroke.style.left = `${share(shown[row].seconds)}%`;
    return [
      make("span", {}, `${play.seat} ${exactly(since)} to ${exactly(until)}${play.seen ? "" : ", about"}`),
      make("div", { className: "track" }, bar, stroke),
    ];
  }));
}

/** Enlarges a place (shares of the picture's sides) in both pictures, or shows them whole again. */
function enlarge(x, y) {
  const pictures = [...byId("first-landings").querySelectorAll("img")];
  const whole = pictures.every((picture) => !picture.style.transform);
  for (const picture of pictures) {
    picture.style.transformOrigin = `${100 * x}% ${100 * y}%`;
    picture.style.transform = whole ? `scale(${ENLARGED})` : "";
  }
}

byId("moment-first").addEventListener("toggle", () => entry && byId("moment-first").open && draw(""));
byId("first-rival").addEventListener("change", ({ target }) => draw(target.value));
