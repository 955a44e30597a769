// <countersign-thread>: the conversation and the calls of one thread as a timeline, live, with its grants, its mode and
// its end.

import { CountersignElement, html, nothing, repeat } from "../element.js";
import { argumentStyles, baseStyles } from "../element-styles.js";
import { keyOf } from "../call-store.js";
import { CountersignClient } from "../countersign.js";
import { describeState } from "../card/describe.js";
import { LIMIT_CHOICES } from "../card/grant-limits.js";
import "../card/approval-card.js";
import { isAdmin, mayDecide, personWhoMayFlag } from "../caller.js";
import { countWords } from "../count-words.js";
import { renderText } from "../hidden-text.js";
import { describeRow } from "../inbox-list.js";
import { describeAge, describeSpan, nameOf } from "../times.js";
import { isSpoken, renderMessage } from "./message-row.js";
import { ThreadStore } from "./thread-store.js";
import { threadStyles } from "./thread-styles.js";

/** @import { Call, Caller, Grant } from "../types.d.ts" */
/** @import { LogFeed } from "../log-feed.js" */

/** The thread modes in words. */
const MODES = /** @type {Record<string, string>} */ ({
  interactive: "People decide",
  approve_all: "All calls are allowed that people would be asked about",
  auto_deny: "All calls are denied that people would be asked about",
  stopped: "Every call is blocked",
});

/** A thread's tool policies. The last one removes it. */
const POLICIES = ["require-approval", "deny", "allow", "default"];

export class CountersignThread extends CountersignElement {
  static properties = {
    server: { type: String },
    thread: { type: String },
    client: { attribute: false },
    feed: { attribute: false },
    caller: { attribute: false },
    now: { state: true },
    opened: { state: true },
    asksToClose: { state: true },
  };
  static styles = [baseStyles, argumentStyles, threadStyles];

  /** @type {ThreadStore | undefined} */
  #store;
  #clock = 0;

  constructor() {
    super();
    this.server = "";
    this.thread = "";
    /** The page's client, if it has one already. @type {CountersignClient | undefined} */
    this.client = undefined;
    /** The page's feed, if it has one already. @type {LogFeed | undefined} */
    this.feed = undefined;
    /** @type {Caller | null} */
    this.caller = null;
    this.now = Date.now();
    /** The keys of calls with open cards, and of unfolded messages. @type {Set<string>} */
    this.opened = new Set();
    this.asksToClose = false;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.#clock = window.setInterval(() => (this.now = Date.now()), 1_000);
    this.requestUpdate();
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#clock);
    this.#store?.close();
    this.#store = undefined;
  }

  /** @override */
  willUpdate() {
    if (!this.isConnected || this.thread === "" || this.#store?.name === this.thread) return;
    this.#store?.close();
    this.opened = new Set();
    this.asksToClose = false;
    const client = this.client ?? new CountersignClient(this.server);
    const store = new ThreadStore(client, this.thread, this.feed);
    this.#store = store;
    store.addEventListener("change", () => {
      this.now = Date.now();
      this.emit("thread-change", { summary: store.summary });
      this.requestUpdate();
    });
    store.open();
    if (!this.client) client.caller().then((caller) => (this.caller = caller), () => {});
  }

  get #canDecide() {
    return this.caller !== null && mayDecide(this.caller);
  }

