// The page of one thread.

import { countWords } from "../count-words.js";
import { css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { PageElement } from "./page-element.js";
import { pageStyles } from "./page-styles.js";
import "../thread/thread-element.js";

/** @import { ThreadSummary } from "../types.d.ts" */

const styles = css`
  .crumbs { font-size: 13px; color: var(--cs-muted); }
  .crumbs a { color: inherit; text-decoration: none; }
  .crumbs a:hover { text-decoration: underline; }
  .head { display: grid; gap: 4px; }
`;

export class ThreadPage extends PageElement {
  static properties = { summary: { state: true } };
  static styles = [baseStyles, pageStyles, styles];

  constructor() {
    super();
    /** @type {ThreadSummary | null} */
    this.summary = null;
  }

  /** @override */
  render() {
    const { thread = "" } = this.params;
    const learn = (/** @type {CustomEvent<{ summary: ThreadSummary | null }>} */ event) => {
      this.summary = event.detail.summary;
      this.setTitle(thread);
    };
    const summary = this.summary?.threadId === thread ? this.summary : null;
    return html`<div class="page">
      <header class="head">
        <nav class="crumbs" aria-label="Path"><a href="/threads/">Threads</a></nav>
        <div class="page-header"><h1>${renderText(thread)}</h1>
          ${summary ? html`<span class="muted">${countWords(summary.calls, "call")}, ${summary.pending} pending</span>` : nothing}
          ${summary?.closedAt ? html`<span class="badge">closed</span>` : nothing}</div>
      </header>
      <countersign-thread .thread=${thread} .client=${this.app.client} .feed=${this.app.feed} .caller=${this.app.caller} @thread-change=${learn}></countersign-thread>
    </div>`;
  }
}

customElements.define("thread-page", ThreadPage);
