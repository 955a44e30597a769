// The settings: who is signed in, the look, notifications, devices, keys; tokens and webhooks for admins.

import { css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { isAdmin, mayDecide } from "../caller.js";
import { PageElement } from "./page-element.js";
import { pageStyles } from "./page-styles.js";
import "../settings/account-section.js";
import "../settings/chat-section.js";
import "../settings/delegation-section.js";
import "../settings/device-section.js";
import "../settings/passkey-section.js";
import "../settings/token-section.js";
import "../settings/tool-section.js";
import "../settings/webhook-section.js";

const styles = css`
  .page { max-width: 820px; }
  account-section { display: grid; gap: 20px; }
`;

/** Approvers get notifications and hand over their queues, and admins end those of others. @param {string[]} roles */
const mayOwnDevices = (roles) => roles.includes("approver") || roles.includes("admin");

export class SettingsPage extends PageElement {
  static styles = [baseStyles, pageStyles, styles];

  /** Whether a link from a chat led here. What it asks comes first. */
  isLinking = new URLSearchParams(location.search).has("chat");

  /** @override */
  render() {
    const { caller } = this.app;
    const canChange = caller !== null && isAdmin(caller);
    const owns = caller !== null && Boolean(caller.person) && mayOwnDevices(caller.roles);
    const chats = html`<chat-section .app=${this.app}></chat-section>`;
    return html`<div class="page">
      <h1>Settings</h1>
      ${caller === null
        ? html`<p class="muted" role="status">Loading…</p>`
        : html`${this.isLinking && owns ? chats : nothing}<account-section .app=${this.app}></account-section>
            ${owns ? html`<device-section .app=${this.app}></device-section>${this.isLinking ? nothing : chats}` : nothing}
            ${caller.person && caller.roles.includes("approver") && !caller.solo ? html`<passkey-section .app=${this.app}></passkey-section>` : nothing}
            ${owns ? html`<delegation-section .app=${this.app}></delegation-section>` : nothing}
            ${mayDecide(caller) && !caller.threads?.length ? html`<tool-section .app=${this.app}></tool-section>` : nothing}
            ${canChange ? html`<token-section .app=${this.app}></token-section><webhook-section .app=${this.app}></webhook-section>` : nothing}
            ${canChange || caller.roles.includes("approver") ? nothing : html`<p class="muted">Keys belong to approvers, tokens and webhooks to admins.</p>`}`}
    </div>`;
  }
}

customElements.define("settings-page", SettingsPage);
