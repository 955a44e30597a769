// <suggested-rule>: a rule that would have answered prompts, with its evidence, and one confirmation that adds it.

import { countWords } from "../count-words.js";
import { CountersignElement, css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { nameOf } from "../times.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { SuggestedRule } from "../types.d.ts" */

const styles = css`
  article { display: grid; gap: 10px; padding: 14px 16px; }
  .head { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; }
  strong { font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
  .saves { margin-left: auto; color: var(--cs-allow); font-weight: 600; white-space: nowrap; font-variant-numeric: tabular-nums; }
  .evidence { color: var(--cs-muted); font-size: 13px; }
  pre { margin: 0; padding: 10px 12px; border: 1px solid var(--cs-line); border-radius: var(--cs-radius-small); background: var(--cs-sunken); white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; line-height: 1.55; }
  ul { padding-left: 18px; font-size: 13px; display: grid; gap: 2px; overflow-wrap: anywhere; }
  .actions { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
  button.add { border-color: var(--cs-accent); color: var(--cs-accent); font-weight: 600; }
  summary { cursor: pointer; font-size: 13px; color: var(--cs-muted); width: fit-content; }
  details[open] > summary { margin-bottom: 8px; }
  .details { display: grid; gap: 10px; }
`;

/** A rule's name without the prefix that all suggestions share. @param {string} name */
export const shortName = (name) => name.replace(/^suggested: /, "");

/** The evidence in one sentence. @param {Omit<SuggestedRule, "proposers">} rule */
export function describeEvidence(rule) {
  const people = rule.people.slice(0, 3).map(nameOf).join(", ") + (rule.people.length > 3 ? ` and ${rule.people.length - 3} more` : "");
  const span = `${rule.first.slice(0, 10)} to ${rule.last.slice(0, 10)}`;
  return `${people} allowed ${countWords(rule.prompts, "such call")} in ${countWords(rule.threads, "thread")}, ${rule.arguments === 1 ? "all with the same arguments" : `${rule.arguments} of them different`}, from ${span}. None was denied.`;
}

/** Emits `rule-added` with the active policy, or `policy-changed` if another policy became active meanwhile. */
export class SuggestedRuleElement extends CountersignElement {
  static properties = {
    client: { attribute: false },
    rule: { attribute: false },
    policy: { type: String },
    open: { type: Boolean },
    canAdd: { type: Boolean, attribute: "can-add" },
    busy: { state: true },
    problem: { state: true },
  };
  static styles = [baseStyles, styles];

  constructor() {
    super();
    this.client = /** @type {CountersignClient} */ (/** @type {unknown} */ (undefined));
    /** @type {Omit<SuggestedRule, "proposers"> | null} */
    this.rule = null;
    /** The hash of the extended policy. */
    this.policy = "";
    this.open = false;
    this.canAdd = false;
    this.busy = false;
    this.problem = "";
  }

  /** @override */
  render() {
    const { rule } = this;
    if (!rule) return nothing;
    return html`<article>
      <div class="head"><strong>${renderText(shortName(rule.name))}</strong><span class="saves">saves ${countWords(rule.saves, "prompt")}</span></div>
      <p class="evidence">${renderText(describeEvidence(rule))}</p>
      <details ?open=${this.open}><summary>The rule, and what it does not allow</summary><div class="details">
        <pre tabindex="0" aria-label="the rule">${renderText(rule.toml.trim())}</pre>
        ${this.#renderRefused(rule)}
      </div></details>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
      ${this.canAdd
        ? html`<div class="actions"><button class="add" ?disabled=${this.busy} @click=${this.#add}>Add this rule</button><slot></slot>
            <span class="muted note">It lifts no rule that asks or blocks. You can remove it at any time.</span></div>`
        : html`<slot></slot>`}
    </article>`;
  }

  /** @param {Omit<SuggestedRule, "proposers">} rule */
  #renderRefused(rule) {
    if (rule.nearMisses === 0) return html`<p class="evidence">No call of this tool was refused in this time.</p>`;
    return html`<p class="evidence">It does not allow ${countWords(rule.nearMisses, "refused call")} of this tool, such as:</p>
      <ul>${rule.suchAs.map((text) => html`<li class="mono">${renderText(text)}</li>`)}</ul>`;
  }

  #add = async () => {
    if (!this.rule || this.busy) return;
    this.busy = true;
    this.problem = "";
    try {
      const policy = await this.client.request("POST", "/v1/policy/managed-rules", { rule: this.rule.toml, replaces: this.policy });
      this.emit("rule-added", policy);
    } catch (error) {
      const { code, message } = /** @type {import("../countersign.js").CountersignError} */ (error);
      this.problem = code === "policy_changed" ? "Nothing was added: the policy changed meanwhile. Look at the rule again." : message;
      if (code === "policy_changed") this.emit("policy-changed");
    } finally {
      this.busy = false;
    }
  };
}

customElements.define("suggested-rule", SuggestedRuleElement);
