// <last-decision>: what the person has just decided, how many calls are left, and the way back.

import { CountersignElement, css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { describeState, mayTakeBack } from "./describe.js";

/** @import { Call } from "../types.d.ts" */

const styles = css`
  :host { padding: 8px 20px 0; flex: none; }
  .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 12px; padding: 2px 6px 2px 12px; border-radius: var(--cs-radius-small); background: var(--cs-sunken); font-size: 13px; min-height: 38px; }
  .what { min-width: 0; overflow-wrap: anywhere; }
  .left { color: var(--cs-muted); font-variant-numeric: tabular-nums; }
  .ways { margin-left: auto; display: flex; gap: 4px; }
  @media (max-width: 760px) { :host { padding: 8px 12px 0; } button { min-height: 44px; } kbd { display: none; } }
`;

/** How the decision turned out. @type {Record<string, string>} */
const OUTCOMES = { allowed: "Allowed", denied: "Denied", pending: "Voted on", running: "Allowed, and it runs:", finished: "Allowed, and it ran:" };

export class LastDecision extends CountersignElement {
  static properties = {
    call: { attribute: false },
    left: { type: Number },
    now: { type: Number },
    isShown: { type: Boolean, attribute: "is-shown" },
  };
  static styles = [baseStyles, styles];

  constructor() {
    super();
    /** The decided call, as it is now. @type {Call | undefined} */
    this.call = undefined;
    /** How many calls still wait. */
    this.left = 0;
    this.now = Date.now();
    /** Whether the call is the one on show. */
    this.isShown = false;
  }

  /** @override */
  render() {
    const { call, left } = this;
    if (!call) return nothing;
    const outcome = call.takenBack ? "Taken back:" : (OUTCOMES[call.state] ?? `${describeState(call, this.now).badge}:`);
    return html`<div class="bar" role="group" aria-label="your last decision">
      <span class="what">${outcome} <strong>${renderText(call.name)}</strong> ${renderText(call.id)}</span>
      <span class="left">${left === 0 ? "Nothing is left." : `${left} left.`}</span>
      <span class="ways">
        ${this.isShown ? nothing : html`<button class="quiet" @click=${() => this.emit("show-call")}>Show it</button>`}
        ${mayTakeBack(call, this.now) ? html`<button @click=${() => this.emit("take-back")}>Take back <kbd>u</kbd></button>` : nothing}
      </span>
    </div>`;
  }
}

customElements.define("last-decision", LastDecision);
