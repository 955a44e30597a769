// <rule-offer>: a line in the inbox that offers the rule for calls that people have allowed many times.

import { CountersignElement, css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { shortName } from "./suggested-rule.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { SuggestedRule } from "../types.d.ts" */

/** The number of similar approvals from which a rule is offered, and the days that count. */
const AT_LEAST = 10;
const SPAN = 30 * 86_400_000;

/** The names of dismissed rules, in the browser's storage. */
const DISMISSED = "countersign.dismissed-rules";
const MOST_DISMISSED = 100;

/** The last server answer, in the tab's storage: the server reads the log for each, so a tab asks every ten minutes. */
const ANSWER = "countersign.suggested-rules";
const ANSWER_LASTS = 10 * 60_000;

/**
 * The rules that would have saved prompts under the active policy.
 * @param {CountersignClient} client @param {string} policy Its hash. @returns {Promise<SuggestedRule[]>}
 */
async function readSuggestions(client, policy) {
  const now = Date.now();
  const stored = JSON.parse(sessionStorage.getItem(ANSWER) ?? "null");
  if (stored?.policy === policy && Math.abs(now - stored.at) < ANSWER_LASTS) return stored.rules;
  const since = new Date(now - SPAN).toISOString();
  const { rules } = await client.request("GET", `/v1/policy/suggestions?since=${since}&atLeast=${AT_LEAST}`);
  sessionStorage.setItem(ANSWER, JSON.stringify({ policy, at: now, rules }));
  return rules;
}

/** @returns {string[]} */
function readDismissed() {
  try {
    const names = JSON.parse(localStorage.getItem(DISMISSED) ?? "[]");
    return Array.isArray(names) ? names : [];
  } catch {
    return [];
  }
}

/** The styles of a line above the inbox. */
export const offerStyles = css`
  :host { display: block; }
  .offer { border-bottom: 1px solid var(--cs-line); background: var(--cs-accent-ground); }
  .line { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 6px 16px; }
  .line p { flex: 1 1 260px; min-width: 0; overflow-wrap: anywhere; }
  .line p bdi { font-weight: 600; }
  .line button.quiet { color: var(--cs-text); }
  suggested-rule { background: var(--cs-surface); border-top: 1px solid var(--cs-line); max-height: 60vh; overflow: auto; }
  .done { color: var(--cs-allow); font-weight: 600; }
  @media (max-width: 760px) { button { min-height: 44px; } }
`;

export class RuleOffer extends CountersignElement {
  static properties = {
    client: { attribute: false },
    rule: { state: true },
    policy: { state: true },
    isOpen: { state: true },
    added: { state: true },
  };
  static styles = [baseStyles, offerStyles];

  constructor() {
    super();
    this.client = /** @type {CountersignClient} */ (/** @type {unknown} */ (undefined));
    /** @type {SuggestedRule | null} */
    this.rule = null;
    this.policy = "";
    this.isOpen = false;
    /** The name of the most recently added rule. */
    this.added = "";
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    void this.#load();
  }

  async #load() {
    try {
      const policy = await this.client.request("GET", "/v1/policy");
      const rules = await readSuggestions(this.client, policy.hash);
      const dismissed = readDismissed();
      this.policy = policy.hash;
      this.rule = rules.find((/** @type {SuggestedRule} */ { name }) => !dismissed.includes(name)) ?? null;
    } catch {
      // The offer is optional; the inbox reports if the server cannot be reached.
      this.rule = null;
    }
  }

  #dismiss = () => {
    if (this.rule) localStorage.setItem(DISMISSED, JSON.stringify([...readDismissed(), this.rule.name].slice(-MOST_DISMISSED)));
    this.isOpen = false;
    this.added = "";
    void this.#load();
  };

  #add = () => {
    this.added = this.rule ? shortName(this.rule.name) : "";
    this.isOpen = false;
    this.rule = null;
  };

  /** @override */
  render() {
    const { rule } = this;
    if (this.added) {
      return html`<div class="offer" role="status"><div class="line"><p><span class="done">Added.</span> ${renderText(this.added)} no longer asks. <a href="/policy">The policy</a></p>
        <button class="quiet" @click=${this.#dismiss}>Close</button></div></div>`;
    }
    if (!rule) return nothing;
    return html`<aside class="offer" aria-label="Suggested rule">
      <div class="line"><p>People allowed calls like ${renderText(shortName(rule.name))} ${rule.prompts} times and never denied one.</p>
        <button class="quiet" aria-expanded=${this.isOpen} @click=${() => (this.isOpen = !this.isOpen)}>${this.isOpen ? "Close" : "Look at a rule"}</button>
        <button class="quiet" @click=${this.#dismiss}>Dismiss</button></div>
      ${this.isOpen ? html`<suggested-rule open can-add .client=${this.client} .rule=${rule} policy=${this.policy} @rule-added=${this.#add} @policy-changed=${() => void this.#load()}></suggested-rule>` : nothing}
    </aside>`;
  }
}

customElements.define("rule-offer", RuleOffer);
