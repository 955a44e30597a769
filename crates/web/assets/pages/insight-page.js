// How often people are asked, what they answer, and which rules would save prompts.

import { countWords } from "../count-words.js";
import { css, html, nothing, svg } from "../element.js";
import { argumentStyles, baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { renderFirstCall } from "../first-call.js";
import { countCalls } from "../statistics.js";
import { PageElement } from "./page-element.js";
import { pageStyles } from "./page-styles.js";
import { describeEvidence, shortName } from "../policy/suggested-rule.js";
import "../charts/advisor-section.js";
import "../charts/day-chart.js";

/** @import { CallCounts, DayCounts, Statistics, Suggestions } from "../types.d.ts" */

const DAY = 86_400_000;
const SPANS = [7, 30, 90];

/** The most rows in a table. */
const MOST_ROWS = 12;

/** From this share of allowed prompts on, and this number of them, the page says that people are asked too often. */
const TOO_OFTEN = 0.9;
const ENOUGH = 20;

const styles = css`
  .spans { display: inline-flex; border: 1px solid var(--cs-line-strong); border-radius: var(--cs-radius-small); overflow: hidden; }
  .spans button { border: 0; border-radius: 0; min-height: 32px; }
  .spans button[aria-pressed="true"] { background: var(--cs-accent-ground); color: var(--cs-accent); font-weight: 600; }
  .spans button:focus-visible { outline-offset: -2px; }
  .tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 12px; }
  .tile { padding: 14px 16px; display: grid; gap: 2px; align-content: start; }
  .tile dt { font-size: 13px; color: var(--cs-muted); }
  .tile dd { font-size: 26px; line-height: 1.25; font-weight: 650; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
  .tile .more { font-size: 12px; font-weight: 400; letter-spacing: 0; line-height: 1.45; color: var(--cs-muted); }
  .advice { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; padding: 12px 16px; background: var(--cs-warn-ground); border: 1px solid transparent; border-radius: var(--cs-radius); }
  .advice strong { color: var(--cs-warn); }
  .advice p { flex: 1 1 320px; min-width: 0; }
  .charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
  .chart { padding: 16px; min-width: 0; }
  .chart.wide { grid-column: 1 / -1; }
  .section { padding: 16px; display: grid; gap: 12px; }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
  th, td { text-align: right; padding: 7px 8px; border-bottom: 1px solid var(--cs-line); font-weight: 400; }
  tbody tr:last-child > * { border-bottom: 0; }
  thead th { font-size: 12px; color: var(--cs-muted); }
  th:first-child { text-align: left; padding-left: 0; overflow-wrap: anywhere; }
  td:last-child, th:last-child { padding-right: 0; }
  .tool { max-width: 320px; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
  .bar { display: flex; height: 6px; margin-top: 5px; border-radius: 3px; overflow: hidden; gap: 1px; }
  .bar svg { display: block; width: 100%; height: 6px; }
  .allow { fill: var(--cs-allow); } .deny { fill: var(--cs-deny); } .open { fill: var(--cs-warn); }
  .rules { list-style: none; display: grid; }
  .rules li { display: grid; gap: 2px; padding: 10px 0; border-bottom: 1px solid var(--cs-line); }
  .rules li:last-child { border-bottom: 0; padding-bottom: 0; }
  .rules .line { display: flex; gap: 12px; align-items: baseline; }
  .rules strong { font-weight: 600; min-width: 0; overflow-wrap: anywhere; }
  .rules .saves { margin-left: auto; white-space: nowrap; color: var(--cs-allow); font-weight: 600; }
  .loading { opacity: 0.55; }
  advisor-section[empty] { display: none; }
  @media (max-width: 860px) {
    .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
    .charts { grid-template-columns: minmax(0, 1fr); }
  }
  @media (max-width: 560px) {
    .tile dd { font-size: 22px; }
    .minor { display: none; }
    .tiles { gap: 8px; }
    .tile { padding: 12px; }
  }
`;

/** The minutes east of UTC of this browser now. */
const offset = () => -new Date().getTimezoneOffset();

/** An offset such as UTC+02:00. @param {number} minutes */
function nameOffset(minutes) {
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "−" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

/** A time to decide in a short form. @param {number} milliseconds */
export function describeTime(milliseconds) {
  const seconds = milliseconds / 1_000;
  if (seconds === 0) return "0";
  if (seconds < 1) return `${Math.round(milliseconds)} ms`;
  if (seconds < 90) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 360) / 10} h` : `${Math.round(seconds / 8_640) / 10} d`;
}

/** The times at the chart's upper line, in milliseconds; half of each is short, too. */
const TIMES = [100, 1_000, 2_000, 4_000, 10_000, 20_000, 40_000, 60_000, 120_000, 240_000, 600_000, 1_200_000, 3_600_000, 7_200_000, 14_400_000, 43_200_000, 86_400_000, 172_800_000, 864_000_000];

/** @param {number} milliseconds */
const roundTime = (milliseconds) => TIMES.find((time) => time >= milliseconds) ?? milliseconds;

/** The share of decided prompts that were allowed; null without any. @param {CallCounts} counts */
export function shareAllowed({ askedAllowed, askedDenied }) {
  const decided = askedAllowed + askedDenied;
  return decided > 0 ? askedAllowed / decided : null;
}

const percent = (/** @type {number} */ share) => `${Math.round(share * 100)} %`;

export class InsightPage extends PageElement {
  static properties = {
    ...PageElement.properties,
    span: { state: true },
    stats: { state: true },
    suggestions: { state: true },
    problem: { state: true },
    busy: { state: true },
    counting: { state: true },
  };
  static styles = [baseStyles, argumentStyles, pageStyles, styles];

  constructor() {
    super();
    /** How many days the time span covers. */
    this.span = 30;
    /** @type {Statistics | null} */
    this.stats = null;
    /** @type {Suggestions | null} */
    this.suggestions = null;
    this.problem = "";
    this.busy = false;
    /** True while earlier calls are not counted yet. */
    this.counting = false;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    const days = Number(this.query.get("days"));
    if (SPANS.includes(days)) this.span = days;
    void this.#load();
  }

  /** The first day of the span, at midnight of this browser. */
  get #since() {
    const today = Math.floor((Date.now() + offset() * 60_000) / DAY);
    return new Date((today - this.span + 1) * DAY - offset() * 60_000).toISOString();
  }

  async #load() {
    const { client } = this.app;
    const span = this.span;
    this.busy = true;
    this.problem = "";
    try {
      await countCalls(client, `since=${this.#since}&touched=true&utcOffsetMinutes=${offset()}`, (stats, isComplete) => {
        if (span !== this.span || !this.isConnected) return false;
        this.stats = stats;
        this.counting = !isComplete;
        return true;
      });
      if (span !== this.span) return;
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    } finally {
      this.busy = false;
    }
    // A person who may not read the policy sees the page without savings.
    this.suggestions = await client.request("GET", `/v1/policy/suggestions?since=${this.#since}`).catch(() => null);
  }

  /** @param {number} span */
  #choose(span) {
    if (this.span === span) return;
    this.span = span;
    this.app.navigate(`/insight?days=${span}`, { replace: true });
    void this.#load();
  }

  /** Every day in the span, also those without calls. @returns {{ date: string, counts: DayCounts | undefined }[]} */
  get #days() {
    const found = new Map(this.stats?.days?.map((day) => [day.date, day]));
    const today = Math.floor((Date.now() + offset() * 60_000) / DAY);
    return Array.from({ length: this.span }, (_, at) => {
      const date = new Date((today - this.span + 1 + at) * DAY).toISOString().slice(0, 10);
      return { date, counts: found.get(date) };
    });
  }

  /** @override */
  render() {
    return html`<div class="page">
      <header class="page-header">
        <h1>Insight</h1>
        <span class="muted note">Days in ${nameOffset(offset())}</span>
        ${this.counting && this.stats ? html`<span class="muted note">Counting: ${this.stats.total.calls.toLocaleString("en")} calls so far</span>` : nothing}
        <div class="actions"><div class="spans" role="group" aria-label="Time span">
          ${SPANS.map((span) => html`<button aria-pressed=${span === this.span} @click=${() => this.#choose(span)}>${span} days</button>`)}
        </div></div>
      </header>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem} <button class="quiet" @click=${() => this.#load()}>Try again</button></p>` : nothing}
      ${this.stats ? this.#renderStats(this.stats) : this.problem ? nothing : html`<p class="muted" aria-busy="true">Counting…</p>`}
      <advisor-section .client=${this.app.client}></advisor-section>
    </div>`;
  }

  /** @param {Statistics} stats */
  #renderStats(stats) {
    if (stats.total.calls === 0 && !this.counting) {
      return html`<div class="panel empty"><h2>No calls in the last ${this.span} days</h2><p class="muted">Once agents propose calls, this page shows how often people are asked.</p>${renderFirstCall()}</div>`;
    }
    return html`<p class="visually-hidden" role="status">${this.counting ? "" : `${countWords(stats.total.asked, "prompt")} in ${countWords(this.span, "day")}`}</p>
      ${this.#renderTiles(stats.total)} ${this.#renderAdvice(stats.total)} ${this.#renderCharts()}
      ${this.#renderTools(stats)} ${this.#renderTouched(stats)} ${this.#renderSavings()}`;
  }

  /** @param {CallCounts} total */
  #renderTiles(total) {
    const share = shareAllowed(total);
    const time = total.timeToDecide;
    const tile = (/** @type {string} */ name, /** @type {string} */ value, /** @type {string} */ more) =>
      html`<div class="panel tile"><dt>${name}</dt><dd>${value}<div class="more">${more}</div></dd></div>`;
    const { answeredByAdvisors } = total;
    const rest = total.calls - total.asked - answeredByAdvisors;
    const byAdvisors = answeredByAdvisors > 0 ? `, ${answeredByAdvisors.toLocaleString("en")} answered by advisors` : "";
    return html`<dl class="tiles ${this.busy ? "loading" : ""}">
      ${tile("Prompts", total.asked.toLocaleString("en"), `${(total.asked / this.span).toFixed(total.asked < this.span * 10 ? 1 : 0)} a day; ${rest.toLocaleString("en")} more calls without asking${byAdvisors}`)}
      ${tile("Allowed", share === null ? "–" : percent(share), "of the prompts that people decided")}
      ${tile("Time to decide", time ? describeTime(time.medianMs) : "–", time ? `the median; 1 of 10 takes longer than ${describeTime(time.p90Ms)}` : "no decision yet")}
      ${tile("Not decided", total.notDecided.toLocaleString("en"), `${total.expired} expired, ${total.cancelled} withdrawn, ${total.waiting} pending now`)}
    </dl>`;
  }

  /** @param {CallCounts} total */
  #renderAdvice(total) {
    const share = shareAllowed(total);
    const decided = total.askedAllowed + total.askedDenied;
    if (share === null || share < TOO_OFTEN || decided < ENOUGH) return nothing;
    const saved = this.suggestions?.saved ?? 0;
    return html`<div class="advice">
      <p><strong>People allow ${Math.round(share * 100)} of 100 prompts.</strong> A gate that is nearly always opened asks too often: people stop reading what they allow.
        ${saved > 0 ? `The suggested rules would have saved ${saved} of ${total.asked} prompts.` : ""}</p>
      ${saved > 0 ? html`<a href="/policy#suggestions">Look at the rules</a>` : nothing}
    </div>`;
  }

  #renderCharts() {
    const days = this.#days;
    const dates = days.map(({ date }) => date);
    const values = (/** @type {(counts: DayCounts) => number | null} */ of) => days.map(({ counts }) => (counts ? of(counts) : null));
    const prompts = [
      { name: "Allowed", style: "allow", values: values((day) => day.askedAllowed) },
      { name: "Denied", style: "deny", values: values((day) => day.askedDenied) },
      { name: "Not decided", style: "open", values: values((day) => day.notDecided) },
    ];
    const shares = [{ name: "Share allowed", style: "accent", values: values(shareAllowed) }];
    const times = [
      { name: "Median", style: "accent", values: values((day) => day.timeToDecide?.medianMs ?? null) },
      { name: "90 of 100 are faster", style: "second", values: values((day) => day.timeToDecide?.p90Ms ?? null) },
    ];
    return html`<div class="charts ${this.busy ? "loading" : ""}">
      <div class="panel chart wide"><day-chart label="Prompts per day" .days=${dates} .series=${prompts}></day-chart></div>
      <div class="panel chart"><day-chart label="Share allowed" lines .top=${1} .format=${percent} .days=${dates} .series=${shares}></day-chart></div>
      <div class="panel chart"><day-chart label="Time to decide" lines .format=${describeTime} .round=${roundTime} .days=${dates} .series=${times}></day-chart></div>
    </div>`;
  }

  /** @param {Statistics} stats */
  #renderTools(stats) {
    const asked = stats.tools.filter((tool) => tool.asked > 0).slice(0, MOST_ROWS);
    const most = Math.max(1, ...asked.map((tool) => tool.asked));
    if (asked.length === 0) return nothing;
    const hidden = stats.tools.filter((tool) => tool.asked > 0).length - asked.length;
    return html`<section class="panel section" aria-labelledby="tools">
      <h2 id="tools">Tools that people are asked about</h2>
      <table>
        <thead><tr><th scope="col">Tool</th><th scope="col">Asked</th><th scope="col">Allowed</th><th scope="col">Denied</th><th scope="col">Not decided</th><th scope="col" class="minor">Median</th></tr></thead>
        <tbody>${asked.map((tool) => html`<tr>
          <th scope="row"><span class="tool">${renderText(tool.tool)}</span>${this.#renderBar(tool, most)}</th>
          <td>${tool.asked}</td><td>${tool.askedAllowed}</td><td>${tool.askedDenied}</td><td>${tool.notDecided}</td>
          <td class="minor">${tool.timeToDecide ? describeTime(tool.timeToDecide.medianMs) : "–"}</td></tr>`)}</tbody>
      </table>
      ${hidden > 0 ? html`<p class="muted note">${hidden} more tools: <code>countersign stats</code> lists all.</p>` : nothing}
    </section>`;
  }

  /** @param {Statistics} stats */
  #renderTouched({ touched = [] }) {
    if (touched.length === 0) return nothing;
    return html`<section class="panel section" aria-labelledby="touched">
      <h2 id="touched">What calls touch most</h2>
      <table>
        <thead><tr><th scope="col">Thing</th><th scope="col">Kind</th><th scope="col">Access</th><th scope="col">Calls</th></tr></thead>
        <tbody>${touched.slice(0, MOST_ROWS).map(({ kind, access, target, calls }) => html`<tr>
          <th scope="row">${renderText(target)}</th><td>${kind}</td><td>${access ?? "–"}</td><td>${calls}</td></tr>`)}</tbody>
      </table>
      ${touched.length > MOST_ROWS ? html`<p class="muted note">${touched.length - MOST_ROWS} more: <code>countersign stats --touched</code> lists 500.</p>` : nothing}
    </section>`;
  }

  /** @param {CallCounts} counts @param {number} most */
  #renderBar(counts, most) {
    const parts = [["allow", counts.askedAllowed], ["deny", counts.askedDenied], ["open", counts.notDecided]];
    let from = 0;
    const rects = parts.map(([style, value]) => {
      const x = from;
      from += (100 * Number(value)) / most;
      return svg`<rect class=${style} x=${x} y="0" width=${from - x} height="6"></rect>`;
    });
    return html`<div class="bar" aria-hidden="true"><svg viewBox="0 0 100 6" preserveAspectRatio="none">${rects}</svg></div>`;
  }

  #renderSavings() {
    const { suggestions } = this;
    if (!suggestions) return nothing;
    return html`<section class="panel section" aria-labelledby="savings">
      <h2 id="savings">Prompts that rules would save</h2>
      ${suggestions.rules.length === 0
        ? html`<p class="muted">No rule follows from the decisions of this time. A rule needs five similar calls that people allowed, and none that they denied.</p>`
        : html`<p class="muted">${suggestions.saved} of ${suggestions.prompts} prompts would have been saved by ${suggestions.rules.length === 1 ? "one rule" : `${suggestions.rules.length} rules`}. <a href="/policy#suggestions">Review them in the policy</a></p>
          <ul class="rules">${suggestions.rules.map((rule) => html`<li>
            <span class="line"><strong>${renderText(shortName(rule.name))}</strong><span class="saves">${rule.saves} prompts</span></span>
            <span class="muted note">${renderText(describeEvidence(rule))}</span></li>`)}</ul>`}
      ${suggestions.log.complete ? nothing : html`<p class="warning note">The log of this time is longer than one analysis reads; the numbers are of its last part.</p>`}
    </section>`;
  }
}

customElements.define("insight-page", InsightPage);
