// Notifications on this device, also while no page is open: the service worker, the browser's subscription, and what the
// worker needs to send a decision.

import { sessionHeaders } from "../countersign.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { Caller, PushDevice, QuietHours } from "../types.d.ts" */

/** The server's id of this device, and whose it is. */
const KEY = "countersign-device";
/** Where the worker finds the key of the page's session. */
const SHARED = "countersign-device";
const SHARED_ADDRESS = "/device";

/** @typedef {{ id: string, person: string, name: string, quiet?: QuietHours }} KnownDevice */

/** Minutes by which this device's clock is ahead of UTC. */
const utcOffset = () => -new Date().getTimezoneOffset();

/** Why this browser gets no notifications; empty if it can. */
export function deviceTrouble() {
  if (!window.isSecureContext) return "Notifications need HTTPS, or localhost.";
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) {
    return "This browser has no notifications. On an iPhone, add the page to the home screen first.";
  }
  return Notification.permission === "denied" ? "The browser forbids notifications for this site. Its settings can allow them." : "";
}

export class DeviceNotifications {
  /** @param {CountersignClient} client @param {(path: string) => void} open Opens an application page. */
  constructor(client, open) {
    this.client = client;
    if (!("serviceWorker" in navigator)) return;
    navigator.serviceWorker.addEventListener("message", ({ data }) => {
      if (typeof data?.open === "string" && data.open.startsWith("/")) open(data.open);
    });
  }

  /** What this browser remembers of its device. @returns {KnownDevice | null} */
  get known() {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "null");
    } catch {
      return null;
    }
  }

  /** Starts the worker, and registers the device again under a new session of its person. @param {Caller} caller */
  async start(caller) {
    if (!window.isSecureContext || !("serviceWorker" in navigator)) return;
    const registration = await navigator.serviceWorker.register("/service-worker.js");
    const { known } = this;
    const subscription = known && (await registration.pushManager?.getSubscription());
    if (!known || !subscription || known.person !== caller.person) return;
    const quiet = known.quiet && { ...known.quiet, utcOffsetMinutes: utcOffset() };
    await this.#register(subscription, { name: known.name, ...(quiet ? { quiet } : {}) });
  }

  /**
   * Sends notifications to this device from now on. The browser may ask the person.
   * @param {{ name: string, quiet?: Omit<QuietHours, "utcOffsetMinutes"> }} settings
   */
  async turnOn({ name, quiet }) {
    const trouble = deviceTrouble();
    if (trouble) throw new Error(trouble);
    if ((await Notification.requestPermission()) !== "granted") throw new Error("The browser did not allow notifications.");
    const { publicKey } = await this.client.request("GET", "/v1/push/devices");
    const registration = await navigator.serviceWorker.ready;
    let subscription = await registration.pushManager.getSubscription();
    // A subscription with another key is that of another server at this address.
    if (subscription && encode(subscription.options.applicationServerKey) !== publicKey) {
      await subscription.unsubscribe();
      subscription = null;
    }
    subscription ??= await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
    await this.#register(subscription, { name, ...(quiet ? { quiet: { ...quiet, utcOffsetMinutes: utcOffset() } } : {}) });
  }

  /** @param {PushSubscription} subscription @param {{ name: string, quiet?: QuietHours }} settings */
  async #register(subscription, settings) {
    const { endpoint, keys } = subscription.toJSON();
    /** @type {PushDevice} */
    const device = await this.client.request("POST", "/v1/push/devices", { ...settings, endpoint, keys });
    localStorage.setItem(KEY, JSON.stringify({ id: device.id, person: device.person, ...settings }));
    await share({ pageKey: Object.values(sessionHeaders())[0], device: settings });
  }

  /** Ends the notifications of a device, and the subscription if it is this one. @param {string} id */
  async remove(id) {
    await this.client.request("DELETE", `/v1/push/devices/${encodeURIComponent(id)}`);
    if (this.known?.id === id) await this.forget();
  }

  /** Forgets the subscription and what the worker knows, as before signing out. */
  async forget() {
    localStorage.removeItem(KEY);
    if (!("caches" in window)) return;
    await caches.delete(SHARED);
    const registration = await navigator.serviceWorker?.getRegistration();
    await (await registration?.pushManager?.getSubscription())?.unsubscribe();
  }
}

/** @param {object} shared */
async function share(shared) {
  await (await caches.open(SHARED)).put(SHARED_ADDRESS, new Response(JSON.stringify(shared)));
}

/** @param {ArrayBuffer | null} bytes */
function encode(bytes) {
  const text = Array.from(new Uint8Array(bytes ?? new ArrayBuffer(0)), (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
