// <arguments-editor>: the form of an edit: a text box for each argument, or all as JSON, and what changes.

import { CountersignElement, html, nothing } from "../element.js";
import { argumentStyles, baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { panelStyles } from "./card-styles.js";

/** @import { ArgumentBox, ArgumentsEdit } from "./arguments-edit.js" */

export class ArgumentsEditor extends CountersignElement {
  static properties = { edit: { attribute: false }, isJson: { state: true } };
  static styles = [baseStyles, argumentStyles, panelStyles];

  constructor() {
    super();
    /** @type {ArgumentsEdit | null} */
    this.edit = null;
    /** Whether all arguments are edited as JSON, in one text. */
    this.isJson = false;
  }

  /** @override */
  render() {
    const { edit } = this;
    if (!edit) return nothing;
    const boxes = this.isJson ? null : edit.boxes;
    const choose = (/** @type {boolean} */ isJson) => () => (this.isJson = isJson);
    return html`<div class="more">
      <div class="tabs" role="group" aria-label="how to edit">
        <button class="quiet" aria-pressed=${String(!this.isJson)} ?disabled=${edit.boxes === null} @click=${choose(false)}>Text boxes</button>
        <button class="quiet" aria-pressed=${String(this.isJson)} @click=${choose(true)}>JSON</button>
      </div>
      ${boxes ? boxes.map((box) => this.#renderBox(edit, box)) : this.#renderJsonBox(edit)}
      ${edit.problem ? html`<p class="note problem" role="alert">${renderText(edit.problem)}</p>` : edit.renderDifference()}
    </div>`;
  }

  /** @param {ArgumentsEdit} edit @param {ArgumentBox} box */
  #renderBox(edit, box) {
    const change = (/** @type {Event} */ event) => this.emit("edit-arguments", edit.withPart(box, /** @type {HTMLTextAreaElement} */ (event.target).value));
    const rows = Math.min(10, box.text.split("\n").length);
    return html`<label class="box"><span>${renderText(box.name)}${box.isText ? nothing : html` <span class="kind">JSON</span>`}</span>
      <textarea class=${box.isText ? "text" : "mono"} rows=${rows} spellcheck="false" aria-invalid=${String(box.problem !== "")} @input=${change} .value=${box.text}></textarea>
      ${box.problem ? html`<span class="problem">${box.problem}</span>` : nothing}</label>`;
  }

  /** @param {ArgumentsEdit} edit */
  #renderJsonBox(edit) {
    const change = (/** @type {Event} */ event) => this.emit("edit-arguments", edit.with(/** @type {HTMLTextAreaElement} */ (event.target).value));
    return html`<label>Arguments, as JSON<textarea class="mono whole" spellcheck="false" @input=${change} .value=${edit.text}></textarea></label>`;
  }
}

customElements.define("arguments-editor", ArgumentsEditor);
