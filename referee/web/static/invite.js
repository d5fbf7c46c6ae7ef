// Who may open the page: a link and a code to scan for each role.
import { ask, complain, make } from "./ask.js";
import { copyText } from "./copy.js";

const byId = (id) => document.getElementById(id);

export async function showInvite() {
  try {
    const { links } = await ask("/api/links");
    byId("invite-alone").hidden = links.length > 0;
    byId("invite-links").replaceChildren(...links.map(card));
  } catch (error) {
    complain(error.message);
  }
}

function card({ role, may, link, code }) {
  const copy = make("button", { type: "button" }, "Copy the link");
  copy.addEventListener("click", () => copyText(link, copy));
  return make("li", { className: "panel tile" },
    make("h2", {}, `For ${role === "master" ? "the master" : `${role}s`}`),
    make("p", {}, may),
    make("img", { src: code, alt: `Code of the ${role}'s link`, width: 260, height: 260 }),
    make("a", { href: link, className: "link" }, link),
    make("p", { className: "choices after" }, copy));
}
