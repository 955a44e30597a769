// <tool-section>: the tools whose definition has changed, for approvers. A person reads the difference and accepts it.

import { html, nothing, repeat } from "../element.js";
import { argumentStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { renderDifferences } from "../arguments/arguments-view.js";
import { SettingsSection, describeMoment } from "./section-element.js";

/** @import { DefinitionDifference } from "../types.d.ts" */
/** @typedef {{ name: string, changed: boolean, changedHash?: string, changedAt?: string }} ToolView */
/** @typedef {{ definitionHash: string, redacted: boolean, changes?: DefinitionDifference[] }} DefinitionView */

export class ToolSection extends SettingsSection {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { tools: { state: true }, isLoaded: { state: true }, read: { state: true } };
  static styles = [...SettingsSection.styles, argumentStyles];

  constructor() {
    super();
    /** The tools that have changed. @type {ToolView[]} */
    this.tools = [];
    this.isLoaded = false;
    /** The changed definitions that were opened, by tool. @type {Record<string, DefinitionView>} */
    this.read = {};
  }

  /** @override */
  async load() {
    /** @type {ToolView[]} */
    const tools = [];
    for (let after = 0; after !== null; ) {
      const page = await this.app.client.request("GET", `/v1/tools?limit=1000&after=${after}`);
      tools.push(...page.tools.filter((/** @type {ToolView} */ tool) => tool.changed));
      after = page.next;
    }
    this.tools = tools;
    this.isLoaded = true;
  }

  /** @override */
  render() {
    return html`<section aria-labelledby="tools">
      <h2 id="tools">Tools that have changed</h2>
      <p class="lead">Earlier approvals do not answer calls of these tools until you accept what they say of themselves now.</p>
      ${this.renderMessage()}
      ${this.isLoaded && this.tools.length === 0 ? html`<p class="muted">No tool has changed.</p>` : nothing}
      <ul aria-label="tools">${repeat(this.tools, ({ name }) => name, (tool) => this.#renderTool(tool))}</ul>
    </section>`;
  }

  /** @param {ToolView} tool */
  #renderTool({ name, changedHash, changedAt }) {
    const path = `/v1/tools/${encodeURIComponent(name)}`;
    const open = async () => {
      const { definitions } = await this.app.client.request("GET", path);
      const changed = definitions.find((/** @type {DefinitionView} */ definition) => definition.definitionHash === changedHash);
      this.read = { ...this.read, [name]: changed };
    };
    // Exactly the definition that is on show is accepted.
    const accept = async (/** @type {string} */ definitionHash) => {
      await this.app.client.request("POST", `${path}/accept`, { definitionHash });
      await this.load();
    };
    const shown = this.read[name];
    return html`<li><span class="text"><strong>${renderText(name)}</strong><span>changed ${describeMoment(changedAt ?? "")}</span>
        ${shown?.changes?.length ? renderDifferences(shown.changes) : nothing}
        ${shown && !shown.changes?.length ? html`<span>The difference is not in the log; the definition is too large, or masked.</span>` : nothing}</span>
      ${shown
        ? html`<button class="main" aria-label=${`Accept the change of ${name}`} ?disabled=${this.isBusy} @click=${() => this.attempt(() => accept(shown.definitionHash))}>Accept</button>`
        : html`<button aria-label=${`Show the change of ${name}`} ?disabled=${this.isBusy} @click=${() => this.attempt(open)}>Show the change</button>`}</li>`;
  }
}

customElements.define("tool-section", ToolSection);
