// The very frames of a recording, by number, as the referee gives them: a browser's own seeking is not exact.
import { ask, complain, make } from "../ask.js";

// While it runs frames are sent smaller than when it stands, px.
const RUNNING_PX = 960;
const MOST_ZOOM = 8;

/** The place of the last of ascending figures that is no more than this one; the first where none is. */
function lastUpTo(figures, most) {
  let [low, high] = [0, Math.max(0, figures.length - 1)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (figures[middle] <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The numbers that runs of [first, count] stand for. */
const numbersOf = (runs) => runs.flatMap(([first, count]) => Array.from({ length: count }, (_, n) => first + n));

/**
 * A film whose frames are shown in `picture` inside `stage`; `shown(number, seconds)` after each. Frames are named by
 * their numbers, which may begin anywhere and have holes; inside, by their places among those that are there.
 */
export function openFrames(address, picture, stage, shown) {
  let times = [];
  let numbers = [];
  let at = -1; // the place of the frame shown
  let wanted = -1;
  let loading = false;
  let running = null; // {from, began, speed, loop: [from, to] in s or null}
  let closed = false;
  let zoom = { by: 1, x: 0, y: 0 };
  const ready = ask(`${address}/times`).then((answer) => [times, numbers] = [answer.times, numbersOf(answer.numbers)]);
  const stop = new AbortController();

  const source = (place) => `${address}/frame/${numbers[place]}${running ? `?width=${RUNNING_PX}` : ""}`;
  const clamp = (place) => Math.max(0, Math.min(times.length - 1, place));

  /** The place of the frame with this number, or of the last one before it. */
  const placeOf = (number) => clamp(lastUpTo(numbers, number));

  /** What was recorded since is there, too. */
  async function grow() {
    await ready;
    const answer = await ask(`${address}/times?after=${numbers.at(-1) ?? -1}`);
    if (closed) return;
    times = times.concat(answer.times);
    numbers = numbers.concat(numbersOf(answer.numbers));
  }

  async function load() {
    if (loading) return;
    loading = true;
    while (wanted !== at && !closed) {
      const place = wanted;
      const next = make("img", { src: source(place) });
      try {
        await next.decode();
      } catch {
        complain(`Frame ${numbers[place]} cannot be shown: look at another one.`);
        wanted = at;
        break;
      }
      if (closed) return;
      picture.src = next.src;
      at = place;
      shown(numbers[at], times[at]);
    }
    loading = false;
    if (!running && !closed) for (const beside of [at + 1, at - 1]) {
      if (beside >= 0 && beside < times.length) new Image().src = source(beside);
    }
  }

  async function goTo(place) {
    await ready;
    if (!times.length || closed) return;
    wanted = clamp(place);
    await load();
  }

  const placeAt = (seconds) => lastUpTo(times, seconds + 1e-4);

  function tick() {
    if (!running || closed) return;
    let seconds = running.from + (running.speed * (performance.now() - running.began)) / 1000;
    const [from, to] = running.loop ?? [times[0], times.at(-1)];
    if (seconds > to) {
      if (!running.loop) return pause();
      [running.from, running.began, seconds] = [from, performance.now(), from];
    }
    wanted = placeAt(seconds);
    if (wanted !== at) load();
    requestAnimationFrame(tick);
  }

  function run(speed, loop) {
    running = { from: times[Math.max(at, 0)] ?? 0, began: performance.now(), speed, loop };
    if (loop && (running.from < loop[0] || running.from >= loop[1])) running.from = loop[0];
    requestAnimationFrame(tick);
  }

  function pause() {
    running = null;
    picture.src = source(at); // whole again
  }

  function zoomTo(by, x = 0.5, y = 0.5) {
    const was = zoom.by;
    zoom.by = Math.max(1, Math.min(MOST_ZOOM, by));
    // what lies under (x, y) of the stage stays there
    zoom.x = x - ((x - zoom.x) * zoom.by) / was;
    zoom.y = y - ((y - zoom.y) * zoom.by) / was;
    place();
  }

  function place() {
    const least = 1 - zoom.by;
    zoom.x = Math.max(least, Math.min(0, zoom.x));
    zoom.y = Math.max(least, Math.min(0, zoom.y));
    picture.style.transform = `translate(${100 * zoom.x}%, ${100 * zoom.y}%) scale(${zoom.by})`;
  }

  function where(event) {
    const box = stage.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  let grip = null;
  const options = { signal: stop.signal };
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomTo(zoom.by * (event.deltaY < 0 ? 1.25 : 0.8), ...where(event));
  }, { ...options, passive: false });
  stage.addEventListener("dblclick", (event) => zoomTo(zoom.by > 1 ? 1 : 3, ...where(event)), options);
  stage.addEventListener("pointerdown", (event) => {
    grip = zoom.by > 1 ? where(event) : null;
    if (grip) stage.setPointerCapture(event.pointerId);
  }, options);
  stage.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [x, y] = where(event);
    [zoom.x, zoom.y, grip] = [zoom.x + x - grip[0], zoom.y + y - grip[1], [x, y]];
    place();
  }, options);
  stage.addEventListener("pointerup", () => (grip = null), options);
  place();

  return {
    ready,
    grow,
    go: async (number) => { await ready; await goTo(placeOf(number)); },
    goAt: async (seconds) => { await ready; await goTo(placeAt(seconds)); },
    goTo,
    step: (by) => goTo((wanted < 0 ? 0 : wanted) + by),
    run,
    pause,
    zoom: (factor) => zoomTo(factor ? zoom.by * factor : 1),
    get running() { return running !== null; },
    /** The number of the frame so many behind this one, and when it was taken, s. */
    beside(number, by) {
      const place = clamp(placeOf(number) + by);
      return { number: numbers[place], seconds: times[place] };
    },
    get number() { return numbers[at] ?? 0; },
    get place() { return at; },
    get count() { return times.length; },
    get last() { return numbers.at(-1) ?? 0; },
    close() {
      closed = true;
      running = null;
      stop.abort();
      picture.removeAttribute("src");
    },
  };
}
