// The base class for elements: reactive properties, and a template that is rendered into a shadow root.

import { ReactiveElement } from "./vendor/reactive-element/reactive-element.js";
import { html, nothing, render, svg } from "./vendor/lit-html/lit-html.js";

export { css } from "./vendor/reactive-element/reactive-element.js";
export { html, nothing, render, svg };
export { repeat } from "./vendor/lit-html/directives/repeat.js";

/** An element that renders a template of lit-html. Subclasses define `render`. */
export class CountersignElement extends ReactiveElement {
  /** @returns {unknown} */
  render() {
    return "";
  }

  /** @param {Map<PropertyKey, unknown>} changed @override */
  update(changed) {
    super.update(changed);
    render(this.render(), /** @type {ShadowRoot} */ (this.renderRoot), { host: this });
  }

  /** Emits an event that leaves the shadow tree. @param {string} name @param {unknown} [detail] */
  emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

/** The list row height from the design tokens, in pixels. @param {Element} element */
export function readRowHeight(element) {
  return Number.parseFloat(getComputedStyle(element).getPropertyValue("--cs-row")) || 64;
}
