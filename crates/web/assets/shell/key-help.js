// <key-help>: keys for the whole application and for the open page.

import { CountersignElement, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { PAGES } from "../pages/registry.js";
import { dialogStyles } from "./shell-styles.js";

/** @typedef {[string, string][]} KeyList */

export class KeyHelp extends CountersignElement {
  static properties = { pageTitle: { state: true }, pageKeys: { state: true } };
  static styles = [baseStyles, dialogStyles];

  constructor() {
    super();
    this.pageTitle = "";
    /** @type {KeyList} */
    this.pageKeys = [];
  }

  get #dialog() {
    return /** @type {HTMLDialogElement | null} */ (this.renderRoot.querySelector("dialog"));
  }

  get isOpen() {
    return this.#dialog?.open ?? false;
  }

  /** @param {string} title @param {KeyList} keys */
  async open(title, keys) {
    this.pageTitle = title;
    this.pageKeys = keys;
    await this.updateComplete;
    this.#dialog?.showModal();
  }

  close() {
    this.#dialog?.close();
  }

  /** @override */
  render() {
    const pages = PAGES.filter(({ key }) => key).map((page) => /** @type {[string, string]} */ ([`g ${page.key}`, `open ${page.title}`]));
    /** @type {KeyList} */
    const everywhere = [["Ctrl K", "command palette"], ["?", "these keys"], ...pages];
    return html`<dialog aria-labelledby="title" @click=${(/** @type {Event} */ event) => event.target === event.currentTarget && this.close()}>
      <div class="head"><h2 id="title">Keys</h2><button class="quiet" aria-label="Close" @click=${() => this.close()}>✕</button></div>
      <div class="help" tabindex="0" role="group" aria-label="list of keys">
        ${this.pageKeys.length ? this.#renderList(this.pageTitle, this.pageKeys) : nothing} ${this.#renderList("Everywhere", everywhere)}
      </div>
    </dialog>`;
  }

  /** @param {string} title @param {KeyList} keys */
  #renderList(title, keys) {
    return html`<section>
      <h3>${title}</h3>
      <dl>${keys.map(([key, text]) => html`<div><dt>${text}</dt><dd>${key.split(" ").map((part) => html`<kbd>${part}</kbd>`)}</dd></div>`)}</dl>
    </section>`;
  }
}

customElements.define("key-help", KeyHelp);
