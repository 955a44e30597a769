// The application: the navigation, the page that the address names, and what all pages share.

import { CountersignClient } from "./countersign.js";
import { html, nothing, render } from "./element.js";
import { InboxStore } from "./inbox-store.js";
import { describeRow } from "./inbox-list.js";
import { LogFeed } from "./log-feed.js";
import { PAGES } from "./pages/registry.js";
import { Router, findRoute } from "./shell/router.js";
import { DeviceNotifications } from "./shell/device.js";
import { Notifier } from "./shell/notifier.js";
import "./shell/command-palette.js";
import "./shell/key-help.js";
import "./shell/navigation.js";

/** @import { AppContext } from "./types.d.ts" */
/** @import { PageElement } from "./pages/page-element.js" */
/** @import { AppNavigation } from "./shell/navigation.js" */
/** @import { CommandPalette, PaletteCommand } from "./shell/command-palette.js" */
/** @import { KeyHelp } from "./shell/key-help.js" */

/** How long the key `g` waits for a page key, in milliseconds. */
const PREFIX = 1_500;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const navigation = /** @type {AppNavigation} */ (document.querySelector("app-navigation"));
const palette = /** @type {CommandPalette} */ (document.querySelector("command-palette"));
const help = /** @type {KeyHelp} */ (document.querySelector("key-help"));

const client = new CountersignClient();
const feed = new LogFeed(client);
const inbox = new InboxStore(client, undefined, feed);
/** @type {AppContext["navigate"]} */
const navigate = (path, options) => router.navigate(path, options);
/** @type {AppContext} */
const app = { client, feed, inbox, caller: null, notifier: new Notifier(inbox, navigate), device: new DeviceNotifications(client, (path) => navigate(path)), navigate };
const router = new Router((isLink) => void showPage(isLink));

/** The page that is open. @type {PageElement | null} */
let page = null;
let title = "";
/** How often a page was asked for. A visit that was overtaken by another, even to the same address, shows nothing. */
let visits = 0;
const openPage = () => page;

/** Shows a message instead of a page. @param {string} heading @param {string} text @param {[string, string] | null} link */
function showNotice(heading, text, link) {
  page = null;
  title = heading;
  main.replaceChildren();
  render(
    html`<div class="notice"><h1 tabindex="-1">${heading}</h1><p>${text}</p>${link ? html`<a href=${link[0]}>${link[1]}</a>` : nothing}</div>`,
    main.appendChild(document.createElement("div")),
  );
  showCount();
}

function showSignedOut() {
  const here = location.pathname + location.search;
  const path = here === "/" ? "/sign-in/" : `/sign-in/?to=${encodeURIComponent(here)}`;
  showNotice("You are signed out", "Sign in again to read and decide calls.", [path, "Sign in"]);
}

/** Shows the page that the address names. @param {boolean} isLink Whether a link or the history led here, not a load. */
async function showPage(isLink) {
  visits += 1;
  const visit = visits;
  if (feed.failure?.status === 401) return showSignedOut();
  const route = findRoute(location.pathname);
  navigation.current = route?.page.name ?? "";
  if (!route) return showNotice("There is no such page", location.pathname, ["/", "Open the inbox"]);
  try {
    await route.page.load();
  } catch {
    if (visit === visits) showNotice("The page cannot be loaded", "The server does not answer. Reload to try again.", null);
    return;
  }
  // Another link may have been opened meanwhile, or the session may have ended.
  if (visit !== visits) return;
  if (feed.failure?.status === 401) return showSignedOut();
  const name = `${route.page.name}-page`;
  const isSame = page?.localName === name;
  const shown = page?.localName === name ? page : /** @type {PageElement} */ (document.createElement(name));
  shown.app = app;
  shown.params = route.params;
  shown.query = new URLSearchParams(location.search);
  if (!isSame) title = route.page.title;
  if (shown !== page) main.replaceChildren(shown);
  page = shown;
  showCount();
  if (!isLink || isSame) return;
  main.scrollTop = 0;
  await shown.updateComplete;
  shown.focusHeading();
}

