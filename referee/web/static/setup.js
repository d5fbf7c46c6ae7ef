// The set-up: what the camera over the table shows, judged before anybody plays.
import { ask, complain, make } from "./ask.js";

const byId = (id) => document.getElementById(id);

byId("setup-look").addEventListener("click", async () => {
  complain("");
  byId("setup-look").disabled = true;
  byId("setup-busy").hidden = false;
  try {
    show(await ask("/api/live/setup", { method: "POST" }));
  } catch (error) {
    complain(error.message);
  } finally {
    byId("setup-busy").hidden = true;
    byId("setup-look").disabled = false;
  }
});

function show({ findings, picture }) {
  byId("setup-picture").src = picture;
  byId("setup-findings").replaceChildren(...findings.map(line));
  byId("setup-result").hidden = false;
}

function line({ name, ok, figure, advice }) {
  return make("li", { className: ok ? "panel will-do" : "panel poor" },
    make("p", {}, make("strong", {}, `${ok ? "✓" : "✗"} ${name}`), `: ${figure}`),
    ok || !advice ? null : make("p", { className: "advice" }, advice));
}
