// <what-if-box>: the active policy's verdict on a call that a person writes or pastes.

import { CountersignElement, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { parseJson } from "../countersign.js";
import { toolStyles } from "./policy-styles.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { PolicyVerdict } from "../types.d.ts" */

const STYLES = /** @type {Record<string, string>} */ ({ allow: "allowed", ask: "unknown", block: "denied" });

/**
 * Reads a sample call from its description: a command line, or a call as JSON, as the API proposes or lists it.
 * @param {string} text @param {string} agent @param {string} thread
 */
export function readSample(text, agent, thread) {
  const given = { threadId: thread, principal: agent };
  if (!text.trimStart().startsWith("{")) return { ...given, name: "bash", arguments: { command: text.trim() } };
  const call = parseJson(text);
  if (typeof call.name !== "string" || call.arguments === undefined) {
    throw new Error("A call needs a name and arguments, such as {\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}.");
  }
  const parts = /** @type {Record<string, unknown>} */ ({});
  for (const name of ["annotations", "impact", "definition"]) if (call[name]) parts[name] = call[name];
  return { threadId: call.threadId ?? thread, principal: call.proposal?.principal ?? agent, name: call.name, arguments: call.arguments, ...parts };
}

export class WhatIfBox extends CountersignElement {
  static properties = { client: { attribute: false }, verdict: { state: true }, problem: { state: true }, busy: { state: true } };
  static styles = [baseStyles, toolStyles];

  constructor() {
    super();
    this.client = /** @type {CountersignClient} */ (/** @type {unknown} */ (undefined));
    /** @type {PolicyVerdict | null} */
    this.verdict = null;
    this.problem = "";
    this.busy = false;
  }

  /** @param {string} name */
  #value(name) {
    return /** @type {HTMLInputElement} */ (this.renderRoot.querySelector(`[name=${name}]`)).value;
  }

  #judge = async (/** @type {Event} */ event) => {
    event.preventDefault();
    this.busy = true;
    this.problem = "";
    this.verdict = null;
    try {
      const sample = readSample(this.#value("call"), this.#value("agent"), this.#value("thread"));
      this.verdict = await this.client.request("POST", "/v1/policy/check", sample);
    } catch (error) {
      this.problem = error instanceof SyntaxError ? `This is not JSON: ${error.message}` : /** @type {Error} */ (error).message;
    } finally {
      this.busy = false;
    }
  };

  /** @override */
  render() {
    return html`<form @submit=${this.#judge}>
      <div class="head"><h2>What if</h2><span class="muted note">Nothing is proposed and nothing is recorded.</span></div>
      <label>A command line, or a call as JSON<textarea name="call" required spellcheck="false" placeholder='git push --force      or      {"name": "transfer", "arguments": {"amount": 20000}}'></textarea></label>
      <div class="line">
        <label>Agent<input name="agent" required value="agent:builder" /></label>
        <label>Thread<input name="thread" required value="what-if" /></label>
        <button type="submit" ?disabled=${this.busy}>Judge</button>
      </div>
      <div role="status">${this.problem ? html`<p class="problem">${renderText(this.problem)}</p>` : nothing}${this.verdict ? this.#renderVerdict(this.verdict) : nothing}</div>
    </form>`;
  }

  /** @param {PolicyVerdict} verdict */
  #renderVerdict(verdict) {
    const { terms } = verdict;
    const details = [
      verdict.rule ? `rule ${verdict.rule}` : { default: "the default", tool: "the tool itself" }[verdict.basis] ?? verdict.basis,
      verdict.verdict === "ask" && terms.quorum > 1 ? `${terms.quorum} people must agree` : "",
      verdict.verdict === "ask" && terms.level ? `level ${terms.level}` : "",
      verdict.verdict === "ask" && terms.approvers.length > 0 ? `decided by ${terms.approvers.map((list) => list.join(" or ")).join(", and by ")}` : "",
    ];
    return html`<div class="answer">
      <div class="verdict"><span class="badge ${STYLES[verdict.verdict] ?? ""}">${verdict.verdict}</span><p>${renderText(verdict.reason)}</p></div>
      <p class="muted note">Decided by ${renderText(details.filter(Boolean).join(" · "))}</p>
      ${verdict.matched.length > 0
        ? html`<ul aria-label="rules that match">${verdict.matched.map((rule) => html`<li><span><span class="badge ${STYLES[rule.verdict] ?? ""}">${rule.verdict}</span></span>
            <span>${renderText(rule.rule)} <span class="muted">${renderText(rule.why)}${rule.shadow ? " (shadow rule: no effect)" : ""}</span></span></li>`)}</ul>`
        : html`<p class="muted note">No rule matches.</p>`}
    </div>`;
  }
}

customElements.define("what-if-box", WhatIfBox);
