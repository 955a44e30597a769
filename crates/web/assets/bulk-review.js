// <bulk-review>: several calls with all their arguments, and one decision about exactly these.

import { CountersignElement, html, nothing, repeat } from "./element.js";
import { argumentStyles, baseStyles } from "./element-styles.js";
import { reviewStyles } from "./inbox-styles.js";
import { isLong, renderArguments, shownPlace } from "./arguments/arguments-view.js";
import { renderText } from "./hidden-text.js";
import { keyOf } from "./inbox-store.js";
import { nameOf } from "./times.js";

/** @import { Call } from "./types.d.ts" */

export class BulkReview extends CountersignElement {
  static properties = { calls: { attribute: false }, unfolded: { state: true } };
  static styles = [baseStyles, argumentStyles, reviewStyles];

  constructor() {
    super();
    /** @type {Call[]} */
    this.calls = [];
    /** The keys and hashes of the long calls that were unfolded. @type {Set<string>} */
    this.unfolded = new Set();
  }

  /** @param {Call} call */
  #isFolded(call) {
    return isLong(call.arguments) && !this.unfolded.has(`${keyOf(call)}\n${call.argumentsHash}`);
  }

  /** @override */
  render() {
    const { calls } = this;
    const folded = calls.filter((call) => this.#isFolded(call)).length;
    const offersAll = calls.every(({ request }) => request?.options.includes("allow_once") && !request.proof);
    return html`
      <h2>${calls.length} calls</h2>
      ${repeat(calls, keyOf, (call) => this.#renderCall(call))}
      <div class="bar" role="group" aria-label="decide these calls">
        <span class="note muted">${folded ? `${folded} must be unfolded before all can be allowed.` : offersAll ? nothing : "Not all of them can be allowed here: some need a proof."}</span>
        <button class="quiet" @click=${() => this.emit("clear")}>Clear</button>
        <button class="deny" @click=${() => this.emit("decide-all", "deny")}>Deny these ${calls.length}</button>
        <button class="allow" ?disabled=${folded > 0 || !offersAll} @click=${() => this.emit("decide-all", "allow_once")}>
          Allow these ${calls.length} once
        </button>
      </div>
    `;
  }

  /** @param {Call} call */
  #renderCall(call) {
    const isFolded = this.#isFolded(call);
    const unfold = () => {
      this.unfolded = new Set(this.unfolded).add(`${keyOf(call)}\n${call.argumentsHash}`);
    };
    return html`<article>
      <h3>${renderText(call.name)} <span class="muted">${renderText(`${call.id} · ${nameOf(call.proposal.principal)} · ${call.threadId}`)}</span></h3>
      ${call.hiddenCharacters?.length ? html`<p class="note warning">It contains characters that are invisible. They are marked.</p>` : nothing}
      <div class="arguments-section ${isFolded ? "folded" : ""}">${renderArguments(call.arguments, call.redacted, shownPlace(call))}</div>
      ${isFolded ? html`<button class="unfold" @click=${unfold}>Show all arguments</button>` : nothing}
    </article>`;
  }
}

customElements.define("bulk-review", BulkReview);
