// <policy-findings>: what `countersign policy check` says about a policy that a person writes.

import { CountersignElement, css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { PolicyWarning } from "../types.d.ts" */

/** How long a person has stopped to type before the server reads the policy, in milliseconds. */
const PAUSE = 400;

/** The server judges a call by the policy, and says what is wrong with the policy. */
const SAMPLE = { threadId: "what-if", principal: "agent:builder", name: "bash", arguments: { command: "true" } };

/** The line of a mistake in the main file; 0 if it is in another one. @param {string} problem */
const lineOf = (problem) => (problem.startsWith("policy.d/") ? 0 : Number(/\bline (\d+)/.exec(problem)?.[1] ?? 0));

const styles = css`
  ul { list-style: none; display: grid; gap: 6px; }
  .text { white-space: pre-wrap; overflow-wrap: anywhere; }
  button { min-height: 28px; padding: 2px 10px; font-size: 13px; margin-right: 6px; }
`;

export class PolicyFindings extends CountersignElement {
  static properties = {
    client: { attribute: false },
    text: { attribute: false },
    layers: { attribute: false },
    problem: { state: true },
    warnings: { state: true },
  };
  static styles = [baseStyles, styles];

  #pause = 0;

  constructor() {
    super();
    this.client = /** @type {CountersignClient} */ (/** @type {unknown} */ (undefined));
    /** The main file. */
    this.text = "";
    /** The other files. @type {{ name: string, text: string }[]} */
    this.layers = [];
    this.problem = "";
    /** The warnings; null until the server has read the policy. @type {PolicyWarning[] | null} */
    this.warnings = null;
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#pause);
  }

  /** @param {Map<PropertyKey, unknown>} changed @override */
  updated(changed) {
    if (!changed.has("text") && !changed.has("layers")) return;
    clearTimeout(this.#pause);
    if (this.text.trim() !== "") this.#pause = window.setTimeout(() => void this.#check(), PAUSE);
  }

  async #check() {
    const { text, layers } = this;
    let problem = "";
    /** @type {PolicyWarning[] | null} */
    let warnings = null;
    try {
      warnings = (await this.client.request("POST", "/v1/policy/check", { ...SAMPLE, policy: { text, layers } })).warnings ?? [];
    } catch (error) {
      problem = /** @type {Error} */ (error).message.replace(/^policy: (the main file: )?/, "");
    }
    // An answer about an earlier text says nothing about this one.
    if (text === this.text) [this.problem, this.warnings] = [problem, warnings];
  }

  /** @override */
  render() {
    if (this.text.trim() === "") return nothing;
    const { problem, warnings } = this;
    return html`<div role="status" class="note">
      ${problem ? html`<p class="problem">${this.#renderLine(lineOf(problem))}<span class="text">${renderText(problem)}</span></p>` : nothing}
      ${warnings?.length === 0 ? html`<p class="muted">No errors and no warnings.</p>` : nothing}
      ${warnings?.length ? html`<ul aria-label="warnings">${warnings.map((warning) => this.#renderWarning(warning))}</ul>` : nothing}
    </div>`;
  }

  /** @param {PolicyWarning} warning */
  #renderWarning({ file, line, text, neverMatches }) {
    const isMain = !file || !file.startsWith("policy.d/");
    return html`<li class=${neverMatches ? "problem" : "warning"}>${this.#renderLine(isMain ? line : 0)}<span class="text">
      ${neverMatches ? "Error: " : nothing}${isMain ? nothing : renderText(`${file}, line ${line}: `)}${renderText(text)}</span></li>`;
  }

  /** A button that leads to a line; none for line 0. @param {number} line */
  #renderLine(line) {
    return line === 0 ? nothing : html`<button type="button" @click=${() => this.emit("show-line", line)}>Line ${line}</button>`;
  }
}

customElements.define("policy-findings", PolicyFindings);
