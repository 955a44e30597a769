// <chat-section>: the chat accounts that decide for a person, and the link of another one.

import { html, nothing, repeat } from "../element.js";
import { renderText } from "../hidden-text.js";
import { nameOf } from "../times.js";
import { SettingsSection, describeMoment } from "./section-element.js";

/** @import { ChatAccount } from "../types.d.ts" */

/**
 * Reads which account a link code names. The server proves it when the account is linked.
 * @param {string | null | undefined} code
 * @returns {{ code: string, account: string, name: string } | null}
 */
export function readLinkCode(code) {
  try {
    const [claim = ""] = (code ?? "").split(".");
    const bytes = Uint8Array.from(atob(claim.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const { a, n } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return code && typeof a === "string" && typeof n === "string" ? { code, account: a, name: n } : null;
  } catch {
    return null;
  }
}

export class ChatSection extends SettingsSection {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { accounts: { state: true }, offered: { state: true }, isUnreadable: { state: true } };

  constructor() {
    super();
    /** @type {ChatAccount[]} */
    this.accounts = [];
    const code = new URLSearchParams(location.search).get("chat");
    /** The account that a link from a chat names. */
    this.offered = readLinkCode(code);
    this.isUnreadable = code !== null && !this.offered;
  }

  /** @override */
  async load() {
    this.accounts = (await this.app.client.request("GET", "/v1/chat-accounts")).accounts;
  }

  /** @override */
  render() {
    return html`<section aria-labelledby="chats">
      <h2 id="chats">Chats</h2>
      <p class="lead">A chat account decides for you where the policy permits it. Press a button of a message in the chat, and open the
        link that only you see there.</p>
      ${this.isUnreadable ? html`<p class="note" role="status">This link from a chat is not whole. Press the button in the chat again.</p>` : nothing}
      ${this.offered ? this.#renderOffer(this.offered) : nothing}
      ${this.renderMessage()}
      <ul aria-label="chat accounts">${repeat(this.accounts, ({ seq }) => seq, (account) => this.#renderAccount(account))}</ul>
    </section>`;
  }

  /** @param {{ code: string, account: string, name: string }} offered */
  #renderOffer({ code, account, name }) {
    const link = async () => {
      await this.app.client.request("POST", "/v1/chat-accounts", { code });
      this.#forgetOffer();
      await this.load();
    };
    return html`<div class="secret" role="group" aria-label="Link a chat account">
      <strong>Link the chat account ${renderText(name)} to you?</strong>
      <span>Whoever writes as <code>${renderText(account)}</code> then decides as ${renderText(nameOf(this.app.caller?.person ?? ""))}. Link it only if
        it is your own account, and you pressed a button in the chat just now.</span>
      <div class="actions"><button class="main" ?disabled=${this.isBusy} @click=${() => void this.attempt(link)}>Link this account</button>
        <button class="quiet" @click=${() => this.#forgetOffer()}>Do not link</button></div></div>`;
  }

  #forgetOffer() {
    this.offered = null;
    history.replaceState(history.state, "", location.pathname);
  }

  /** @param {ChatAccount} account */
  #renderAccount(account) {
    const facts = [account.chat ?? "removed chat", account.account, `since ${describeMoment(account.linkedAt)}`];
    if (account.person !== this.app.caller?.person) facts.unshift(nameOf(account.person));
    const unlink = async () => {
      await this.app.client.request("DELETE", `/v1/chat-accounts/${account.seq}`);
      await this.load();
    };
    return html`<li>
      <span class="text"><strong>${renderText(account.name)}</strong><span>${renderText(facts.join(", "))}</span>
        ${account.trouble ? html`<span class="problem">${renderText(account.trouble)}</span>` : nothing}</span>
      ${this.renderRemoval({ id: String(account.seq), verb: "Unlink", name: account.name, note: "It decides nothing from then on." }, unlink)}</li>`;
  }
}

customElements.define("chat-section", ChatSection);
