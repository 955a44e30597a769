// The inbox as a page.

import { css, html, nothing } from "../element.js";
import { baseStyles } from "../element-styles.js";
import { PageElement } from "./page-element.js";
import { INBOX_KEYS } from "../card/keys.js";
import "../inbox-element.js";
import "../policy/daily-review.js";

const styles = css`
  :host { height: 100%; position: relative; display: flex; flex-direction: column; }
  daily-review { flex: none; }
  countersign-inbox { flex: 1; min-height: 0; }
  h1 { outline: none; }
`;

export class InboxPage extends PageElement {
  static styles = [baseStyles, styles];
  static keys = INBOX_KEYS;

  /** @override */
  render() {
    return html`<h1 class="visually-hidden">Pending calls</h1>
      ${this.canChangePolicy ? html`<daily-review .client=${this.app.client}></daily-review>` : nothing}
      <countersign-inbox .store=${this.app.inbox} .caller=${this.app.caller}></countersign-inbox>`;
  }
}

customElements.define("inbox-page", InboxPage);
