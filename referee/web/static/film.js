// The film of a recording: its clock counts from its first frame, and it steps by its own frames.
import { ask, complain } from "./ask.js";

export const video = document.getElementById("video");
// How long the first frame is waited for, and how far a browser's clock may be off, in ms and s.
const PATIENCE_MS = 1500;
const ROUNDED = 0.0005;

let address = ""; // of the recording that is open
let zero = 0; // what the browser's clock shows at the first frame: 3600 in a film cut out of a longer one
let ready = Promise.resolve(); // when that is known
let known = []; // when the frames near the one shown are shown, by the film's clock
let steps = Promise.resolve(); // one after the other

export function openFilm(recording) {
  if (address === recording) return;
  address = recording;
  zero = 0;
  known = [];
  ready = new Promise((done) => {
    if (!video.requestVideoFrameCallback) return done();
    video.requestVideoFrameCallback((_, { mediaTime }) => {
      if (address === recording) zero = mediaTime;
      done();
    });
    for (const event of ["loadeddata", "error"]) video.addEventListener(event, () => setTimeout(done, PATIENCE_MS), { once: true });
  });
  video.src = `${recording}/video`;
}

export function closeFilm() {
  if (!address) return;
  address = "";
  video.pause();
  video.removeAttribute("src");
  video.load();
}

export const isOpen = () => address !== "";

/** Seconds from the first frame. */
export const now = () => Math.max(0, video.currentTime - zero);

/** Seconds from the first frame to the end; NaN before it is known. */
export const length = () => video.duration - zero;

export async function goTo(seconds) {
  const asked = address;
  if (video.readyState < 2) video.preload = "auto"; // phones load no frame until they must
  await ready;
  if (asked === address) video.currentTime = Math.max(0, seconds) + zero;
}

/** Shows the next frame (1) or the one before (-1); pressed quickly, the steps follow one another. */
export function stepFrame(by) {
  steps = steps.then(() => stepOne(by)).catch((error) => complain(error.message));
}

async function stepOne(by) {
  const asked = address;
  video.pause();
  await ready;
  let target = neighbour(by);
  if (target === undefined) {
    const { times } = await ask(`${asked}/frames?around=${now().toFixed(3)}`);
    if (asked !== address) return;
    known = times;
    target = neighbour(by, true);
  }
  if (target !== undefined) video.currentTime = target + zero;
}

/** The middle of the time for which the frame beside the one shown is shown; undefined where it is not known. */
function neighbour(by, all = false) {
  const last = known.length - 1;
  const at = known.findLastIndex((moment) => moment <= now() + ROUNDED);
  const to = at + by;
  if (to < 0 || to > last) return undefined;
  if (!all && (at < 0 || at === last || to === last)) return undefined; // more may follow
  const end = known[to + 1] ?? 2 * known[to] - known[to - 1];
  return Number.isFinite(end) ? (known[to] + end) / 2 : known[to];
}
