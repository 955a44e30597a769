// <list-controls>: how the list of pending calls is sorted and grouped, and what it is narrowed to.

import { CountersignElement, css, html, nothing } from "./element.js";
import { baseStyles } from "./element-styles.js";
import { escapeHidden } from "./hidden-text.js";
import { MANY, readFilter } from "./inbox-list.js";
import { nameOf } from "./times.js";

/** @import { Call } from "./types.d.ts" */

const styles = css`
  :host { display: flex; flex-wrap: wrap; gap: 6px; }
  label { display: grid; gap: 1px; font-size: 11px; color: var(--cs-muted); flex: 1 1 62px; min-width: 0; }
  select { min-height: 30px; padding: 2px 4px; font-size: 13px; color: var(--cs-text); text-overflow: ellipsis; }
  select.set { border-color: var(--cs-accent); color: var(--cs-accent); }
  @media (max-width: 760px) { select { min-height: 44px; } }
`;

const RISKS = ["critical", "high", "medium", "low"];

/** The parts of the filter that have a list of choices. @type {[("tool" | "agent" | "risk"), string][]} */
const PARTS = [["tool", "Tool"], ["agent", "Agent"], ["risk", "Risk"]];

export class ListControls extends CountersignElement {
  static properties = {
    calls: { attribute: false },
    filter: { type: String },
    order: { type: String },
    group: { type: String },
  };
  static styles = [baseStyles, styles];

  constructor() {
    super();
    /** All pending calls. @type {Call[]} */
    this.calls = [];
    this.filter = "";
    /** @type {"oldest" | "risk"} */
    this.order = "oldest";
    /** @type {import("./inbox-list.js").Grouping} */
    this.group = "";
  }

  /** @override */
  render() {
    const filter = readFilter(this.filter);
    return html`
      ${this.#renderSelect("Sort", this.order, [["oldest", "Age"], ["risk", "Risk"]], "oldest", (value) => this.emit("sort-list", value))}
      ${this.calls.length > MANY || this.group
        ? this.#renderSelect("Group", this.group, [["", "None"], ["thread", "By thread"], ["agent", "By agent"], ["tool", "By tool"]], "", (value) => this.emit("group-list", value))
        : nothing}
      ${PARTS.map(([part, label]) => {
        const choices = this.#choices(part, filter[part]);
        // Nothing can be narrowed to the only choice.
        const isUseful = filter[part] !== "" || choices.length > 2 || (part === "risk" && choices.length > 1 && this.calls.length > 1);
        return isUseful ? this.#renderSelect(label, filter[part], choices, "", (value) => this.#narrow(part, value)) : nothing;
      })}
    `;
  }

  /** What the pending calls offer, and what is chosen. @param {"tool" | "agent" | "risk"} part @param {string} chosen @returns {[string, string][]} */
  #choices(part, chosen) {
    const read = (/** @type {Call} */ { name, proposal, impact }) => ({ tool: name, agent: nameOf(proposal.principal), risk: impact?.riskLevel ?? "" })[part];
    const found = new Set(this.calls.map((call) => read(call).toLowerCase()).filter((text) => text !== "" && !/\s/.test(text)));
    if (chosen) found.add(chosen);
    const order = (/** @type {string} */ text) => (part === "risk" ? RISKS.indexOf(text) : 0);
    const sorted = [...found].sort((a, b) => order(a) - order(b) || a.localeCompare(b)).slice(0, 100);
    return [["", "Any"], ...sorted.map((text) => /** @type {[string, string]} */ ([text, escapeHidden(text)]))];
  }

  /** @param {string} label @param {string} value @param {[string, string][]} choices @param {string} preset @param {(value: string) => void} choose */
  #renderSelect(label, value, choices, preset, choose) {
    const change = (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value);
    return html`<label>${label}<select aria-label=${label} class=${value === preset ? "" : "set"} @change=${change}>
      ${choices.map(([name, text]) => html`<option value=${name} .selected=${name === value}>${text}</option>`)}
    </select></label>`;
  }

  /** Puts the choice into the filter's text. @param {string} part @param {string} value */
  #narrow(part, value) {
    const others = this.filter.split(/\s+/).filter((word) => word && !word.toLowerCase().startsWith(`${part}:`));
    this.emit("filter-list", [...others, ...(value ? [`${part}:${value}`] : [])].join(" "));
  }
}

customElements.define("list-controls", ListControls);
