// <advisor-section>: the policy's advisors, what each may do now and why, and how often people contradict it.

import { CountersignElement, css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { nameOf } from "../times.js";
import { pageStyles } from "../pages/page-styles.js";

/** @import { Advisor, AdvisorDrift, AdvisorReport } from "../types.d.ts" */
/** @import { CountersignClient } from "../countersign.js" */

const MODES = /** @type {Record<string, string>} */ ({ shadow: "shadow: people do not see its advice", advise: "advises", decide: "decides" });

const styles = css`
  :host { min-height: 0; }
  :host([empty]) { display: none; }
  .section { padding: 16px; display: grid; gap: 4px; }
  ul { list-style: none; display: grid; }
  li { display: grid; gap: 4px; padding: 12px 0; border-bottom: 1px solid var(--cs-line); overflow-wrap: anywhere; }
  li:last-child { border-bottom: 0; padding-bottom: 0; }
  .line { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; }
  h3 { font-size: 14px; }
  .badge.decide { background: var(--cs-allow-ground); color: var(--cs-allow); }
  .badge.advise { background: var(--cs-accent-ground); color: var(--cs-accent); }
  .badge.lower { background: var(--cs-warn-ground); color: var(--cs-warn); }
  .target { margin-left: auto; }
  .alarm { padding: 8px 12px; border-radius: var(--cs-radius-small); background: var(--cs-deny-ground); color: var(--cs-deny); font-weight: 600; }
  @media (max-width: 560px) { .target { margin-left: 0; flex-basis: 100%; } }
`;

/** A share as a percentage, with a decimal where it has one. @param {number} share */
const percent = (share) => `${Math.round(share * 1_000) / 10} %`;

/** @param {number} count @param {string} one @param {string} many */
const count = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Describes how often people contradicted the advisor. @param {AdvisorDrift} drift @param {number} limit */
export function describeDrift({ answered, overruled, complaints, share }, limit) {
  if (answered === 0) return "People have decided on none of its recent answers.";
  // The server takes the share of more answers than there are while there are few.
  const base = share > 0 ? Math.round((overruled + complaints) / share) : answered;
  const shares = `${percent(share)}${base > answered ? `, taken of ${base}` : ""}, limit ${percent(limit)}`;
  const answers = answered === 1 ? "its last answer" : `the last ${answered.toLocaleString("en")} answers`;
  return `Of ${answers} people overruled ${overruled} and complained of ${complaints} (${shares}).`;
}

/** @param {AdvisorReport} report */
function describeReport({ at, principal, counts }) {
  const date = new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
  const parts = [
    `${counts.agreed.toLocaleString("en")} decided alike`,
    count(counts.falseAllows, "false allow", "false allows"),
    count(counts.falseDenials, "false denial", "false denials"),
    `${counts.asked.toLocaleString("en")} left to people${counts.failed ? `, of which ${counts.failed} failed` : ""}`,
  ];
  return `Last report (${counts.source}, ${date}, by ${nameOf(principal)}): of ${count(counts.cases, "call", "calls")}, ${parts.join(", ")}.`;
}

export class AdvisorSection extends CountersignElement {
  static properties = { client: { attribute: false }, advisors: { state: true }, isEmpty: { type: Boolean, attribute: "empty", reflect: true } };
  static styles = [baseStyles, pageStyles, styles];

  constructor() {
    super();
    /** @type {CountersignClient | undefined} */
    this.client = undefined;
    /** @type {Advisor[]} */
    this.advisors = [];
    this.isEmpty = true;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    void this.#load();
  }

  async #load() {
    // A person who may not read the policy sees the page without advisors.
    const list = await this.client?.request("GET", "/v1/advisors").catch(() => null);
    this.advisors = list?.advisors ?? [];
    this.isEmpty = this.advisors.length === 0;
    await this.updateComplete;
    if (location.hash === "#advisors") this.scrollIntoView();
  }

  /** @override */
  render() {
    if (this.advisors.length === 0) return nothing;
    return html`<section class="panel section" aria-labelledby="advisors">
      <h2 id="advisors">Advisors</h2>
      <ul>${this.advisors.map((advisor) => this.#renderAdvisor(advisor))}</ul>
    </section>`;
  }

  /** @param {Advisor} advisor */
  #renderAdvisor(advisor) {
    const { name, mode, policyMode, why, target, protocol, report, drift, maxOverruled } = advisor;
    const isLower = mode !== policyMode;
    // A fall-back starts a new count, and its reason has the old one.
    const hasDrift = mode !== "shadow" && (drift.answered > 0 || !isLower);
    return html`<li>
      <div class="line"><h3>${renderText(name)}</h3>
        <span class="badge ${isLower ? "lower" : mode}">${isLower ? `only ${MODES[mode] ?? mode}` : (MODES[mode] ?? mode)}</span>
        ${isLower ? html`<span class="note warning">The policy says ${policyMode}.</span>` : nothing}
        <span class="note muted target">${renderText(`${protocol}, ${target}`)}</span></div>
      ${drift.exceeds ? html`<p class="note alarm">People contradict it more often than the policy permits.</p>` : nothing}
      <p class="note ${isLower ? "warning" : "muted"}">${isLower ? "It may not decide: " : "Reason: "}${renderText(why)}</p>
      ${hasDrift ? html`<p class="note">${describeDrift(drift, maxOverruled)}</p>` : nothing}
      <p class="note muted">${report ? renderText(describeReport(report)) : html`No report yet: <code>countersign advisor report ${name}</code> measures it.`}</p>
    </li>`;
  }
}

customElements.define("advisor-section", AdvisorSection);