/** Shows how many calls are pending: in the title, in the navigation, and on the icon of installed applications. */
function showCount() {
  const count = app.inbox.pending.size;
  document.title = `${count > 0 ? `(${count}) ` : ""}${title ? `${title} · ` : ""}Countersign`;
  navigation.pending = count;
  navigation.connection = app.inbox.connection;
  const installed = /** @type {{ setAppBadge?: (count: number) => Promise<void> }} */ (navigator);
  installed.setAppBadge?.(count).catch(() => {});
}

/** @returns {PaletteCommand[]} */
function listCommands() {
  const open = (/** @type {string} */ path) => () => router.navigate(path);
  const pages = PAGES.filter(({ icon }) => icon).map(({ title, path, key }) => ({ title, hint: key ? `g ${key}` : "page", run: open(path) }));
  const { choices, write } = globalThis.countersignAppearance;
  const looks = Object.entries(choices).flatMap(([name, values]) =>
    values.map((value) => ({ title: `${name === "theme" ? "Theme" : "Density"}: ${value}`, hint: "look", run: () => write(name, value) })),
  );
  const calls = [...app.inbox.pending.values()].map((call) => ({
    title: `${call.name} ${describeRow(call)}`.slice(0, 200),
    hint: `${call.threadId} · ${call.id}`.slice(0, 60),
    run: open(`/calls/${encodeURIComponent(call.threadId)}/${encodeURIComponent(call.id)}`),
  }));
  return [
    ...pages,
    { title: "Keys", hint: "?", run: () => showKeys() },
    ...looks,
    { title: "The API", hint: "/docs", run: () => location.assign("/docs/") },
    ...(PAGES.some(({ name }) => name === "call") ? calls : []),
  ];
}

function showKeys() {
  const keys = page ? /** @type {typeof PageElement} */ (page.constructor).keys : [];
  void help.open(PAGES.find(({ name }) => `${name}-page` === page?.localName)?.title ?? "", keys);
}

/** When `g` was pressed, by `performance.now`. */
let prefixedAt = -PREFIX;

/** @param {KeyboardEvent} event */
function handleKey(event) {
  const dialog = [palette, help].find(({ isOpen }) => isOpen);
  const isPaletteKey = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (isPaletteKey) {
    event.preventDefault();
    if (dialog) dialog.close();
    if (dialog !== palette) void palette.open(listCommands());
    event.stopImmediatePropagation();
    return;
  }
  if (dialog) {
    // No key may reach the page behind a dialog: it could decide a call there.
    if (!event.composedPath().includes(dialog)) event.stopImmediatePropagation();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const now = performance.now();
  const isPrefixed = now - prefixedAt < PREFIX;
  prefixedAt = -PREFIX;
  if (event.key === "?") showKeys();
  else if (isPrefixed) {
    const target = PAGES.find(({ key }) => key === event.key);
    if (target) router.navigate(target.path);
  } else if (event.key === "g") prefixedAt = now;
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Returns true if the key goes into a field. @param {KeyboardEvent} event */
function isTyping(event) {
  const target = event.composedPath()[0];
  // A field in a dialog that was just closed keeps the focus until the next frame.
  return target instanceof HTMLElement && target.checkVisibility() && target.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

// A dialog handles its keys itself; no page behind it gets them.
for (const dialog of [palette, help]) dialog.addEventListener("keydown", (event) => event.stopPropagation());
window.addEventListener("keydown", handleKey, { capture: true });
navigation.addEventListener("open-palette", () => void palette.open(listCommands()));
document.addEventListener("page-title", (event) => {
  title = /** @type {CustomEvent<string>} */ (event).detail;
  showCount();
});
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  if (page) page.focusHeading();
  else main.focus();
});

app.inbox.addEventListener("change", showCount);
feed.addEventListener("state", () => {
  if (feed.failure?.status === 401) showSignedOut();
});
app.inbox.open();
void feed.open();
router.start();
try {
  app.caller = await client.caller();
  navigation.caller = app.caller;
  // A page that was opened before learns who looks at it.
  openPage()?.requestUpdate();
  await app.device.start(app.caller);
} catch {
  // The feed reports why nothing can be read.
}
