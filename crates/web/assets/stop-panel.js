// <stop-panel>: what stopping a thread ends, listed, and the button that ends exactly that.

import { CountersignElement, html, nothing } from "./element.js";
import { baseStyles } from "./element-styles.js";
import { stopStyles } from "./inbox-styles.js";
import { countWords } from "./count-words.js";
import { describeRow } from "./inbox-list.js";
import { renderText } from "./hidden-text.js";

/** @import { Call, CallKey } from "./types.d.ts" */
/** @import { InboxStore } from "./inbox-store.js" */

export class StopPanel extends CountersignElement {
  static properties = {
    store: { attribute: false },
    thread: { type: String },
    calls: { state: true },
    isSending: { state: true },
    problem: { state: true },
  };
  static styles = [baseStyles, stopStyles];

  /** The thread whose calls are listed. */
  #listed = "";

  constructor() {
    super();
    /** @type {InboxStore | undefined} */
    this.store = undefined;
    this.thread = "";
    /** What the button ends; null until it is read. @type {Call[] | null} */
    this.calls = null;
    this.isSending = false;
    this.problem = "";
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.store?.addEventListener("change", this.#refresh);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.store?.removeEventListener("change", this.#refresh);
  }

  /** @override */
  willUpdate() {
    if (this.thread === this.#listed) return;
    this.#listed = this.thread;
    this.calls = null;
    this.problem = "";
    void this.#read();
  }

  /** The list follows the log, so that the number on the button is true when it is pressed. */
  #refresh = () => {
    if (!this.isSending) void this.#read();
  };

  async #read() {
    const { thread, store } = this;
    try {
      const calls = (await store?.findStoppable(thread)) ?? [];
      if (thread === this.thread && !this.isSending) this.calls = calls;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
  }

  /** @override */
  render() {
    const { calls, thread } = this;
    return html`<section aria-label="stop the thread">
      <h2>Stop ${renderText(thread)}</h2>
      ${calls === null ? html`<p class="muted" aria-busy="true">Reading what would end…</p>` : this.#renderCalls(calls)}
      ${this.problem ? html`<p class="problem" role="alert">${renderText(this.problem)}</p>` : nothing}
      <input id="comment" maxlength="2000" autocomplete="off" aria-label="comment" placeholder="Comment for the agent and the log (optional)" />
      <div class="buttons">
        <button class="quiet" ?disabled=${this.isSending} @click=${() => this.emit("close")}>Cancel</button>
        <button class="deny" ?disabled=${!calls?.length || this.isSending} @click=${() => this.#stop()}>${this.isSending ? "Sending…" : nameAction(calls ?? [])}</button>
      </div>
    </section>`;
  }

  /** @param {Call[]} calls */
  #renderCalls(calls) {
    if (calls.length === 0) return html`<p class="muted">Nothing waits in this thread.</p>`;
    return html`<p class="note">This ends exactly these calls. The agent may propose more.</p>
      <ul>${calls.map((call) => html`<li>
        <span class="badge ${call.state === "allowed" ? "allowed" : ""}">${call.state === "allowed" ? "allowed" : "pending"}</span>
        <strong>${renderText(call.name)}</strong> <span class="summary">${renderText(describeRow(call))}</span></li>`)}</ul>`;
  }

  async #stop() {
    const { store, thread, calls } = this;
    if (!store || !calls || this.isSending) return;
    const comment = /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector("#comment"))?.value.trim() ?? "";
    this.isSending = true;
    this.problem = "";
    try {
      const report = await store.stop(thread, calls, comment);
      this.isSending = false;
      const left = countLeft(calls, [...report.denied, ...report.cancelled]);
      if (left === 0) return this.emit("close");
      this.problem = `${countWords(left, "call")} did not end: you may not deny it alone, or it was decided meanwhile.`;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.isSending = false;
      void this.#read();
    }
  }
}

/** What the button does, with the numbers. @param {Call[]} calls */
function nameAction(calls) {
  const allowed = calls.filter(({ state }) => state === "allowed").length;
  const pending = calls.length - allowed;
  const parts = [...(pending > 0 ? [`Deny ${pending}`] : []), ...(allowed > 0 ? [`${pending > 0 ? "end" : "End"} ${allowed} allowed`] : [])];
  return parts.join(" and ") || "Nothing to end";
}

/** How many of the calls did not end. @param {Call[]} calls @param {CallKey[]} ended */
function countLeft(calls, ended) {
  const keys = new Set(ended.map(({ threadId, id }) => `${threadId}\n${id}`));
  return calls.filter(({ threadId, id }) => !keys.has(`${threadId}\n${id}`)).length;
}

customElements.define("stop-panel", StopPanel);
