// The active policy: its rules with their hits, suggested rules, a what-if, a candidate replay, and the history.

import { html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { escapeHidden, renderText } from "../hidden-text.js";
import { countCalls } from "../statistics.js";
import { describeAge, nameOf } from "../times.js";
import { policyStyles } from "../policy/policy-styles.js";
import { PageElement } from "./page-element.js";
import { pageStyles } from "./page-styles.js";
import "../policy/policy-replay.js";
import "../policy/suggested-rule.js";
import "../policy/what-if.js";

/** @import { ListedRule, LogEvent, PolicyInForce, PolicyRules, RuleHits, Suggestions } from "../types.d.ts" */

const DAY = 86_400_000;
const SPAN = 30;

/** How many rules are shown before a button shows all, and how many past policies. */
const FIRST_RULES = 50;
const MOST_POLICIES = 20;

/** A rule's name in its own file. @param {ListedRule} rule */
const plainName = ({ rule, file }) => (file && rule.startsWith(`${file}: `) ? rule.slice(file.length + 2) : rule);

export class PolicyPage extends PageElement {
  static properties = {
    ...PageElement.properties,
    policy: { state: true },
    rules: { state: true },
    hits: { state: true },
    suggestions: { state: true },
    history: { state: true },
    problem: { state: true },
    notice: { state: true },
    showsAll: { state: true },
    removing: { state: true },
  };
  static styles = [baseStyles, pageStyles, policyStyles];

  constructor() {
    super();
    /** @type {PolicyInForce | null} */
    this.policy = null;
    /** @type {PolicyRules | null} */
    this.rules = null;
    /** @type {RuleHits[] | null} */
    this.hits = null;
    /** @type {Suggestions | null} */
    this.suggestions = null;
    /** The logged policies, the newest first. @type {LogEvent[]} */
    this.history = [];
    this.problem = "";
    this.notice = "";
    this.showsAll = false;
    /** The managed rule whose removal waits for a confirmation, by name. */
    this.removing = "";
  }

  #handleEvent = (/** @type {Event} */ event) => {
    if (/** @type {CustomEvent<LogEvent>} */ (event).detail.type === "POLICY_SET") void this.#load();
  };

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.app.feed.addEventListener("log-event", this.#handleEvent);
    this.#load().then(() => this.#openTarget(), () => {});
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.app.feed.removeEventListener("log-event", this.#handleEvent);
  }

  /** Scrolls to the section that the address names. */
  async #openTarget() {
    await this.updateComplete;
    if (location.hash) this.renderRoot.querySelector(`section[aria-labelledby="${CSS.escape(location.hash.slice(1))}"]`)?.scrollIntoView();
  }

  async #load() {
    const { client } = this.app;
    const since = new Date(Date.now() - SPAN * DAY).toISOString();
    try {
      [this.policy, this.rules] = await Promise.all([client.request("GET", "/v1/policy"), client.request("GET", "/v1/policy/rules")]);
      this.problem = "";
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
      return;
    }
    // A credential for some threads may read the policy, and no counts of all threads.
    const orNull = (/** @type {Promise<any>} */ answer) => answer.catch(() => null);
    const counted = orNull(countCalls(client, `since=${since}`, (stats) => {
      this.hits = stats.rules ?? [];
      return this.isConnected;
    }));
    this.suggestions = await orNull(client.request("GET", `/v1/policy/suggestions?since=${since}`));
    await counted;
    this.history = await this.#readHistory().catch(() => []);
  }

  /** The API lists policies from the first on, and each event has the whole text. */
  async #readHistory() {
    /** @type {LogEvent[]} */
    let found = [];
    for (let after = 0; ; ) {
      const page = await this.app.client.request("GET", `/v1/policy/history?limit=20&after=${after}`);
      found = [...found, ...page.events].slice(-MOST_POLICIES);
      if (page.next === null) return found.reverse();
      after = page.next;
    }
  }

  /** @override */
  render() {
    return html`<div class="page">
      <header class="page-header"><h1>Policy</h1></header>
      ${this.problem ? html`<p class="problem" role="alert">${renderText(this.problem)}</p>` : nothing}
      <p class="visually-hidden" role="status">${this.notice}</p>
      ${this.policy && this.rules ? this.#renderPolicy(this.policy, this.rules) : this.problem ? nothing : html`<p class="muted" aria-busy="true">Loading…</p>`}
    </div>`;
  }

  /** @param {PolicyInForce} policy @param {PolicyRules} rules */
  #renderPolicy(policy, rules) {
    return html`
      ${rules.trouble ? html`<div class="trouble" role="alert"><strong>The policy file of this server is not active.</strong> ${renderText(rules.trouble)}</div>` : nothing}
      ${this.#renderFacts(policy)} ${this.#renderRules(rules)} ${this.#renderSuggestions(policy)}
      <what-if-box .client=${this.app.client} class="panel"></what-if-box>
      <policy-replay .client=${this.app.client} .policy=${policy} class="panel"></policy-replay>
      ${this.#renderHistory()} ${this.#renderTexts(policy)}`;
  }

  /** @param {PolicyInForce} policy */
  #renderFacts(policy) {
    const fact = (/** @type {string} */ name, /** @type {unknown} */ value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
    return html`<dl class="panel facts">
      ${fact("Active since", html`<time datetime=${policy.at}>${new Date(policy.at).toLocaleString()}</time>`)}
      ${fact("Applied by", renderText(nameOf(policy.principal)))}
      ${fact("From", renderText(policy.source))}
      ${fact("Event", String(policy.seq))}
      ${fact("SHA-256", html`<code title=${policy.hash}>${policy.hash.slice(0, 12)}…</code>`)}
    </dl>`;
  }

  /** @param {ListedRule | null} rule @param {(hit: RuleHits) => boolean} matches */
  #renderHits(rule, matches) {
    if (!this.hits) return html`<td class="hits muted">–</td>`;
    if (rule?.shadow) return html`<td class="hits muted">shadow</td>`;
    // A rule that blocks only asks about a call that it cannot read: such a call is no hit of the block.
    const count = (/** @type {(hit: RuleHits) => boolean} */ counts) => (this.hits ?? []).filter((hit) => matches(hit) && counts(hit)).reduce((sum, hit) => sum + hit.calls, 0);
    const calls = count(({ verdict }) => !rule || verdict === rule.verdict);
    const others = /** @type {Record<string, string>} */ ({ allow: "allowed", ask: "asked", block: "blocked" });
    const rest = Object.keys(others).filter((verdict) => rule && verdict !== rule.verdict).map((verdict) => ({ verdict, calls: count((hit) => hit.verdict === verdict) }));
    return html`<td class="hits ${calls === 0 ? "muted" : ""}">${calls.toLocaleString("en")}
      ${rest.map((other) => (other.calls > 0 ? html`<span class="where">${other.calls.toLocaleString("en")} ${others[other.verdict]}</span>` : nothing))}</td>`;
  }

  /** @param {PolicyRules} rules */
  #renderRules(rules) {
    const shown = this.showsAll ? rules.rules : rules.rules.slice(0, FIRST_RULES);
    const more = rules.rules.length - shown.length;
    return html`<section class="panel section" aria-labelledby="rules">
      <div class="section-head"><h2 id="rules">Active rules</h2><span class="muted note">The strictest rule that matches decides. Hits: calls of the last ${SPAN} days with the verdict of the rule, as recorded.</span></div>
      <table class="rules">
        <thead><tr><th scope="col">Verdict</th><th scope="col">Rule</th><th scope="col" class="hits">Hits</th></tr></thead>
        <tbody>
          ${shown.map((rule) => this.#renderRule(rule))}
          <tr><td>${this.#renderVerdict("ask")}</td><th scope="row">A tool that asks for itself, or has a dangerous name</th>${this.#renderHits(null, (hit) => hit.basis === "tool")}</tr>
          <tr><td>${this.#renderVerdict(rules.default)}</td><th scope="row">Everything else <span class="muted">(the default)</span></th>${this.#renderHits(null, (hit) => hit.basis === "default")}</tr>
        </tbody>
      </table>
      ${more > 0 ? html`<button @click=${() => (this.showsAll = true)}>Show ${more} more rules</button>` : nothing}
      ${rules.warnings.length > 0 ? html`<details class="warnings"><summary>${rules.warnings.length} ${rules.warnings.length === 1 ? "warning" : "warnings"}</summary><ul>${rules.warnings.map((text) => html`<li>${renderText(text)}</li>`)}</ul></details>` : nothing}
    </section>`;
  }

  /** @param {string} verdict */
  #renderVerdict(verdict) {
    const style = { allow: "allowed", ask: "unknown", block: "denied" }[verdict] ?? "";
    return html`<span class="badge ${style}">${verdict}</span>`;
  }

  /** @param {ListedRule} rule */
  #renderRule(rule) {
    const where = `${rule.file ?? "main file"}, line ${rule.line}`;
    return html`<tr>
      <td>${this.#renderVerdict(rule.verdict)}</td>
      <th scope="row"><span class="name">${renderText(plainName(rule))}</span>
        ${rule.managed ? html`<span class="badge">accepted</span>` : nothing}${rule.shadow ? html`<span class="badge">shadow</span>` : nothing}
        <span class="where">${rule.reason ? html`${renderText(rule.reason)} · ` : nothing}${renderText(rule.managed ? "managed layer" : where)}</span>
        ${rule.managed && this.canChangePolicy ? this.#renderRemoval(plainName(rule)) : nothing}</th>
      ${this.#renderHits(rule, (hit) => hit.rule === rule.rule && (!rule.zone || hit.verdict === rule.verdict))}
    </tr>`;
  }

  /** @param {string} name */
  #renderRemoval(name) {
    if (this.removing !== name) return html`<button class="quiet remove" @click=${() => (this.removing = name)} aria-label=${`Remove the rule ${escapeHidden(name)}`}>Remove…</button>`;
    return html`<span class="confirm"><button class="deny" @click=${() => this.#remove(name)}>Remove this rule</button>
      <button class="quiet" @click=${() => (this.removing = "")}>Keep it</button></span>`;
  }

  /** @param {string} name */
  async #remove(name) {
    this.removing = "";
    try {
      await this.app.client.request("POST", "/v1/policy/managed-rules/remove", { name, replaces: this.policy?.hash ?? "" });
      this.notice = "The rule was removed.";
      await this.#load();
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    }
  }

  /** @param {PolicyInForce} policy */
  #renderSuggestions(policy) {
    const { suggestions } = this;
    if (!suggestions) return nothing;
    const added = () => {
      this.notice = "The rule is active.";
      void this.#load();
    };
    return html`<section class="panel section" aria-labelledby="suggestions">
      <div class="section-head"><h2 id="suggestions">Suggested rules</h2><span class="muted note">From the decisions of the last ${SPAN} days. None allows a call that was ever denied.</span></div>
      ${suggestions.rules.length === 0 ? html`<p class="muted">No rule follows from them yet.</p>` : nothing}
      <ul class="suggestions">${suggestions.rules.map((rule) => html`<li><suggested-rule .client=${this.app.client} .rule=${rule} policy=${policy.hash}
        ?can-add=${this.canChangePolicy} @rule-added=${added} @policy-changed=${() => void this.#load()}></suggested-rule></li>`)}</ul>
      ${suggestions.rules.length > 0 && !this.canChangePolicy ? html`<p class="muted note">Only an admin may add rules.</p>` : nothing}
    </section>`;
  }

  #renderHistory() {
    if (this.history.length === 0) return nothing;
    return html`<section class="panel section" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol class="history">${this.history.map((event, at) => html`<li>
        <span class="event">${event.seq}</span>
        <span class="what">${renderText(String(event.data.source))} ${at === 0 ? html`<span class="badge allowed">active</span>` : nothing}</span>
        <span class="who">${renderText(nameOf(event.principal))} · <time datetime=${event.timestamp} title=${event.timestamp}>${describeAge(event.timestamp, Date.now())}</time></span>
      </li>`)}</ol>
      ${this.history.length === MOST_POLICIES ? html`<p class="muted note">The last ${MOST_POLICIES}. <code>countersign policy history</code> lists all, and <code>policy revert</code> returns to one.</p>` : nothing}
    </section>`;
  }

  /** @param {PolicyInForce} policy */
  #renderTexts(policy) {
    const files = [{ name: "main file", text: policy.text }, ...(policy.layers ?? [])];
    return html`<section class="panel section" aria-labelledby="texts"><h2 id="texts">Text</h2>
      ${files.map(({ name, text }) => html`<details><summary>${renderText(name)} <span class="muted">(${text.split("\n").length - 1} lines)</span></summary>
        <pre class="file" tabindex="0" aria-label=${name}>${text.split("\n").map((line, at) => html`<span class="row"><span class="number">${at + 1}</span><span>${renderText(line)}</span></span>`)}</pre></details>`)}
    </section>`;
  }
}

customElements.define("policy-page", PolicyPage);
