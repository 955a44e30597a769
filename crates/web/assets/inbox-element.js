// <countersign-inbox>: the pending calls of one person, live, and the selected call's card.

import { CountersignElement, html, nothing } from "./element.js";
import { baseStyles } from "./element-styles.js";
import { inboxStyles, rowStyles } from "./inbox-styles.js";
import { CountersignClient } from "./countersign.js";
import { InboxStore, keyOf } from "./inbox-store.js";
import { arrange, describeRow, groupCalls, isBulk, readFilter, shapeOf } from "./inbox-list.js";
import { renderFirstCall } from "./first-call.js";
import { renderText } from "./hidden-text.js";
import { describeState, mayTakeBack } from "./card/describe.js";
import "./bulk-review.js";
import "./inbox-rows.js";
import "./list-controls.js";
import "./stop-panel.js";
import "./card/last-decision.js";
import "./card/approval-card.js";
import { levelOf, mayDecide } from "./caller.js";

/** @import { Call, Caller } from "./types.d.ts" */

/** The keys that show another call. @type {Record<string, number>} */
const STEPS = { n: 1, p: -1 };

export class CountersignInbox extends CountersignElement {
  static properties = {
    server: { type: String },
    thread: { type: String },
    store: { attribute: false },
    caller: { attribute: false },
    selected: { state: true },
    checked: { state: true },
    filter: { state: true },
    order: { state: true },
    group: { state: true },
    now: { state: true },
    asksToStop: { state: true },
    decided: { state: true },
    isOpen: { state: true },
  };
  static styles = [baseStyles, rowStyles, inboxStyles];

  #clock = 0;
  #ownsStore = false;
  /** Where the selected call is in the list, or was when it left. */
  #place = 0;
  /** When the selected call replaced a decided one by itself. */
  #cameAt = -Infinity;
  #update = () => this.#handleChange();

