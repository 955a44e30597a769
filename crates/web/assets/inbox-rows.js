// <inbox-rows>: the pending calls as rows, with each group heading. Only the rows near the visible ones are drawn, so
// that a long list stays fast.

import { CountersignElement, html, nothing, readRowHeight, repeat } from "./element.js";
import { baseStyles } from "./element-styles.js";
import { renderText } from "./hidden-text.js";
import { describeRow, groupCalls, isBulk } from "./inbox-list.js";
import { rowStyles } from "./inbox-styles.js";
import { keyOf } from "./inbox-store.js";
import { describeAge, nameOf } from "./times.js";

/** @import { Call } from "./types.d.ts" */
/** @import { CallGroup, Grouping } from "./inbox-list.js" */

/** The rows that are drawn beyond the visible ones. */
const OVERSCAN = 8;

export class InboxRows extends CountersignElement {
  static properties = {
    calls: { attribute: false },
    group: { attribute: false },
    selected: { attribute: false },
    checked: { attribute: false },
    canDecide: { type: Boolean, attribute: "can-decide" },
    now: { type: Number },
    scrolled: { state: true },
  };
  static styles = [baseStyles, rowStyles];

  /** The row height in pixels. */
  #row = 64;
  #measure = () => {
    this.#row = readRowHeight(this);
    this.requestUpdate();
  };

  constructor() {
    super();
    /** @type {Call[]} */
    this.calls = [];
    /** @type {Grouping} */
    this.group = "";
    /** The selected call's key. */
    this.selected = "";
    /** Keys of checked calls. @type {Set<string>} */
    this.checked = new Set();
    this.canDecide = false;
    this.now = Date.now();
    this.scrolled = 0;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.#measure();
    window.addEventListener("appearance", this.#measure);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    window.removeEventListener("appearance", this.#measure);
  }

  /** The lines of the list: the calls, and each group heading. @returns {(Call | CallGroup)[]} */
  get #lines() {
    return groupCalls(this.calls, this.group)?.flatMap((group) => [group, ...group.calls]) ?? this.calls;
  }

  /** Scrolls to a call, unless it is visible. The focus moves with the selection, if a row has it. @param {Call} call */
  show(call) {
    const list = this.renderRoot.querySelector(".rows");
    const top = this.#lines.indexOf(call) * this.#row;
    if (list && (top < list.scrollTop || top + this.#row > list.scrollTop + list.clientHeight)) list.scrollTop = top - this.#row;
    if (/** @type {ShadowRoot} */ (this.renderRoot).activeElement?.matches(".row")) {
      void this.updateComplete.then(() => /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".row[aria-current=true]"))?.focus());
    }
  }

  /** @override */
  render() {
    const lines = this.#lines;
    const row = this.#row;
    const from = Math.max(0, Math.floor(this.scrolled / row) - OVERSCAN);
    const to = Math.min(lines.length, Math.ceil((this.scrolled + (this.clientHeight || 800)) / row) + OVERSCAN);
    const keyOfLine = (/** @type {Call | CallGroup} */ line) => ("calls" in line ? `group ${line.name}` : keyOf(line));
    return html`<div class="rows" @scroll=${(/** @type {Event} */ event) => (this.scrolled = /** @type {HTMLElement} */ (event.target).scrollTop)}>
      <ul .style=${`height:${lines.length * row}px`}>
        ${repeat(lines.slice(from, to), keyOfLine, (line, n) => ("calls" in line ? this.#renderGroup(line, from + n) : this.#renderRow(line, from + n)))}
      </ul>
    </div>`;
  }

  /** @param {CallGroup} group @param {number} index */
  #renderGroup({ name, calls }, index) {
    const bulk = calls.filter(isBulk);
    return html`<li class="group" .style=${`top:${index * this.#row}px`}>
      <h3>${renderText(name)} <span class="muted">${calls.length}</span></h3>
      ${this.canDecide && bulk.length > 1
        ? html`<button class="quiet" @click=${() => this.emit("check-calls", bulk.map(keyOf))}>Review ${bulk.length}</button>`
        : nothing}
    </li>`;
  }

  /** @param {Call} call @param {number} index */
  #renderRow(call, index) {
    const key = keyOf(call);
    const risk = call.impact?.riskLevel;
    const tabindex = key === this.selected ? 0 : -1;
    return html`<li class=${key === this.selected ? "selected" : ""} .style=${`top:${index * this.#row}px`}>
      ${this.canDecide && isBulk(call) ? html`<input type="checkbox" tabindex=${tabindex} aria-label=${`check ${call.id}`} .checked=${this.checked.has(key)} @change=${() => this.emit("check-call", call)} />` : nothing}
      <button class="row" tabindex=${tabindex} aria-current=${key === this.selected} @click=${() => this.emit("select-call", key)}>
        <span class="top"><strong>${renderText(call.name)}</strong>
          ${risk ? html`<span class="badge ${risk}" title="The agent's claim">says ${risk}</span>` : nothing}
          <span class="age">${describeAge(call.proposal.at, this.now)}</span></span>
        <span class="summary">${renderText(describeRow(call))}</span>
        <span class="from">${renderText(`${nameOf(call.proposal.principal)} · ${call.threadId}`)}</span>
      </button>
    </li>`;
  }
}

customElements.define("inbox-rows", InboxRows);
