// The hand that is counted from photos: what was given, typed and said of single cards. It is kept in this browser, so
// that a reload, or a phone that forgets its pages, loses nothing.

const STORE = "hand";
const KEEP_MS = 150; // what follows at once is kept together

/** `shots`: {name, key, preview, layout, file, pile}; `pile` is the back of the deck of whose left-over cards it is one. */
const fresh = () => ({
  shots: [], seats: {}, left: {}, called: "", match: "", newMatch: false, newName: "", indices: "", players: 0, together: null, mends: [], before: [], answered: 0, skipped: [],
});
export const hand = fresh();
let pause = 0;

export function startOver() {
  Object.assign(hand, fresh());
  keep();
}

/** The question that the hand is to the referee. */
export function question() {
  const piles = {};
  for (const shot of hand.shots) if (shot.pile) (piles[shot.pile] ??= []).push(shot.key);
  const centre = hand.shots.filter((shot) => !shot.pile);
  const photos = centre.map((shot) => shot.key);
  // nothing is moved while a film is swept over the cards
  const together = centre[0]?.film && centre.every(({ film }) => film === centre[0].film) ? true : hand.together;
  return { photos, seats: hand.seats, left: hand.left, piles, together, mends: hand.mends, match: hand.match, indices: hand.indices, players: hand.players };
}

/**
 * Says something of a card: `places` are those of the card in all photos ({photo, card, mend}: its number, or what added
 * it), the first one is where it is said. `what`: {gone}, {deck}, {face}, {} (it is a card), or null: what was said holds no longer.
 */
export function say(places, what) {
  remember();
  const [{ photo, card, mend }] = places;
  const isSaid = (said) => !said.alike && places.some((at) => (at.mend ? said === at.mend : said.photo === at.photo && said.card === at.card));
  hand.mends = hand.mends.filter((said) => !isSaid(said));
  if (!mend && what) hand.mends.push({ photo, card, ...what });
  else if (mend && what && !what.gone) hand.mends.push({ photo, at: mend.at, ...(Object.keys(what).length ? what : { deck: mend.deck, face: mend.face }) });
  keep();
}

/** Says the same of several cards, each by its places; it is undone at once. */
export function sayAll(cards, what) {
  const before = [...hand.before, hand.mends];
  for (const places of cards) say(places, what);
  hand.before = before;
}

/** Says whether all that are called like a card, or like its part of them, are of one deck: {alike}, {alike, deck}. */
export function sayAlike({ photo, card }, what) {
  remember();
  hand.mends.push({ photo, card, ...what });
  keep();
}

/** Says that a card lies where none was seen; {gone: "card"}: that none does. */
export function add(photo, at, what) {
  remember();
  hand.mends.push({ photo, at, ...what });
  keep();
}

function remember() {
  hand.before.push(hand.mends);
  hand.mends = [...hand.mends];
}

/** Takes the last thing back that was said. */
export function undo() {
  if (hand.before.length) hand.mends = hand.before.pop();
  keep();
}

/** Forgets what was said of photos that are not there any more. */
export function dropShot(key) {
  hand.shots = hand.shots.filter((shot) => shot.key !== key);
  hand.mends = hand.mends.filter((said) => said.photo !== key);
  hand.before = [];
  keep();
}

/** Keeps the hand as it is now. */
export function keep() {
  clearTimeout(pause);
  pause = setTimeout(() => inStore("readwrite", (store) => store.put({ ...hand }, STORE)).catch(() => {}), KEEP_MS);
}

/** The hand as it was kept; whether there was one. */
export async function restore() {
  const kept = await inStore("readonly", (store) => store.get(STORE)).catch(() => null);
  if (!kept?.shots?.length || hand.shots.length) return false;
  Object.assign(hand, fresh(), kept);
  return true;
}

function inStore(mode, use) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("nerts-referee", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const base = opening.result;
      const request = use(base.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.transaction.oncomplete = () => base.close();
    };
  });
}
