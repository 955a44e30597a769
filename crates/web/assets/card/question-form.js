// <question-form>: what a call asks people, with fields for the answers.

import { CountersignElement, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { questionStyles } from "./card-styles.js";

/** @import { Question, QuestionForm } from "../types.d.ts" */

export class QuestionFormElement extends CountersignElement {
  static properties = {
    form: { attribute: false },
    mayAnswer: { type: Boolean, attribute: "may-answer" },
    key: { type: String },
    chosen: { state: true },
    texts: { state: true },
  };
  static styles = [baseStyles, questionStyles];

  #shown = "";

  constructor() {
    super();
    /** @type {QuestionForm | undefined} */
    this.form = undefined;
    this.mayAnswer = false;
    /** Names the call and its arguments: other arguments are asked anew. */
    this.key = "";
    /** The chosen labels of each question. @type {string[][]} */
    this.chosen = [];
    /** The text for each question. @type {string[]} */
    this.texts = [];
  }

  /** @override */
  willUpdate() {
    if (this.key === this.#shown || !this.form) return;
    this.#shown = this.key;
    const labels = (/** @type {Question} */ { options }) => options.map(({ label }) => label);
    this.chosen = this.form.questions.map((question) => (question.preset ?? []).filter((part) => labels(question).includes(part)));
    this.texts = this.form.questions.map((question) => (question.preset ?? []).find((part) => !labels(question).includes(part)) ?? "");
    this.#tell();
  }

  /** Tells the card the answers; none while one is missing. */
  #tell() {
    const questions = this.form?.questions ?? [];
    const answers = questions.map((_, n) => [...(this.chosen[n] ?? []), ...(this.texts[n]?.trim() ? [this.texts[n].trim()] : [])]);
    const isMissing = questions.some(({ required }, n) => required && answers[n]?.length === 0);
    this.emit("answers", isMissing ? null : answers);
  }

  /** @override */
  render() {
    const { form } = this;
    if (!form) return nothing;
    return html`
      ${form.message ? html`<pre class="message text">${renderText(form.message)}</pre>` : nothing}
      ${form.source ? html`<p class="note muted">From ${renderText(form.source)}</p>` : nothing}
      ${form.questions.map((question, n) => this.#renderQuestion(question, n))}
    `;
  }

  /** @param {Question} question @param {number} n */
  #renderQuestion(question, n) {
    const notes = [question.hint, question.multiple ? "several answers are possible" : "", question.required ? "" : "optional"].filter(Boolean);
    return html`<fieldset ?disabled=${!this.mayAnswer}>
      <legend>${question.header ? html`<span class="badge">${renderText(question.header)}</span> ` : nothing}${renderText(question.text)}</legend>
      ${notes.length ? html`<p class="note muted">${renderText(notes.join("; "))}</p>` : nothing}
      ${question.options.map((option) => this.#renderOption(question, n, option))}
      ${question.freeText ? this.#renderText(question, n) : nothing}
    </fieldset>`;
  }

  /** @param {Question} question @param {number} n @param {Question["options"][number]} option */
  #renderOption({ multiple }, n, { label, description, preview }) {
    const isChosen = this.chosen[n]?.includes(label) ?? false;
    return html`<label class="option ${isChosen ? "chosen" : ""}">
      <input type=${multiple ? "checkbox" : "radio"} name=${`question-${n}`} .checked=${isChosen} @change=${() => this.#choose(n, label, multiple)} />
      <span><strong>${renderText(label)}</strong>${description ? html`<span class="muted">${renderText(description)}</span>` : nothing}
        ${preview ? html`<pre class="preview">${renderText(preview)}</pre>` : nothing}</span>
    </label>`;
  }

  /** @param {Question} question @param {number} n */
  #renderText({ text, options, number }, n) {
    const label = options.length > 0 ? "Another answer" : "Your answer";
    return html`<input aria-label=${`${label}: ${text}`} placeholder=${label} maxlength="4000" autocomplete="off"
      inputmode=${number === "integer" ? "numeric" : number ? "decimal" : "text"} .value=${this.texts[n] ?? ""}
      @input=${(/** @type {Event} */ event) => this.#write(n, /** @type {HTMLInputElement} */ (event.target).value)} />`;
  }

  /** @param {number} n @param {string} label @param {boolean} multiple */
  #choose(n, label, multiple) {
    const before = this.chosen[n] ?? [];
    const others = before.filter((one) => one !== label);
    const now = multiple ? (before.includes(label) ? others : [...before, label]) : [label];
    this.chosen = this.chosen.with(n, now);
    // A question with one answer takes the option or the text.
    if (!multiple) this.texts = this.texts.with(n, "");
    this.#tell();
  }

  /** @param {number} n @param {string} text */
  #write(n, text) {
    this.texts = this.texts.with(n, text);
    if (!this.form?.questions[n]?.multiple && text.trim()) this.chosen = this.chosen.with(n, []);
    this.#tell();
  }
}

customElements.define("question-form", QuestionFormElement);
