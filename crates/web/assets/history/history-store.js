// The decided calls, the newest first. Pages are read as they are needed, and events add and change rows.

import { CallStore, keyOf } from "../call-store.js";
import { FORMATS, isFound, makeRow, readSearch } from "./history-rows.js";

/** @import { CountersignClient } from "../countersign.js" */
/** @import { LogFeed } from "../log-feed.js" */
/** @import { Call } from "../types.d.ts" */
/** @import { HistoryRow, HistorySearch } from "./history-rows.js" */

/** The page size for calls: the server's maximum. */
const PAGE = 1_000;

/** @typedef {{ since: string, until: string }} HistorySpan */

export class HistoryStore extends CallStore {
  /** @type {Map<string, HistoryRow>} */
  #rows = new Map();
  /** The `next` value from the oldest page that was read; null at the list's end. @type {number | null} */
  #next = 0;
  #isReadingPage = false;
  /** The rows that the search finds, or null if they must be computed again. @type {HistoryRow[] | null} */
  #found = null;

  /** @param {CountersignClient} client @param {LogFeed} feed @param {HistorySpan} span Only calls that were proposed in this time. */
  constructor(client, feed, span) {
    super(client, undefined, feed);
    this.span = span;
    /** @type {HistorySearch} */
    this.search = readSearch("", "all");
  }

  /** The calls that were read so far, decided or not. */
  readCount = 0;

  /** The decisions that were read so far, found by the search or not. */
  get decisionCount() {
    return this.#rows.size;
  }

  get isComplete() {
    return this.#next === null;
  }

  /** @param {HistorySearch} search */
  setSearch(search) {
    this.search = search;
    this.#found = null;
  }

  /** The rows that the search finds, the newest first. */
  get rows() {
    this.#found ??= [...this.#rows.values()].filter((row) => isFound(row, this.search)).sort((a, b) => b.seq - a.seq);
    return this.#found;
  }

  /** Reads the newest page. Older pages are read by `readMore`. @override */
  async readList() {
    const { calls, next } = await this.client.calls({ limit: PAGE, ...this.span });
    const isFirst = !this.isLoaded;
    this.#add(calls);
    if (!isFirst) return;
    this.readCount = calls.length;
    this.#next = next;
  }

  /** Reads the next older page. */
  async readMore() {
    if (this.#isReadingPage || !this.isLoaded || this.#next === null) return;
    this.#isReadingPage = true;
    try {
      const { calls, next } = await this.client.calls({ limit: PAGE, after: this.#next, ...this.span });
      this.#add(calls);
      this.readCount += calls.length;
      this.#next = next;
    } finally {
      this.#isReadingPage = false;
      this.emitChange();
    }
  }

  /** @param {Call[]} calls */
  #add(calls) {
    for (const call of calls) {
      const row = makeRow(call);
      if (row) this.#rows.set(keyOf(call), row);
    }
    this.#found = null;
  }

  /** @param {Call} call @override */
  place(call) {
    const at = call.proposal.at;
    const isOutside = (this.span.since && at < this.span.since) || (this.span.until && at >= this.span.until);
    if (!isOutside) this.#add([call]);
  }

  /** @param {string} key @override */
  remove(key) {
    this.#rows.delete(key);
    this.#found = null;
  }

  /**
   * Reads all calls that the search finds, and writes them as a file.
   * @param {keyof typeof FORMATS} name @param {(count: number) => void} progress @returns {Promise<Blob>}
   */
  async exportFound(name, progress) {
    const format = FORMATS[name];
    /** @type {BlobPart[]} */
    const parts = [format.head];
    let count = 0;
    for (let after = /** @type {number | null} */ (0); after !== null; ) {
      const page = await this.client.calls({ limit: PAGE, after, ...this.span });
      for (const call of page.calls) {
        const row = makeRow(call);
        if (!row || !isFound(row, this.search)) continue;
        parts.push((count === 0 ? "" : format.separator) + format.write(call));
        count += 1;
      }
      progress(count);
      after = page.next;
    }
    return new Blob([...parts, format.tail], { type: format.type });
  }
}
