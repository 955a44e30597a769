// The list of threads, the most recently active first.

import { countWords } from "../count-words.js";
import { css, html, nothing, repeat } from "../element.js";
import { argumentStyles, baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { renderFirstCall } from "../first-call.js";
import { describeAge } from "../times.js";
import { PageElement } from "./page-element.js";
import { pageStyles } from "./page-styles.js";

/** @import { ThreadSummary } from "../types.d.ts" */

/** The pause between two reads of the list while events arrive, in milliseconds. */
const PAUSE = 500;

const styles = css`
  ul { list-style: none; }
  .panel { overflow: hidden; }
  li:not(:last-child) { border-bottom: 1px solid var(--cs-line); }
  li a { display: grid; grid-template-columns: minmax(0, 1fr) auto 84px 110px; gap: 16px; align-items: center; min-height: 50px; padding: 4px 18px; color: inherit; text-decoration: none; font-size: 13px; }
  li a:hover { background: var(--cs-hover); }
  li a:focus-visible { outline-offset: -2px; }
  li strong { font-size: 14px; font-weight: 550; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  li bdi { overflow-wrap: normal; }
  .badges { display: flex; gap: 6px; }
  .badge.pending { background: var(--cs-accent-ground); color: var(--cs-accent); }
  .number { text-align: right; font-variant-numeric: tabular-nums; }
  @media (max-width: 760px) { li a { grid-template-columns: minmax(0, 1fr) auto 84px; padding: 4px 14px; gap: 10px; } .calls { display: none; } }
`;

export class ThreadsPage extends PageElement {
  static properties = { threads: { state: true }, next: { state: true }, now: { state: true }, problem: { state: true } };
  static styles = [baseStyles, argumentStyles, pageStyles, styles];

  #stop = new AbortController();
  #timer = 0;
  #clock = 0;

  constructor() {
    super();
    /** @type {ThreadSummary[] | null} */
    this.threads = null;
    /** The `next` value from the last page. @type {number | null} */
    this.next = null;
    this.now = Date.now();
    this.problem = "";
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    for (const name of ["log-event", "resync"]) this.app.feed.addEventListener(name, () => this.#readSoon(), { signal });
    this.#clock = window.setInterval(() => (this.now = Date.now()), 10_000);
    void this.#read();
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.#stop.abort();
    clearInterval(this.#clock);
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  #readSoon() {
    if (this.#timer !== 0) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      void this.#read();
    }, PAUSE);
  }

  /** Reads the first page again. Threads of older pages stay. */
  async #read() {
    try {
      const { threads, next } = await this.app.client.threads();
      const names = new Set(threads.map(({ threadId }) => threadId));
      if (this.threads === null) this.next = next;
      this.threads = [...threads, ...(this.threads ?? []).filter(({ threadId }) => !names.has(threadId))];
      this.now = Date.now();
      this.problem = "";
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
  }

  async #readMore() {
    if (this.next === null) return;
    const { threads, next } = await this.app.client.threads(this.next);
    const names = new Set((this.threads ?? []).map(({ threadId }) => threadId));
    this.threads = [...(this.threads ?? []), ...threads.filter(({ threadId }) => !names.has(threadId))];
    this.next = next;
  }

  /** @override */
  render() {
    return html`<div class="page">
      <header class="page-header"><h1>Threads</h1></header>
      ${this.problem && !this.threads ? html`<p class="problem" role="alert">${renderText(this.problem)}</p>` : nothing}
      ${this.threads === null ? html`<p class="muted" role="status">Loading…</p>` : this.#renderList(this.threads)}
      ${this.next !== null ? html`<p><button @click=${() => this.#readMore()}>Show more threads</button></p>` : nothing}
    </div>`;
  }

  /** @param {ThreadSummary[]} threads */
  #renderList(threads) {
    if (threads.length === 0) {
      return html`<div class="panel empty"><h2>No thread yet</h2><p class="muted">A thread appears with the first call of an agent.</p>${renderFirstCall()}</div>`;
    }
    return html`<ul class="panel" aria-label="threads">
      ${repeat(threads, ({ threadId }) => threadId, (thread) => html`<li><a href=${`/threads/${encodeURIComponent(thread.threadId)}`}>
        <strong>${renderText(thread.threadId)}</strong>
        <span class="badges">
          ${thread.pending ? html`<span class="badge pending">${thread.pending} pending</span>` : nothing}
          ${thread.mode !== "interactive" ? html`<span class="badge unknown">${thread.mode.replace("_", " ")}</span>` : nothing}
          ${thread.closedAt ? html`<span class="badge">closed</span>` : nothing}
        </span>
        <span class="number muted calls">${countWords(thread.calls, "call")}</span>
        <time class="number muted" datetime=${thread.lastEventAt}>${describeAge(thread.lastEventAt, this.now)}</time>
      </a></li>`)}
    </ul>`;
  }
}

customElements.define("threads-page", ThreadsPage);
