// A link into the clipboard, where the browser lets pages do that.
import { complain } from "./ask.js";

/** Copies; the button says so. */
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    complain("This browser does not let pages copy: press long on the link, or select it, and copy it by hand.");
  }
}
