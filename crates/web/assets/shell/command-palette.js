// <command-palette>: find a page, an action or a pending call by typing a part of its name.

import { CountersignElement, html } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { renderText } from "../hidden-text.js";
import { dialogStyles } from "./shell-styles.js";

/** @typedef {{ title: string, hint?: string, run: () => void }} PaletteCommand */

/** The commands that are listed at most. */
const MOST = 50;

export class CommandPalette extends CountersignElement {
  static properties = { commands: { state: true }, words: { state: true }, chosen: { state: true } };
  static styles = [baseStyles, dialogStyles];

  constructor() {
    super();
    /** @type {PaletteCommand[]} */
    this.commands = [];
    this.words = "";
    this.chosen = 0;
  }

  get #dialog() {
    return /** @type {HTMLDialogElement | null} */ (this.renderRoot.querySelector("dialog"));
  }

  get isOpen() {
    return this.#dialog?.open ?? false;
  }

  /** @param {PaletteCommand[]} commands */
  async open(commands) {
    this.commands = commands;
    this.words = "";
    this.chosen = 0;
    await this.updateComplete;
    this.#dialog?.showModal();
  }

  close() {
    this.#dialog?.close();
  }

  get #found() {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (/** @type {PaletteCommand} */ { title, hint = "" }) => `${title} ${hint}`.toLowerCase();
    return this.commands.filter((command) => words.every((word) => text(command).includes(word))).slice(0, MOST);
  }

  /** @override */
  render() {
    const found = this.#found;
    const search = (/** @type {Event} */ event) => {
      this.words = /** @type {HTMLInputElement} */ (event.target).value;
      this.chosen = 0;
    };
    return html`<dialog aria-label="Command palette" @keydown=${this.#handleKey} @click=${(/** @type {Event} */ event) => event.target === event.currentTarget && this.close()}>
      <input class="query" role="combobox" aria-expanded="true" aria-controls="options" aria-label="Find a page, a call or an action"
        aria-activedescendant=${found.length ? `option-${this.chosen}` : ""} placeholder="Find a page, a call or an action" autocomplete="off" spellcheck="false" .value=${this.words} @input=${search} />
      ${found.length
        ? html`<ul class="options" id="options" role="listbox" aria-label="results" tabindex="-1">
            ${found.map((command, n) => html`<li id=${`option-${n}`} role="option" aria-selected=${n === this.chosen}
              @mousemove=${() => (this.chosen = n)} @click=${() => this.#run(command)}>
              <strong>${renderText(command.title)}</strong><span class="hint">${renderText(command.hint ?? "")}</span></li>`)}
          </ul>`
        : html`<p class="empty muted" id="options" role="status">Nothing matches.</p>`}
    </dialog>`;
  }

  /** @param {PaletteCommand | undefined} command */
  #run(command) {
    this.close();
    command?.run();
  }

  #handleKey = (/** @type {KeyboardEvent} */ event) => {
    const found = this.#found;
    const move = (/** @type {number} */ to) => {
      this.chosen = (to + found.length) % Math.max(1, found.length);
      this.updateComplete.then(() => this.renderRoot.querySelector(`#option-${this.chosen}`)?.scrollIntoView({ block: "nearest" }));
    };
    if (event.key === "ArrowDown") move(this.chosen + 1);
    else if (event.key === "ArrowUp") move(this.chosen - 1);
    else if (event.key === "Enter") this.#run(found[this.chosen]);
    else return;
    event.preventDefault();
  };
}

customElements.define("command-palette", CommandPalette);
