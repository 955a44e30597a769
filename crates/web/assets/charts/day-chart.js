// <day-chart>: values of each day as bars or lines, and the same numbers as a table.

import { CountersignElement, css, html, nothing, svg } from "../element.js";
import { baseStyles } from "../element-styles.js";

/** The space around the drawing, in pixels: for the numbers at the left and the dates below. */
const LEFT = 44;
const BOTTOM = 22;
const TOP = 8;
const HEIGHT = 180;

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {string} style The class of its marks.
 * @property {(number | null)[]} values One for each day; null where there is none.
 */

const styles = css`
  :host { min-width: 0; }
  figure { margin: 0; display: grid; gap: 10px; }
  figcaption { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; }
  h2 { font-size: 14px; font-weight: 650; margin-right: auto; }
  .legend { display: flex; flex-wrap: wrap; gap: 4px 14px; font-size: 12px; color: var(--cs-muted); }
  .legend span { display: inline-flex; align-items: center; gap: 6px; }
  .swatch { width: 10px; height: 10px; border-radius: 3px; background: var(--mark); }
  .line-swatch { width: 14px; height: 0; border-top: 2px solid var(--mark); }
  .line-swatch.second { border-top-style: dashed; }
  svg { display: block; width: 100%; height: 180px; overflow: visible; }
  text { fill: var(--cs-muted); font: 11px var(--cs-font, system-ui, sans-serif); font-variant-numeric: tabular-nums; }
  .grid { stroke: var(--cs-line); stroke-width: 1; shape-rendering: crispEdges; }
  rect.mark { fill: var(--mark); }
  path.mark { fill: none; stroke: var(--mark); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
  path.second { stroke-dasharray: 5 4; }
  circle.mark { fill: var(--mark); }
  .allow { --mark: var(--cs-allow); }
  .deny { --mark: var(--cs-deny); }
  .open { --mark: var(--cs-warn); }
  .accent { --mark: var(--cs-accent); }
  .second { --mark: var(--cs-muted); }
  .target { fill: transparent; }
  .target:hover { fill: var(--cs-hover); opacity: 0.6; }
  summary { cursor: pointer; font-size: 12px; color: var(--cs-muted); width: fit-content; }
  table { border-collapse: collapse; width: 100%; margin-top: 8px; font-size: 13px; font-variant-numeric: tabular-nums; }
  th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--cs-line); font-weight: 400; }
  thead th { color: var(--cs-muted); font-size: 12px; }
  th:first-child { text-align: left; white-space: nowrap; }
`;

/** An even number of at least `value`, so that the chart's upper and middle line have short numbers. @param {number} value */
function roundUp(value) {
  const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([2, 4, 6, 8, 10].find((step) => step * size >= value) ?? 10) * size;
}

export class DayChart extends CountersignElement {
  static properties = {
    label: { type: String },
    lines: { type: Boolean },
    days: { attribute: false },
    series: { attribute: false },
    format: { attribute: false },
    top: { type: Number },
    round: { attribute: false },
    width: { state: true },
  };
  static styles = [baseStyles, styles];

