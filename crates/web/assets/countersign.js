// A browser client for the Countersign API: list, follow, decide. It uses no other module of this interface.

/** @import { Call, CallKey, Caller, DecisionBody, Delegation, Grant, GrantLimits, LogEvent, Message, Problem, ScopePreview, Json, ThreadSummary } from "./types.d.ts" */

/** The page size for calls. The server accepts at most 1,000. */
const PAGE = 200;

/** The server sends a comment every 15 seconds. A stream that is silent for longer is dead, for example after sleep. */
const SILENCE = 40_000;

/** The pauses before the attempts to open a stream again, in milliseconds. */
const PAUSES = [0, 250, 500, 1_000, 2_000, 4_000];

/** A server refusal, or no answer at all (status 0, code `unreachable`). */
export class CountersignError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.name = "CountersignError";
    this.problem = problem;
    this.status = problem.status;
    this.code = problem.code;
  }
}

/** The header with the page key, and its name in the storage. */
const PAGE_KEY = "countersign-page-key";

/**
 * Keeps the session key. Browsers send the session's cookie to every port of this host, but give this key only to the
 * pages of this origin, so the server asks for both.
 * @param {string | null} key
 */
export function keepPageKey(key) {
  if (key) localStorage.setItem(PAGE_KEY, key);
  else localStorage.removeItem(PAGE_KEY);
}

/** The headers that a page of this origin sends beside the session's cookie. @returns {Record<string, string>} */
export function sessionHeaders() {
  try {
    const key = localStorage.getItem(PAGE_KEY);
    return key ? { [PAGE_KEY]: key } : {};
  } catch {
    // The browser forbids storage here, so nobody can be signed in.
    return {};
  }
}

/** @param {number} milliseconds @param {AbortSignal} signal */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const wake = () => {
      clearTimeout(timer);
      resolve(undefined);
    };
    signal.addEventListener("abort", wake, { once: true });
    window.addEventListener("online", wake, { once: true });
  });
}

/** A client of one server. */
export class CountersignClient {
  /**
   * @param {string} [server] The server address; by default, the page's own server.
   * @param {{ token?: string }} [options] A token for a server of another origin. Without it, the session of this origin's
   *   pages is used.
   */
  constructor(server = "", options = {}) {
    this.server = server.replace(/\/$/, "");
    this.token = options.token;
  }

