// <arguments-editor>: the edit form: a text box for each argument, or all as JSON, and what changes.

import { CountersignElement, html, nothing } from "../element.js";
import { argumentStyles, baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { panelStyles } from "./card-styles.js";

/** @import { Call } from "../types.d.ts" */
/** @import { CountersignClient } from "../countersign.js" */
/** @import { ArgumentBox, ArgumentsEdit } from "./arguments-edit.js" */

/** How long a person has stopped to type before the server is asked, in milliseconds. */
const PAUSE = 400;

export class ArgumentsEditor extends CountersignElement {
  static properties = { call: { attribute: false }, client: { attribute: false }, edit: { attribute: false }, isJson: { state: true } };
  static styles = [baseStyles, argumentStyles, panelStyles];

  #pause = 0;

  constructor() {
    super();
    /** @type {Call | undefined} */
    this.call = undefined;
    /** @type {CountersignClient | undefined} */
    this.client = undefined;
    /** @type {ArgumentsEdit | null} */
    this.edit = null;
    /** Whether all arguments are edited as JSON, in one text. */
    this.isJson = false;
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#pause);
  }

  /** @param {Map<PropertyKey, unknown>} changed @override */
  updated(changed) {
    if (!changed.has("edit")) return;
    clearTimeout(this.#pause);
    if (this.edit?.isReady) this.#pause = window.setTimeout(() => void this.#check(), PAUSE);
  }

  /** Asks the server, which has the schema and the policy. It checks the decision again, so an answer that is lost does no harm. */
  async #check() {
    const { call, client, edit } = this;
    if (!call || !client || !edit) return;
    const { refusal } = await client.previewEdit(call, edit.value).catch(() => ({ refusal: undefined }));
    if (refusal && edit === this.edit) this.emit("edit-arguments", edit.refused(refusal.detail.replace(/^arguments: /, "")));
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
      ${edit.problem || edit.refusal ? html`<p class="note problem" role="alert">${renderText(edit.problem || edit.refusal)}</p>` : nothing}
      ${edit.problem ? nothing : edit.renderDifference()}
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
