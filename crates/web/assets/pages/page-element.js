// The base class for the application's pages.

import { isAdmin, mayDecide } from "../caller.js";
import { CountersignElement } from "../element.js";

/** @import { AppContext } from "../types.d.ts" */

/**
 * A page. It renders one `h1`, to which the focus moves when the page is opened by a link.
 * `app` is set before the first rendering. A change of `params` or of `query` means another address for the same page.
 */
export class PageElement extends CountersignElement {
  /** @type {import("../vendor/reactive-element/reactive-element.js").PropertyDeclarations} */
  static properties = { app: { attribute: false }, params: { attribute: false }, query: { attribute: false } };

  /** The page's keys, for the help: pairs of keys and a description. @type {[string, string][]} */
  static keys = [];

  constructor() {
    super();
    /** @type {AppContext} */
    this.app = /** @type {any} */ (undefined);
    /** The path segments that `{name}` matched, decoded. @type {Record<string, string>} */
    this.params = {};
    /** The query parameters from the address. @type {URLSearchParams} */
    this.query = new URLSearchParams();
  }

  /** Whether the person may decide calls. */
  get canDecide() {
    const { caller } = this.app;
    return caller !== null && mayDecide(caller);
  }

  /** Whether the person may change the policy. */
  get canChangePolicy() {
    const { caller } = this.app;
    return caller !== null && isAdmin(caller);
  }

  /** Names the window, for example after a call. @param {string} title */
  setTitle(title) {
    this.emit("page-title", title);
  }

  focusHeading() {
    const heading = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector("h1"));
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
}
