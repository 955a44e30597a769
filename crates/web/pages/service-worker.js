// The service worker: it shows notifications of this server, and sends the decision that a person makes on one. It keeps no
// page and answers no request, so a page is always the one that the server has.

/** The version of the messages that this file reads. A newer message only leads to the inbox. */
const VERSION = 1;
/** Where the page leaves its session key and the device's settings. */
const SHARED = "countersign-device";
const SHARED_ADDRESS = "/device";
const PAGE_KEY = "countersign-page-key";
/** An action so soon after the notification came was perhaps meant for the one before, in milliseconds. */
const LOOK_FIRST = 1_000;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("push", (event) => event.waitUntil(receive(event.data)));
self.addEventListener("notificationclick", (event) => event.waitUntil(follow(event)));
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

async function receive(data) {
  let message = {};
  try {
    message = data.json();
  } catch {
    // A message of another version.
  }
  await self.navigator.setAppBadge?.(message.waiting ?? 0).catch(() => {});
  if (message.version === VERSION && message.kind === "withdraw") return withdraw(message);
  if (message.version === VERSION && message.kind === "ask") return ask(message);
  return show("Countersign", { body: "A call may wait for you.", tag: "countersign", data: { path: "/" } });
}

const tagOf = ({ thread }) => `thread/${thread}`;
const partsOf = ({ thread, call }) => [thread, call].map(encodeURIComponent);

async function ask(message) {
  const [thread, call] = partsOf(message);
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  // A person who looks at the page sees the call there.
  const silent = !message.alert || windows.some(({ focused }) => focused);
  // A call that waits for somebody who has handed over their queue is decided on its card.
  const actions = message.decide === false ? [] : [{ action: "deny", title: "Deny" }];
  if (message.allow) actions.push({ action: "allow", title: "Allow once" });
  const { argumentsHash } = message;
  const api = `/v1/threads/${thread}/approvals/${call}`;
  const data = { path: `/calls/${thread}/${call}`, api, argumentsHash, allow: message.allow, shownAt: Date.now() };
  await show(message.title, {
    body: message.body, tag: tagOf(message), data, actions, silent, renotify: !silent, requireInteraction: true,
  });
}

function show(title, options) {
  return self.registration.showNotification(title, { icon: "/assets/icon-512.png", badge: "/assets/icon-180.png", ...options });
}

/** Browsers want each message to show something, so the notification is replaced without a sound and closed. */
async function withdraw(message) {
  const tag = tagOf(message);
  const shown = await self.registration.getNotifications({ tag });
  if (shown.length > 0) await show("Decided", { tag, silent: true });
  for (const notification of await self.registration.getNotifications({ tag })) notification.close();
}

async function follow({ notification, action }) {
  const { data } = notification;
  notification.close();
  const isDecision = action === "deny" || (action === "allow" && data.allow);
  if (!isDecision || Date.now() - data.shownAt < LOOK_FIRST) return openPage(data.path);
  const why = await decide(data, action === "allow" ? "allow_once" : "deny");
  if (why) await show("Nothing was decided", { body: why, tag: notification.tag, data: { path: data.path }, requireInteraction: true });
}

/** Sends a decision about exactly the arguments that were shown. Returns why it was refused. */
async function decide({ api, argumentsHash }, decision) {
  const { pageKey } = await readShared();
  const headers = { accept: "application/json", "content-type": "application/json", ...(pageKey ? { [PAGE_KEY]: pageKey } : {}) };
  const body = JSON.stringify({ decision, argumentsHash, channel: "notification" });
  try {
    const response = await fetch(api, { method: "POST", credentials: "same-origin", headers, body });
    if (response.ok) return "";
    if (response.status === 401) return "You are signed out. Open the call and sign in.";
    return (await response.json()).detail ?? "The server refused it.";
  } catch {
    return "The server does not answer.";
  }
}

async function openPage(path) {
  const [first] = await self.clients.matchAll({ type: "window" });
  if (!first) return self.clients.openWindow(path);
  first.postMessage({ open: path });
  return first.focus();
}

async function readShared() {
  const found = await (await caches.open(SHARED)).match(SHARED_ADDRESS);
  return found ? found.json() : {};
}

/** The browser has replaced the subscription: the server learns of the new one. */
async function renew({ oldSubscription, newSubscription }) {
  const { pageKey, device } = await readShared();
  if (!pageKey || !device) return;
  const options = oldSubscription?.options;
  const fresh = newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)));
  if (!fresh) return;
  const { endpoint, keys } = fresh.toJSON();
  const headers = { "content-type": "application/json", [PAGE_KEY]: pageKey };
  await fetch("/v1/push/devices", { method: "POST", credentials: "same-origin", headers, body: JSON.stringify({ ...device, endpoint, keys }) });
}
