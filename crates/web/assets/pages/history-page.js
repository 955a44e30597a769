// The history: every decision, to search, to export, and to open.

import { html, nothing, repeat } from "../element.js";
import { argumentStyles, baseStyles } from "../element-styles.js";
import { HistoryStore } from "../history/history-store.js";
import { FORMATS, readSearch } from "../history/history-rows.js";
import { historyStyles } from "../history/history-styles.js";
import { renderText } from "../hidden-text.js";
import { renderFirstCall } from "../first-call.js";
import { describeAge } from "../times.js";
import { PageElement } from "./page-element.js";
import { pageStyles } from "./page-styles.js";

/** @import { HistoryRow } from "../history/history-rows.js" */

/** The rows that are drawn beyond the visible ones. */
const OVERSCAN = 10;
/** The next page is read when fewer rows than this are below the visible ones. */
const AHEAD = 200;

export class HistoryPage extends PageElement {
  static properties = { now: { state: true }, scrolled: { state: true }, exporting: { state: true } };
  static styles = [baseStyles, argumentStyles, pageStyles, historyStyles];
  static keys = /** @type {[string, string][]} */ ([
    ["/", "search"],
    ["n p", "next, previous decision"],
    ["Enter", "open the decision"],
  ]);

  /** @type {HistoryStore | undefined} */
  #store;
  #span = "";
  #clock = 0;
  #resize = () => this.requestUpdate();
  /** The row height in pixels. */
  #row = 44;

