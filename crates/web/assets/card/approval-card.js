// <tool-approval-card>: one call with everything that is about to happen, and the decision about it.

import { CountersignElement, html, nothing } from "../element.js";
import { argumentStyles, baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { isLong, renderArguments, shownPlace } from "../arguments/arguments-view.js";
import { levelOf, mayDecide, personWhoMayFlag } from "../caller.js";
import { describeAge, nameOf } from "../times.js";
import { renderClaims, renderDefinition, renderEffects, renderFacts, renderMismatch, renderResult, renderRisk, renderWarnings } from "./call-parts.js";
import { describeRefusal, describeState, describeTimeLeft, mayTakeBack } from "./describe.js";
import { cardStyles, partStyles } from "./card-styles.js";
import { scrollAround } from "./keys.js";
import { keyOf } from "../call-store.js";
import { WatchedCall } from "../watched-call.js";
import { CountersignClient } from "../countersign.js";
import { EndWatcher, isOnScreen } from "../on-screen.js";
import { proveDecision } from "./decision-proof.js";
import "./decision-panel.js";
import "./flag-panel.js";
import "./question-form.js";

/** @import { Call, Caller, DecisionBody } from "../types.d.ts" */
/** @import { CallStore } from "../call-store.js" */

export class ToolApprovalCard extends CountersignElement {
  static properties = {
    server: { type: String },
    threadId: { type: String, attribute: "thread" },
    callId: { type: String, attribute: "call" },
    call: { attribute: false },
    store: { attribute: false },
    now: { type: Number },
    canDecide: { type: Boolean, attribute: "can-decide" },
    person: { attribute: false },
    cameAt: { attribute: false },
    level: { attribute: false },
    isUnfolded: { state: true },
    isSeen: { state: true },
    statement: { state: true },
    answers: { state: true },
  };
  static styles = [baseStyles, argumentStyles, partStyles, cardStyles];

  /** The call that is on show, with the hash of its arguments. */
  #shown = "";
  /** The call that the attributes name, if the element stands alone. @type {WatchedCall | undefined} */
  #watched;
  #clock = 0;
  #ends = new EndWatcher((key) => {
    if (key === this.#shown) this.isSeen = true;
  });

  constructor() {
    super();
    /** The server path; only for an element that stands alone, like the next two. */
    this.server = "";
    /** @type {string | undefined} */
    this.threadId = undefined;
    /** @type {string | undefined} */
    this.callId = undefined;
    /** @type {Call | undefined} */
    this.call = undefined;
    /** @type {CallStore | undefined} */
    this.store = undefined;
    this.now = Date.now();
    this.canDecide = false;
    /** The person who may flag an allowed call; empty if the caller may not. */
    this.person = "";
    /** When the call replaced another by itself, as `performance.now()` counts: it takes no decision at once. */
    this.cameAt = -Infinity;
    /** The person's level, up to which they may decide; empty if they may decide at each. */
    this.level = "";
    /** Whether the end of the arguments was on the screen. */
    this.isSeen = false;
    /** Whether the arguments are shown whole. */
    this.isUnfolded = false;
    /** The statement that a passkey signs. */
    this.statement = "";
    /** The answers to the questions of the call; null while one is missing. @type {string[][] | null} */
    this.answers = null;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    if (this.store === undefined) this.#watch();
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.#ends.close();
    this.#unwatch();
  }

  /** Follows the call that the attributes name. */
  #watch() {
    if (this.threadId === undefined || this.callId === undefined) return;
    const client = new CountersignClient(this.server);
    const watched = new WatchedCall(client, { threadId: this.threadId, id: this.callId });
    this.#watched = watched;
    this.store = watched;
    watched.addEventListener("change", () => {
      const before = this.call;
      this.call = watched.call ?? undefined;
      this.now = Date.now();
      if (this.call && before && before.state !== this.call.state) this.emit("call-state", { state: this.call.state, call: this.call });
      this.requestUpdate();
    });
    watched.open();
    this.#clock = window.setInterval(() => {
      this.now = Date.now();
      watched.checkLease(this.now);
    }, 1_000);
    client.caller().then((caller) => this.#setCaller(caller), () => {});
  }

  /** @param {Caller} caller */
  #setCaller(caller) {
    this.canDecide = mayDecide(caller);
    this.person = personWhoMayFlag(caller);
    this.level = levelOf(caller);
  }

  #unwatch() {
    if (!this.#watched) return;
    this.#watched.close();
    this.#watched = undefined;
    this.store = undefined;
    this.call = undefined;
    clearInterval(this.#clock);
  }

  /** @param {Map<PropertyKey, unknown>} changed @override */
  updated(changed) {
    this.#watchEnd();
    const isNamed = changed.has("threadId") || changed.has("callId") || changed.has("server");
    if (!isNamed || (this.store !== undefined && this.#watched === undefined)) return;
    const { key, client } = this.#watched ?? {};
    if (key?.threadId === this.threadId && key?.id === this.callId && client?.server === this.server.replace(/\/$/, "")) return;
    this.#unwatch();
    if (this.isConnected) this.#watch();
  }

  /** @param {Map<PropertyKey, unknown>} changed @override */
  willUpdate(changed) {
    // Frameworks set a property where one has the attribute's name.
    if (typeof this.call === "string") {
      this.callId = this.call;
      this.call = undefined;
    }
    if (!changed.has("call") || !this.call) return;
    const shown = `${keyOf(this.call)}\n${this.call.argumentsHash}`;
    if (shown !== this.#shown) {
      // A form shows all that it asks.
      const isForm = this.call.question?.isComplete === true;
      this.isUnfolded = isForm || !isLong(this.call.arguments);
      this.isSeen = isForm || this.call.erased !== undefined;
      this.statement = "";
      this.answers = null;
    }
    this.#shown = shown;
  }

  /** Notices when the end of the arguments is on the screen; at once, if it is already. */
  #watchEnd() {
    const end = this.isSeen ? null : this.renderRoot.querySelector(".arguments-section .end");
    if (!end) return;
    if (isOnScreen(end)) this.isSeen = true;
    else this.#ends.watch(end, this.#shown);
  }

  /** The base address of the server's pages. */
  get #root() {
    return this.store?.client.server ?? "";
  }

  /** @override */
  render() {
    const { call } = this;
    if (!call) return this.#renderMissing();
    const state = describeState(call, this.now);
    return html`
      <article aria-labelledby="tool">
        <header>
          <h2 id="tool">${renderText(call.name)}</h2>
          ${renderRisk(call)}
          ${call.state === "pending" ? nothing : html`<span class="badge ${state.style}">${state.badge}</span>`}
          <span class="time">${describeTimeLeft(call, this.now)}</span>
        </header>
        <p class="meta muted">
          <span>${renderText(nameOf(call.proposal.principal))}</span>
          <span>thread <a href=${`${this.#root}/threads/${encodeURIComponent(call.threadId)}`}>${renderText(call.threadId)}</a></span>
          <time datetime=${call.proposal.at} title=${call.proposal.at}>${describeAge(call.proposal.at, this.now)}</time>
          <a href=${`${this.#root}/calls/${encodeURIComponent(call.threadId)}/${encodeURIComponent(call.id)}`}>${renderText(call.id)}</a>
        </p>
        ${state.text ? html`<p class="state">${renderText(state.text)}</p>` : nothing}
        ${renderMismatch(call)} ${renderWarnings(call)} ${renderDefinition(call, this.#root, this.canDecide)}
        ${this.#renderArguments(call)} ${renderEffects(call)} ${renderClaims(call)}
        ${renderFacts(call)} ${renderResult(call)} <slot name="footer"></slot>
        <flag-panel .call=${call} .store=${this.store} .person=${this.person} .now=${this.now}></flag-panel> ${this.#renderControls(call)}
      </article>
    `;
  }

  #renderMissing() {
    const watched = this.#watched;
    if (!watched) return nothing;
    if (watched.connection === "failed") return html`<p class="absent problem" role="alert">${renderText(watched.failure?.message ?? "")}</p>`;
    return html`<p class="absent muted" role="status">${watched.isMissing ? "There is no such call, or you may not see it." : "Loading…"}</p>`;
  }

  /** @param {Call} call */
  #renderArguments(call) {
    if (call.erased) return html`<p class="muted">The arguments were erased.</p>`;
    const shown = renderArguments(call.arguments, call.redacted, shownPlace(call));
    if (call.question?.isComplete) return html`${this.#renderQuestion(call)}<details class="result"><summary>Arguments</summary>${shown}</details>`;
    const isFolded = !this.isUnfolded;
    return html`${this.#renderQuestion(call)}
      <section class="arguments-section ${isFolded ? "folded" : ""}" aria-label="arguments">
        ${shown}
        ${isFolded ? nothing : html`<div class="end"></div>`}
      </section>
      ${isFolded
        ? html`<button class="unfold" @click=${() => (this.isUnfolded = true)}>
            Show all arguments to decide
          </button>`
        : nothing}
    `;
  }

  /** What the call asks people. @param {Call} call */
  #renderQuestion(call) {
    if (!call.question) return nothing;
    return html`<section aria-label=${call.question.kind === "plan" ? "plan" : "questions"}>
      <question-form .form=${call.question} key=${this.#shown} ?may-answer=${this.canDecide}
        @answers=${(/** @type {CustomEvent<string[][] | null>} */ event) => (this.answers = event.detail)}></question-form>
    </section>`;
  }

  /** @param {Call} call */
  #renderControls(call) {
    const refusal = this.store?.refusals.get(keyOf(call));
    const deciding = this.store?.deciding.get(keyOf(call));
    return html`
      <div aria-live="polite">
        ${refusal ? html`<p class="problem banner" role="alert">${renderText(describeRefusal(refusal, this.now))}</p>` : nothing}
      </div>
      ${call.state === "pending" && this.canDecide
        ? html`<decision-panel
            .call=${call}
            .deciding=${deciding}
            .client=${this.store?.client}
            .level=${this.level}
            ?is-seen=${this.isUnfolded && this.isSeen}
            .statement=${this.statement}
            .answers=${this.answers}
            .cameAt=${this.cameAt}
            @decision=${(/** @type {CustomEvent<DecisionBody>} */ event) => this.#decide(call, event.detail)}
          ></decision-panel>`
        : nothing}
      ${mayTakeBack(call, this.now) && this.canDecide
        ? html`<div><button @click=${() => this.store?.takeBack(call)}>Take back the approval</button></div>`
        : nothing}
      ${call.state === "unknown" && this.canDecide && !call.released
        ? html`<div><button @click=${() => this.#release(call)}>Let another executor take over</button></div>`
        : nothing}
    `;
  }

  /** @param {Call} call @param {DecisionBody} decision */
  async #decide(call, decision) {
    const { store } = this;
    if (!store) return;
    this.statement = "";
    const sign = (/** @type {string} */ statement) =>
      proveDecision(store.client, call, decision, statement, (text) => (this.statement = text));
    const decided = await store.decide(call, decision, sign);
    if (decided) this.emit("decided", { decision: decision.decision, call: decided });
  }

  /** @param {Call} call */
  async #release(call) {
    await this.store?.release(call);
  }

  get #panel() {
    return /** @type {import("./decision-panel.js").DecisionPanel | null} */ (this.renderRoot.querySelector("decision-panel"));
  }

  /** Moves the focus to the decision, or to the card if there is none. */
  focusDecision() {
    if (this.#panel) this.#panel.focusDecision();
    else /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("a"))?.focus();
  }

  /** Handles an inbox key. @param {KeyboardEvent} event @returns {boolean} Whether the key was used. */
  handleKey(event) {
    if (event.key === "f") this.isUnfolded = true;
    else if (event.key === "j" || event.key === "k") scrollAround(this, event.key === "j" ? 1 : -1);
    else return this.#panel?.handleKey(event) ?? false;
    return true;
  }
}

customElements.define("tool-approval-card", ToolApprovalCard);
