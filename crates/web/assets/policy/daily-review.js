// <daily-review>: once a day, what people were asked yesterday, and the rules that would have made prompts needless. On a day
// without such rules, it offers a single rule.

import { countWords } from "../count-words.js";
import { CountersignElement, css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { countDay, dateOf, describeObserved, describeProof, describeSaved } from "./daily-words.js";
import { offerStyles } from "./rule-offer.js";
import { shortName } from "./suggested-rule.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { CountersignError } from "../countersign.js" */
/** @import { DailyReview, DailyRule, PolicyInForce, ReviewedCall } from "../types.d.ts" */

/** The day on which the review was dismissed, in the browser's storage. */
const DISMISSED = "countersign.daily-dismissed";

/** The last server answer, in the tab's storage: the server reads the log for each, so a tab asks every ten minutes. */
const ANSWER = "countersign.daily-review";
const ANSWER_LASTS = 10 * 60_000;

const offset = () => -new Date().getTimezoneOffset();
const today = () => dateOf(Date.now(), offset());

/** @param {CountersignClient} client @param {string} policy The active policy's hash. @returns {Promise<DailyReview>} */
async function readReview(client, policy) {
  const [now, date] = [Date.now(), today()];
  const stored = JSON.parse(sessionStorage.getItem(ANSWER) ?? "null");
  if (stored?.date === date && stored.review.policy === policy && Math.abs(now - stored.at) < ANSWER_LASTS) return stored.review;
  const review = await client.request("GET", `/v1/policy/daily?utcOffsetMinutes=${offset()}`);
  sessionStorage.setItem(ANSWER, JSON.stringify({ date, at: now, review }));
  return review;
}

/** Whether the review says that something was needless. @param {DailyReview} review */
const isWorthShowing = ({ rules, observed }) => rules.length > 0 || observed > 0;

/** The arguments in one line: a command as it is, anything else as JSON. @param {ReviewedCall} call */
function describeArguments({ arguments: given }) {
  const command = typeof given === "object" && given !== null && !Array.isArray(given) ? given.command : undefined;
  return typeof command === "string" ? command : JSON.stringify(given);
}

const styles = css`
  .details { display: grid; gap: 12px; padding: 12px 16px; background: var(--cs-surface); border-top: 1px solid var(--cs-line); max-height: 60vh; overflow: auto; }
  .details article { border: 1px solid var(--cs-line); border-radius: var(--cs-radius-small); }
  .details h3 { font-size: 14px; font-weight: 600; overflow-wrap: anywhere; }
  .details h3 + ul, .details p + ul { margin-top: 4px; }
  .calls { padding: 0 16px 14px; display: grid; gap: 4px; }
  ul { padding-left: 18px; font-size: 13px; display: grid; gap: 2px; overflow-wrap: anywhere; }
  suggested-rule { max-height: none; border-top: 0; }
  button.accept { border-color: var(--cs-accent); color: var(--cs-accent); font-weight: 600; white-space: normal; }
  strong { font-weight: 600; }
`;

export class DailyReviewElement extends CountersignElement {
  static properties = {
    client: { attribute: false },
    review: { state: true },
    state: { state: true },
    isOpen: { state: true },
    busy: { state: true },
    problem: { state: true },
  };
  static styles = [baseStyles, offerStyles, styles];

  constructor() {
    super();
    this.client = /** @type {CountersignClient} */ (/** @type {unknown} */ (undefined));
    /** @type {DailyReview | null} */
    this.review = null;
    /** @type {"loading" | "shown" | "accepted" | "none"} */
    this.state = "loading";
    this.isOpen = false;
    this.busy = false;
    this.problem = "";
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    void this.#load();
  }

  async #load() {
    if (localStorage.getItem(DISMISSED) === today()) {
      this.state = "none";
      return;
    }
    try {
      const { hash } = await this.client.request("GET", "/v1/policy");
      this.review = await readReview(this.client, hash);
      this.state = isWorthShowing(this.review) ? "shown" : "none";
    } catch {
      // The review is optional; the inbox reports if the server cannot be reached.
      this.state = "none";
    }
  }

  #dismiss = () => {
    localStorage.setItem(DISMISSED, today());
    this.state = "none";
  };

  /** Adds all rules, each to the policy with those before it. */
  #accept = async () => {
    const { review } = this;
    if (!review || this.busy) return;
    this.busy = true;
    this.problem = "";
    try {
      for (const rule of [...review.rules]) {
        const policy = await this.client.request("POST", "/v1/policy/managed-rules", { rule: rule.toml, replaces: this.review?.policy });
        this.#takeAdded(rule, policy);
      }
    } catch (error) {
      const { code, message } = /** @type {CountersignError} */ (error);
      this.problem = code === "policy_changed" ? "The policy changed meanwhile. Look at the rules again." : message;
      if (code === "policy_changed") await this.#load();
    } finally {
      this.busy = false;
    }
  };

  /** @param {DailyRule} added @param {PolicyInForce} policy */
  #takeAdded(added, policy) {
    sessionStorage.removeItem(ANSWER);
    const { review } = this;
    if (!review) return;
    const rules = review.rules.filter((rule) => rule !== added);
    this.review = { ...review, policy: policy.hash, rules, saved: Math.max(0, review.saved - added.saves) };
    if (rules.length === 0) {
      this.state = "accepted";
      this.isOpen = false;
    }
  }

  /** @override */
  render() {
    const { review } = this;
    if (this.state === "loading") return nothing;
    if (this.state === "accepted") {
      return html`<div class="offer" role="status"><div class="line"><p><span class="done">Accepted.</span> Calls like these no longer ask. <a href="/policy">The policy</a></p>
        <button class="quiet" @click=${this.#dismiss}>Close</button></div></div>`;
    }
    if (this.state === "none" || !review) return html`<rule-offer .client=${this.client}></rule-offer>`;
    return html`<aside class="offer" aria-label="Yesterday">
      <div class="line"><p>${countDay(review)} ${review.rules.length > 0 ? html`<strong>${describeSaved(review)}</strong> ${describeProof(review)}` : describeObserved(review)}</p>
        ${review.rules.length > 0 ? html`<button class="accept" ?disabled=${this.busy} @click=${this.#accept}>${review.rules.length === 1 ? "Use this rule" : `Use these ${review.rules.length} rules`}</button>` : nothing}
        <button class="quiet" aria-expanded=${this.isOpen} @click=${() => (this.isOpen = !this.isOpen)}>${this.isOpen ? "Close" : "Show the evidence"}</button>
        <button class="quiet" @click=${this.#dismiss}>Not today</button></div>
      ${this.problem ? html`<p class="problem line" role="alert">${this.problem}</p>` : nothing}
      ${this.isOpen ? html`<div class="details">${review.rules.map((rule) => this.#renderRule(rule, review))} ${this.#renderWithheld(review)} ${this.#renderObserved(review)}</div>` : nothing}
    </aside>`;
  }

  /** @param {DailyRule} rule @param {DailyReview} review */
  #renderRule(rule, review) {
    const add = (/** @type {CustomEvent<PolicyInForce>} */ event) => this.#takeAdded(rule, event.detail);
    return html`<article>
      <suggested-rule can-add .client=${this.client} .rule=${rule} policy=${review.policy} @rule-added=${add} @policy-changed=${() => void this.#load()}></suggested-rule>
      <div class="calls"><p class="muted note">Yesterday it would have allowed:</p>
        <ul>${rule.calls.map((call) => this.#renderCall(call))}</ul></div>
    </article>`;
  }

  /** @param {ReviewedCall} call */
  #renderCall(call) {
    return html`<li><span class="mono">${renderText(describeArguments(call))}</span>${call.calls > 1 ? ` (${countWords(call.calls, "time")})` : ""}</li>`;
  }

  /** @param {DailyReview} review */
  #renderWithheld({ withheld }) {
    return withheld.map((rule) => html`<div>
      <h3>Not offered: ${renderText(shortName(rule.name))}</h3>
      <p class="muted note">It would have saved ${countWords(rule.wouldSave, "prompt")}, and also allowed ${countWords(rule.refused, "refused call")}:</p>
      <ul>${rule.suchAs.map((text) => html`<li class="mono">${renderText(text)}</li>`)}</ul></div>`);
  }

  /** @param {DailyReview} review */
  #renderObserved({ wouldAsk }) {
    if (wouldAsk.length === 0) return nothing;
    return html`<div><h3>What people would have been asked</h3>
      <ul>${wouldAsk.map((row) => html`<li>${countWords(row.calls, "call")} of ${renderText(row.tool)} by the rule ${renderText(row.rule)}, such as
        <span class="mono">${renderText(describeArguments(row.example))}</span></li>`)}</ul></div>`;
  }
}

customElements.define("daily-review", DailyReviewElement);
