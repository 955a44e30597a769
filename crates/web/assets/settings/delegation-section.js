// <delegation-section>: who decides in whose place. A person hands their queue to another one, and ends that.

import { html, nothing, repeat } from "../element.js";
import { renderText } from "../hidden-text.js";
import { isAdmin, mayDecide } from "../caller.js";
import { nameOf } from "../times.js";
import { SettingsSection, describeMoment } from "./section-element.js";

/** @import { Delegation } from "../types.d.ts" */

export class DelegationSection extends SettingsSection {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { delegations: { state: true } };

  constructor() {
    super();
    /** @type {Delegation[]} */
    this.delegations = [];
  }

  /** @override */
  async load() {
    this.delegations = await this.app.client.delegations();
  }

  /** @override */
  render() {
    const { caller } = this.app;
    const [given, received] = [this.delegations.filter(({ from }) => from === caller?.person), this.delegations.filter(({ to }) => to === caller?.person)];
    const others = caller && isAdmin(caller) ? this.delegations.filter((one) => !given.includes(one) && !received.includes(one)) : [];
    return html`<section aria-labelledby="delegation">
      <h2 id="delegation">Delegation</h2>
      <p class="lead">While you are away, another person may decide in your place, up to their own level. The log and each decision name
        both of you. Nobody decides for you on what you or they have proposed.</p>
      ${caller && mayDecide(caller) ? this.#renderForm() : nothing}
      ${this.renderMessage()}
      ${this.#renderList("you handed over", given)} ${this.#renderList("handed to you", received)} ${this.#renderList("of other people", others)}
    </section>`;
  }

  #renderForm() {
    return html`<form id="hand-over" @submit=${(/** @type {SubmitEvent} */ event) => this.#handOver(event)}>
      <label>Who decides for you<input name="to" required maxlength="256" autocomplete="off" placeholder="ben" /></label>
      <label>Until<input name="until" type="datetime-local" required /></label>
      <label>Why (optional)<input name="comment" maxlength="1000" autocomplete="off" placeholder="on leave" /></label>
      <button class="main" ?disabled=${this.isBusy}>Hand over my queue</button>
    </form>`;
  }

  /** @param {string} label @param {Delegation[]} delegations */
  #renderList(label, delegations) {
    if (delegations.length === 0) return nothing;
    return html`<ul aria-label=${`delegations ${label}`}>${repeat(delegations, ({ seq }) => seq, (one) => this.#renderDelegation(one))}</ul>`;
  }

  /** @param {Delegation} delegation */
  #renderDelegation({ seq, from, to, until, comment }) {
    const name = `${nameOf(to)} for ${nameOf(from)}`;
    const end = async () => {
      await this.app.client.request("POST", `/v1/delegations/${seq}/end`, {});
      await this.load();
    };
    return html`<li>
      <span class="text"><strong>${renderText(`${nameOf(to)} decides for ${nameOf(from)}`)}</strong>
        <span>${renderText(`until ${describeMoment(until)}${comment ? `: ${comment}` : ""}`)}</span></span>
      ${this.renderRemoval({ id: String(seq), verb: "End", name, note: "Decisions that were made stay." }, end)}</li>`;
  }

  /** @param {SubmitEvent} event */
  #handOver(event) {
    const { form, read } = this.readForm(event);
    void this.attempt(async () => {
      const [name, comment] = [read("to"), read("comment")];
      const body = { to: name.includes(":") ? name : `user:${name}`, until: new Date(read("until")).toISOString(), ...(comment ? { comment } : {}) };
      await this.app.client.request("POST", "/v1/delegations", body);
      form.reset();
      await this.load();
    });
  }
}

customElements.define("delegation-section", DelegationSection);
