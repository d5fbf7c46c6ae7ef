// Which view is shown: by the part of the address behind #.
import { complain } from "./ask.js";
import { leaveMoment, showMoment } from "./dispute/moment.js";
import { showInvite } from "./invite.js";
import { leaveLive, showLive } from "./live/live.js";
import { leavePhoto, showPhoto } from "./photo/photo.js";
import { showRecording, leaveRecording } from "./recording.js";
import { showTerms } from "./terms.js";
import { showRecordings } from "./recordings.js";
import "./setup.js";

const FIRST = document.body.dataset.first || (document.body.dataset.role === "watcher" ? "recordings" : "photo");

function route() {
  const [view, ...rest] = (location.hash.slice(1) || FIRST).split("/");
  complain("");
  leaveRecording();
  if (view !== "live") leaveLive();
  if (view !== "moment") leaveMoment();
  if (view !== "photo") leavePhoto();
  const shown = document.querySelector(`[data-view="${CSS.escape(view)}"]`) ? view : FIRST;
  for (const section of document.querySelectorAll("[data-view]")) section.hidden = section.dataset.view !== shown;
  for (const link of document.querySelectorAll("[data-tab]")) {
    const current = link.dataset.tab === (["recording", "moment"].includes(shown) ? "recordings" : shown);
    current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  if (shown === "live") showLive();
  if (shown === "photo") showPhoto();
  if (shown === "terms") showTerms();
  if (shown === "invite") showInvite();
  if (shown === "recordings") showRecordings();
  if (shown === "moment") showMoment(rest.map(decodeURIComponent));
  if (shown === "recording") showRecording(decodeURIComponent(rest.join("/")));
}

addEventListener("hashchange", route);
route();
