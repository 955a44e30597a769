// <bulk-review>: several calls with all that their cards show, and one decision about exactly these.

import { CountersignElement, html, nothing, repeat } from "./element.js";
import { argumentStyles, baseStyles } from "./element-styles.js";
import { reviewStyles } from "./inbox-styles.js";
import { partStyles } from "./card/card-styles.js";
import { renderClaims, renderDefinition, renderEffects, renderFacts, renderWarnings } from "./card/call-parts.js";
import { isLong, renderArguments, shownPlace } from "./arguments/arguments-view.js";
import { renderText } from "./hidden-text.js";
import { keyOf } from "./inbox-store.js";
import { EndWatcher } from "./on-screen.js";
import { describeAge, nameOf } from "./times.js";

/** @import { Call } from "./types.d.ts" */

/** A second click counts after this pause in milliseconds, so that a double click decides nothing. */
const CONFIRM_AFTER = 250;

/** A call with these arguments. @param {Call} call */
const versionOf = (call) => `${keyOf(call)}\n${call.argumentsHash}`;

export class BulkReview extends CountersignElement {
  static properties = {
    calls: { attribute: false },
    now: { type: Number },
    canDecide: { type: Boolean, attribute: "can-decide" },
    unfolded: { state: true },
    seen: { state: true },
    isConfirming: { state: true },
  };
  static styles = [baseStyles, argumentStyles, partStyles, reviewStyles];

  #confirmedAt = 0;
  /** The calls on show. */
  #shown = "";
  /** @type {EndWatcher} */
  #ends;

  constructor() {
    super();
    /** @type {Call[]} */
    this.calls = [];
    this.now = Date.now();
    this.canDecide = false;
    /** The keys and hashes of the long calls that were unfolded. @type {Set<string>} */
    this.unfolded = new Set();
    /** The keys and hashes of the calls whose end was on the screen. @type {Set<string>} */
    this.seen = new Set();
    /** Whether the next click allows critical calls. */
    this.isConfirming = false;
    this.#ends = new EndWatcher((key) => {
      this.seen = new Set(this.seen).add(key);
    });
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.#ends.close();
  }

  /** @override */
  willUpdate() {
    const shown = this.calls.map(versionOf).join("\n");
    if (shown !== this.#shown) this.isConfirming = false;
    this.#shown = shown;
  }

  /** @override */
  updated() {
    for (const end of this.renderRoot.querySelectorAll(".end")) {
      const key = /** @type {HTMLElement} */ (end).dataset.call ?? "";
      if (!this.seen.has(key)) this.#ends.watch(end, key);
    }
  }

  /** @param {Call} call */
  #isFolded(call) {
    return isLong(call.arguments) && !this.unfolded.has(versionOf(call));
  }

  /** @override */
  render() {
    const { calls } = this;
    const unread = calls.filter((call) => this.#isFolded(call) || !this.seen.has(versionOf(call))).length;
    const offersAll = calls.every(({ request }) => request?.options.includes("allow_once") && !request.proof);
    const critical = calls.filter(({ impact }) => impact?.riskLevel === "critical").length;
    const allow = this.isConfirming ? `Yes, allow these ${calls.length}, ${critical} critical` : `Allow these ${calls.length} once`;
    return html`
      <h2>${calls.length} calls</h2>
      ${repeat(calls, keyOf, (call) => this.#renderCall(call))}
      <div class="bar" role="group" aria-label="decide these calls">
        <input id="comment" maxlength="2000" autocomplete="off" aria-label="comment on all" placeholder="One comment for all (optional)" />
        <span class="note muted" aria-live="polite">${describeObstacle(unread, offersAll)}</span>
        <button class="quiet" @click=${() => this.emit("clear")}>Clear</button>
        <button class="deny" @click=${() => this.#decide("deny")}>Deny these ${calls.length}</button>
        <button class="allow ${this.isConfirming ? "armed" : ""}" ?disabled=${unread > 0 || !offersAll} @click=${() => this.#clickAllow(critical > 0)}>${allow}</button>
      </div>
    `;
  }

  /** @param {Call} call */
  #renderCall(call) {
    const isFolded = this.#isFolded(call);
    const version = versionOf(call);
    const unfold = () => {
      this.unfolded = new Set(this.unfolded).add(version);
    };
    return html`<article>
      <h3>${renderText(call.name)} <span class="muted">${renderText(`${call.id} · ${nameOf(call.proposal.principal)} · ${call.threadId} · ${describeAge(call.proposal.at, this.now)}`)}</span></h3>
      ${renderWarnings(call)} ${renderDefinition(call, "", this.canDecide)}
      <div class="arguments-section ${isFolded ? "folded" : ""}">${renderArguments(call.arguments, call.redacted, shownPlace(call))}</div>
      ${isFolded ? html`<button class="unfold" @click=${unfold}>Show all arguments</button>` : html`<div class="end" data-call=${version}></div>`}
      ${renderEffects(call)} ${renderClaims(call)} ${renderFacts(call)}
    </article>`;
  }

  /** Critical calls take a second click, and not at once. @param {boolean} isGrave */
  #clickAllow(isGrave) {
    const now = performance.now();
    if (!isGrave || (this.isConfirming && now - this.#confirmedAt >= CONFIRM_AFTER)) return this.#decide("allow_once");
    if (!this.isConfirming) this.#confirmedAt = now;
    this.isConfirming = true;
  }

  /** @param {"allow_once" | "deny"} decision */
  #decide(decision) {
    const comment = /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector("#comment"))?.value.trim() ?? "";
    this.emit("decide-all", { decision, comment });
  }
}

/** What keeps all calls from being allowed. @param {number} unread @param {boolean} offersAll */
function describeObstacle(unread, offersAll) {
  if (!offersAll) return "Not all of them can be allowed here: some need a proof.";
  return unread > 0 ? `${unread} must be read to their end before all can be allowed.` : nothing;
}

customElements.define("bulk-review", BulkReview);
