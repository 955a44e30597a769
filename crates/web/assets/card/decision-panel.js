// The decision about one call: deny, allow once, or a choice of scope; with level, comment and changed arguments.

import { CountersignElement, html, nothing } from "../element.js";
import { argumentStyles, baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { nameOf } from "../times.js";
import { panelStyles } from "./card-styles.js";
import { ArgumentsEdit } from "./arguments-edit.js";
import { LIMIT_CHOICES, USUAL_LIMITS } from "./grant-limits.js";
import "./arguments-editor.js";
import "./scope-choice.js";

/** @import { ApprovalRequest, Call, Decision, DecisionBody } from "../types.d.ts" */
/** @import { ChosenScope } from "./scope-choice.js" */
/** @import { CountersignClient } from "../countersign.js" */

/** A key must be released and pressed again before it decides, and not at once: a held key decides nothing. */
const ARMED_AFTER = 250;

/** A call that replaces another by itself takes no decision for so long, and for so long after one that was ignored. */
const LOOK_FIRST = 1_000;

/** The keys that choose a decision. @type {Record<string, Decision>} */
const KEYS = { o: "allow_once", d: "deny" };

export class DecisionPanel extends CountersignElement {
  static properties = {
    call: { attribute: false },
    client: { attribute: false },
    deciding: { attribute: false },
    statement: { attribute: false },
    answers: { attribute: false },
    isSeen: { type: Boolean, attribute: "is-seen" },
    cameAt: { attribute: false },
    hasComment: { state: true },
    hint: { state: true },
    level: { attribute: false },
    mode: { state: true },
    armed: { state: true },
    isConfirming: { state: true },
    edit: { state: true },
    chosen: { state: true },
    delegators: { state: true },
    onBehalfOf: { state: true },
  };
  static styles = [baseStyles, argumentStyles, panelStyles];

  #armedAt = 0;
  /** When a decision was ignored because the call had just come. */
  #ignoredAt = -Infinity;
  #shown = "";

  constructor() {
    super();
    /** @type {Call | undefined} */
    this.call = undefined;
    /** @type {CountersignClient | undefined} */
    this.client = undefined;
    /** The decision that is on its way to the server. @type {DecisionBody | undefined} */
    this.deciding = undefined;
    /** The statement that a passkey signs, once the server has named it. */
    this.statement = "";
    /** The answers to the questions of the call; null while one is missing. @type {string[][] | null} */
    this.answers = null;
    this.isSeen = false;
    /** When the call replaced another by itself, as `performance.now()` counts. */
    this.cameAt = -Infinity;
    /** Whether a narrow window shows the comment, too. */
    this.hasComment = false;
    /** Why the last press decided nothing. */
    this.hint = "";
    /** The person's level, up to which they may decide; empty if they may decide at each. */
    this.level = "";
    /** Whether the next click makes a decision that takes two. */
    this.isConfirming = false;
    /** What is open besides the buttons. @type {"" | "scope" | "edit"} */
    this.mode = "";
    /** The decision that a key has chosen and that the next press makes. @type {Decision | ""} */
    this.armed = "";
    /** @type {ArgumentsEdit | null} */
    this.edit = null;
    /** Which later calls an approval for the session also allows. @type {ChosenScope} */
    this.chosen = {};
    /** The people who have handed their queue to this person. @type {string[]} */
    this.delegators = [];
    /** The one in whose place the decision is made; empty for the person's own. */
    this.onBehalfOf = "";
  }

  async #loadDelegators() {
    const { client } = this;
    if (!client) return;
    try {
      const [{ person }, delegations] = await Promise.all([client.caller(), client.delegations()]);
      this.delegators = [...new Set(delegations.filter(({ to }) => to === person).map(({ from }) => from))];
    } catch {
      // An older server has no delegations. A person decides as themselves.
      this.delegators = [];
    }
  }

  /** @override @param {Map<PropertyKey, unknown>} changed */
  willUpdate(changed) {
    if (changed.has("client")) void this.#loadDelegators();
    const shown = `${this.call?.threadId}\n${this.call?.id}\n${this.call?.argumentsHash}`;
    if (shown === this.#shown) return;
    // Another call, or other arguments: nothing that was chosen for the one before may apply to it.
    this.#shown = shown;
    this.#leave();
    this.hint = "";
    this.hasComment = false;
    this.edit = null;
    this.chosen = {};
    this.onBehalfOf = "";
  }

  /** Leaves what is open and what was chosen. */
  #leave() {
    this.mode = "";
    this.armed = "";
    this.isConfirming = false;
  }

  /** The levels at which this person may decide. @returns {string[]} */
  get #levels() {
    const levels = this.call?.request?.availableLevels ?? [];
    return this.level === "" ? levels : levels.slice(0, levels.indexOf(this.level) + 1);
  }

  /** Why an approval takes a second step; empty if it takes one. */
  get #gravity() {
    const isTool = this.mode === "scope" && this.chosen.scope === "tool";
    if (isTool) return `every later call of ${this.call?.name}`;
    return this.call?.impact?.riskLevel === "critical" ? "this critical call" : "";
  }

  /** Whether nothing that an approval needs is missing. */
  get #isReady() {
    return this.isSeen && (this.call?.question?.kind !== "questions" || this.answers !== null);
  }

  /** @override */
  render() {
    const request = this.call?.request;
    if (!this.call || !request) return nothing;
    const isLocked = this.deciding !== undefined;
    if (request.proof) return this.#renderProof(this.call, request.proof, isLocked);
    const mayAllow = this.#isReady && !isLocked;
    const words = wordsFor(this.call);
    return html`
      ${this.mode === "scope"
        ? html`<scope-choice .call=${this.call} .client=${this.client} @choose-scope=${(/** @type {CustomEvent<ChosenScope>} */ event) => this.#chooseScope(event.detail)}></scope-choice>`
        : nothing}
      ${this.mode === "edit"
        ? html`<arguments-editor .edit=${this.edit} .call=${this.call} .client=${this.client} @edit-arguments=${(/** @type {CustomEvent<ArgumentsEdit>} */ event) => (this.edit = event.detail)}></arguments-editor>`
        : nothing}
      ${this.#renderDetails(request)}
      <div class="buttons" role="group" aria-label="decision">
        <button class="deny ${this.armed === "deny" ? "armed" : ""}" ?disabled=${isLocked} @click=${() => this.#decide("deny")}>
          ${this.deciding?.decision === "deny" ? "Sending…" : words.deny} <kbd>d</kbd>
        </button>
        ${this.#renderCommentButton()}
        ${request.options.includes("allow_session") && this.mode !== "scope"
          ? html`<button ?disabled=${!mayAllow} @click=${() => this.#openScopes()}>Allow more… <kbd>s</kbd></button>`
          : nothing}
        ${this.mode === "" && !this.call.question ? html`<button class="quiet" ?disabled=${!mayAllow} @click=${() => this.#openEdit()}>Edit <kbd>e</kbd></button>` : nothing}
        ${this.mode === "" ? nothing : html`<button class="quiet" ?disabled=${isLocked} @click=${() => this.#leave()}>Cancel</button>`}
        ${request.options.includes("allow_once") ? this.#renderAllow(mayAllow) : nothing}
      </div>
      <p class="note muted" aria-live="polite">
        ${this.hint} ${this.armed ? `Press the same key again to ${(this.armed === "deny" ? words.deny : words.allow).toLowerCase()}.` : nothing}
        ${this.isSeen ? nothing : "Allowing is possible once the end of the arguments was on the screen."}
        ${this.isConfirming ? `This allows ${this.#gravity}. Press the button again to do it.` : nothing}
      </p>
    `;
  }

  #renderCommentButton() {
    return this.hasComment ? nothing : html`<button class="quiet open-comment" @click=${() => this.#openComment()}>Comment</button>`;
  }

  async #openComment() {
    this.hasComment = true;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("#comment"))?.focus();
  }

  /** @param {ApprovalRequest} request */
  #renderDetails(request) {
    return html`<div class="details ${this.hasComment ? "open" : ""}">
        <input id="comment" maxlength="2000" autocomplete="off" aria-label="comment" placeholder=${this.call?.question?.kind === "plan" ? "What to change; the agent gets it" : "Comment for the agent and the log (optional)"} />
        ${this.#levels.length > 1
          ? html`<label class="level">Decide at level <select id="level">
              ${this.#levels.map((level) => html`<option ?selected=${level === request.defaultLevel}>${level}</option>`)}
            </select></label>`
          : nothing}
        ${this.delegators.length > 0 ? this.#renderPlaces() : nothing}
      </div>`;
  }

  /** The choice in whose place the person decides. */
  #renderPlaces() {
    const choose = (/** @type {Event} */ event) => (this.onBehalfOf = /** @type {HTMLSelectElement} */ (event.target).value);
    return html`<label class="level">Decide as <select id="place" .value=${this.onBehalfOf} @change=${choose}>
        <option value="">myself</option>
        ${this.delegators.map((person) => html`<option value=${person}>${renderText(`for ${nameOf(person)}`)}</option>`)}
      </select></label>`;
  }

  /** An approval that needs a proof: a passkey signs it. A denial needs no proof.
   * @param {Call} call @param {"any" | "ssh" | "passkey"} proof @param {boolean} isLocked */
  #renderProof(call, proof, isLocked) {
    const isAllowing = this.deciding !== undefined && this.deciding.decision !== "deny";
    return html`${call.request ? this.#renderDetails(call.request) : nothing}
      <div class="buttons" role="group" aria-label="decision">
        <button class="deny ${this.armed === "deny" ? "armed" : ""}" ?disabled=${isLocked} @click=${() => this.#decide("deny")}>
          Deny <kbd>d</kbd>
        </button>
        ${this.#renderCommentButton()}
        ${proof === "ssh"
          ? nothing
          : html`<button class="allow" ?disabled=${!this.#isReady || isLocked} @click=${() => this.#decide("allow_once")}>
              ${isAllowing ? "Touch your passkey…" : "Allow with a passkey"}
            </button>`}
      </div>
      <p class="note muted" aria-live="polite">
        ${this.hint} ${this.armed ? "Press the same key again to deny." : nothing}
        ${this.isSeen ? nothing : "Allowing is possible once the end of the arguments was on the screen."}
        ${proof === "passkey" ? "The rule asks for the touch of a passkey." : html`${proof === "ssh" ? "The rule asks for" : "Or with"} an SSH key, in a terminal:
              <code>countersign allow ${call.id} --sign-with KEYFILE</code>`}
      </p>
      ${this.statement ? html`<details class="signed"><summary>What you sign</summary><pre class="text" id="statement">${renderText(this.statement)}</pre></details>` : nothing}`;
  }

  /** @param {boolean} mayAllow */
  #renderAllow(mayAllow) {
    const isScope = this.mode === "scope";
    const isBad = this.mode === "edit" && !this.edit?.isReady;
    const plain = isScope ? "Allow these calls" : this.mode === "edit" ? "Allow the edited call" : this.call ? wordsFor(this.call).allow : "";
    const words = this.isConfirming ? `Yes, allow ${this.#gravity}` : plain;
    const isRunning = this.deciding !== undefined && this.deciding.decision !== "deny";
    return html`<button
      class="allow ${this.armed === "allow_once" || this.isConfirming ? "armed" : ""}"
      ?disabled=${!mayAllow || isBad}
      @click=${() => this.#clickAllow(isScope ? "allow_session" : "allow_once")}
    >
      ${isRunning ? "Sending…" : words} ${this.mode === "" ? html`<kbd>o</kbd>` : nothing}
    </button>`;
  }

  /** What reaches far takes a second click, and not at once. @param {Decision} decision */
  #clickAllow(decision) {
    const now = performance.now();
    if (this.#gravity === "") return this.#decide(decision);
    if (this.isConfirming && now - this.#armedAt >= ARMED_AFTER) return this.#decide(decision);
    if (!this.isConfirming) this.#armedAt = now;
    this.isConfirming = true;
  }

  #openScopes() {
    this.#leave();
    this.mode = "scope";
    this.#chooseScope({ scope: this.call?.request?.scopes?.[0]?.scope, ...LIMIT_CHOICES[USUAL_LIMITS]?.limits });
  }

  /** @param {ChosenScope} chosen */
  #chooseScope(chosen) {
    this.chosen = chosen;
    this.isConfirming = false;
  }

  #openEdit() {
    if (!this.call) return;
    this.#leave();
    this.mode = "edit";
    this.edit = ArgumentsEdit.of(this.call.arguments);
  }

  /** Whether the call has only just replaced another, so that the press was perhaps meant for that one. */
  #isTooEarly() {
    const now = performance.now();
    if (now - Math.max(this.cameAt, this.#ignoredAt) >= LOOK_FIRST) return false;
    this.#ignoredAt = now;
    this.hint = "This call has just appeared. Look at it, then decide.";
    return true;
  }

  /** @param {Decision} decision */
  #decide(decision) {
    const { call } = this;
    if (!call || this.deciding || (decision !== "deny" && !this.#isReady) || this.#isTooEarly()) return;
    this.armed = "";
    this.hint = "";
    this.isConfirming = false;
    /** @type {DecisionBody} */
    const body = { decision };
    const read = (/** @type {string} */ id) => /** @type {HTMLInputElement | null} */ (this.renderRoot.querySelector(id))?.value.trim();
    const comment = read("#comment");
    // A person of one level among several decides at that one, whatever the default is.
    const only = (call.request?.availableLevels?.length ?? 0) > 1 && this.#levels.length === 1 ? this.#levels[0] : undefined;
    const level = read("#level") ?? only;
    if (comment) body.comment = comment;
    if (level) body.level = level;
    if (this.onBehalfOf) body.onBehalfOf = this.onBehalfOf;
    if (decision === "allow_session") {
      Object.assign(body, this.chosen);
    }
    if (decision === "allow_once" && call.question?.kind === "questions" && this.answers) body.answers = this.answers;
    if (decision === "allow_once" && this.mode === "edit" && this.edit) body.arguments = this.edit.value;
    this.emit("decision", body);
  }

  /** Moves the focus to the decision: to its first button, which denies. */
  focusDecision() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(".buttons button"))?.focus();
  }

  /** Handles an inbox key. @param {KeyboardEvent} event @returns {boolean} Whether the key was used. */
  handleKey(event) {
    const decision = KEYS[event.key];
    if (decision) {
      if (!event.repeat && this.mode === "") this.#pressDecision(decision);
      return true;
    }
    if (event.key === "Escape" && (this.mode !== "" || this.armed !== "" || this.isConfirming)) {
      this.#leave();
      return true;
    }
    if (event.key === "c" || event.key === "a") {
      if (event.key === "c") void this.#openComment();
      else /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("#level"))?.focus();
      return true;
    }
    if (event.repeat || !this.isSeen || this.deciding || this.call?.request?.proof) return false;
    if (event.key === "s" && this.call?.request?.options.includes("allow_session")) this.#openScopes();
    else if (event.key === "e" && !this.call?.question) this.#openEdit();
    else return false;
    return true;
  }

  /** The first press chooses, the second decides. @param {Decision} decision */
  #pressDecision(decision) {
    const request = this.call?.request;
    const isOffered = (request?.options.includes(decision) ?? false) && (decision === "deny" || !request?.proof);
    if (this.deciding || !isOffered || (decision !== "deny" && !this.#isReady) || this.#isTooEarly()) return;
    const now = performance.now();
    this.hint = "";
    if (this.armed !== decision) {
      this.armed = decision;
      this.#armedAt = now;
    } else if (now - this.#armedAt >= ARMED_AFTER) {
      this.#decide(decision);
    } else {
      this.hint = "That was too fast.";
    }
  }
}

/** What the two decisions are called. @param {Call} call */
function wordsFor({ question }) {
  if (question?.kind === "questions") return { deny: "Dismiss", allow: "Answer" };
  if (question?.kind === "plan") return { deny: "Keep planning", allow: "Approve the plan" };
  return { deny: "Deny", allow: "Allow once" };
}

customElements.define("decision-panel", DecisionPanel);
