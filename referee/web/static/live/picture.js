// The live picture on a canvas, always the newest one, and what is known of the table drawn over it.
import { make } from "../ask.js";

const AGAIN_MS = 1500;
// A clip goes from so long before a card comes to rest to so long behind it, s.
const AROUND = [1.2, 0.8];
// Small: it is to be there soon.
const CLIP_PX = 960;
const SVG = "http://www.w3.org/2000/svg";

/** Shows the picture until what is returned is called. `shown(yes)`: whether there is one. */
export function showPicture(canvas, shown) {
  const stop = new AbortController();
  run(canvas, shown, stop.signal);
  return () => stop.abort();
}

async function run(canvas, shown, signal) {
  let number = -1;
  while (!signal.aborted) {
    try {
      if (document.hidden) await visible(signal);
      const answer = await fetch(`/api/live/picture?after=${number}`, { signal });
      if (answer.status === 200) {
        number = Number(answer.headers.get("X-Frame"));
        const picture = await createImageBitmap(await answer.blob());
        [canvas.width, canvas.height] = [picture.width, picture.height];
        canvas.getContext("2d").drawImage(picture, 0, 0);
        picture.close();
        canvas.dataset.frame = number;
        shown(true);
      } else if (answer.status !== 204) {
        throw new Error("no picture");
      }
    } catch {
      if (signal.aborted) return;
      shown(false);
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}

const visible = (signal) => new Promise((done) => {
  document.addEventListener("visibilitychange", done, { once: true, signal });
  signal.addEventListener("abort", done, { once: true });
});

/** Draws the places as shares of the picture; `marked` ones stand out: "west work 4", or "foundation 2" which is everybody's. */
export function drawPlaces(svg, canvas, places, marked) {
  const [width, height] = [canvas.width || 16, canvas.height || 9];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(...places.flatMap(({ place, seat, area, cards = [] }) => {
    const corners = area.map(([x, y]) => [x * width, y * height]);
    const outline = document.createElementNS(SVG, "polygon");
    outline.setAttribute("points", corners.map((corner) => corner.join(",")).join(" "));
    if (marked.has(seat ? `${seat} ${place}` : place)) outline.setAttribute("class", "marked");
    const text = document.createElementNS(SVG, "text");
    const [x, y] = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length);
    text.setAttribute("x", x);
    text.setAttribute("y", y);
    text.setAttribute("font-size", width / 55);
    text.textContent = cards.length ? cards[cards.length - 1] : "";
    return [outline, text];
  }));
}

/** The still of a flag: the table when the card that it is about came to rest. `session`: another one has other stills. */
export function still({ hand, index, seat }, session) {
  const src = `/api/live/still/${hand}/${index}?of=${encodeURIComponent(session)}`;
  return make("a", { href: src, target: "_blank", className: "still" },
    make("img", { src, alt: `The table when ${seat}'s card came to rest`, loading: "lazy" }));
}

/** How the card came, again and again; `address` is that of its hand. */
export const clipOf = ({ at, seat }, address) => make("video", {
  src: `${address}/clip?from=${Math.max(0, at - AROUND[0]).toFixed(2)}&to=${(at + AROUND[1]).toFixed(2)}&width=${CLIP_PX}`,
  controls: true, autoplay: true, loop: true, muted: true, playsInline: true, "aria-label": `${seat}'s play as a clip`,
});
