// <app-navigation>: the links to the pages, and who is signed in.

import { CountersignElement, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { PAGES } from "../pages/registry.js";
import { nameOf } from "../times.js";
import { navigationStyles } from "./shell-styles.js";

/** @import { Caller } from "../types.d.ts" */

/** The largest count that is shown in full. */
const MOST = 999;

export class AppNavigation extends CountersignElement {
  static properties = {
    current: { type: String },
    caller: { attribute: false },
    pending: { type: Number },
    connection: { type: String },
  };
  static styles = [baseStyles, navigationStyles];

  constructor() {
    super();
    /** The open page's name. */
    this.current = "";
    /** @type {Caller | null} */
    this.caller = null;
    this.pending = 0;
    this.connection = "loading";
  }

  /** @override */
  render() {
    const page = PAGES.find(({ name }) => name === this.current);
    const marked = page?.parent ?? this.current;
    return html`
      <a class="brand" href="/" aria-label="Countersign"><img src="/assets/icon.svg" alt="" width="24" height="24" /><span>Countersign</span></a>
      <nav aria-label="Pages">
        <ul>
          ${PAGES.filter(({ icon }) => icon).map((page) => this.#renderLink(page, page.name === marked))}
        </ul>
      </nav>
      <div class="foot">
        <button class="search" title="Command palette" @click=${() => this.emit("open-palette")}>
          <span>Go to…</span><kbd>${navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K"}</kbd>
        </button>
        ${this.#renderCaller()}
      </div>
    `;
  }

  /** @param {import("../pages/registry.js").Page} page @param {boolean} isMarked */
  #renderLink(page, isMarked) {
    const count = page.name === "inbox" && this.pending > 0 ? this.pending : 0;
    const shown = count > MOST ? `${MOST}+` : String(count);
    return html`<li>
      <a href=${page.path} title=${page.title} aria-current=${isMarked ? "page" : nothing}>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${page.icon} /></svg>
        <span class="label">${page.title}</span>
        ${count ? html`<span class="count"><span aria-hidden="true">${shown}</span><span class="visually-hidden">, ${count} pending</span></span>` : nothing}
      </a>
    </li>`;
  }

  #renderCaller() {
    const name = this.caller?.person ?? this.caller?.agent;
    if (!name) return nothing;
    const account = PAGES.find((page) => page.name === "settings")?.path ?? "/sign-in/";
    const isAway = this.connection === "reconnecting";
    return html`
      ${this.caller?.solo ? html`<p class="solo" title="One person proposes and decides">Solo<span>: one person proposes and decides</span></p>` : nothing}
      <a class="who" href=${account} title="Account">
        <span class="initial" aria-hidden="true">${Array.from(nameOf(name))[0]}</span>
        <span class="name">${renderText(nameOf(name))}</span>
        <span class="state ${isAway ? "away" : ""}" title=${isAway ? "reconnecting" : "connected"}></span>
      </a>
    `;
  }
}

customElements.define("app-navigation", AppNavigation);
