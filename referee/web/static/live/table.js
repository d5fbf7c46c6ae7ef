// The table as the referee tells it: everything once, also behind a connection that broke or a referee that was
// started anew.
import { make } from "../ask.js";

const KINDS = ["table", "line", "provisional", "state", "standing", "counts", "places", "amiss"];
const AGAIN_MS = 2000;

/** Follows the table; `changed(kind, table, data)` after every message, `broken(text)` with "" while it holds. */
export function follow(changed, broken) {
  const table = { session: "", kept: "", hand: 0, entries: new Map(), provisional: [], flags: [], state: {}, standing: {}, counts: {}, places: [], amiss: [] };
  let source = null;
  let last = "";
  let timer = 0;
  let told = 0; // messages of lines: nothing is called out that had been told before we came

  const take = {
    table({ session, kept, hand }) {
      if (session !== table.session) begin(hand);
      table.session = session;
      table.kept = kept;
    },
    line(data) {
      if (data.hand !== table.hand) begin(data.hand);
      for (const entry of data.entries) entry.gone ? table.entries.delete(entry.key) : table.entries.set(entry.key, entry);
      if (data.flag) table.flags.unshift({ ...data.flag, hand: data.hand, index: data.index });
    },
    provisional: ({ entries }) => (table.provisional = entries),
    state: (data) => (table.state = data),
    standing: (data) => (table.standing = data),
    counts: (data) => (table.counts = data),
    places: ({ places }) => (table.places = places),
    amiss: ({ amiss }) => (table.amiss = amiss),
  };

  function begin(hand) {
    table.hand = hand;
    table.entries.clear();
    table.flags = [];
  }

  function open() {
    source = new EventSource(`/api/live/events?after=${encodeURIComponent(last)}`);
    source.onopen = () => {
      broken("");
      told = performance.now();
    };
    source.onerror = () => {
      broken("The referee cannot be reached: this page goes on by itself as soon as it can.");
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS);
    };
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => {
        const data = JSON.parse(event.data);
        if (kind === "line") last = event.lastEventId;
        take[kind](data);
        changed(kind, table, { ...data, fresh: performance.now() - told > 1500 });
      });
    }
  }

  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}

/** What is told, oldest first; what has not settled last. */
export function plays(table) {
  const settled = [...table.entries.values()].sort((a, b) => a.at - b.at || order(a.key, b.key));
  return [...settled, ...table.provisional.map((entry) => ({ ...entry, unsettled: true }))];
}

const order = (a, b) => parseFloat(a) - parseFloat(b);

/** What a seat's player is called. */
export const nameOf = (table, seat) => table.standing.names?.[seat] || table.state.seats?.[seat]?.name || seat;

/** The players in the order of their seats: name, Nerts cards left, points if the hand ended now, the match. */
export function players(table) {
  const { nerts = {}, points = {}, seats = [] } = table.standing;
  const match = table.state.match ?? {};
  const all = seats.length ? seats : Object.keys(points);
  return all.map((seat) => ({
    seat,
    name: nameOf(table, seat),
    left: nerts[seat],
    points: table.state.score?.[seat]?.points ?? points[seat]?.points,
    match: match[seat],
  }));
}

/** The state in a word or two, and what to do. */
export function stateWords({ state = "", say = "", why = "" }) {
  const head = state ? state[0].toUpperCase() + state.slice(1) : "Waiting for the referee";
  return { head, more: [say, why].filter(Boolean).join(". ") };
}

/** What is amiss with camera, recording and disk, a line each; nothing where nothing is. */
export function showAmiss(box, { amiss }) {
  box.replaceChildren(...amiss.map((text) => make("div", {}, text)));
  box.hidden = !amiss.length;
}
