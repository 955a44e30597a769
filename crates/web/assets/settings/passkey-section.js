// <passkey-section>: the keys that prove a signed-in person's decisions.

import { html, repeat } from "../element.js";
import { renderText } from "../hidden-text.js";
import { addPasskey, listKeys, passkeyTrouble } from "../passkeys.js";
import { SettingsSection } from "./section-element.js";

/** @import { ApproverKey } from "../types.d.ts" */

/** @param {ApproverKey} key */
const describeKind = (key) => (key.kind === "ssh" ? "SSH key" : "passkey");

export class PasskeySection extends SettingsSection {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { keys: { state: true } };

  constructor() {
    super();
    /** @type {ApproverKey[]} */
    this.keys = [];
  }

  get #person() {
    return this.app.caller?.person ?? "";
  }

  /** @override */
  async load() {
    this.keys = (await listKeys(this.app.client, this.#person)).keys;
  }

  /** @override */
  render() {
    return html`<section aria-labelledby="passkeys">
      <h2 id="passkeys">Keys that prove your decisions</h2>
      <p class="lead">Where a rule asks for a proof, a passkey signs your approval. It also signs you in. Add an SSH key with
        <code>countersign approver-key add</code>.</p>
      <ul id="key-list">
        ${repeat(this.keys, ({ id }) => id, (key) => html`<li>
          <span class="text"><strong>${renderText(key.name || describeKind(key))}</strong><span>${describeKind(key)} ${key.id}, added ${key.addedAt.slice(0, 10)}</span></span>
          ${this.renderRemoval({ id: key.id, verb: "Remove", name: key.name || describeKind(key), note: "Its earlier proofs stay valid." }, () => this.#remove(key))}</li>`)}
      </ul>
      <form id="add-passkey" @submit=${(/** @type {SubmitEvent} */ event) => this.#add(event)}>
        <label>Name of a new passkey<input id="key-name" name="name" autocomplete="off" maxlength="64" placeholder="this laptop" /></label>
        <button class="main" ?disabled=${this.isBusy}>Add a passkey</button>
      </form>
      ${this.renderMessage()}
    </section>`;
  }

  /** @param {ApproverKey} key */
  async #remove(key) {
    await this.app.client.request("POST", `/v1/approver-keys/${encodeURIComponent(key.id)}/remove`, {});
    await this.load();
  }

  /** @param {SubmitEvent} event */
  #add(event) {
    const { form, read } = this.readForm(event);
    void this.attempt(async () => {
      const trouble = passkeyTrouble();
      if (trouble) throw new Error(trouble);
      await addPasskey(this.app.client, this.#person, read("name"));
      form.reset();
      await this.load();
    });
  }
}

customElements.define("passkey-section", PasskeySection);