  constructor() {
    super();
    this.server = "";
    /** @type {string | undefined} */
    this.thread = undefined;
    /** The selected call's key. */
    this.selected = "";
    /** The keys of calls that a bulk decision applies to. @type {Set<string>} */
    this.checked = new Set();
    this.filter = "";
    /** @type {"oldest" | "risk"} */
    this.order = "oldest";
    /** @type {import("./inbox-list.js").Grouping} */
    this.group = "";
    this.now = Date.now();
    /** @type {Caller | null} */
    this.caller = null;
    this.asksToStop = false;
    /** The key of the call that the person decided last. */
    this.decided = "";
    /** Whether a narrow window shows the selected call instead of the list. */
    this.isOpen = false;
    /** The store to show; without it, the element opens one of its own. @type {InboxStore | undefined} */
    this.store = undefined;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    if (this.store === undefined) this.#openStore();
    this.store?.addEventListener("change", this.#update);
    this.#update();
    this.#clock = window.setInterval(() => (this.now = Date.now()), 1_000);
    document.addEventListener("keydown", this.#handleKey);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.store?.removeEventListener("change", this.#update);
    if (this.#ownsStore) this.#closeStore();
    clearInterval(this.#clock);
    document.removeEventListener("keydown", this.#handleKey);
  }

  #openStore() {
    const client = new CountersignClient(this.server);
    this.store = new InboxStore(client, this.thread);
    this.#ownsStore = true;
    client.caller().then((caller) => (this.caller = caller), () => {});
    this.store.open();
  }

  #closeStore() {
    this.store?.close();
    this.store = undefined;
  }

  #handleChange() {
    this.now = Date.now();
    for (const key of this.checked) if (!this.store?.pending.has(key)) this.checked.delete(key);
    this.emit("pending-count", this.store?.pending.size ?? 0);
    this.requestUpdate();
  }

  /** The listed calls, in order. @returns {Call[]} */
  get rows() {
    const rows = this.store ? arrange([...this.store.pending.values()], readFilter(this.filter), this.order) : [];
    return groupCalls(rows, this.group)?.flatMap(({ calls }) => calls) ?? rows;
  }

  /** Whether the caller may decide. */
  get canDecide() {
    return this.caller === null || mayDecide(this.caller);
  }

  /** @override */
  render() {
    const { store } = this;
    if (!store) return nothing;
    if (store.connection === "failed") return this.#renderFailure();
    const rows = this.rows;
    const chosen = store.pending.get(this.selected) ?? store.recent.get(this.selected);
    const shown = chosen ?? rows[0];
    const checked = rows.filter((call) => this.checked.has(keyOf(call)));
    if (shown && this.selected !== keyOf(shown)) this.selected = keyOf(shown);
    const place = rows.findIndex((call) => keyOf(call) === this.selected);
    if (place >= 0) this.#place = place;
    return html`
      <div class="layout ${this.isOpen ? "open" : ""}">
        <section class="list" aria-label="pending calls">
          ${this.#renderToolbar(rows)} ${this.#renderRows(rows)}
          ${shown ? html`<button class="to-decision" @click=${() => this.#focusDecision()}>To the decision</button>` : nothing}
          ${this.#renderRecent()}
        </section>
        <section class="detail" aria-label="the selected call">
          ${this.#renderDecided()} ${checked.length > 1 ? this.#renderReview(checked) : shown ? this.#renderDetail(shown, rows) : this.#renderEmpty()}
        </section>
      </div>
      <p class="visually-hidden" role="status" aria-live="polite">${this.#describeCount()}</p>
    `;
  }

  /** Another call is read from its start. @param {Map<PropertyKey, unknown>} changed @override */
  updated(changed) {
    if (changed.has("selected")) this.renderRoot.querySelector(".detail")?.scrollTo(0, 0);
  }

  #describeCount() {
    const count = this.store?.pending.size ?? 0;
    if (this.store?.connection === "loading") return "Loading";
    return count === 1 ? "1 call is pending" : `${count} calls are pending`;
  }

  #renderFailure() {
    const failure = this.store?.failure;
    const isSignedOut = failure?.status === 401;
    return html`<div class="empty">
      <h2>${isSignedOut ? "You are signed out" : "The inbox cannot be read"}</h2>
      <p class="muted">${renderText(failure?.message ?? "")}</p>
      ${isSignedOut ? html`<p><a href="/sign-in/">Sign in</a></p>` : html`<button @click=${() => void this.store?.feed.open()}>Try again</button>`}
    </div>`;
  }

  #renderEmpty() {
    if (this.store?.connection === "loading") return html`<div class="empty muted" aria-busy="true">Loading…</div>`;
    const hidden = this.store?.pending.size ?? 0;
    return html`<div class="empty">
      ${hidden
        ? html`<h2>No call matches the filter</h2><p class="muted">${hidden} are hidden.</p><p><button @click=${() => (this.filter = "")}>Show all calls</button></p>`
        : html`<slot name="empty"><h2>Nothing waits for you</h2><p class="muted">New calls appear here by themselves.</p>${this.store?.recent.size ? nothing : renderFirstCall()}</slot>`}
    </div>`;
  }

  /** @param {Call[]} rows */
  #renderToolbar(rows) {
    const connection = this.store?.connection;
    return html`<div class="toolbar">
      <label class="search"><span class="visually-hidden">Filter</span>
        <input id="filter" type="search" placeholder="Filter: words, tool:bash, project:shop" .value=${this.filter}
          @input=${(/** @type {Event} */ event) => (this.filter = /** @type {HTMLInputElement} */ (event.target).value)} /></label>
      <div class="line">
        <span class="count">${describeListed(rows.length, this.store?.pending.size ?? 0)}</span>
        ${this.checked.size > 1 ? html`<button class="quiet review-checked" @click=${() => (this.isOpen = true)}>Review ${this.checked.size}</button>` : nothing}
        ${connection === "reconnecting" ? html`<span class="badge medium" role="status">Reconnecting…</span>` : nothing}
      </div>
      <list-controls .calls=${[...(this.store?.pending.values() ?? [])]} .filter=${this.filter} .order=${this.order} .group=${this.group}
        @sort-list=${(/** @type {CustomEvent<"oldest" | "risk">} */ event) => (this.order = event.detail)}
        @group-list=${(/** @type {CustomEvent<import("./inbox-list.js").Grouping>} */ event) => (this.group = event.detail)}
        @filter-list=${(/** @type {CustomEvent<string>} */ event) => (this.filter = event.detail)}></list-controls>
    </div>`;
  }

  /** What the person decided last. Calls that the filter hides are left, too. */
  #renderDecided() {
    const call = this.#decidedCall;
    if (!call) return nothing;
    const left = [...(this.store?.pending.values() ?? [])].filter((other) => other !== call).length;
    return html`<last-decision .call=${call} .left=${left} .now=${this.now} ?is-shown=${this.selected === this.decided}
      @take-back=${() => this.store?.takeBack(call)} @show-call=${() => this.#select(this.decided)}></last-decision>`;
  }

  get #decidedCall() {
    return this.store?.recent.get(this.decided) ?? this.store?.pending.get(this.decided);
  }

  /** Shows the call that followed the decided one. Without one, the decided call stays. @param {Call} call */
  #showNext(call) {
    const key = keyOf(call);
    if (this.selected !== key) return;
    this.decided = key;
    const rows = this.rows.filter((other) => keyOf(other) !== key);
    const next = rows[Math.min(this.#place, rows.length - 1)];
    if (!next) return;
    this.selected = keyOf(next);
    this.asksToStop = false;
    this.#cameAt = performance.now();
  }

  /** @param {Call[]} calls */
  #renderReview(calls) {
    const clear = () => (this.checked = new Set());
    const decide = (/** @type {CustomEvent<{ decision: "allow_once" | "deny", comment: string }>} */ event) => {
      this.store?.decideAll(calls, event.detail.decision, event.detail.comment);
      clear();
    };
    return html`<div class="detail-bar"><button class="quiet back" @click=${() => (this.isOpen = false)}>All calls</button></div>
      <bulk-review .calls=${calls} .now=${this.now} ?can-decide=${this.canDecide} @decide-all=${decide} @clear=${clear}></bulk-review>`;
  }

  /** @param {Call[]} rows */
  #renderRows(rows) {
    return html`<inbox-rows .calls=${rows} .group=${this.group} .selected=${this.selected} .checked=${this.checked} .now=${this.now} ?can-decide=${this.canDecide}
      @select-call=${(/** @type {CustomEvent<string>} */ event) => this.#select(event.detail)}
      @check-call=${(/** @type {CustomEvent<Call>} */ event) => this.#toggle(event.detail)}
      @check-calls=${(/** @type {CustomEvent<string[]>} */ event) => (this.checked = new Set(event.detail))}></inbox-rows>`;
  }

  #renderRecent() {
    const recent = [...(this.store?.recent.values() ?? [])].reverse().slice(0, 8);
    if (recent.length === 0) return nothing;
    return html`<div class="recent"><h2>Decided lately</h2>
      ${recent.map((call) => {
        const { badge, style } = describeState(call, this.now);
        return html`<button class="row ${keyOf(call) === this.selected ? "selected" : ""}" @click=${() => this.#select(keyOf(call))}>
          <span class="top"><strong>${renderText(call.name)}</strong><span class="badge ${style}">${badge}</span></span>
          <span class="summary">${renderText(describeRow(call))}</span>
        </button>`;
      })}
    </div>`;
  }

  /** @param {Call} call @param {Call[]} rows */
  #renderDetail(call, rows) {
    const at = rows.indexOf(call);
    const similar = rows.filter((other) => isBulk(other) && shapeOf(other) === shapeOf(call));
    const same = [...(this.store?.pending.values() ?? [])].filter((other) => other.threadId === call.threadId).length;
    return html`<div class="detail-bar">
        <button class="quiet back" @click=${() => (this.isOpen = false)}>All calls</button>
        ${at >= 0
          ? html`<span class="muted">${at + 1} of ${rows.length}</span>
              <button class="quiet" ?disabled=${at === 0} @click=${() => this.#move(-1)}>‹ <kbd>p</kbd><span class="visually-hidden">previous</span></button>
              <button class="quiet" ?disabled=${at === rows.length - 1} @click=${() => this.#move(1)}>› <kbd>n</kbd><span class="visually-hidden">next</span></button>`
          : nothing}
        ${similar.length > 1 && isBulk(call) && this.canDecide
          ? html`<button class="quiet similar" @click=${() => (this.checked = new Set(similar.map(keyOf)))}>Review ${similar.length} similar</button>`
          : nothing}
        ${same > 1 && this.canDecide && !this.asksToStop
          ? html`<button class="quiet stop" @click=${() => (this.asksToStop = true)}>Stop the thread…</button>`
          : nothing}
      </div>
      ${this.asksToStop
        ? html`<stop-panel .store=${this.store} thread=${call.threadId} @close=${() => (this.asksToStop = false)}></stop-panel>`
        : nothing}
      <tool-approval-card .call=${call} .store=${this.store} .now=${this.now} .cameAt=${this.#cameAt} .level=${levelOf(this.caller)} ?can-decide=${this.canDecide}
        @decided=${(/** @type {CustomEvent<{ call: Call }>} */ event) => this.#showNext(event.detail.call)}></tool-approval-card>`;
  }

  /** @param {string} key */
  #select(key) {
    this.selected = key;
    this.#cameAt = -Infinity;
    this.isOpen = true;
    this.asksToStop = false;
  }

  /** @param {number} step */
  #move(step) {
    const rows = this.rows;
    const at = rows.findIndex((call) => keyOf(call) === this.selected);
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
    if (!next) return;
    this.selected = keyOf(next);
    this.#cameAt = -Infinity;
    this.asksToStop = false;
    /** @type {import("./inbox-rows.js").InboxRows | null} */ (this.renderRoot.querySelector("inbox-rows"))?.show(next);
  }

  #handleKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
    if (target instanceof HTMLElement && target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select")) {
      if (event.key === "Escape") this.#leaveField(event, target);
      else if (event.key === "Enter" && target.id === "filter") this.#followFilter(target);
      return;
    }
    const card = /** @type {import("./card/approval-card.js").ToolApprovalCard | null} */ (
      this.renderRoot.querySelector("tool-approval-card")
    );
    const step = STEPS[event.key];
    if (step) this.#move(step);
    else if (event.key === "S") this.order = this.order === "risk" ? "oldest" : "risk";
    else if (event.key === "r") void this.store?.refresh();
    else if (event.key === "x") this.#toggle(this.store?.pending.get(this.selected));
    else if (event.key === "u") this.#takeBack();
    else if (event.key === "/") /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("#filter"))?.focus();
    else if (!card?.handleKey(event)) return;
    event.preventDefault();
  };

  #focusDecision() {
    const card = /** @type {import("./card/approval-card.js").ToolApprovalCard | null} */ (this.renderRoot.querySelector("tool-approval-card"));
    card?.focusDecision();
  }

  #takeBack() {
    const call = this.#decidedCall;
    if (call && this.canDecide && mayTakeBack(call, this.now)) void this.store?.takeBack(call);
  }

  /** The browser would empty the field and keep the filter: Escape first removes both, and then leaves the field.
   * @param {KeyboardEvent} event @param {HTMLElement} field */
  #leaveField(event, field) {
    if (field.id !== "filter" || this.filter === "") return field.blur();
    event.preventDefault();
    this.filter = "";
  }

  /** Enter leaves the filter for the calls that it lists: keys mean the call on show again. @param {HTMLElement} field */
  #followFilter(field) {
    field.blur();
    if (!this.rows.some((call) => keyOf(call) === this.selected)) this.#move(1);
  }

  /** Checks a call, or takes the check away. @param {Call | undefined} call */
  #toggle(call) {
    const checked = new Set(this.checked);
    if (call && !checked.delete(keyOf(call)) && isBulk(call)) checked.add(keyOf(call));
    this.checked = checked;
  }
}

/** How many calls are listed, and of how many. @param {number} listed @param {number} all */
const describeListed = (listed, all) => (listed === all ? `${all} pending` : `${listed} of ${all} pending`);

customElements.define("countersign-inbox", CountersignInbox);
