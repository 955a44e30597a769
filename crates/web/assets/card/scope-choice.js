// <scope-choice>: which later calls an approval also allows, and for how long, with what the choice would have allowed before.

import { countWords } from "../count-words.js";
import { CountersignElement, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { panelStyles } from "./card-styles.js";
import { LIMIT_CHOICES, USUAL_LIMITS } from "./grant-limits.js";

/** @import { Call, GrantLimits, Json, ScopePreview } from "../types.d.ts" */
/** @import { CountersignClient } from "../countersign.js" */
/** @typedef {{ scope?: Json, andWaiting?: true } & GrantLimits} ChosenScope */

export class ScopeChoice extends CountersignElement {
  static properties = {
    call: { attribute: false },
    client: { attribute: false },
    index: { state: true },
    limits: { state: true },
    andWaiting: { state: true },
    preview: { state: true },
  };
  static styles = [baseStyles, panelStyles];

  constructor() {
    super();
    /** @type {Call | undefined} */
    this.call = undefined;
    /** @type {CountersignClient | undefined} */
    this.client = undefined;
    this.index = 0;
    /** Which of the limits is chosen. */
    this.limits = USUAL_LIMITS;
    /** Whether the choice also allows the calls that wait now. */
    this.andWaiting = false;
    /** @type {ScopePreview | string | null} */
    this.preview = null;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    void this.#load();
  }

  /** @param {{ index?: number, limits?: number, andWaiting?: boolean }} choice */
  #choose({ index = this.index, limits = this.limits, andWaiting = false }) {
    const scope = this.call?.request?.scopes?.[index]?.scope;
    if (index !== this.index || limits !== this.limits) {
      this.index = index;
      this.limits = limits;
      void this.#load();
    }
    this.andWaiting = andWaiting;
    this.emit("choose-scope", { scope, ...LIMIT_CHOICES[limits]?.limits, ...(andWaiting ? { andWaiting } : {}) });
  }

  async #load() {
    const { call, client, index, limits } = this;
    this.preview = null;
    const scope = call?.request?.scopes?.[index]?.scope;
    if (!call || !client || scope === undefined) return;
    let preview;
    try {
      preview = await client.previewScope(call, { scope, uses: LIMIT_CHOICES[limits]?.limits.uses });
    } catch (error) {
      preview = error instanceof Error ? error.message : String(error);
    }
    if (this.index === index && this.limits === limits && this.call === call) this.preview = preview;
  }

  /** @override */
  render() {
    const { preview } = this;
    return html`<div class="more">
      <fieldset>
        <legend>Also allow later calls of this agent in this thread</legend>
        ${(this.call?.request?.scopes ?? []).map(
          ({ says }, n) =>
            html`<label class="choice"><input type="radio" name="scope" ?checked=${n === this.index} @change=${() => this.#choose({ index: n })} /><span>${renderText(says)}</span></label>`,
        )}
      </fieldset>
      <label class="level">For how long <select id="limits" @change=${(/** @type {Event} */ event) => this.#choose({ limits: Number(/** @type {HTMLSelectElement} */ (event.target).value) })}>
        ${LIMIT_CHOICES.map(({ says }, n) => html`<option value=${n} ?selected=${n === this.limits}>${says}</option>`)}
      </select></label>
      <div class="note" aria-live="polite">
        ${preview === null ? "…" : typeof preview === "string" ? html`<span class="problem">${renderText(preview)}</span>` : this.#renderPreview(preview)}
      </div>
    </div>`;
  }

  /** @param {ScopePreview} preview */
  #renderPreview({ earlier, waiting }) {
    const others = waiting.allows.filter((id) => id !== this.call?.id);
    return html`${earlier.compared > 0
        ? html`<p>Of ${countWords(earlier.compared, "earlier call")} of this tool in the thread, it would have allowed <strong>${earlier.allows}</strong>.</p>`
        : nothing}
      ${others.length > 0
        ? html`<label class="choice"
            ><input type="checkbox" .checked=${this.andWaiting} @change=${(/** @type {Event} */ event) => this.#choose({ andWaiting: /** @type {HTMLInputElement} */ (event.target).checked })} />
            <span>Also allow ${others.length} that wait now: ${renderText(others.slice(0, 5).join(", "))}${others.length > 5 ? "…" : ""}</span></label
          >`
        : nothing}`;
  }
}

customElements.define("scope-choice", ScopeChoice);
