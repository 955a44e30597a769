// <flag-panel>: the complaints of people that a call was allowed, and the form for another one.

import { CountersignElement, css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { describeAge, nameOf } from "../times.js";

/** @import { Call } from "../types.d.ts" */
/** @import { CallStore } from "../call-store.js" */

const styles = css`
  :host { font-size: 13px; }
  section, form { display: grid; gap: 8px; }
  h3 { font-size: 13px; color: var(--cs-deny); }
  ul { list-style: none; display: grid; gap: 6px; }
  li { padding-left: 10px; border-left: 3px solid var(--cs-deny); overflow-wrap: anywhere; }
  li p { white-space: pre-wrap; }
  button.quiet { justify-self: start; text-decoration: underline; text-underline-offset: 3px; }
  button { min-height: 28px; font-size: 13px; }
  label { display: grid; gap: 4px; color: var(--cs-muted); }
  label input { color: var(--cs-text); }
  section > button.quiet { margin-left: -12px; }
  .buttons { display: flex; gap: 8px; }
  @media (max-width: 760px) { button { min-height: 44px; } }
`;

/** Returns true if the call was allowed, so that a person may flag it. @param {Call} call */
export const isFlaggable = (call) =>
  call.response !== undefined && call.response !== null && call.response.decision !== "deny" && !call.erased && !call.archived;

export class FlagPanel extends CountersignElement {
  static properties = {
    call: { attribute: false },
    store: { attribute: false },
    person: { attribute: false },
    now: { type: Number },
    isOpen: { state: true },
    isSending: { state: true },
    problem: { state: true },
  };
  static styles = [baseStyles, styles];

  /** The call that is on show. */
  #shown = "";
  /** True until the complaint that was sent is on show. */
  #awaitsFlag = false;

  constructor() {
    super();
    /** @type {Call | undefined} */
    this.call = undefined;
    /** @type {CallStore | undefined} */
    this.store = undefined;
    /** The person who may complain; empty if the caller may not. */
    this.person = "";
    this.now = Date.now();
    this.isOpen = false;
    this.isSending = false;
    /** Why the complaint was refused; empty if it was not. */
    this.problem = "";
  }

  /** @override */
  willUpdate() {
    const shown = `${this.call?.threadId}\n${this.call?.id}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.isOpen = false;
    this.problem = "";
  }

  /** The form goes: the focus moves to the complaint that it has added, which a screen reader then reads. @override */
  updated() {
    if (!this.#awaitsFlag || this.isOpen || !this.call?.flags?.some(({ principal }) => principal === this.person)) return;
    this.#awaitsFlag = false;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("h3"))?.focus();
  }

  /** @override */
  render() {
    const { call } = this;
    if (!call) return nothing;
    const flags = call.flags ?? [];
    // Each person flags a call once.
    const mayFlag = this.person !== "" && isFlaggable(call) && !flags.some(({ principal }) => principal === this.person);
    if (flags.length === 0 && !mayFlag) return nothing;
    return html`<section aria-label="complaints about this call">
      ${flags.length > 0
        ? html`<h3 tabindex="-1">Flagged as wrongly allowed</h3>
            <ul>${flags.map(({ principal, at, comment }) => html`<li>
              <strong>${renderText(nameOf(principal))}</strong> <time class="muted" datetime=${at} title=${at}>${describeAge(at, this.now)}</time>
              ${comment ? html`<p>${renderText(comment)}</p>` : nothing}</li>`)}</ul>`
        : nothing}
      ${mayFlag ? (this.isOpen ? this.#renderForm() : html`<button class="quiet" @click=${() => this.#open()}>Flag this call</button>`) : nothing}
    </section>`;
  }

  #renderForm() {
    return html`<form @submit=${(/** @type {SubmitEvent} */ event) => this.#send(event)} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#handleKey(event)}>
      <p id="effect" class="muted">Say that it should not have been allowed. This changes nothing about the call. It is kept in the log, and counts against an advisor that allowed it.</p>
      <label>What is wrong (optional)<input id="complaint" maxlength="2000" autocomplete="off" aria-describedby="effect" /></label>
      ${this.problem ? html`<p class="problem" role="alert">${renderText(this.problem)}</p>` : nothing}
      <div class="buttons">
        <button class="deny" ?disabled=${this.isSending}>${this.isSending ? "Flagging…" : "Flag"}</button>
        <button class="quiet" type="button" ?disabled=${this.isSending} @click=${() => this.#close()}>Cancel</button>
      </div>
    </form>`;
  }

  async #open() {
    this.isOpen = true;
    this.problem = "";
    await this.#focus("#complaint");
  }

  async #close() {
    this.isOpen = false;
    await this.#focus("button");
  }

  /** @param {string} selector */
  async #focus(selector) {
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(selector))?.focus();
  }

  /** @param {KeyboardEvent} event */
  #handleKey(event) {
    if (event.key !== "Escape" || this.isSending) return;
    event.preventDefault();
    void this.#close();
  }

  /** @param {SubmitEvent} event */
  async #send(event) {
    event.preventDefault();
    const { call, store } = this;
    const comment = /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector("#complaint"))?.value.trim();
    if (!call || !store || this.isSending) return;
    this.isSending = true;
    this.problem = "";
    try {
      this.#awaitsFlag = true;
      await store.flag(call, comment ? { comment } : {});
      this.isOpen = false;
    } catch (error) {
      this.#awaitsFlag = false;
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.isSending = false;
    }
  }
}

customElements.define("flag-panel", FlagPanel);
