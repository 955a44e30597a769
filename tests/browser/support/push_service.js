// A push service on this machine, and the device of its one subscription, which decrypts what the server sends (RFC 8291).
import { createDecipheriv, createECDH, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const hash = (key, ...parts) => parts.reduce((hmac, part) => hmac.update(part), createHmac("sha256", key)).digest();

export class PushService {
  #messages = [];
  #waiting = [];
  /** The status of the next answers. */
  status = 201;

  static async start(t) {
    const service = new PushService();
    service.device = createECDH("prime256v1");
    service.device.generateKeys();
    service.auth = randomBytes(16);
    const server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(service.status).end();
      if (service.status < 300) service.#take(service.#decrypt(Buffer.concat(chunks)));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    service.endpoint = `http://127.0.0.1:${server.address().port}/secret-path`;
    return service;
  }

  #take(message) {
    const next = this.#waiting.shift();
    if (next) next(message);
    else this.#messages.push(message);
  }

  // The next message for the device.
  async receive() {
    return this.#messages.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  get isEmpty() {
    return this.#messages.length === 0;
  }

  #decrypt(body) {
    const [salt, server, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
    const start = hash(this.auth, this.device.computeSecret(server));
    const input = hash(start, "WebPush: info\0", this.device.getPublicKey(), server, Buffer.of(1));
    const own = hash(salt, input);
    const key = hash(own, "Content-Encoding: aes128gcm\0\x01").subarray(0, 16);
    const nonce = hash(own, "Content-Encoding: nonce\0\x01").subarray(0, 12);
    const cipher = createDecipheriv("aes-128-gcm", key, nonce);
    cipher.setAuthTag(record.subarray(-16));
    const plain = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString());
  }

  // What the page's browser must answer, because the real one would ask the vendor's service.
  get subscription() {
    const encode = (bytes) => bytes.toString("base64url");
    return { endpoint: this.endpoint, keys: { p256dh: encode(this.device.getPublicKey()), auth: encode(this.auth) } };
  }
}

// Lets the pages of a context subscribe at this service.
export function subscribeAt(context, service) {
  return context.addInitScript((subscription) => {
    if (!globalThis.PushManager) return;
    const stored = () => globalThis.localStorage.getItem("test-subscription");
    const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0)).buffer;
    const made = (key) => ({
      toJSON: () => subscription,
      options: { userVisibleOnly: true, applicationServerKey: decode(key) },
      unsubscribe: async () => globalThis.localStorage.removeItem("test-subscription"),
    });
    globalThis.PushManager.prototype.getSubscription = async () => (stored() ? made(stored()) : null);
    globalThis.PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      globalThis.localStorage.setItem("test-subscription", applicationServerKey);
      return made(applicationServerKey);
    };
  }, service.subscription);
}
