// Calls as the server has them, kept current by the stream of events, and the decisions about them. It holds no elements.

import { CountersignError } from "./countersign.js";
import { LogFeed } from "./log-feed.js";

/** @import { CountersignClient } from "./countersign.js" */
/** @import { FeedState as Connection } from "./log-feed.js" */
/** @import { Call, CallKey, DecisionBody, LogEvent, ProofBody } from "./types.d.ts" */

/** Up to this many changed calls are read one by one. For more, the list is read again. */
export const FEW = 20;

/** The pause before a read that failed is tried again, in milliseconds. */
const RETRY = 2_000;

/** @param {CallKey} key */
export const keyOf = ({ threadId, id }) => `${threadId}\n${id}`;

/** @param {string} key @returns {CallKey} */
const parseKey = (key) => {
  const [threadId = "", id = ""] = key.split("\n");
  return { threadId, id };
};

/** Returns true if the event is a conversation message. @param {LogEvent} event */
const isMessage = ({ type }) => type.endsWith("_MESSAGE") || type.endsWith("SYSTEM_PROMPT") || type === "COMPACTION";

/**
 * The base class for stores. It emits `change` after each change.
 *
 * A decision shows at once as `deciding`, and the server's answer replaces it. An event only names a call to read
 * again, so a card shows what the server answers and never what a script concluded from events.
 */
export class CallStore extends EventTarget {
  /** The decisions on their way to the server, by key. @type {Map<string, DecisionBody>} */
  deciding = new Map();
  /** The refusals of decisions, by key. @type {Map<string, CountersignError>} */
  refusals = new Map();
  /** The calls whose decision got no answer, and that were not read since, by key. @type {Set<string>} */
  lost = new Set();
  /** Whether the list was read once. */
  isLoaded = false;

  /** The keys of calls to read; the empty key stands for the whole list. @type {Set<string>} */
  #changed = new Set();
  /** The read that is under way. @type {Promise<void> | null} */
  #reading = null;
  #stop = new AbortController();
  #ownsFeed;

  /**
   * @param {CountersignClient} client @param {string} [thread] Only calls of this thread.
   * @param {LogFeed} [feed] A feed that others use too; without it, the store opens one of its own.
   */
  constructor(client, thread, feed) {
    super();
    this.client = client;
    this.thread = thread;
    this.#ownsFeed = feed === undefined;
    this.feed = feed ?? new LogFeed(client, thread);
  }

  /** Reads the whole list. @returns {Promise<void>} */
  async readList() {}

  /** Puts a call that was read where its state belongs. @param {Call} _call */
  place(_call) {}

  /** Removes a call that the caller may not see any more. @param {string} _key */
  remove(_key) {}

  /** Returns true if the call is shown, so that it is read again after many changes. @param {string} _key */
  isShown(_key) {
    return false;
  }

  /** Returns true if an event about this call matters. @param {string} _key */
  isWanted(_key) {
    return true;
  }

  emitChange() {
    this.dispatchEvent(new Event("change"));
  }

  /** Shows the connection as the feed has it, once the list was read. @returns {Connection} */
  get connection() {
    const { state } = this.feed;
    if (state === "failed" || state === "reconnecting") return state;
    return this.isLoaded ? "live" : "loading";
  }

  get failure() {
    return this.feed.failure;
  }