  constructor() {
    super();
    this.now = Date.now();
    this.scrolled = 0;
    /** Says how far an export is; empty if none runs. */
    this.exporting = "";
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.#clock = window.setInterval(() => (this.now = Date.now()), 10_000);
    document.addEventListener("keydown", this.#handleKey);
    window.addEventListener("resize", this.#resize);
    window.addEventListener("appearance", this.#resize);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#clock);
    document.removeEventListener("keydown", this.#handleKey);
    window.removeEventListener("resize", this.#resize);
    window.removeEventListener("appearance", this.#resize);
    this.#store?.close();
    this.#store = undefined;
    this.#span = "";
  }

  /** @param {string} name */
  #read(name) {
    return this.query.get(name) ?? "";
  }

  /** @override */
  willUpdate() {
    const span = { since: startOfDay(this.#read("from"), 0), until: startOfDay(this.#read("to"), 1) };
    const key = JSON.stringify(span);
    if (this.#span !== key || !this.#store) {
      this.#store?.close();
      this.#span = key;
      this.#store = new HistoryStore(this.app.client, this.app.feed, span);
      this.#store.addEventListener("change", () => {
        this.requestUpdate();
      });
      this.#store.open();
    }
    const isCompact = document.documentElement.dataset.density === "compact";
    this.#row = matchMedia("(max-width: 760px)").matches ? 60 : isCompact ? 36 : 44;
    const search = readSearch(this.#read("q"), this.#read("who"));
    if (JSON.stringify(search) !== JSON.stringify(this.#store.search)) this.#store.setSearch(search);
  }

  /** Reads older pages while the visible part is not full, or the search may find more. @override */
  updated() {
    const store = this.#store;
    const list = this.renderRoot.querySelector(".rows");
    if (!store) return;
    const seen = list ? (list.scrollTop + list.clientHeight) / this.#row : 0;
    const below = store.rows.length - seen;
    if (below < AHEAD && !store.isComplete && store.connection === "live") void store.readMore().catch(() => {});
  }

  /** @override */
  render() {
    const store = this.#store;
    if (!store) return nothing;
    const { rows } = store;
    return html`<div class="history">
      <header>
        <div class="page-header">
          <h1>History</h1>
          <span class="muted" role="status">${this.#describeCount()}</span>
          <div class="actions">
            ${this.exporting
              ? html`<span class="muted" role="status">${this.exporting}</span>`
              : Object.keys(FORMATS).map((name) => html`<button @click=${() => this.#export(/** @type {"csv" | "json"} */ (name))}>Export ${name.toUpperCase()}</button>`)}
          </div>
        </div>
        ${this.#renderSearch()}
      </header>
      <div class="table">
        <div class="columns row" aria-hidden="true"><span>Decision</span><span>State</span><span>Call</span><span>Decided by</span><span>Agent and thread</span><span class="when">When</span></div>
        ${rows.length === 0 ? this.#renderEmpty() : this.#renderRows(rows)}
      </div>
    </div>`;
  }

  #describeCount() {
    const store = this.#store;
    if (!store?.isLoaded) return "Loading…";
    const { rows: { length }, decisionCount } = store;
    const listed = length === decisionCount ? "" : `${length.toLocaleString()} of `;
    const count = `${listed}${decisionCount.toLocaleString()} ${decisionCount === 1 ? "decision" : "decisions"}`;
    return store.isComplete ? count : `${count} so far`;
  }

  #renderSearch() {
    const who = this.#read("who") || "all";
    const input = (/** @type {string} */ name) => (/** @type {Event} */ event) => this.#change(name, /** @type {HTMLInputElement} */ (event.target).value);
    return html`<div class="search">
      <input id="search" type="search" aria-label="Search" placeholder="Search: words, by:ada, decision:deny" .value=${this.#read("q")} @input=${input("q")} />
      <div class="segments" role="group" aria-label="decided by">
        ${[["all", "All"], ["people", "People"], ["rules", "Rules"]].map(([value = "", label]) => html`<button class="quiet" aria-pressed=${who === value} @click=${() => this.#change("who", value === "all" ? "" : value)}>${label}</button>`)}
      </div>
      <label class="date"><span>From</span><input type="date" .value=${this.#read("from")} @change=${input("from")} /></label>
      <label class="date"><span>To</span><input type="date" .value=${this.#read("to")} @change=${input("to")} /></label>
    </div>`;
  }

  #renderEmpty() {
    const store = this.#store;
    if (!store?.isLoaded) return html`<p class="empty muted" aria-busy="true">Loading…</p>`;
    if (!store.isComplete) return html`<p class="empty muted" aria-busy="true">Searching… ${store.readCount.toLocaleString()} calls so far</p>`;
    const hasSearch = [...this.query.keys()].length > 0;
    return html`<div class="empty"><h2>${hasSearch ? "No decision matches" : "Nothing was decided yet"}</h2>
      <p class="muted">${hasSearch ? html`<a href="/history">Show all decisions</a>` : "Decisions appear here when a person or a rule makes them."}</p>${hasSearch ? nothing : renderFirstCall()}</div>`;
  }

  /** Draws only the rows near the visible ones. @param {HistoryRow[]} rows */
  #renderRows(rows) {
    const height = this.clientHeight || 800;
    const from = Math.max(0, Math.floor(this.scrolled / this.#row) - OVERSCAN);
    const to = Math.min(rows.length, Math.ceil((this.scrolled + height) / this.#row) + OVERSCAN);
    return html`<div class="rows" @scroll=${(/** @type {Event} */ event) => (this.scrolled = /** @type {HTMLElement} */ (event.target).scrollTop)}>
      <ul .style=${`height:${rows.length * this.#row}px`} aria-label="decisions">
        ${repeat(rows.slice(from, to), (row) => `${row.threadId}\n${row.id}`, (row, n) => this.#renderRow(row, (from + n) * this.#row, rows.length, from + n + 1))}
      </ul>
    </div>`;
  }

  /** @param {HistoryRow} row @param {number} top @param {number} size @param {number} position */
  #renderRow(row, top, size, position) {
    const path = `/calls/${encodeURIComponent(row.threadId)}/${encodeURIComponent(row.id)}`;
    return html`<li .style=${`top:${top}px;height:${this.#row}px`} aria-setsize=${size} aria-posinset=${position}>
      <a class="row" href=${path}>
        <span class="decision"><span class="badge ${row.wordStyle}">${row.word}</span></span>
        <span class="state ${row.style}">${row.state}</span>
        <span class="call"><strong>${renderText(row.tool)}</strong>${row.isFlagged ? html` <span class="badge denied">flagged</span>` : nothing} <span class="summary">${renderText(row.summary)}</span></span>
        <span class="by ${row.isPerson ? "" : "muted"}">${renderText(row.by)}</span>
        <span class="from muted">${renderText(`${row.agent} · ${row.threadId}`)}</span>
        <time class="when muted" datetime=${row.at} title=${new Date(row.at).toLocaleString()}>${describeAge(row.at, this.now)}</time>
      </a>
    </li>`;
  }

  /** Puts one search field into the address, so that it can be kept and shared. @param {string} name @param {string} value */
  #change(name, value) {
    const query = new URLSearchParams(this.query);
    if (value) query.set(name, value);
    else query.delete(name);
    this.scrolled = 0;
    this.renderRoot.querySelector(".rows")?.scrollTo(0, 0);
    const text = query.toString();
    this.app.navigate(`/history${text ? `?${text}` : ""}`, { replace: true });
  }

  /** @param {"csv" | "json"} name */
  async #export(name) {
    const store = this.#store;
    if (!store) return;
    this.exporting = "Exporting…";
    try {
      const blob = await store.exportFound(name, (count) => (this.exporting = `Exporting… ${count.toLocaleString()}`));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = FORMATS[name].name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      this.exporting = "";
    } catch (error) {
      this.exporting = `Not exported: ${error instanceof Error ? error.message : error}`;
    }
  }

  #handleKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target instanceof HTMLInputElement) {
      if (event.key === "Escape") this.#leaveField(event, target);
      return;
    }
    if (event.key === "/") /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("#search"))?.focus();
    else if (event.key === "n" || event.key === "p") this.#moveFocus(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  };

  /** The browser would empty the field and keep the search: Escape first removes both, and then leaves the field.
   * @param {KeyboardEvent} event @param {HTMLInputElement} field */
  #leaveField(event, field) {
    if (field.id !== "search" || this.#read("q") === "") return field.blur();
    event.preventDefault();
    this.#change("q", "");
  }

  /** @param {number} step */
  #moveFocus(step) {
    const links = [...this.renderRoot.querySelectorAll("li a")];
    const focused = /** @type {ShadowRoot} */ (this.renderRoot).activeElement;
    const at = focused ? links.indexOf(focused) : -1;
    const next = at < 0 ? links.find((link) => link.getBoundingClientRect().top >= 0) : links[at + step];
    if (next instanceof HTMLElement) next.focus();
  }
}

/** The start of this calendar day, or a later one, in API format. @param {string} day @param {number} after */
function startOfDay(day, after) {
  const [year, month, date] = day.split("-").map(Number);
  if (!year || !month || !date) return "";
  return new Date(year, month - 1, date + after).toISOString();
}

customElements.define("history-page", HistoryPage);
