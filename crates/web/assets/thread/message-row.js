// One message of a conversation in the timeline of its thread.

import { html, nothing } from "../element.js";
import { renderText } from "../hidden-text.js";
import { describeAge } from "../times.js";

/** @import { Message } from "../types.d.ts" */

/** Who speaks, by event type. */
const SPEAKERS = /** @type {Record<string, string>} */ ({
  USER_MESSAGE: "Person",
  AGENT_MESSAGE: "Agent",
  SYSTEM_PROMPT: "Instructions",
  USER_SYSTEM_PROMPT: "Instructions",
  LOCAL_SYSTEM_MESSAGE: "Program",
  COMPACTION: "Summary",
});

/** How much of a message is shown before it is unfolded. */
const SHORT = 600;
const FEW_LINES = 8;

/**
 * Whether people see the message: its calls and their results have rows of their own, unless it shows a call differently.
 * @param {Message} message
 */
export const isSpoken = ({ text = "", reports = [], differs = [] }) => differs.length > 0 || (text !== "" && reports.length === 0);

/**
 * @param {Message} message @param {number} now
 * @param {boolean} isOpen Whether the whole text is shown. @param {() => void} toggle
 */
export function renderMessage({ type, at, text = "", differs = [] }, now, isOpen, toggle) {
  const start = text.split("\n", FEW_LINES).join("\n").slice(0, SHORT);
  const time = new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
  return html`<li class="message ${type === "USER_MESSAGE" ? "person" : ""}">
    <time datetime=${at} title=${describeAge(at, now)}>${time}</time>
    <div>
      <strong>${SPEAKERS[type] ?? type}</strong>
      ${differs.length > 0
        ? html`<p class="problem" role="note">This message shows ${renderText(differs.join(", "))} with another tool or other arguments than the log has.</p>`
        : nothing}
      <p>${renderText(isOpen ? text : start)}${start.length < text.length && !isOpen ? "…" : nothing}</p>
      ${start.length < text.length ? html`<button class="quiet" aria-expanded=${isOpen} @click=${toggle}>${isOpen ? "Show less" : "Show all"}</button>` : nothing}
    </div>
  </li>`;
}
