// Arguments that an approver changes before they run.

import { html, nothing } from "../element.js";
import { parseJson } from "../countersign.js";
import { compareLines } from "../arguments/line-diff.js";
import { renderText } from "../hidden-text.js";

/** @import { Json } from "../types.d.ts" */

/** @param {Json} value */
const print = (value) => JSON.stringify(value, null, 2);

/** An edit, which never changes: each input makes a new one. */
export class ArgumentsEdit {
  /** @param {string} original @param {string} text */
  constructor(original, text) {
    this.original = original;
    this.text = text;
    /** Why the text cannot be sent; empty if it can. */
    this.problem = "";
    /** @type {Json} */
    this.value = null;
    try {
      this.value = parseJson(text);
      const isObject = typeof this.value === "object" && this.value !== null && !Array.isArray(this.value);
      if (!isObject) this.problem = "The arguments must be an object: { … }";
    } catch (error) {
      this.problem = `This is not JSON: ${error instanceof Error ? error.message : error}`;
    }
  }

  /** @param {Json} value */
  static of(value) {
    return new ArgumentsEdit(print(value), print(value));
  }

  /** @param {string} text */
  with(text) {
    return new ArgumentsEdit(this.original, text);
  }

  get isUnchanged() {
    return this.problem === "" && print(this.value) === this.original;
  }

  renderDifference() {
    if (this.isUnchanged) return html`<p class="note muted">Nothing is changed yet.</p>`;
    const kinds = /** @type {Record<string, string>} */ ({ "+": "added", "-": "removed" });
    const lines = compareLines(this.original, print(this.value)).filter(({ sign }) => sign !== " ");
    return html`<div class="diff" aria-label="your changes">
      ${lines.map(({ sign, text }) => html`<div class="line ${kinds[sign] ?? nothing}"><span class="sign">${sign}</span><span>${renderText(text)}</span></div>`)}
    </div>`;
  }
}
