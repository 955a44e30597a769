// <policy-replay>: what a candidate policy would have decided about the logged calls.

import { CountersignElement, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { nameOf } from "../times.js";
import { toolStyles } from "./policy-styles.js";
import "./policy-findings.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { PolicyInForce, ReplayAnswer, ReplayedCall } from "../types.d.ts" */

const DAY = 86_400_000;

/** The layer of accepted rules, which files do not have. */
const MANAGED = "policy.d/managed.toml";

/** One list for each drawing, so that an unchanged policy is not checked again. @type {{ name: string, text: string }[]} */
const NO_LAYERS = [];

/** How many calls of a list are shown at first, and with each further page. */
const PAGE = 50;

const LISTS = /** @type {const} */ ([
  ["allowedThoughDenied", "Would now be allowed, but was denied, expired or changed", true],
  ["blockedThoughRun", "Would now be blocked, but ran", true],
  ["askedThoughRun", "Would now be asked, but ran without asking", false],
  ["askedOtherwise", "Would now be asked under other terms", false],
]);

export class PolicyReplayElement extends CountersignElement {
  static properties = {
    client: { attribute: false },
    policy: { attribute: false },
    answer: { state: true },
    problem: { state: true },
    busy: { state: true },
    text: { state: true },
  };
  static styles = [baseStyles, toolStyles];

  /** The request that the answer belongs to, for further pages. @type {Record<string, unknown>} */
  #request = {};

  constructor() {
    super();
    this.client = /** @type {CountersignClient} */ (/** @type {unknown} */ (undefined));
    /** The active policy. @type {PolicyInForce | null} */
    this.policy = null;
    /** @type {ReplayAnswer | null} */
    this.answer = null;
    this.problem = "";
    this.busy = false;
    /** The candidate policy, as the field has it. */
    this.text = "";
  }

  /** The field for the candidate policy. */
  get #field() {
    return /** @type {HTMLTextAreaElement} */ (this.renderRoot.querySelector("textarea"));
  }

  #choose = async (/** @type {Event} */ event) => {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    if (file) this.#fill(await file.text());
  };

  #copy = () => this.#fill(this.policy?.text ?? "");

  /** @param {string} text */
  #fill(text) {
    this.#field.value = text;
    this.text = text;
  }

  /** Selects a line of the candidate. @param {number} line */
  #showLine(line) {
    const field = this.#field;
    const lines = field.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((length, text) => length + text.length + 1, 0);
    field.focus();
    field.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  }

  #replay = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const days = Number(/** @type {HTMLSelectElement} */ (this.renderRoot.querySelector("select")).value);
    const text = this.#field.value;
    // A file replaces the main file. The layers, and with them the accepted rules, stay.
    this.#request = { policy: { text, layers: this.policy?.layers ?? [] }, since: new Date(Date.now() - days * DAY).toISOString(), limit: PAGE };
    await this.#send((answer) => (this.answer = answer));
  };

  /** Reads the next calls of a list. @param {"allowedThoughDenied" | "blockedThoughRun" | "askedThoughRun" | "askedOtherwise"} name */
  async #readMore(name) {
    const list = this.answer?.[name];
    const after = list?.calls.at(-1)?.seq ?? 0;
    await this.#send((answer) => {
      list?.calls.push(...answer[name].calls);
    }, { after });
  }

  /** @param {(answer: ReplayAnswer) => void} take @param {object} [more] */
  async #send(take, more = {}) {
    this.busy = true;
    this.problem = "";
    try {
      take(await this.client.request("POST", "/v1/policy/replay", { ...this.#request, ...more }));
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    } finally {
      this.busy = false;
    }
  }

  /** @override */
  render() {
    const layers = (this.policy?.layers ?? []).map(({ name }) => (name === MANAGED ? "the accepted rules" : name));
    return html`<form @submit=${this.#replay}>
      <div class="head"><h2>Compare a candidate with the log</h2><span class="muted note">Nothing changes.</span></div>
      <label>The text of the main file<textarea name="text" required spellcheck="false" rows="6" @input=${() => (this.text = this.#field.value)}></textarea></label>
      <policy-findings .client=${this.client} .text=${this.text} .layers=${this.policy?.layers ?? NO_LAYERS}
        @show-line=${(/** @type {CustomEvent<number>} */ event) => this.#showLine(event.detail)}></policy-findings>
      <div class="line">
        <label>Or choose a file<input type="file" accept=".toml" @change=${this.#choose} /></label>
        <label>Calls of<select name="days"><option value="7">the last week</option><option value="30" selected>the last 30 days</option><option value="90">the last 90 days</option></select></label>
        <button type="button" @click=${this.#copy}>Copy the active file</button>
        <button type="submit" ?disabled=${this.busy}>${this.busy ? "Comparing…" : "Compare"}</button>
      </div>
      ${layers.length > 0 ? html`<p class="muted note">It is judged together with ${renderText(layers.join(", "))}.</p>` : nothing}
      <div role="status">${this.problem ? html`<p class="problem">${renderText(this.problem)}</p>` : nothing}${this.answer ? this.#renderAnswer(this.answer) : nothing}</div>
    </form>`;
  }

  /** @param {ReplayAnswer} answer */
  #renderAnswer(answer) {
    const saved = answer.saved.allowed + answer.saved.blocked;
    const changed = answer.calls - answer.unchanged;
    const skipped = answer.masked + answer.unsettled;
    const rows = /** @type {const} */ ([["People asked", "asked"], ["Allowed by the policy", "allowed"], ["Blocked by the policy", "blocked"], ["Answered by the thread", "answered"]]);
    return html`<div class="answer">
      <p class="summary">${answer.calls === 0 ? "No calls in this time." : changed === 0 ? "No verdict changes." : `${saved} prompts saved, ${answer.added} added; ${changed} of ${answer.calls} calls have another outcome.`}</p>
      ${skipped > 0 ? html`<p class="muted note">${skipped} calls were not compared, because they are not decided yet or the log masks what a rule needs.</p>` : nothing}
      ${answer.log.complete ? nothing : html`<p class="warning note">This time has more calls than one comparison reads; these are the last ones. Choose a shorter time.</p>`}
      <table><thead><tr><th scope="col">Calls</th><th scope="col">Then</th><th scope="col">Now</th></tr></thead>
        <tbody>${rows.map(([name, key]) => html`<tr><th scope="row">${name}</th><td>${answer.then[key]}</td><td class=${answer.then[key] === answer.now[key] ? "" : "changed"}>${answer.now[key]}</td></tr>`)}</tbody></table>
      ${LISTS.map(([name, title, isDangerous]) => {
        const { count, calls } = answer[name];
        if (count === 0) return nothing;
        return html`<details ?open=${isDangerous} class=${isDangerous ? "danger" : ""}><summary>${title}: ${count}</summary>
          ${calls.map((call) => this.#renderCase(call))}
          ${calls.length < Math.min(count, 1_000) ? html`<p><button type="button" ?disabled=${this.busy} @click=${() => this.#readMore(name)}>Show more</button></p>` : nothing}</details>`;
      })}
    </div>`;
  }

  /** @param {ReplayedCall} call */
  #renderCase(call) {
    const path = `/calls/${encodeURIComponent(call.threadId)}/${encodeURIComponent(call.id)}`;
    const { by, source, comment, changed, denied } = call.then;
    const then = `${changed ? "changed" : denied ? (source === "policy" ? "blocked" : "denied") : "allowed"}${by ? ` by ${nameOf(by)}` : ""}${comment ? `: ${comment}` : ""}`;
    return html`<div class="case">
      <span><a href=${path}>${renderText(call.name)}</a> <span class="muted">${renderText(`${call.threadId} · ${call.at.slice(0, 16).replace("T", " ")}`)}</span></span>
      <span class="arguments">${renderText(JSON.stringify(call.arguments).slice(0, 300))}</span>
      <span class="note">Then ${renderText(then)}. Now ${renderText(`${call.now.verdict}: ${call.now.rule ?? call.now.reason}${call.now.terms ? ` (${call.now.terms})` : ""}`)}</span>
    </div>`;
  }
}

customElements.define("policy-replay", PolicyReplayElement);
