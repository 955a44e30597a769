// The application's addresses: which page a path names, and moving between pages without loading the document again.

import { PAGES } from "../pages/registry.js";

/** @import { Page } from "../pages/registry.js" */

/** @typedef {{ page: Page, params: Record<string, string> }} Route */

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Finds the page for a path; null if there is none. @param {string} path @returns {Route | null} */
export function findRoute(path) {
  const parts = path.split("/");
  for (const page of PAGES) {
    const pattern = page.path.split("/");
    if (pattern.length !== parts.length) continue;
    /** @type {Record<string, string>} */
    const params = {};
    const isMatch = pattern.every((part, n) => {
      const text = parts[n] ?? "";
      if (!part.startsWith("{")) return part === text;
      params[part.slice(1, -1)] = decode(text);
      return text !== "";
    });
    if (isMatch) return { page, params };
  }
  return null;
}

/** The address behind a link to an application page, or null if the browser must handle the click. @param {MouseEvent} event */
function findLink(event) {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return null;
  if (link.origin !== location.origin || !findRoute(link.pathname)) return null;
  const isHere = link.pathname === location.pathname && link.search === location.search;
  return isHere && link.hash ? null : link.pathname + link.search;
}

/** Tells `show` about each address change. */
export class Router {
  /** @param {(isLink: boolean) => void} show Shows the page that the address names; `isLink` is false for the first page. */
  constructor(show) {
    this.show = show;
  }

  start() {
    document.addEventListener("click", (event) => {
      const path = findLink(event);
      if (path === null) return;
      event.preventDefault();
      this.navigate(path);
    });
    window.addEventListener("popstate", () => this.show(true));
    this.show(false);
  }

  /** @param {string} path @param {{ replace?: boolean }} [options] */
  navigate(path, { replace = false } = {}) {
    const isSame = path === location.pathname + location.search;
    if (replace || isSame) history.replaceState(null, "", path);
    else history.pushState(null, "", path);
    this.show(true);
  }
}
