// Notices when the end of something was on the screen: a person may allow only what was shown whole.

/** The decision stays at the bottom of the window. What is below this line may be behind it. */
const BAR = 90;

/** Returns true if an element is on the screen and not behind the decision. @param {Element} element */
export function isOnScreen(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return element.getClientRects().length > 0 && top >= 0 && bottom <= window.innerHeight - BAR;
}

export class EndWatcher {
  #observer;
  /** @type {Map<Element, string>} */
  #keys = new Map();

  /** @param {(key: string) => void} seen Called once for each end, when it is on the screen. */
  constructor(seen) {
    this.seen = seen;
    this.#observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.#notice(target);
    }, { rootMargin: `0px 0px -${BAR}px 0px` });
  }

  /** Watches the end of what `key` names. An element that is watched already is left alone. @param {Element} end @param {string} key */
  watch(end, key) {
    if (this.#keys.get(end) === key) return;
    this.#observer.unobserve(end);
    this.#keys.set(end, key);
    this.#observer.observe(end);
  }

  close() {
    this.#observer.disconnect();
    this.#keys.clear();
  }

  /** @param {Element} end */
  #notice(end) {
    const key = this.#keys.get(end);
    this.#observer.unobserve(end);
    this.#keys.delete(end);
    if (key !== undefined) this.seen(key);
  }
}