  /** Whether this is the page's own server. */
  #isOwn() {
    return this.server === "" || URL.parse(this.server, location.origin)?.origin === location.origin;
  }

  /** @param {string} accept */
  #headers(accept) {
    /** @type {Record<string, string>} */
    const headers = { accept };
    if (this.token) headers.authorization = `Bearer ${this.token}`;
    else if (this.#isOwn()) Object.assign(headers, sessionHeaders());
    return headers;
  }

  /**
   * Sends a request and returns the response JSON. Fails with a CountersignError.
   * @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>}
   */
  async request(method, path, body) {
    return (await this.#send(method, path, body)).answer;
  }

  /**
   * Sends a request and returns the response with its JSON. Fails with a CountersignError.
   * @param {string} method @param {string} path @param {object} [body] @returns {Promise<{ response: Response, answer: any }>}
   */
  async #send(method, path, body) {
    const headers = this.#headers("application/json");
    if (body !== undefined) headers["content-type"] = "application/json";
    let response;
    try {
      response = await fetch(this.server + path, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin",
      });
    } catch {
      const detail = "The server does not answer.";
      throw new CountersignError({ status: 0, code: "unreachable", detail });
    }
    if (this.#isOwn() && response.headers.has(PAGE_KEY)) keepPageKey(response.headers.get(PAGE_KEY));
    const text = await response.text();
    if (response.ok) return { response, answer: parseJson(text) };
    throw new CountersignError(readProblem(response.status, text));
  }

  /** @returns {Promise<Caller>} */
  caller() {
    return this.request("GET", "/v1/me");
  }

  /** The `seq` of the last logged event. */
  async tip() {
    const page = await this.request("GET", "/v1/events?limit=1");
    return /** @type {number} */ (page.tip);
  }

  /**
   * Yields the pending calls in pages, the oldest first.
   * @param {string} [thread] @returns {AsyncGenerator<Call[]>}
   */
  async *pending(thread) {
    const path = thread ? `/v1/threads/${encodeURIComponent(thread)}/approvals/pending` : "/v1/approvals/pending";
    let after = 0;
    for (;;) {
      const page = await this.request("GET", `${path}?limit=${PAGE}&after=${after}`);
      yield page.pending;
      if (page.next === null || page.next === undefined) return;
      after = page.next;
    }
  }

  /** @param {CallKey} key */
  #path({ threadId, id }, kind = "tool-calls") {
    return `/v1/threads/${encodeURIComponent(threadId)}/${kind}/${encodeURIComponent(id)}`;
  }

  /**
   * Reads a page of calls in all states, the newest first.
   * @param {{ after?: number, limit?: number, thread?: string, state?: string, since?: string, until?: string }} [query]
   * @returns {Promise<{ calls: Call[], next: number | null }>}
   */
  calls({ thread, ...query } = {}) {
    const path = thread === undefined ? "/v1/tool-calls" : `/v1/threads/${encodeURIComponent(thread)}/tool-calls`;
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    return this.request("GET", `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`);
  }

  /** @param {CallKey} key @returns {Promise<Call>} */
  call(key) {
    return this.request("GET", this.#path(key));
  }

  /** @param {CallKey} key @param {DecisionBody} decision @returns {Promise<Call>} */
  decide(key, decision) {
    return this.request("POST", this.#path(key, "approvals"), decision);
  }

  /**
   * Decides several calls. Each decision is accepted or refused on its own.
   * @param {(CallKey & DecisionBody)[]} decisions
   * @returns {Promise<(CallKey & { call?: Call, problem?: Problem })[]>}
   */
  async decideAll(decisions) {
    return (await this.request("POST", "/v1/approvals/decide", { decisions })).results;
  }

  /** Asks if other arguments would be refused. @param {CallKey} key @param {Json} args @returns {Promise<{ refusal?: { code: string, detail: string } }>} */
  previewEdit(key, args) {
    return this.request("POST", `${this.#path(key, "approvals")}/edit`, { arguments: args });
  }

  /** @param {CallKey} key @param {{ scope: Json, agents?: "any", uses?: number }} scope @returns {Promise<ScopePreview>} */
  previewScope(key, scope) {
    return this.request("POST", `${this.#path(key)}/scope`, scope);
  }

  /**
   * Denies pending calls of a thread, and ends those that are allowed and have not started: all, or exactly the `calls`.
   * @param {string} thread @param {{ calls?: CallKey[], comment?: string }} [stop]
   * @returns {Promise<{ denied: CallKey[], cancelled: CallKey[], left: CallKey[] }>}
   */
  stop(thread, stop = {}) {
    return this.request("POST", `/v1/threads/${encodeURIComponent(thread)}/stop`, stop);
  }

  /** @param {string} thread */
  #threadPath(thread) {
    return `/v1/threads/${encodeURIComponent(thread)}`;
  }

  /** @param {string} thread @returns {Promise<ThreadSummary>} */
  thread(thread) {
    return this.request("GET", this.#threadPath(thread));
  }

  /** Reads a page of threads, the most recently active first. @param {number} [after] @returns {Promise<{ threads: ThreadSummary[], next: number | null }>} */
  threads(after = 0) {
    return this.request("GET", `/v1/threads?limit=${PAGE}&after=${after}`);
  }

  /** A thread's active grants. @param {string} thread @returns {Promise<Grant[]>} */
  async grants(thread) {
    /** @type {Grant[]} */
    const grants = [];
    for (let after = /** @type {number | null} */ (0); after !== null; ) {
      const page = await this.request("GET", `${this.#threadPath(thread)}/grants?limit=${PAGE}&after=${after}`);
      grants.push(...page.grants);
      after = page.next ?? null;
    }
    return grants;
  }

  /**
   * Reads one page of a conversation.
   * @param {string} thread @param {number} [after] The first message position, from 0. @param {number} [limit]
   * @returns {Promise<{ messages: Message[], next: number | null, length: number }>}
   */
  messages(thread, after = 0, limit = PAGE) {
    return this.request("GET", `${this.#threadPath(thread)}/messages?limit=${limit}&after=${after}`);
  }

  /** The active delegations. @returns {Promise<Delegation[]>} */
  async delegations() {
    return (await this.request("GET", "/v1/delegations")).delegations;
  }

  /** @param {string} thread @param {number} seq */
  revokeGrant(thread, seq) {
    return this.request("DELETE", `${this.#threadPath(thread)}/grants/${seq}`);
  }

  /**
   * Gives a grant new limits, in place of all that it has.
   * @param {string} thread @param {number} seq @param {GrantLimits} limits
   */
  prolongGrant(thread, seq, limits) {
    return this.request("POST", `${this.#threadPath(thread)}/grants/${seq}/prolong`, limits);
  }

  /** @param {string} thread @param {string} mode `interactive`, `approve_all` or `auto_deny`. */
  setMode(thread, mode) {
    return this.request("PUT", `${this.#threadPath(thread)}/mode`, { mode });
  }

  /**
   * Sets a thread's tool policy.
   * @param {string} thread @param {string} tool @param {string} policy `allow`, `require-approval`, `deny` or `default`.
   */
  setToolPolicy(thread, tool, policy) {
    return this.request("PUT", `${this.#threadPath(thread)}/policy`, { tools: { [tool]: policy } });
  }

  /** Closes a thread for ever, and cancels its open calls. @param {string} thread */
  closeThread(thread) {
    return this.request("POST", `${this.#threadPath(thread)}/close`, {});
  }

  /** Lets another executor take over a call whose outcome is unknown. @param {CallKey} key @returns {Promise<Call>} */
  release(key) {
    return this.request("POST", `${this.#path(key)}/release`, {});
  }

  /** Takes back an approval that no executor has used. @param {CallKey} key @returns {Promise<Call>} */
  takeBack(key) {
    return this.request("POST", `${this.#path(key)}/take-back`, {});
  }

  /** Complains that a call was allowed. @param {CallKey} key @param {{ comment?: string }} complaint @returns {Promise<Call>} */
  flag(key, complaint) {
    return this.request("POST", `${this.#path(key)}/flag`, complaint);
  }

  /**
   * Ends the session, or all sessions of the caller. Returns the path at which the browser goes on to sign out at the
   * identity provider; `null` if the session was not made there.
   * @param {"/v1/sessions/current" | "/v1/sessions"} [path] @returns {Promise<string | null>}
   */
  async signOut(path = "/v1/sessions/current") {
    const { response } = await this.#send("DELETE", path);
    if (this.#isOwn()) keepPageKey(null);
    return response.headers.get("countersign-sign-out");
  }

  /**
   * Follows the log after an event, until `signal` is aborted. It reconnects and resumes by itself.
   * @param {number} after The `seq` of the last known event.
   * @param {{ event: (event: LogEvent) => void, state: (state: "open" | "lost") => void,
   *           failed: (error: CountersignError) => void }} handlers
   *   `failed` is called once, when it gives up: the cursor is not of this log, or the caller has no right.
   * @param {{ thread?: string, signal: AbortSignal }} options
   */
  async follow(after, handlers, { thread, signal }) {
    const path = thread ? `/v1/threads/${encodeURIComponent(thread)}/events` : "/v1/events";
    let cursor = String(after);
    let resumes = false;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      if (attempt > 0) await pause(PAUSES[Math.min(attempt, PAUSES.length - 1)] ?? 0, signal);
      if (signal.aborted) return;
      try {
        for await (const message of this.#messages(path, cursor, resumes, signal)) {
          if (message === null) {
            attempt = 0;
            handlers.state("open");
            continue;
          }
          if (message.event === "error") break;
          cursor = message.id;
          resumes = true;
          handlers.event(parseJson(message.data));
        }
      } catch (error) {
        const refused = error instanceof CountersignError && error.status >= 400 && error.status < 500;
        if (refused && error.status !== 429) return handlers.failed(error);
      }
      if (!signal.aborted) handlers.state("lost");
    }
  }

  /**
   * Opens a stream once. Yields null when it is open, and then its messages.
   * @param {string} path @param {string} cursor @param {boolean} resumes @param {AbortSignal} signal
   */
  async *#messages(path, cursor, resumes, signal) {
    const silent = new AbortController();
    let timer = setTimeout(() => silent.abort(), SILENCE);
    const headers = this.#headers("text/event-stream");
    if (resumes) headers["last-event-id"] = cursor;
    const query = resumes ? "" : `?after=${cursor}`;
    try {
      const response = await fetch(this.server + path + query, {
        headers,
        credentials: "same-origin",
        cache: "no-store",
        signal: AbortSignal.any([signal, silent.signal]),
      });
      if (!response.ok || !response.body) {
        throw new CountersignError(readProblem(response.status, await response.text()));
      }
      yield null;
      const parser = new MessageParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        clearTimeout(timer);
        if (done) return;
        timer = setTimeout(() => silent.abort(), SILENCE);
        yield* parser.push(value);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Parses JSON, and keeps each number that a double cannot hold as it was written (`JSON.rawJSON`). A person must see the
 * number that runs, and a decision must send back the same one.
 * @param {string} text @returns {any}
 */
export function parseJson(text) {
  return JSON.parse(text, (_key, value, context) => {
    const { source } = context;
    const isInexact = typeof value === "number" && source !== undefined && String(value) !== source;
    return isInexact ? JSON.rawJSON(source) : value;
  });
}

/** @param {number} status @param {string} text @returns {Problem} */
function readProblem(status, text) {
  try {
    const problem = JSON.parse(text);
    if (typeof problem.code === "string" && typeof problem.detail === "string") return { ...problem, status };
  } catch {
    // A proxy in front of the server answers with a page of its own.
  }
  return { status, code: "strange_answer", detail: `The server answered with status ${status}.` };
}

/** Reads server-sent events (WHATWG HTML, section 9.2.6) from chunks of text. */
export class MessageParser {
  #rest = "";

  /** @param {string} chunk @returns {Generator<{ id: string, event: string, data: string }>} */
  *push(chunk) {
    this.#rest += chunk;
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n")) {
      const block = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 2);
      const message = { id: "", event: "message", data: "" };
      let isMessage = false;
      for (const line of block.split("\n")) {
        const [, name = "", value = ""] = /^(id|event|data): ?(.*)$/s.exec(line) ?? [];
        if (name === "id") message.id = value;
        else if (name === "event") message.event = value;
        else if (name === "data") {
          message.data += value;
          isMessage = true;
        }
      }
      if (isMessage) yield message;
    }
  }
}
