// The page of the inbox: who is signed in, and the count of pending calls in the title.

import { CountersignClient } from "./countersign.js";
import "./inbox-element.js";

const who = /** @type {HTMLElement} */ (document.getElementById("who"));
const solo = /** @type {HTMLElement} */ (document.getElementById("solo"));

document.addEventListener("pending-count", (event) => {
  const count = /** @type {CustomEvent<number>} */ (event).detail;
  document.title = count > 0 ? `(${count}) Countersign` : "Countersign";
  const app = /** @type {{ setAppBadge?: (count: number) => Promise<void> }} */ (navigator);
  app.setAppBadge?.(count).catch(() => {});
});

try {
  const caller = await new CountersignClient().caller();
  who.textContent = caller.person ?? caller.agent ?? "";
  solo.hidden = !caller.solo;
} catch {
  who.textContent = "";
}
