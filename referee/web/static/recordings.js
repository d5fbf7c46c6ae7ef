// The shelf of recordings, and how a new one is put on it.
import { ask, complain, make, mustFit, takeDrops, upload } from "./ask.js";

const byId = (id) => document.getElementById(id);
const STATES = {
  new: "not refereed yet",
  waiting: "waits for its turn",
  refereeing: "being refereed",
  done: "refereed",
  failed: "could not be refereed",
};

export async function showRecordings() {
  try {
    const { recordings, evenings } = await ask("/api/recordings");
    byId("recordings-list").replaceChildren(...recordings.map((each) => make("li", {}, tile(each))));
    byId("evenings").hidden = !evenings.length;
    byId("evenings-list").replaceChildren(...evenings.map(evening));
  } catch (error) {
    complain(error.message);
  }
}

function tile(recording) {
  const words = recording.state === "done" && recording.plays !== null
    ? `${recording.plays} plays, ${recording.illegal} illegal`
    : STATES[recording.state];
  const href = `#recording/${encodeURIComponent(recording.id)}`;
  return make("a", { className: "panel tile", href }, make("strong", {}, recording.name), make("span", {}, words));
}

/** An evening that was watched, with a link a hand. */
function evening({ name, hands }) {
  return make("li", { className: "panel evening" }, make("h3", {}, name), make("ul", { className: "hands" }, ...hands.map(hand)));
}

const HANDS = { playing: "being played", open: "broken off" };

function hand({ id, number, state, plays, illegal }) {
  const words = [HANDS[state], plays === null ? null : `${plays} plays, ${illegal} illegal`].filter(Boolean).join(": ");
  return make("li", {}, make("a", { className: "tile", href: `#moment/${encodeURIComponent(id)}` },
    make("strong", {}, `Hand ${number}`), words ? make("span", {}, words) : null));
}

async function send(files) {
  complain("");
  const busy = byId("upload-busy");
  const [file] = files;
  const say = (share) => (busy.textContent = `Sending ${file.name}: ${Math.round(share * 100)} %`);
  try {
    mustFit(file, byId("recording-drop"));
    busy.hidden = false;
    say(0);
    const query = new URLSearchParams({ name: file.name, game: byId("recording-game").value });
    const kept = await upload(`/api/recordings?${query}`, file, say);
    location.hash = `recording/${encodeURIComponent(kept.id)}`;
  } catch (error) {
    complain(error.message);
  } finally {
    busy.hidden = true;
    byId("recording-file").value = "";
  }
}

takeDrops(byId("recording-drop"), send);
byId("recording-drop").addEventListener("submit", (event) => event.preventDefault());
byId("recording-file").addEventListener("change", (event) => event.target.files.length && send([...event.target.files]));
