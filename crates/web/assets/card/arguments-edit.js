// Arguments that an approver changes before they run: one box for each argument, or all as JSON.

import { html } from "../element.js";
import { parseJson } from "../countersign.js";
import { compareLines } from "../arguments/line-diff.js";
import { renderText } from "../hidden-text.js";

/** @import { Json } from "../types.d.ts" */

/** @param {Json} value */
const print = (value) => JSON.stringify(value, null, 2);

/** @param {Json} value @returns {value is { [key: string]: Json }} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** @typedef {{ name: string, isText: boolean, text: string, problem: string }} ArgumentBox The text box for one argument. */

/** An edit, which never changes: each input makes a new one. */
export class ArgumentsEdit {
  /**
   * @param {string} original @param {string} text All arguments as JSON.
   * @param {Map<string, string>} [unread] The content of boxes that is not JSON, by argument.
   */
  constructor(original, text, unread = new Map()) {
    this.original = original;
    this.text = text;
    this.unread = unread;
    /** Why the edit cannot be sent; empty if it can. */
    this.problem = "";
    /** Why the server would refuse it, once it was asked. */
    this.refusal = "";
    /** @type {Json} */
    this.value = null;
    try {
      this.value = parseJson(text);
      if (!isObject(this.value)) this.problem = "The arguments must be an object: { … }";
    } catch (error) {
      this.problem = `This is not JSON: ${error instanceof Error ? error.message : error}`;
    }
    const [first] = unread.keys();
    if (first !== undefined && this.problem === "") this.problem = `${first} is not JSON.`;
  }

  /** @param {Json} value */
  static of(value) {
    return new ArgumentsEdit(print(value), print(value));
  }

  /** The edit, refused. @param {string} refusal */
  refused(refusal) {
    return Object.assign(new ArgumentsEdit(this.original, this.text, this.unread), { refusal });
  }

  /** Whether the edit can be sent, as far as is known. */
  get isReady() {
    return this.problem === "" && this.refusal === "" && !this.isUnchanged;
  }

  /** The edit with other JSON. @param {string} text */
  with(text) {
    return new ArgumentsEdit(this.original, text);
  }

  /** The edit with another text for one argument. @param {ArgumentBox} box @param {string} text */
  withPart({ name, isText }, text) {
    const unread = new Map(this.unread);
    unread.delete(name);
    try {
      const value = isObject(this.value) ? { ...this.value, [name]: isText ? text : parseJson(text) } : this.value;
      return new ArgumentsEdit(this.original, print(value), unread);
    } catch {
      return new ArgumentsEdit(this.original, this.text, unread.set(name, text));
    }
  }

  /** The text boxes, in the order of the arguments; null if the JSON has none. @returns {ArgumentBox[] | null} */
  get boxes() {
    if (!isObject(this.value)) return null;
    const before = parseJson(this.original);
    return Object.entries(this.value).map(([name, part]) => {
      const unread = this.unread.get(name);
      // Text stays text, also if it was deleted or looks like a number.
      const isText = typeof (isObject(before) && Object.hasOwn(before, name) ? before[name] : part) === "string" && typeof part === "string";
      const text = unread ?? (isText ? /** @type {string} */ (part) : print(part));
      return { name, isText, text, problem: unread === undefined ? "" : "This is not JSON. Text needs quotation marks here." };
    });
  }

  get isUnchanged() {
    return this.problem === "" && print(this.value) === this.original;
  }

  /** What changes, argument by argument and line by line. */
  renderDifference() {
    if (this.isUnchanged) return html`<p class="note muted">Nothing is changed yet.</p>`;
    const before = parseJson(this.original);
    if (!isObject(before) || !isObject(this.value)) return renderLines("your changes", this.original, print(this.value));
    const after = this.value;
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const textOf = (/** @type {Json | undefined} */ part) => (part === undefined ? "" : typeof part === "string" ? part : print(part));
    const changed = names.filter((name) => print(before[name] ?? null) !== print(after[name] ?? null) || Object.hasOwn(before, name) !== Object.hasOwn(after, name));
    return html`<dl class="changes" aria-label="your changes">
      ${changed.map((name) => html`<div><dt>${renderText(name)}</dt><dd>${renderLines(`change of ${name}`, textOf(before[name]), textOf(after[name]))}</dd></div>`)}
    </dl>`;
  }
}

/** @param {string} label @param {string} before @param {string} after */
function renderLines(label, before, after) {
  const kinds = /** @type {Record<string, string>} */ ({ "+": "added", "-": "removed" });
  const lines = compareLines(before, after).filter(({ sign }) => sign !== " ");
  return html`<div class="diff" role="group" aria-label=${label}>
    ${lines.map(({ sign, text }) => html`<div class="line ${kinds[sign] ?? ""}"><span class="sign">${sign}</span><span>${renderText(text)}</span></div>`)}
  </div>`;
}
