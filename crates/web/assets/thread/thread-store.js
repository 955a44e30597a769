// One thread as the server has it: its conversation, its calls, its grants, its mode and its policy. It holds no elements.

import { CallStore, keyOf } from "../call-store.js";
import { CountersignError } from "../countersign.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { LogFeed } from "../log-feed.js" */
/** @import { Call, Grant, LogEvent, Message, ThreadSummary, ThreadTool } from "../types.d.ts" */

/** The page sizes for calls and for messages. */
const PAGE = 100;

export class ThreadStore extends CallStore {
  /** @type {Map<string, Call>} */
  #calls = new Map();
  /** The `next` value from the oldest page that was read; null at the list's end. @type {number | null} */
  #next = null;
  /** The messages that were read, by their place. @type {Map<number, Message>} */
  #messages = new Map();
  /** The position from which the conversation must be read again; Infinity if nothing changed. */
  #changedFrom = Infinity;
  /** @type {Promise<void> | null} */
  #readingMessages = null;
  /** @type {ThreadSummary | null} */
  summary = null;
  /** The active grants. @type {Grant[]} */
  grants = [];
  /** The thread's policies for single tools. @type {ThreadTool[]} */
  tools = [];
  /** Whether the thread does not exist, or the caller may not see it. */
  isMissing = false;
  /** Why the last settings change was refused. @type {CountersignError | null} */
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
    return this.#next !== null || (this.#messages.size > 0 && this.#firstMessage > 0);
  }

  get #firstMessage() {
    return Math.min(...this.#messages.keys(), Infinity);
  }

  /**
   * The calls and the messages that were read, the newest first. It ends where either list was not read yet.
   * @returns {({ call: Call, seq: number, at: string } | { message: Message, seq: number, at: string })[]}
   */
  get timeline() {
    const calls = this.calls.map((call) => ({ call, seq: call.proposal.seq, at: call.proposal.at }));
    const messages = [...this.#messages.values()].map((message) => ({ message, seq: message.seq, at: message.at }));
    const lastCall = this.#next === null ? 0 : (calls.at(-1)?.seq ?? 0);
    const first = this.#messages.get(this.#firstMessage);
    const from = Math.max(lastCall, first && first.position > 0 ? first.seq : 0);
    return [...calls, ...messages].filter(({ seq }) => seq >= from).sort((a, b) => b.seq - a.seq);
  }

  /** @override */
  async readList() {
    try {
      await this.#readSettings();
      await this.#readLastMessages();
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

  /** Reads the latest messages again, and the earlier ones that were read before. */
  async #readLastMessages() {
    const { length } = await this.client.messages(this.name, 0, 1);
    const from = Math.min(this.#firstMessage, Math.max(0, length - PAGE));
    this.#messages.clear();
    await this.#readMessages(from, Infinity);
  }

  /** Reads the messages from one place on, before another. @param {number} from @param {number} end */
  async #readMessages(from, end) {
    for (let after = /** @type {number | null} */ (from); after !== null && after < end; ) {
      const { messages, next } = await this.client.messages(this.name, after, Math.min(PAGE, end - after));
      for (const message of messages) this.#messages.set(message.position, message);
      after = next;
    }
  }

  /** @param {LogEvent} event @override */
  noticeMessage(event) {
    if (event.threadId !== this.name) return;
    const { position } = event.data;
    this.#changedFrom = Math.min(this.#changedFrom, typeof position === "number" ? position : 0);
    this.#readingMessages ??= this.#readNewMessages().finally(() => (this.#readingMessages = null));
  }

  async #readNewMessages() {
    try {
      while (this.#changedFrom < Infinity) {
        const from = this.#changedFrom;
        this.#changedFrom = Infinity;
        for (const position of this.#messages.keys()) if (position >= from) this.#messages.delete(position);
        await this.#readMessages(from, Infinity);
        this.emitChange();
      }
    } catch {
      void this.refresh();
    }
  }

  /** Reads the next older page of calls and of messages. */
  async readMore() {
    if (this.#next !== null) {
      const { calls, next } = await this.client.calls({ thread: this.name, limit: PAGE, after: this.#next });
      for (const call of calls) this.#calls.set(keyOf(call), call);
      this.#next = next ?? null;
    }
    const first = this.#firstMessage;
    if (first > 0 && first < Infinity) await this.#readMessages(Math.max(0, first - PAGE), first);
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
