// <webhook-section>: the log's webhooks, for admins.

import { html, nothing, repeat } from "../element.js";
import { renderText } from "../hidden-text.js";
import { SettingsSection, describeMoment, splitList } from "./section-element.js";

/** @typedef {{ name: string, format: string, host: string, topics?: string[], threads?: string[], arguments?: boolean, oldSecretUntil?: string, parkedCount: number }} WebhookView */

const TOPICS = ["opened", "reminded", "escalated", "voted", "decided", "expired", "outcome_unknown", "advised", "flagged", "mismatch", "advisor_mode"];

const FORMATS = ["standard", "slack", "teams", "discord", "ntfy", "pagerduty", "opsgenie", "jira", "slack-app", "telegram", "discord-app", "mattermost"];

export class WebhookSection extends SettingsSection {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { webhooks: { state: true }, secret: { state: true }, reports: { state: true } };

  constructor() {
    super();
    /** @type {WebhookView[]} */
    this.webhooks = [];
    /** The secret of the webhook that was added or got a new one last; it is shown once. */
    this.secret = "";
    /** The outcomes of tests, by name. @type {Record<string, { delivered: boolean, detail: string }>} */
    this.reports = {};
  }

  /** @override */
  async load() {
    this.webhooks = (await this.app.client.request("GET", "/v1/webhooks")).webhooks;
  }

  /** @override */
  render() {
    return html`<section aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <p class="lead">They tell chats and programs when a call needs people, when it was decided, and when an advisor has another mode.</p>
      <form @submit=${(/** @type {SubmitEvent} */ event) => this.#add(event)}>
        <label>Name<input name="name" required maxlength="64" autocomplete="off" placeholder="ops" /></label>
        <label>Address<input name="url" type="url" required autocomplete="off" placeholder="https://…" /></label>
        <label>Format<select name="format">${FORMATS.map((format) => html`<option>${format}</option>`)}</select></label>
        <label>Only threads<input name="threads" autocomplete="off" placeholder="ci/*" /></label>
        <details class="topics"><summary>Topics: all, unless you choose some</summary>
          <div class="choices">${TOPICS.map((topic) => html`<label class="check"><input type="checkbox" name="topics" value=${topic} />${topic.replace("_", " ")}</label>`)}</div></details>
        <label class="check"><input type="checkbox" name="private" />Allow a private address</label>
        <label class="check"><input type="checkbox" name="arguments" />Send the arguments of calls, with masked secrets</label>
        <button class="main" ?disabled=${this.isBusy}>Add a webhook</button>
      </form>
      ${this.secret
        ? html`<div class="secret" role="status"><strong>Copy the secret for checking signatures now. It is not shown again.</strong><code>${this.secret}</code>
            <div class="actions"><button class="quiet" @click=${() => (this.secret = "")}>Done</button></div></div>`
        : nothing}
      ${this.renderMessage()}
      <ul aria-label="webhooks">${repeat(this.webhooks, ({ name }) => name, (webhook) => this.#renderWebhook(webhook))}</ul>
    </section>`;
  }

  /** @param {WebhookView} webhook */
  #renderWebhook(webhook) {
    const facts = [webhook.format, webhook.host];
    if (webhook.topics?.length) facts.push(webhook.topics.join(", "));
    if (webhook.arguments) facts.push("with arguments");
    if (webhook.oldSecretUntil) facts.push(`the old secret signs until ${describeMoment(webhook.oldSecretUntil)}`);
    if (webhook.threads?.length) facts.push(`threads ${webhook.threads.join(", ")}`);
    const report = this.reports[webhook.name];
    const path = `/v1/webhooks/${encodeURIComponent(webhook.name)}`;
    const test = async () => {
      this.reports = { ...this.reports, [webhook.name]: await this.app.client.request("POST", `${path}/test`, {}) };
    };
    const rotate = async () => {
      this.secret = (await this.app.client.request("POST", `${path}/rotate`, {})).secret ?? "";
      await this.load();
    };
    const endOld = async () => {
      await this.app.client.request("DELETE", `${path}/old-secret`);
      await this.load();
    };
    const remove = async () => {
      await this.app.client.request("DELETE", path);
      await this.load();
    };
    return html`<li>
      <span class="text"><strong>${renderText(webhook.name)}</strong><span>${renderText(facts.join(", "))}</span>
        ${report ? html`<span role="status" class=${report.delivered ? "" : "problem"}>${renderText(report.delivered ? `Delivered: ${report.detail}` : `Not delivered: ${report.detail}`)}</span>` : nothing}</span>
      ${webhook.parkedCount ? html`<span class="badge medium">${webhook.parkedCount} parked</span>` : nothing}
      <button class="quiet" aria-label=${`Test ${webhook.name}`} @click=${() => this.attempt(test)}>Test</button>
      ${webhook.oldSecretUntil
        ? html`<button class="quiet" aria-label=${`End old secret of ${webhook.name}`} @click=${() => this.attempt(endOld)}>End old secret</button>`
        : webhook.format === "standard"
          ? html`<button class="quiet" aria-label=${`New secret for ${webhook.name}`} @click=${() => this.attempt(rotate)}>New secret</button>`
          : nothing}
      ${this.renderRemoval({ id: webhook.name, verb: "Remove", name: webhook.name, note: "No message is sent from then on." }, remove)}</li>`;
  }

  /** @param {SubmitEvent} event */
  #add(event) {
    const { form, read } = this.readForm(event);
    const topics = new FormData(form).getAll("topics");
    void this.attempt(async () => {
      const threads = splitList(read("threads"));
      const body = { name: read("name"), url: read("url"), format: read("format"), ...(topics.length ? { topics } : {}), ...(threads.length ? { threads } : {}), ...(read("private") ? { allowPrivate: true } : {}), ...(read("arguments") ? { arguments: true } : {}) };
      this.secret = (await this.app.client.request("POST", "/v1/webhooks", body)).secret ?? "";
      form.reset();
      await this.load();
    });
  }
}

customElements.define("webhook-section", WebhookSection);