  get #isAdmin() {
    return this.caller !== null && isAdmin(this.caller);
  }

  /** @override */
  render() {
    const store = this.#store;
    if (!store) return nothing;
    if (store.connection === "failed") return html`<p class="problem" role="alert">${renderText(store.failure?.message ?? "")}</p>`;
    if (!store.isLoaded) return html`<p class="muted" role="status">Loading…</p>`;
    if (store.isMissing) {
      return html`<div class="list nothing"><slot name="empty"><h2>There is no such thread</h2>
        <p class="muted">It has no calls yet, or you may not see it.</p></slot></div>`;
    }
    return html`<div class="thread">
      <div>${this.#renderTimeline(store)}</div>
      <aside aria-label="settings of the thread">
        ${store.problem ? html`<p class="problem" role="alert">${renderText(store.problem.message)}</p>` : nothing}
        ${this.#renderMode(store)} ${this.#renderGrants(store)} ${this.#renderTools(store)} ${this.#renderClose(store)}
      </aside>
    </div>`;
  }

  /** @param {ThreadStore} store */
  #renderTimeline(store) {
    /** @type {Map<string, ThreadStore["timeline"]>} */
    const days = new Map();
    for (const entry of store.timeline) {
      if ("message" in entry && !isSpoken(entry.message)) continue;
      const day = new Date(entry.at).toLocaleDateString(undefined, { dateStyle: "full" });
      days.set(day, [...(days.get(day) ?? []), entry]);
    }
    return html`${repeat([...days], ([day]) => day, ([day, entries]) => html`<h2 class="day">${day}</h2>
        <div class="list"><ul class="calls">${repeat(entries, ({ seq }) => seq, (entry) => this.#renderEntry(store, entry))}</ul></div>`)}
      ${store.hasMore ? html`<button class="more" @click=${() => store.readMore()}>Show earlier</button>` : nothing}`;
  }

  /** @param {ThreadStore} store @param {ThreadStore["timeline"][number]} entry */
  #renderEntry(store, entry) {
    if ("call" in entry) return this.#renderCall(store, entry.call);
    const key = `message ${entry.seq}`;
    return renderMessage(entry.message, this.now, this.opened.has(key), () => this.#toggle(key));
  }

  /** Opens or folds a call or a message. @param {string} key */
  #toggle(key) {
    const opened = new Set(this.opened);
    if (!opened.delete(key)) opened.add(key);
    this.opened = opened;
  }

  /** @param {ThreadStore} store @param {Call} call */
  #renderCall(store, call) {
    const key = keyOf(call);
    const isOpen = this.opened.has(key);
    const { badge, style } = describeState(call, this.now);
    const time = new Date(call.proposal.at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
    return html`<li>
      <button class="call" aria-expanded=${isOpen} @click=${() => this.#toggle(key)}>
        <time datetime=${call.proposal.at} title=${describeAge(call.proposal.at, this.now)}>${time}</time>
        <span class="what"><strong>${renderText(call.name)}</strong>${call.flags?.length ? html` <span class="badge denied">flagged</span>` : nothing}${call.mismatch ? html` <span class="badge denied">mismatch</span>` : nothing}<span>${renderText(describeRow(call))}</span></span>
        <span class="badge ${style}">${badge}</span>
        <span class="chevron" aria-hidden="true">›</span>
      </button>
      ${isOpen ? html`<tool-approval-card .call=${call} .store=${store} .now=${this.now} .person=${personWhoMayFlag(this.caller)} ?can-decide=${this.#canDecide}></tool-approval-card>` : nothing}
    </li>`;
  }

  /** @param {ThreadStore} store */
  #renderMode(store) {
    const mode = store.summary?.mode ?? "interactive";
    const mayChange = this.#isAdmin && !store.summary?.closedAt;
    const set = (/** @type {Event} */ event) => {
      const value = /** @type {HTMLSelectElement} */ (event.target).value;
      void store.change(() => store.client.setMode(store.name, value));
    };
    return html`<section>
      <h2 id="mode-title">Mode</h2>
      ${mayChange
        ? html`<select aria-labelledby="mode-title" .value=${mode} @change=${set}>
            ${Object.entries(MODES).map(([value]) => html`<option value=${value} ?selected=${value === mode}>${value.replace("_", " ")}</option>`)}
          </select>`
        : html`<p><span class="badge ${mode === "interactive" ? "" : "unknown"}">${mode.replace("_", " ")}</span></p>`}
      <p class="note muted">${MODES[mode] ?? mode}.</p>
    </section>`;
  }

  /** @param {ThreadStore} store */
  #renderGrants(store) {
    return html`<section>
      <h2>Grants</h2>
      ${store.grants.length === 0
        ? html`<p class="note muted">No earlier decision answers later calls.</p>`
        : html`<ul>${repeat(store.grants, ({ seq }) => seq, (grant) => this.#renderGrant(store, grant))}</ul>`}
    </section>`;
  }

  /** @param {ThreadStore} store @param {Grant} grant */
  #renderGrant(store, grant) {
    const isDenial = grant.decision === "deny";
    const revoke = () => void store.change(() => store.client.revokeGrant(store.name, grant.seq));
    return html`<li class="card">
      <div class="line"><span class="badge ${isDenial ? "denied" : "allowed"}">${isDenial ? "denies" : "allows"}</span>
        ${this.#canDecide && !isDenial ? this.#renderLimits(store, grant) : nothing}
        ${this.#canDecide ? html`<button aria-label=${`Revoke the grant for ${grant.tool}`} @click=${revoke}>Revoke</button>` : nothing}</div>
      <p>${renderText(`${grant.tool}: ${grant.says}`)}</p>
      <p class="muted">${renderText(nameOf(grant.principal))}, ${describeAge(grant.at, this.now)}${grant.until ? `, for another ${describeSpan(Date.parse(grant.until) - this.now)}` : ""}${grant.uses ? `, for ${grant.uses - (grant.used ?? 0)} of ${countWords(grant.uses, "call")} more` : ""}${grant.agent ? html`, for ${renderText(nameOf(grant.agent))}` : nothing}</p>
    </li>`;
  }

  /** New limits for a grant. @param {ThreadStore} store @param {Grant} grant */
  #renderLimits(store, grant) {
    const change = (/** @type {Event} */ event) => {
      const select = /** @type {HTMLSelectElement} */ (event.target);
      const chosen = LIMIT_CHOICES[Number(select.value)];
      select.value = "";
      if (!chosen) return;
      // The calls that it has answered count, too.
      const uses = chosen.limits.uses ? { uses: chosen.limits.uses + (grant.used ?? 0) } : {};
      void store.change(() => store.client.prolongGrant(store.name, grant.seq, { ...chosen.limits, ...uses }));
    };
    return html`<select class="limits" aria-label=${`New limits of the grant for ${grant.tool}`} @change=${change}>
      <option value="" selected>Change…</option>
      ${LIMIT_CHOICES.map(({ says }, n) => html`<option value=${n}>${says}</option>`)}
    </select>`;
  }

  /** @param {ThreadStore} store */
  #renderTools(store) {
    const mayChange = this.#isAdmin && !store.summary?.closedAt;
    if (store.tools.length === 0 && !mayChange) return nothing;
    return html`<section>
      <h2>Policy of this thread</h2>
      <ul>${repeat(store.tools, ({ tool }) => tool, ({ tool, policy }) => html`<li class="card"><div class="line"><strong>${renderText(tool)}</strong>
        ${mayChange ? this.#renderPolicies(`Policy for ${tool}`, policy, (value) => store.client.setToolPolicy(store.name, tool, value)) : html`<span>${policy}</span>`}</div></li>`)}</ul>
      ${mayChange ? this.#renderNewTool(store) : nothing}
    </section>`;
  }

  /** @param {string} label @param {string} policy @param {(policy: string) => Promise<unknown>} set */
  #renderPolicies(label, policy, set) {
    const change = (/** @type {Event} */ event) => void this.#store?.change(() => set(/** @type {HTMLSelectElement} */ (event.target).value));
    return html`<select aria-label=${label} .value=${policy} @change=${change}>
      ${POLICIES.map((value) => html`<option value=${value} ?selected=${value === policy}>${value}</option>`)}
    </select>`;
  }

  /** @param {ThreadStore} store */
  #renderNewTool(store) {
    const add = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const form = /** @type {HTMLFormElement} */ (event.target);
      const { tool, policy } = /** @type {{ tool: string, policy: string }} */ (Object.fromEntries(new FormData(form)));
      void store.change(() => store.client.setToolPolicy(store.name, tool.trim(), policy).then(() => form.reset()));
    };
    return html`<form class="new-tool" @submit=${add}>
      <input name="tool" aria-label="Tool" placeholder="tool" required autocomplete="off" spellcheck="false" />
      <select name="policy" aria-label="Its policy">${POLICIES.slice(0, 3).map((value) => html`<option value=${value}>${value}</option>`)}</select>
      <button>Set</button>
    </form>`;
  }

  /** @param {ThreadStore} store */
  #renderClose(store) {
    const closedAt = store.summary?.closedAt;
    if (closedAt) return html`<section><h2>Closed</h2><p class="note muted">${describeAge(closedAt, this.now)}. It accepts no new calls.</p></section>`;
    if (!this.#canDecide && !this.#isAdmin) return nothing;
    if (!this.asksToClose) return html`<section class="close"><div class="buttons"><button class="quiet" @click=${() => (this.asksToClose = true)}>Close the thread…</button></div></section>`;
    const close = () => {
      this.asksToClose = false;
      void store.change(() => store.client.closeThread(store.name));
    };
    return html`<section class="close" role="group" aria-label="Close the thread">
      <p class="note">A closed thread accepts no new calls, and its open calls are cancelled. It cannot be opened again.</p>
      <div class="buttons"><button class="deny" @click=${close}>Close the thread</button>
        <button class="quiet" @click=${() => (this.asksToClose = false)}>Keep it open</button></div>
    </section>`;
  }
}

customElements.define("countersign-thread", CountersignThread);
