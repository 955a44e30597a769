// One thread as the server has it: its calls, its grants, its mode and its policy. It holds no elements.

import { CallStore, keyOf } from "../call-store.js";
import { CountersignError } from "../countersign.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { LogFeed } from "../log-feed.js" */
/** @import { Call, Grant, ThreadSummary, ThreadTool } from "../types.d.ts" */

/** The calls of a page. */
const PAGE = 100;

export class ThreadStore extends CallStore {
  /** @type {Map<string, Call>} */
  #calls = new Map();
  /** The `next` of the oldest page that was read; null at the end of the list. @type {number | null} */
  #next = null;
  /** @type {ThreadSummary | null} */
  summary = null;
  /** The grants that are in force. @type {Grant[]} */
  grants = [];
  /** The policies of the thread for single tools. @type {ThreadTool[]} */
  tools = [];
  /** True if the thread does not exist, or the caller may not see it. */
  isMissing = false;
  /** Why the last change of a setting was refused. @type {CountersignError | null} */
  problem = null;

  /** @param {CountersignClient} client @param {string} name @param {LogFeed} [feed] */
  constructor(client, name, feed) {
    super(client, name, feed);
    this.name = name;
  }

  /** The calls that were read, the newest first. */
  get calls() {
    return [...this.#calls.values()].sort((a, b) => b.proposal.seq - a.proposal.seq);
  }

  get hasMore() {
    return this.#next !== null;
  }

  /** @override */
  async readList() {
    try {
      await this.#readSettings();
      const { calls, next } = await this.client.calls({ thread: this.name, limit: PAGE });
      for (const call of calls) this.#calls.set(keyOf(call), call);
      if (!this.isLoaded || this.isMissing) this.#next = next ?? null;
      this.isMissing = false;
    } catch (error) {
      if (!(error instanceof CountersignError) || error.status !== 404) throw error;
      this.isMissing = true;
    }
  }

  async #readSettings() {
    const [summary, grants, policy] = await Promise.all([
      this.client.thread(this.name),
      this.client.grants(this.name),
      this.client.request("GET", `/v1/threads/${encodeURIComponent(this.name)}/policy`),
    ]);
    this.summary = summary;
    this.grants = grants;
    this.tools = policy.tools;
  }

  /** Reads the next older page of calls. */
  async readMore() {
    if (this.#next === null) return;
    const { calls, next } = await this.client.calls({ thread: this.name, limit: PAGE, after: this.#next });
    for (const call of calls) this.#calls.set(keyOf(call), call);
    this.#next = next ?? null;
    this.emitChange();
  }

  /** @param {Call} call @override */
  place(call) {
    const before = this.#calls.get(keyOf(call));
    this.#calls.set(keyOf(call), call);
    // A new call changes the counts, and a decision may give a grant.
    if (before?.state !== call.state) void this.#readSettings().then(() => this.emitChange(), () => {});
  }

  /** @param {string} key @override */
  isShown(key) {
    return this.#calls.has(key);
  }

  /** @param {string} key @override */
  remove(key) {
    this.#calls.delete(key);
  }

  /** Changes a setting, and reads the thread again. @param {() => Promise<unknown>} work */
  async change(work) {
    this.problem = null;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      this.problem = error;
    }
    await this.refresh();
  }
}
