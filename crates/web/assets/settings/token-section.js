// <token-section>: the log's tokens and links, for admins.

import { html, nothing, repeat } from "../element.js";
import { renderText } from "../hidden-text.js";
import { SettingsSection, describeMoment, splitList } from "./section-element.js";

/** @typedef {{ id: string, kind: string, principal: string, role: string, state: string, createdAt: string, expiresAt?: string | null, threads?: string[], level?: string | null }} TokenView */

/** The tokens that are read at once. */
const PAGE = 200;
const DAY = 86_400;

export class TokenSection extends SettingsSection {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { tokens: { state: true }, next: { state: true }, secret: { state: true } };

  constructor() {
    super();
    /** @type {TokenView[]} */
    this.tokens = [];
    /** @type {number | null} */
    this.next = null;
    /** The secret of the most recently created token; it is shown once. */
    this.secret = "";
  }

  /** @override */
  async load() {
    const page = await this.app.client.request("GET", `/v1/tokens?limit=${PAGE}`);
    this.tokens = page.tokens;
    this.next = page.next ?? null;
  }

  async #loadMore() {
    const page = await this.app.client.request("GET", `/v1/tokens?limit=${PAGE}&after=${this.next}`);
    this.tokens = [...this.tokens, ...page.tokens];
    this.next = page.next ?? null;
  }

  /** @override */
  render() {
    return html`<section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      <p class="lead">Each agent and each person without an identity provider has a token. A revoked token ends its sessions and streams.</p>
      <form @submit=${(/** @type {SubmitEvent} */ event) => this.#create(event)}>
        <label>Name<input name="name" required maxlength="100" autocomplete="off" placeholder="deploy-bot" /></label>
        <label>Role<select name="role"><option>agent</option><option>approver</option><option>auditor</option><option>admin</option></select></label>
        <label>Only threads<input name="threads" autocomplete="off" placeholder="ci/*, release-*" /></label>
        <label>Ends after<select name="days"><option value="">never</option><option value="7">7 days</option><option value="90">90 days</option><option value="365">a year</option></select></label>
        <button class="main" ?disabled=${this.isBusy}>Create a token</button>
      </form>
      ${this.secret
        ? html`<div class="secret" role="status"><strong>Copy the token now. It is not shown again.</strong><code>${this.secret}</code>
            <div class="actions"><button @click=${() => navigator.clipboard?.writeText(this.secret)}>Copy</button><button class="quiet" @click=${() => (this.secret = "")}>Done</button></div></div>`
        : nothing}
      ${this.renderMessage()}
      <ul aria-label="tokens">${repeat(this.tokens, ({ id }) => id, (token) => this.#renderToken(token))}</ul>
      ${this.next !== null ? html`<div><button @click=${() => this.attempt(() => this.#loadMore())}>Show more tokens</button></div>` : nothing}
    </section>`;
  }

  /** @param {TokenView} token */
  #renderToken(token) {
    const facts = [token.role, token.kind, `made ${describeMoment(token.createdAt)}`];
    if (token.expiresAt) facts.push(`ends ${describeMoment(token.expiresAt)}`);
    if (token.threads?.length) facts.push(`threads ${token.threads.join(", ")}`);
    const name = `the ${token.kind} of ${token.principal}`;
    return html`<li>
      <span class="text"><strong>${renderText(token.principal)}</strong><span>${renderText(facts.join(", "))}</span></span>
      ${this.renderRemoval({ id: token.id, verb: "Revoke", name, note: "It stops working at once." }, () => this.#revoke(token))}</li>`;
  }

  /** @param {SubmitEvent} event */
  #create(event) {
    const { form, read } = this.readForm(event);
    void this.attempt(async () => {
      const days = Number(read("days"));
      const threads = splitList(read("threads"));
      const body = {
        name: read("name"), role: read("role"),
        ...(threads.length ? { threads } : {}),
        ...(days ? { expiresInSeconds: days * DAY } : {}),
      };
      this.secret = (await this.app.client.request("POST", "/v1/tokens", body)).secret;
      form.reset();
      await this.load();
    });
  }

  /** @param {TokenView} token */
  async #revoke(token) {
    await this.app.client.request("POST", `/v1/tokens/${encodeURIComponent(token.id)}/revoke`, {});
    await this.load();
  }
}

customElements.define("token-section", TokenSection);
