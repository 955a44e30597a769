// The keys of a call's card, which `watch` has, too. docs/keys.md lists them all, and a test of crates/tui compares.

/** @typedef {[string, string]} KeyText A key, and what it does. */

/** @type {KeyText[]} */
export const CARD_KEYS = [
  ["o o", "allow once: press twice"],
  ["d d", "deny: press twice"],
  ["s", "allow more, by a scope"],
  ["e", "edit the arguments"],
  ["a", "choose the level of the decision"],
  ["c", "write a comment"],
  ["f", "show all arguments"],
  ["j k", "scroll down, up"],
  ["Esc", "leave what is open"],
];

/** @type {KeyText[]} */
export const INBOX_KEYS = [
  ["n p", "next, previous call"],
  ...CARD_KEYS.slice(0, -1),
  ["u", "take back the last approval, until it has started"],
  ["x", "check the call, to decide several together"],
  ["S", "sort by age or risk"],
  ["r", "read the pending calls again"],
  ["/", "filter; Enter goes on to the calls"],
  ...CARD_KEYS.slice(-1),
];

/** How far a key scrolls, in pixels. */
const STEP = 80;

/** Scrolls what an element stands in, across shadow trees. @param {Element} element @param {number} direction */
export function scrollAround(element, direction) {
  for (let node = /** @type {Node | null} */ (element); node; node = node instanceof ShadowRoot ? node.host : node.parentNode) {
    if (!(node instanceof HTMLElement) || node.scrollHeight <= node.clientHeight) continue;
    if (!/auto|scroll/.test(getComputedStyle(node).overflowY)) continue;
    node.scrollBy({ top: direction * STEP });
    return;
  }
}
