// The pending calls as the server has them, kept current by its stream of events. It holds no elements.

import { CountersignError } from "./countersign.js";
import { LogFeed } from "./log-feed.js";

/** @import { CountersignClient } from "./countersign.js" */
/** @import { Call, CallKey, DecisionBody, LogEvent } from "./types.d.ts" */

/** Up to this many changed calls are read one by one. For more, the list is read again. */
const FEW = 20;

/** The calls that were decided here or by others stay on show up to this many. */
const RECENT = 50;

/** The pause before a read that failed is tried again, in milliseconds. */
const RETRY = 2_000;

/** @import { FeedState as Connection } from "./log-feed.js" */

/** @param {CallKey} key */
export const keyOf = ({ threadId, id }) => `${threadId}\n${id}`;

/** @param {string} key @returns {CallKey} */
const parseKey = (key) => {
  const [threadId = "", id = ""] = key.split("\n");
  return { threadId, id };
};

/**
 * The inbox of one person. It emits `change` after each change.
 *
 * A decision shows at once as `deciding`, and the answer of the server replaces it. A list that is read overrides what
 * events said before it, so a card can neither be lost nor be left over.
 */
export class InboxStore extends EventTarget {
  /** The pending calls by key, the oldest first. @type {Map<string, Call>} */
  pending = new Map();
  /** The calls that ended lately or that run, by key. @type {Map<string, Call>} */
  recent = new Map();
  /** The decisions on their way to the server, by key. @type {Map<string, DecisionBody>} */
  deciding = new Map();
  /** The refusals of decisions, by key. @type {Map<string, CountersignError>} */
  refusals = new Map();
  /** The keys of calls to read; the empty key stands for the whole list. @type {Set<string>} */
  #changed = new Set();
  /** The read that is under way. @type {Promise<void> | null} */
  #reading = null;
  #isLoaded = false;
  #stop = new AbortController();
  #ownsFeed;

  /**
   * @param {CountersignClient} client @param {string} [thread]
   * @param {LogFeed} [feed] A feed that others use too; without it, the store opens one of its own.
   */
  constructor(client, thread, feed) {
    super();
    this.client = client;
    this.thread = thread;
    this.#ownsFeed = feed === undefined;
    this.feed = feed ?? new LogFeed(client, thread);
  }