  /** Reads the list and keeps it current until `close`. */
  open() {
    const { signal } = this.#stop;
    this.feed.addEventListener("resync", () => void this.refresh(), { signal });
    this.feed.addEventListener("state", () => this.emitChange(), { signal });
    this.feed.addEventListener("log-event", (event) => this.#notice(/** @type {CustomEvent<LogEvent>} */ (event).detail), { signal });
    if (this.#ownsFeed) void this.feed.open();
    else void this.refresh();
  }

  close() {
    this.#stop.abort();
    if (this.#ownsFeed) this.feed.close();
  }

  /** Reads the whole list again. */
  refresh() {
    this.#changed.add("");
    return this.#readChanged();
  }

  /** Reads a call again, after those that are being read. @param {string} key */
  readSoon(key) {
    this.#changed.add(key);
    void this.#readChanged();
  }

  /** A message was added to a conversation. @param {LogEvent} _event */
  noticeMessage(_event) {}

  #notice(/** @type {LogEvent} */ event) {
    if (isMessage(event)) return this.noticeMessage(event);
    const id = event.type === "TOOL_CALL" ? event.data.id : event.data.toolCallId;
    if (typeof id === "string") {
      const key = keyOf({ threadId: event.threadId, id });
      if (this.thread !== undefined && event.threadId !== this.thread) return;
      if (this.isWanted(key)) this.readSoon(key);
      return;
    }
    // A new policy, a thread's mode or a thread's end may change what many requests need.
    if (!event.type.startsWith("TOKEN_")) void this.refresh();
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
          await this.readList();
          this.isLoaded = true;
          this.emitChange();
          const shown = keys.filter((key) => key !== "" && this.isShown(key)).slice(-FEW);
          await this.#readCalls([...new Set([...shown, ...this.lost])]);
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
    for (const call of calls) if (call) this.placeRead(call);
    if (calls.length > 0) this.emitChange();
  }

  /** Places a call that was read. If its decision's answer was lost, the call itself says what became of it. @param {Call} call */
  placeRead(call) {
    const key = keyOf(call);
    this.lost.delete(key);
    if (call.state !== "pending" && this.refusals.get(key)?.code === "unreachable") this.refusals.delete(key);
    this.place(call);
  }

  /** @param {CallKey} key @returns {Promise<Call | null>} */
  async #readCall(key) {
    try {
      return await this.client.call(key);
    } catch (error) {
      if (!(error instanceof CountersignError) || error.status !== 404) throw error;
      this.remove(keyOf(key));
      return null;
    }
  }

  /**
   * Decides a call. The decision applies only to the arguments that were on show.
   * @param {Call} call @param {DecisionBody} decision
   * @param {(statement: string) => Promise<ProofBody>} [sign] Makes the proof, where the rule asks for one.
   * @returns {Promise<Call | null>} The call, or null if it was refused.
   */
  async decide(call, decision, sign) {
    const key = keyOf(call);
    if (this.deciding.has(key)) return null;
    this.deciding.set(key, decision);
    this.refusals.delete(key);
    this.emitChange();
    try {
      const decided = await this.#sendDecision(call, { argumentsHash: call.argumentsHash, ...decision }, sign);
      this.place(decided);
      for (const id of decided.alsoDecided ?? []) this.#changed.add(keyOf({ threadId: call.threadId, id }));
      return decided;
    } catch (error) {
      this.refuse(key, error);
      return null;
    } finally {
      this.deciding.delete(key);
      this.emitChange();
      void this.#readChanged();
    }
  }

  /**
   * The server names the statement to sign, because it alone knows all its parts.
   * @param {Call} call @param {DecisionBody} body @param {(statement: string) => Promise<ProofBody>} [sign]
   */
  async #sendDecision(call, body, sign) {
    try {
      return await this.client.decide(call, body);
    } catch (error) {
      const statement = error instanceof CountersignError && error.code === "proof_required" ? error.problem.statement : undefined;
      if (statement === undefined || !sign) throw error;
      return this.client.decide(call, { ...body, proof: await sign(statement) });
    }
  }

  /** Lets another executor take over a call whose outcome is unknown. @param {Call} call */
  async release(call) {
    try {
      this.place(await this.client.release(call));
    } catch (error) {
      this.refuse(keyOf(call), error);
    }
    this.emitChange();
  }

  /** Takes back an approval that no executor has used. @param {Call} call */
  async takeBack(call) {
    try {
      this.place(await this.client.takeBack(call));
      this.refusals.delete(keyOf(call));
    } catch (error) {
      this.refuse(keyOf(call), error);
    }
    this.emitChange();
  }

  /** Complains that a call was allowed. It fails if the server refuses the complaint. @param {Call} call @param {{ comment?: string }} complaint */
  async flag(call, complaint) {
    this.place(await this.client.flag(call, complaint));
    this.emitChange();
  }

  /** Shows why a decision was not made, and reads the call as it is now. @param {string} key @param {unknown} error */
  refuse(key, error) {
    if (error instanceof CountersignError) {
      this.refusals.set(key, error);
      // The server may have decided all the same.
      if (error.code === "unreachable") this.lost.add(key);
    }
    // The passkey prompt failed or was cancelled: the server knows nothing of it.
    else this.refusals.set(key, new CountersignError({ status: 0, code: "no_proof", detail: error instanceof Error ? error.message : String(error) }));
    this.readSoon(key);
  }
}
