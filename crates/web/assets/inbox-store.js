// The pending calls as the server has them. It holds no elements.

import { CountersignError } from "./countersign.js";
import { CallStore, keyOf } from "./call-store.js";

/** @import { Call, CallKey } from "./types.d.ts" */

export { keyOf };

/** The calls that were decided here or by others stay on show up to this many. */
const RECENT = 50;

/**
 * The inbox of one person. A list that is read overrides what events said before it, so a card can neither be lost nor be
 * left over.
 */
export class InboxStore extends CallStore {
  /** The pending calls by key, the oldest first. @type {Map<string, Call>} */
  pending = new Map();
  /** The calls that ended lately or that run, by key. @type {Map<string, Call>} */
  recent = new Map();

  /** Reads the list of pending calls. Calls that are no longer in it are read, to show what became of them. @override */
  async readList() {
    /** @type {Map<string, Call>} */
    const found = new Map();
    for await (const page of this.client.pending(this.thread)) {
      for (const call of page) found.set(keyOf(call), call);
      if (!this.isLoaded) {
        this.pending = new Map(found);
        this.emitChange();
      }
    }
    const left = [...this.pending.keys()].filter((key) => !found.has(key));
    this.pending = found;
    for (const key of left.slice(-RECENT)) {
      this.#left.add(key);
      this.readSoon(key);
    }
  }

  /** The calls that left the list, and whose end is not known yet. @type {Set<string>} */
  #left = new Set();

  /** @param {Call} call @override */
  place(call) {
    const key = keyOf(call);
    const hasLeft = this.#left.delete(key);
    if (call.state === "pending") {
      this.pending.set(key, call);
      this.recent.delete(key);
      return;
    }
    const wasHere = this.pending.delete(key) || this.recent.has(key) || hasLeft;
    if (!wasHere) return;
    this.recent.delete(key);
    this.recent.set(key, call);
    for (const oldest of this.recent.keys()) {
      if (this.recent.size <= RECENT) break;
      this.recent.delete(oldest);
    }
  }

  /** @param {string} key @override */
  remove(key) {
    this.pending.delete(key);
    this.recent.delete(key);
    this.#left.delete(key);
  }

  /** @param {string} key @override */
  isShown(key) {
    return !this.pending.has(key) && this.recent.has(key);
  }

  /** @param {CallKey} key */
  find(key) {
    return this.pending.get(keyOf(key)) ?? this.recent.get(keyOf(key));
  }

  /**
   * Decides exactly these calls in the same way.
   * @param {Call[]} calls @param {"allow_once" | "deny"} decision @param {string} [comment]
   */
  async decideAll(calls, decision, comment) {
    const free = calls.filter((call) => !this.deciding.has(keyOf(call)));
    for (const call of free) this.deciding.set(keyOf(call), { decision });
    this.emitChange();
    try {
      const body = comment ? { decision, comment } : { decision };
      const decisions = free.map(({ threadId, id, argumentsHash }) => ({ threadId, id, argumentsHash, ...body }));
      for (const result of await this.client.decideAll(decisions)) {
        if (result.call) this.place(result.call);
        else if (result.problem) this.refuse(keyOf(result), new CountersignError(result.problem));
      }
    } catch (error) {
      for (const call of free) this.refuse(keyOf(call), error);
    } finally {
      for (const call of free) this.deciding.delete(keyOf(call));
      this.emitChange();
    }
  }

  /**
   * What stopping a thread ends: its pending calls, and those that are allowed and have not started.
   * @param {string} thread @returns {Promise<Call[]>}
   */
  async findStoppable(thread) {
    /** @type {Call[]} */
    const found = [];
    for await (const page of this.client.pending(thread)) found.push(...page);
    for (let after = /** @type {number | null} */ (0); after !== null; ) {
      const page = await this.client.calls({ thread, state: "allowed", after });
      found.push(...page.calls);
      after = page.next;
    }
    return found;
  }

  /**
   * Ends exactly these calls of a thread. It fails if the server refuses it.
   * @param {string} thread @param {Call[]} calls @param {string} comment
   */
  async stop(thread, calls, comment) {
    const keys = calls.map(({ threadId, id }) => ({ threadId, id }));
    const report = await this.client.stop(thread, { calls: keys, ...(comment ? { comment } : {}) });
    for (const key of [...report.denied, ...report.cancelled]) this.readSoon(keyOf(key));
    await this.refresh();
    return report;
  }
}