  #emit() {
    this.dispatchEvent(new Event("change"));
  }

  /** Shows the connection as the feed has it, once the list was read. @returns {Connection} */
  get connection() {
    const { state } = this.feed;
    if (state === "failed" || state === "reconnecting") return state;
    return this.#isLoaded ? "live" : "loading";
  }

  get failure() {
    return this.feed.failure;
  }

  /** Reads the list and keeps it current until `close`. */
  open() {
    const { signal } = this.#stop;
    this.feed.addEventListener("resync", () => void this.refresh(), { signal });
    this.feed.addEventListener("state", () => this.#emit(), { signal });
    this.feed.addEventListener("log-event", (event) => this.#notice(/** @type {CustomEvent<LogEvent>} */ (event).detail), { signal });
    if (this.#ownsFeed) void this.feed.open();
    else if (this.feed.state !== "loading") void this.refresh();
  }

  close() {
    this.#stop.abort();
    if (this.#ownsFeed) this.feed.close();
  }

  /** Reads the whole list of pending calls. Calls that are no longer in it are read, to show what became of them. */
  refresh() {
    this.#changed.add("");
    return this.#readChanged();
  }

  async #readList() {
    /** @type {Map<string, Call>} */
    const found = new Map();
    for await (const page of this.client.pending(this.thread)) {
      for (const call of page) found.set(keyOf(call), call);
      if (!this.#isLoaded) {
        this.pending = new Map(found);
        this.#emit();
      }
    }
    const left = [...this.pending.keys()].filter((key) => !found.has(key));
    this.pending = found;
    this.#isLoaded = true;
    for (const key of left.slice(-RECENT)) this.#changed.add(key);
    this.#emit();
  }

  #notice(/** @type {LogEvent} */ event) {
    const id = event.type === "TOOL_CALL" ? event.data.id : event.data.toolCallId;
    if (typeof id === "string") {
      if (this.thread !== undefined && event.threadId !== this.thread) return;
      this.#changed.add(keyOf({ threadId: event.threadId, id }));
    }
    // A policy, a mode or the end of a thread may change the terms of many requests.
    else if (!event.type.startsWith("TOKEN_")) this.#changed.add("");
    void this.#readChanged();
  }

  /** Reads what has changed, once at a time: changes during a read are read afterwards, together. */
  #readChanged() {
    this.#reading ??= this.#readAllChanged().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readAllChanged() {
    while (this.#changed.size > 0 && !this.#stop.signal.aborted) {
      const keys = [...this.#changed];
      this.#changed.clear();
      try {
        if (keys.includes("") || keys.length > FEW) {
          await this.#readList();
          const shown = keys.filter((key) => key !== "" && !this.pending.has(key) && this.recent.has(key));
          await this.#readCalls(shown.slice(-FEW));
        } else {
          await this.#readCalls(keys);
        }
      } catch {
        // Not readable now. If the stream has ended too, its next opening reads the list again.
        if (this.feed.state === "live") setTimeout(() => void this.refresh(), RETRY);
        return;
      }
    }
  }

  /** @param {string[]} keys */
  async #readCalls(keys) {
    const calls = await Promise.all(keys.map((key) => this.#readCall(parseKey(key))));
    for (const call of calls) if (call) this.#place(call);
    if (calls.length > 0) this.#emit();
  }

  /** @param {CallKey} key @returns {Promise<Call | null>} */
  async #readCall(key) {
    try {
      return await this.client.call(key);
    } catch (error) {
      // A call that the caller may not see any more.
      if (error instanceof CountersignError && error.status === 404) {
        this.pending.delete(keyOf(key));
        this.recent.delete(keyOf(key));
        return null;
      }
      throw error;
    }
  }

  /** Puts a call where its state belongs. @param {Call} call */
  #place(call) {
    const key = keyOf(call);
    if (call.state === "pending") {
      this.pending.set(key, call);
      this.recent.delete(key);
      return;
    }
    const wasHere = this.pending.delete(key) || this.recent.has(key);
    if (!wasHere) return;
    this.recent.delete(key);
    this.recent.set(key, call);
    for (const oldest of this.recent.keys()) {
      if (this.recent.size <= RECENT) break;
      this.recent.delete(oldest);
    }
  }

  /** @param {CallKey} key */
  find(key) {
    return this.pending.get(keyOf(key)) ?? this.recent.get(keyOf(key));
  }

  /**
   * Decides a call. The decision applies only to the arguments that were on show.
   * @param {Call} call @param {DecisionBody} decision @returns {Promise<Call | null>} The call, or null if it was refused.
   */
  async decide(call, decision) {
    const key = keyOf(call);
    if (this.deciding.has(key)) return null;
    this.deciding.set(key, decision);
    this.refusals.delete(key);
    this.#emit();
    try {
      const decided = await this.client.decide(call, { argumentsHash: call.argumentsHash, ...decision });
      this.#place(decided);
      for (const id of decided.alsoDecided ?? []) this.#changed.add(keyOf({ threadId: call.threadId, id }));
      return decided;
    } catch (error) {
      this.#refuse(key, error);
      return null;
    } finally {
      this.deciding.delete(key);
      this.#emit();
      void this.#readChanged();
    }
  }

  /**
   * Decides exactly these calls in the same way.
   * @param {Call[]} calls @param {"allow_once" | "deny"} decision @param {string} [comment]
   */
  async decideAll(calls, decision, comment) {
    const free = calls.filter((call) => !this.deciding.has(keyOf(call)));
    for (const call of free) this.deciding.set(keyOf(call), { decision });
    this.#emit();
    try {
      const body = comment ? { decision, comment } : { decision };
      const decisions = free.map(({ threadId, id, argumentsHash }) => ({ threadId, id, argumentsHash, ...body }));
      for (const result of await this.client.decideAll(decisions)) {
        if (result.call) this.#place(result.call);
        else if (result.problem) this.#refuse(keyOf(result), new CountersignError(result.problem));
      }
    } catch (error) {
      for (const call of free) this.#refuse(keyOf(call), error);
    } finally {
      for (const call of free) this.deciding.delete(keyOf(call));
      this.#emit();
      void this.#readChanged();
    }
  }

  /** Lets another executor take over a call whose outcome is unknown. @param {Call} call */
  async release(call) {
    try {
      this.#place(await this.client.release(call));
    } catch (error) {
      this.#refuse(keyOf(call), error);
      await this.#readChanged();
    }
    this.#emit();
  }

  /** Denies all pending calls of a thread. @param {string} thread */
  async stop(thread) {
    try {
      await this.client.stop(thread);
      await this.refresh();
    } catch (error) {
      for (const [key, call] of this.pending) if (call.threadId === thread) this.#refuse(key, error);
    }
    this.#emit();
  }

  #refuse(/** @type {string} */ key, /** @type {unknown} */ error) {
    if (!(error instanceof CountersignError)) throw error;
    this.refusals.set(key, error);
    // Someone else decided, or the arguments changed: read the call as it is now.
    this.#changed.add(key);
  }
}