  #observer = new ResizeObserver(([entry]) => {
    if (entry) this.width = Math.round(entry.contentRect.width);
  });

  constructor() {
    super();
    this.label = "";
    this.lines = false;
    /** The dates. @type {string[]} */
    this.days = [];
    /** @type {Series[]} */
    this.series = [];
    /** Formats a value. @type {(value: number) => string} */
    this.format = String;
    /** The upper line's value; 0 for a round number above the highest value. */
    this.top = 0;
    /** The round number above a value. @type {(value: number) => number} */
    this.round = roundUp;
    this.width = 600;
  }

  /** @override */
  connectedCallback() {
    super.connectedCallback();
    this.#observer.observe(this);
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.#observer.disconnect();
  }

  /** @param {number} at */
  #sum(at) {
    return this.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);
  }

  get #highest() {
    if (this.top > 0) return this.top;
    const values = this.lines ? this.series.flatMap(({ values }) => values.map((value) => value ?? 0)) : this.days.map((_, at) => this.#sum(at));
    return this.round(Math.max(0, ...values));
  }

  /** @override */
  render() {
    const swatch = this.lines ? "line-swatch" : "swatch";
    return html`<figure>
      <figcaption>
        <h2>${this.label}</h2>
        <span class="legend">${this.series.map(({ name, style }) => html`<span><span class="${swatch} ${style}"></span>${name}</span>`)}</span>
      </figcaption>
      ${this.#renderDrawing()}
      <details><summary>Show as a table<span class="visually-hidden">: ${this.label}</span></summary>${this.#renderTable()}</details>
    </figure>`;
  }

  #renderDrawing() {
    const highest = this.#highest;
    const inner = HEIGHT - TOP - BOTTOM;
    const step = (this.width - LEFT) / Math.max(1, this.days.length);
    const place = { x: (/** @type {number} */ at) => LEFT + at * step, y: (/** @type {number} */ value) => TOP + inner * (1 - value / highest), step };
    const shown = [0, Math.floor((this.days.length - 1) / 2), this.days.length - 1].filter((at, n, all) => all.indexOf(at) === n);
    const anchors = ["start", "middle", "end"];
    return html`<svg role="img" aria-label=${this.#describe()} viewBox="0 0 ${this.width} ${HEIGHT}">
      ${[0, 0.5, 1].map((part) => svg`<line class="grid" x1=${LEFT} x2=${this.width} y1=${place.y(highest * part)} y2=${place.y(highest * part)}></line>
        <text x=${LEFT - 8} y=${place.y(highest * part) + 4} text-anchor="end">${this.format(highest * part)}</text>`)}
      ${this.days.map((day, at) => svg`<rect class="target" x=${place.x(at)} y=${TOP} width=${step} height=${inner}><title>${this.#describeDay(day, at)}</title></rect>`)}
      ${this.lines ? this.series.map((series) => this.#renderLine(series, place)) : this.days.map((_, at) => this.#renderBar(at, place))}
      ${shown.map((at, n) => svg`<text x=${n === 0 ? LEFT : n === shown.length - 1 ? this.width : place.x(at + 0.5)} y=${HEIGHT - 4} text-anchor=${shown.length === 1 ? "start" : anchors[n]}>${this.days[at]}</text>`)}
    </svg>`;
  }

  /** @param {number} at @param {{ x: (at: number) => number, y: (value: number) => number, step: number }} place */
  #renderBar(at, place) {
    let below = 0;
    const width = Math.max(1, Math.min(28, place.step * 0.7));
    const x = place.x(at) + (place.step - width) / 2;
    return this.series.map(({ style, values }) => {
      const value = values[at] ?? 0;
      if (value === 0) return nothing;
      const [from, to] = [below, below + value];
      below = to;
      const height = Math.max(1, place.y(from) - place.y(to) - (from > 0 ? 1 : 0));
      return svg`<rect class="mark ${style}" pointer-events="none" x=${x} y=${place.y(to)} width=${width} height=${height} rx=${Math.min(2, width / 2)}></rect>`;
    });
  }

  /** A line through the days with values. @param {Series} series @param {{ x: (at: number) => number, y: (value: number) => number }} place */
  #renderLine({ style, values }, place) {
    const points = values.flatMap((value, at) => (value === null ? [] : [[place.x(at + 0.5), place.y(Math.min(value, this.#highest))]]));
    const path = points.map(([x = 0, y = 0], n) => `${n ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const dots = points.length <= 31 ? points : [];
    return svg`<path class="mark ${style}" pointer-events="none" d=${path || "M0 0"}></path>
      ${dots.map(([x, y]) => svg`<circle class="mark ${style}" pointer-events="none" cx=${x} cy=${y} r="2.5"></circle>`)}`;
  }

  /** @param {string} day @param {number} at */
  #describeDay(day, at) {
    const text = (/** @type {Series} */ { name, values }) => {
      const value = values[at] ?? null;
      return `${name}: ${value === null ? "–" : this.format(value)}`;
    };
    return `${day}\n${this.series.map(text).join("\n")}`;
  }

  /** The chart in one sentence. The table has every number. */
  #describe() {
    const [first, last] = [this.days[0], this.days.at(-1)];
    return `${this.label}, ${first} to ${last}: ${this.series.map(({ name }) => name).join(", ")}. The table below has the numbers.`;
  }

  #renderTable() {
    const cell = (/** @type {number | null | undefined} */ value) => html`<td>${value === null || value === undefined ? "–" : this.format(value)}</td>`;
    const rows = this.days.map((day, at) => ({ day, at })).filter(({ at }) => this.series.some(({ values }) => values[at]));
    return html`<table>
      <thead><tr><th scope="col">Day</th>${this.series.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.reverse().map(({ day, at }) => html`<tr><th scope="row">${day}</th>${this.series.map(({ values }) => cell(values[at]))}</tr>`)}</tbody>
    </table>`;
  }
}

customElements.define("day-chart", DayChart);
