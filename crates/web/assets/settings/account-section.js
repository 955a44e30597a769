// <account-section>: who is signed in, appearance, and notifications.

import { html, nothing } from "../element.js";
import { renderText } from "../hidden-text.js";
import { nameOf } from "../times.js";
import { SettingsSection, describeMoment } from "./section-element.js";

export class AccountSection extends SettingsSection {
  /** @override */
  render() {
    return html`${this.#renderAccount()} ${this.#renderLook()} ${this.#renderNotifications()}`;
  }

  #renderAccount() {
    const { caller } = this.app;
    if (!caller) return nothing;
    const facts = [`Role ${caller.roles.join(", ")}`];
    if (caller.level) facts.push(`level ${caller.level}`);
    if (caller.groups?.length) facts.push(`groups ${caller.groups.join(", ")}`);
    facts.push(caller.threads?.length ? `threads ${caller.threads.join(", ")}` : "all threads");
    const leave = (/** @type {"/v1/sessions/current" | "/v1/sessions"} */ path) => () =>
      this.attempt(async () => {
        await this.app.device.forget();
        location.assign((await this.app.client.signOut(path)) ?? "/sign-in/");
      });
    return html`<section aria-labelledby="account">
      <h2 id="account">${renderText(nameOf(caller.person ?? caller.agent ?? ""))}</h2>
      <p class="lead">${renderText(`${facts.join(", ")}.`)} ${caller.expiresAt ? `Signed in until ${describeMoment(caller.expiresAt)}.` : nothing}</p>
      ${caller.solo
        ? html`<p class="note warning">The server runs with --solo: one person proposes and decides, and nobody signs in.</p>`
        : html`<div class="actions"><button ?disabled=${this.isBusy} @click=${leave("/v1/sessions/current")}>Sign out</button>
            <button class="quiet" ?disabled=${this.isBusy} @click=${leave("/v1/sessions")}>Sign out everywhere</button></div>`}
      ${this.renderMessage()}
    </section>`;
  }

  #renderLook() {
    const { choices, read, write } = globalThis.countersignAppearance;
    const change = (/** @type {string} */ name) => (/** @type {Event} */ event) => write(name, /** @type {HTMLSelectElement} */ (event.target).value);
    return html`<section aria-labelledby="look">
      <h2 id="look">Look</h2>
      <div class="choices">
        ${Object.entries(choices).map(([name, values]) => html`<label>${name === "theme" ? "Theme" : "Density"}
          <select @change=${change(name)}>${values.map((value) => html`<option value=${value} ?selected=${read(name) === value}>${value}</option>`)}</select></label>`)}
      </div>
    </section>`;
  }

  #renderNotifications() {
    const { notifier } = this.app;
    const text = {
      unsupported: "This browser has no notifications.",
      denied: "The browser forbids notifications for this site. Its settings can allow them.",
      off: "The browser can tell you of new calls while this page is open and not in front.",
      on: "The browser tells you of new calls while this page is open and not in front.",
    }[notifier.state];
    const set = (/** @type {boolean} */ isOn) => () => this.attempt(() => notifier.set(isOn).then(() => this.requestUpdate()));
    return html`<section aria-labelledby="notifications">
      <h2 id="notifications">Notifications</h2>
      <p class="lead">${text}</p>
      ${notifier.state === "off" ? html`<div class="actions"><button @click=${set(true)}>Notify me of new calls</button></div>` : nothing}
      ${notifier.state === "on" ? html`<div class="actions"><button @click=${set(false)}>Stop notifications</button></div>` : nothing}
    </section>`;
  }
}

customElements.define("account-section", AccountSection);
