// Sends requests to the server with `fetch`, and waits.
import { onAbort, pause, startTimer } from "./abort.js";
import { errorText, makeError, type HttpReply, type HttpRequest } from "./replies.js";
import type { ClientSettings } from "./settings.js";

/** A larger answer is not read. */
const MAX_REPLY_BYTES = 256 * 1024 * 1024;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|invalid peer certificate/;

/** What the operations need: requests, the clock, and pauses. */
export interface ServerConnection {
  send(request: HttpRequest, signal?: AbortSignal): Promise<HttpReply>;
  /** Milliseconds from a clock that never goes back. */
  now(): number;
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

/** An answer whose body is read in parts. */
export interface OpenReply {
  status: number;
  headers: Headers;
  /** The next body part, or `undefined` at its end. It fails after `silenceMs` without a part. */
  read(silenceMs: number): Promise<Uint8Array | undefined>;
  /** Ends the connection. */
  close(): void;
}

/** The connection to a real server. */
export class FetchConnection implements ServerConnection {
  readonly #settings: ClientSettings;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  now(): number {
    return performance.now();
  }

  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return pause(ms, signal);
  }

  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpReply> {
    const limit = request.timeoutMs ?? this.#settings.timeoutMs;
    const end = this.now() + limit;
    const open = await this.open(request, signal, limit);
    try {
      const body = await readBody(open, () => Math.max(end - this.now(), 1));
      return { status: open.status, headers: open.headers, body };
    } finally {
      open.close();
    }
  }

  /** Sends a request, and returns its answer as soon as its head has arrived. */
  async open(request: HttpRequest, signal: AbortSignal | undefined, limitMs: number): Promise<OpenReply> {
    const scope = new RequestScope(signal);
    try {
      const response = await scope.limit(limitMs, this.#fetch(request, scope.signal));
      const reader = response.body?.getReader();
      return {
        status: response.status,
        headers: response.headers,
        read: async (silenceMs) => {
          try {
            const part = reader && (await scope.limit(silenceMs, reader.read())).value;
            scope.isComplete = part === undefined;
            return part;
          } catch (error) {
            throw this.#failure(error, signal);
          }
        },
        close: () => scope.end(),
      };
    } catch (error) {
      scope.end();
      throw this.#failure(error, signal);
    }
  }

  #fetch(request: HttpRequest, signal: AbortSignal): Promise<Response> {
    const query = new URLSearchParams((request.query ?? []).map(([name, value]) => [name, value])).toString();
    const url = this.#settings.baseUrl + request.path + (query === "" ? "" : `?${query}`);
    return this.#settings.fetch(url, {
      method: request.method,
      headers: { ...this.#settings.requestHeaders, ...request.headers },
      signal,
      // The token goes to the named server alone, and its answers never come from a cache.
      redirect: "manual",
      credentials: "omit",
      cache: "no-store",
      ...(request.body === undefined ? {} : { body: request.body }),
    });
  }

  /** The error for a request without an answer: the reason of the caller who aborted it, or the connection trouble. */
  #failure(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) {
      return signal.reason;
    }
    const { server } = this.#settings;
    const why = causes(error);
    if (CERTIFICATE.test(why)) {
      const detail = `no secure connection to ${server}: ${why}; name its authority with tlsCa`;
      return makeError("strange_server", detail, { cause: error });
    }
    const remedy = "start it with `countersign serve`, or name another with COUNTERSIGN_SERVER";
    return makeError("unreachable", `no answer from ${server}: ${why}; ${remedy}`, { cause: error });
  }
}

/** One request: it ends by the caller's signal, by a time limit, or when it is complete. */
class RequestScope {
  readonly #controller = new AbortController();
  readonly #forget: () => void;
  /** Whether the whole answer has arrived, so that its connection may serve the next request. */
  isComplete = false;

  constructor(outer: AbortSignal | undefined) {
    outer?.throwIfAborted();
    this.#forget = onAbort(outer, () => this.#controller.abort(outer?.reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The outcome of `work`, which fails after `ms`, and at once if the request is aborted. */
  limit<T>(ms: number, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = new Error(`no answer within ${Math.round(ms / 100) / 10} seconds`);
      const stopTimer = startTimer(ms, () => this.#controller.abort(late));
      const forget = onAbort(this.signal, () => reject(this.signal.reason));
      work.then(resolve, reject).finally(() => {
        stopTimer();
        forget();
      });
    });
  }

  end(): void {
    this.#forget();
    if (!this.isComplete) {
      this.#controller.abort(new Error("the request has ended"));
    }
  }
}

// The message of `fetch` is general. Its causes have the reason.
function causes(error: unknown): string {
  const texts: string[] = [];
  let cause: unknown = error;
  while (cause instanceof Error && texts.length < 4) {
    const { code } = cause as { code?: unknown };
    texts.push(errorText(cause) + (typeof code === "string" && !cause.message.includes(code) ? ` (${code})` : ""));
    cause = cause.cause;
  }
  return texts.length > 0 ? texts.join(": ") : errorText(error);
}

/** Reads a body to its end. `limitMs` returns the time that is left. */
export async function readBody(open: OpenReply, limitMs: () => number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await open.read(limitMs()); part; part = await open.read(limitMs())) {
    parts.push(part);
    size += part.length;
    if (size > MAX_REPLY_BYTES) {
      throw makeError("strange_server", "the answer of the server is too long");
    }
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}
