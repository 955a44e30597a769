// Browser notifications about new calls, while a page is open. A person turns them on with a button.

import { escapeHidden } from "../hidden-text.js";
import { describeRow } from "../inbox-list.js";
import { nameOf } from "../times.js";

/** @import { InboxStore } from "../inbox-store.js" */
/** @import { Call } from "../types.d.ts" */

const KEY = "countersign-notifications";

export class Notifier {
  /** The calls that were pending at the last look; null before the first. @type {Set<string> | null} */
  #known = null;

  /** @param {InboxStore} inbox @param {(path: string) => void} open Opens an application page. */
  constructor(inbox, open) {
    this.open = open;
    inbox.addEventListener("change", () => this.#look(inbox));
  }

  /** @returns {"unsupported" | "denied" | "off" | "on"} */
  get state() {
    if (!("Notification" in window)) return "unsupported";
    if (Notification.permission === "denied") return "denied";
    return Notification.permission === "granted" && localStorage.getItem(KEY) === "on" ? "on" : "off";
  }

  /** Turns notifications on, which may ask the person, or off. @param {boolean} isOn */
  async set(isOn) {
    localStorage.setItem(KEY, isOn ? "on" : "off");
    if (isOn && Notification.permission === "default") await Notification.requestPermission();
  }

  /** @param {InboxStore} inbox */
  #look(inbox) {
    if (!inbox.isLoaded) return;
    const known = this.#known;
    this.#known = new Set(inbox.pending.keys());
    if (known === null || this.state !== "on" || document.hasFocus()) return;
    const fresh = [...inbox.pending].filter(([key]) => !known.has(key)).map(([, call]) => call);
    const [first, ...others] = fresh;
    if (!first) return;
    if (others.length === 0) this.#notify(first);
    else this.#show(`${fresh.length} calls wait for a decision`, "", "/", "countersign");
  }

  /** @param {Call} call */
  #notify(call) {
    const path = `/calls/${encodeURIComponent(call.threadId)}/${encodeURIComponent(call.id)}`;
    const text = call.impact?.message ?? describeRow(call);
    this.#show(`${nameOf(call.proposal.principal)} asks: ${call.name}`, text.slice(0, 200), path, `${call.threadId}/${call.id}`);
  }

  /** @param {string} title @param {string} body @param {string} path @param {string} tag */
  #show(title, body, path, tag) {
    const notification = new Notification(escapeHidden(title), { body: escapeHidden(body), tag, icon: "/assets/icon.svg" });
    notification.addEventListener("click", () => {
      window.focus();
      this.open(path);
      notification.close();
    });
  }
}
