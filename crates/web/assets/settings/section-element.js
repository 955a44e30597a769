// The base class for settings sections: work that may fail, and its error message.

import { CountersignElement, css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";

/** @import { AppContext } from "../types.d.ts" */

export const sectionStyles = css`
  section { background: var(--cs-surface); border: 1px solid var(--cs-line); border-radius: var(--cs-radius); box-shadow: var(--cs-shadow); padding: 18px 20px; display: grid; gap: 14px; }
  h2 { font-size: 15px; }
  .lead { color: var(--cs-muted); font-size: 13px; max-width: 70ch; }
  ul { list-style: none; display: grid; }
  li { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 9px 0; border-top: 1px solid var(--cs-line); font-size: 13px; }
  li .text { display: grid; min-width: 0; flex: 1 1 220px; }
  li .text strong { font-weight: 600; overflow-wrap: anywhere; }
  li .text span { color: var(--cs-muted); overflow-wrap: anywhere; }
  form { display: grid; gap: 12px; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); align-items: end; }
  label { display: grid; gap: 4px; font-size: 13px; color: var(--cs-muted); min-width: 0; }
  label > :is(input, select) { color: var(--cs-text); min-width: 0; }
  label.check { display: flex; align-items: center; gap: 8px; min-height: 34px; }
  label.check input { min-height: 0; accent-color: var(--cs-accent); }
  form button { justify-self: start; }
  button.main { background: var(--cs-accent); border-color: var(--cs-accent); color: var(--cs-on-accent); font-weight: 600; }
  button.main:hover:not(:disabled) { background: var(--cs-accent-strong); }
  .actions { display: flex; flex-wrap: wrap; gap: 8px; }
  .removal { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
  .secret { display: grid; gap: 6px; padding: 12px 14px; border-radius: var(--cs-radius-small); background: var(--cs-warn-ground); }
  .secret code { overflow-wrap: anywhere; user-select: all; }
  .topics { grid-column: 1 / -1; font-size: 13px; color: var(--cs-muted); }
  .topics summary { cursor: pointer; padding: 4px 0; }
  .choices { display: grid; gap: 10px; grid-template-columns: repeat(auto-fit, minmax(180px, 240px)); }
  @media (max-width: 760px) { section { padding: 16px 14px; } button, input, select { min-height: 44px; } }
`;

export class SettingsSection extends CountersignElement {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { app: { attribute: false }, message: { state: true }, isBusy: { state: true }, asking: { state: true } };
  static styles = [baseStyles, sectionStyles];

  constructor() {
    super();
    /** @type {AppContext} */
    this.app = /** @type {any} */ (undefined);
    /** Why the last work failed; empty if it succeeded. */
    this.message = "";
    this.isBusy = false;
    /** What the person is asked to confirm the removal of; empty if nothing. */
    this.asking = "";
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    void this.attempt(() => this.load());
  }

  /** Reads what the section shows. */
  async load() {}

  /** Does work, and shows why it failed. @param {() => Promise<unknown>} work */
  async attempt(work) {
    this.message = "";
    this.isBusy = true;
    try {
      await work();
    } catch (error) {
      this.message = error instanceof Error ? error.message : String(error);
    }
    this.isBusy = false;
  }

  /**
   * A button that asks before it removes something.
   * @param {{ id: string, verb: string, name: string, note: string }} what `note` says what happens.
   * @param {() => Promise<unknown>} remove
   */
  renderRemoval({ id, verb, name, note }, remove) {
    if (this.asking !== id) return html`<button class="quiet" aria-label=${`${verb} ${name}`} @click=${() => this.#ask(id)}>${verb}</button>`;
    const confirm = () => {
      this.asking = "";
      void this.attempt(remove);
    };
    return html`<span class="removal" role="group" aria-label=${`${verb} ${name}?`}><span>${note}</span>
      <button class="deny" aria-label=${`${verb} ${name} now`} @click=${confirm}>${verb}</button>
      <button class="quiet" @click=${() => (this.asking = "")}>Keep</button></span>`;
  }

  /** The focus moves to the harmless answer. @param {string} id */
  async #ask(id) {
    this.asking = id;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".removal button.quiet"))?.focus();
  }

  renderMessage() {
    return html`<p id="message" class="problem" role="alert" ?hidden=${!this.message}>${this.message ? renderText(this.message) : nothing}</p>`;
  }

  /** A field value from the submitted form. @param {SubmitEvent} event */
  readForm(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const data = new FormData(form);
    return { form, read: (/** @type {string} */ name) => String(data.get(name) ?? "").trim() };
  }
}

/** A date and a time as people of this place write them. @param {string} at */
export const describeMoment = (at) => new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Splits a string at its commas. @param {string} text */
export const splitList = (text) => text.split(",").map((part) => part.trim()).filter(Boolean);
