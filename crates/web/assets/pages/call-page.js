// The page of one call, in each of its states. Notifications and webhooks link here.

import { css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { keyOf } from "../call-store.js";
import { WatchedCall } from "../watched-call.js";
import { renderText } from "../hidden-text.js";
import { describeSteps } from "../card/describe.js";
import { PageElement } from "./page-element.js";
import { pageStyles } from "./page-styles.js";
import "../card/approval-card.js";
import { levelOf, personWhoMayFlag } from "../caller.js";
import { CARD_KEYS } from "../card/keys.js";

/** @import { Call } from "../types.d.ts" */
/** @import { ToolApprovalCard } from "../card/approval-card.js" */

const styles = css`
  .page { max-width: max(860px, min(50vw, 1600px)); }
  .crumbs { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; font-size: 13px; color: var(--cs-muted); }
  .crumbs a { color: inherit; text-decoration: none; }
  .crumbs a:hover { color: var(--cs-text); text-decoration: underline; }
  .crumbs h1 { font-size: inherit; line-height: inherit; letter-spacing: 0; font-weight: 600; color: var(--cs-text); }
  .panel { overflow: clip; }
  section h2 { margin-bottom: 10px; }
  .steps { list-style: none; padding: 0; margin: 0; display: grid; }
  .steps li { display: grid; grid-template-columns: 16px minmax(0, 1fr) auto; gap: 0 12px; padding-bottom: 12px; position: relative; font-size: 13px; }
  .steps li::before { content: ""; width: 9px; height: 9px; margin: 5px 0 0 3px; border-radius: 50%; background: var(--cs-line-strong); z-index: 1; }
  .steps li.allowed::before, .steps li.done::before { background: var(--cs-allow); }
  .steps li.denied::before, .steps li.failed::before { background: var(--cs-deny); }
  .steps li.open::before { background: var(--cs-surface); box-shadow: inset 0 0 0 2px var(--cs-accent); }
  .steps li:not(:last-child)::after { content: ""; position: absolute; left: 7px; top: 12px; bottom: -6px; width: 1px; background: var(--cs-line); }
  .steps time { color: var(--cs-muted); font-variant-numeric: tabular-nums; }
  .facts { font-size: 12px; color: var(--cs-muted); overflow-wrap: anywhere; }
`;

export class CallPage extends PageElement {
  static properties = { now: { state: true } };
  static styles = [baseStyles, pageStyles, styles];
  static keys = CARD_KEYS;

  /** @type {WatchedCall | undefined} */
  #watched;
  #clock = 0;

  constructor() {
    super();
    this.now = Date.now();
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.#clock = window.setInterval(() => {
      this.now = Date.now();
      this.#watched?.checkLease(this.now);
    }, 1_000);
    document.addEventListener("keydown", this.#handleKey);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#clock);
    document.removeEventListener("keydown", this.#handleKey);
    this.#watched?.close();
    this.#watched = undefined;
  }

  /** @override */
  willUpdate() {
    const key = { threadId: this.params.thread ?? "", id: this.params.id ?? "" };
    if (this.#watched && keyOf(this.#watched.key) === keyOf(key)) return;
    this.#watched?.close();
    const watched = new WatchedCall(this.app.client, key, this.app.feed);
    this.#watched = watched;
    watched.addEventListener("change", () => {
      this.now = Date.now();
      if (watched.call) this.setTitle(`${watched.call.name} ${watched.call.id}`);
      this.requestUpdate();
    });
    watched.open();
  }

  /** @override */
  render() {
    const { thread = "", id = "" } = this.params;
    const call = this.#watched?.call;
    return html`<div class="page">
      <nav class="crumbs" aria-label="Path">
        <a href="/">Inbox</a><span aria-hidden="true">/</span>
        <a href=${`/threads/${encodeURIComponent(thread)}`}>${renderText(thread)}</a><span aria-hidden="true">/</span>
        <h1><span class="visually-hidden">Call </span>${renderText(id)}</h1>
      </nav>
      ${call ? this.#renderCall(call) : this.#renderMissing()}
    </div>`;
  }

  #renderMissing() {
    if (!this.#watched?.isMissing) return html`<p class="muted" role="status">Loading…</p>`;
    return html`<div class="panel empty"><h2>There is no such call</h2>
      <p class="muted">It does not exist, or you may not see its thread.</p></div>`;
  }

  /** @param {Call} call */
  #renderCall(call) {
    const at = (/** @type {string} */ text) => new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
    return html`<div class="panel">
        <tool-approval-card .call=${call} .store=${this.#watched} .now=${this.now} .person=${personWhoMayFlag(this.app.caller)} .level=${levelOf(this.app.caller)} ?can-decide=${this.canDecide}></tool-approval-card>
      </div>
      <section aria-labelledby="steps-title">
        <h2 id="steps-title">What happened</h2>
        <ol class="steps">
          ${describeSteps(call).map((step) => html`<li class=${step.style}><span>${renderText(step.text)}</span>${step.at ? html`<time datetime=${step.at}>${at(step.at)}</time>` : nothing}</li>`)}
        </ol>
      </section>
      <p class="facts">Arguments <code>sha256:${call.argumentsHash}</code></p>`;
  }

  #handleKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target instanceof HTMLElement && target.matches("input:not([type=checkbox], [type=radio]), textarea, select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const card = /** @type {ToolApprovalCard | null} */ (this.renderRoot.querySelector("tool-approval-card"));
    if (card?.handleKey(event)) event.preventDefault();
  };
}

customElements.define("call-page", CallPage);
