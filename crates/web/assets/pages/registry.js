// The application's pages: one line for each. A page is a custom element `NAME-page` in the module that `load` imports.

/**
 * @typedef {object} Page
 * @property {string} name The page name; its element is `NAME-page`.
 * @property {string} title The title for the window and for the link.
 * @property {string} path The path, where `{name}` is a part that the page gets in `params`.
 * @property {() => Promise<unknown>} load Imports the module.
 * @property {string} [icon] The icon's strokes, in a square of 24. Only a page with an icon is in the navigation.
 * @property {string} [key] The key that opens the page after `g`.
 * @property {string} [parent] The page whose link is marked while this one is open.
 */

/** @type {Page[]} In navigation order. */
export const PAGES = [
  { name: "inbox", title: "Inbox", path: "/", load: () => import("./inbox-page.js"), key: "i", icon: "M3 13h5l1.5 3h5L16 13h5M5.5 5h13L21 13v6H3v-6z" },
  { name: "threads", title: "Threads", path: "/threads/", load: () => import("./threads-page.js"), key: "t", icon: "M4 6h16M8 12h12M12 18h8M4 6v8a4 4 0 0 0 4 4" },
  { name: "history", title: "History", path: "/history", load: () => import("./history-page.js"), key: "h", icon: "M12 7v5l3.5 2M4.1 9.5A8.3 8.3 0 1 1 4 14M4 4.5v5h5" },
  { name: "insight", title: "Insight", path: "/insight", load: () => import("./insight-page.js"), key: "n", icon: "M4 4v16h16M8 16v-4M12 16V8M16 16v-6" },
  { name: "policy", title: "Policy", path: "/policy", load: () => import("./policy-page.js"), key: "p", icon: "M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6zM9 12l2 2 4-4" },
  { name: "settings", title: "Settings", path: "/settings", load: () => import("./settings-page.js"), key: "s", icon: "M4 7h8.5M17.5 7H20M4 17h2.5M11.5 17H20M15 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M9 14.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5" },
  { name: "thread", title: "Thread", path: "/threads/{thread}", load: () => import("./thread-page.js"), parent: "threads" },
  { name: "call", title: "Call", path: "/calls/{thread}/{id}", load: () => import("./call-page.js"), parent: "inbox" },
];
