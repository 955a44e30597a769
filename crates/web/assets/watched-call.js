// One call as the server has it, kept current by the stream of events. It holds no elements.

import { CallStore, keyOf } from "./call-store.js";
import { CountersignError } from "./countersign.js";

/** @import { CountersignClient } from "./countersign.js" */
/** @import { LogFeed } from "./log-feed.js" */
/** @import { Call, CallKey } from "./types.d.ts" */

/** One call, in each of its states. */
export class WatchedCall extends CallStore {
  /** @type {Call | null} */
  call = null;
  /** Whether the call does not exist, or the caller may not see it. */
  isMissing = false;

  /** @param {CountersignClient} client @param {CallKey} key @param {LogFeed} [feed] */
  constructor(client, key, feed) {
    super(client, key.threadId, feed);
    this.key = key;
  }

  /** @override */
  async readList() {
    try {
      this.placeRead(await this.client.call(this.key));
    } catch (error) {
      if (!(error instanceof CountersignError) || error.status < 400 || error.status >= 500 || error.status === 429) throw error;
      this.isMissing = true;
      this.call = null;
    }
  }

  /** @param {Call} call @override */
  place(call) {
    if (keyOf(call) !== keyOf(this.key)) return;
    this.call = call;
    this.isMissing = false;
  }

  /** A lease ends without an event: reads the call again when it should have ended. @param {number} now */
  checkLease(now) {
    const end = this.call?.state === "running" ? this.call.execution?.leaseExpiresAt : null;
    if (end && Date.parse(end) <= now) void this.refresh();
  }

  /** @override */
  remove() {
    this.call = null;
    this.isMissing = true;
  }

  /** @param {string} key @override */
  isWanted(key) {
    return key === keyOf(this.key);
  }
}
