// The server's log, as one stream that all parts of a page share: browsers allow few connections to a server.

import { CountersignError } from "./countersign.js";

/** @import { CountersignClient } from "./countersign.js" */
/** @import { LogEvent } from "./types.d.ts" */

/** The pause before another attempt to start, in milliseconds. */
const PAUSE = 1_000;

/** @typedef {"loading" | "live" | "reconnecting" | "failed"} FeedState */

/**
 * Follows the log until `close`. It emits `log-event` with the event as `detail`, `resync` when a reader must read again
 * what it shows, because events may have been missed, and `state` after each connection change.
 */
export class LogFeed extends EventTarget {
  /** @type {FeedState} */
  state = "loading";
  /** Why the state is `failed`. @type {CountersignError | null} */
  failure = null;

  #stop = new AbortController();

  /** @param {CountersignClient} client @param {string} [thread] */
  constructor(client, thread) {
    super();
    this.client = client;
    this.thread = thread;
    const { signal } = this.#stop;
    const resync = () => {
      if (document.visibilityState === "visible") this.resync();
    };
    document.addEventListener("visibilitychange", resync, { signal });
    for (const name of ["online", "pageshow"]) window.addEventListener(name, resync, { signal });
  }

  /** @param {FeedState} state */
  #setState(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  async open() {
    const { signal } = this.#stop;
    try {
      // The tip first: an event after it is either in what the readers read now, or comes with the stream.
      const tip = await this.client.tip();
      this.failure = null;
      this.dispatchEvent(new Event("resync"));
      const handlers = {
        event: (/** @type {LogEvent} */ event) => this.dispatchEvent(new CustomEvent("log-event", { detail: event })),
        state: (/** @type {"open" | "lost"} */ state) => this.#setConnection(state),
        failed: (/** @type {CountersignError} */ error) => this.#recover(error),
      };
      await this.client.follow(tip, handlers, { thread: this.thread, signal });
    } catch (error) {
      if (!signal.aborted) this.#recover(error);
    }
  }

  close() {
    this.#stop.abort();
  }

  /** Asks all readers to read again: after sleep, and when a person returns to the page. */
  resync() {
    if (this.state !== "failed") this.dispatchEvent(new Event("resync"));
  }

  /** Starts again after a failure that the stream does not survive: another log, or no answer at the start. */
  #recover(/** @type {unknown} */ error) {
    const failure = error instanceof CountersignError ? error : null;
    if (failure?.code === "bad_cursor") return this.open();
    this.failure = failure;
    const isFinal = failure !== null && failure.status >= 400 && failure.status < 500;
    this.#setState(isFinal ? "failed" : "reconnecting");
    if (!isFinal && !this.#stop.signal.aborted) setTimeout(() => this.open(), PAUSE);
  }

  #setConnection(/** @type {"open" | "lost"} */ state) {
    const before = this.state;
    this.#setState(state === "open" ? "live" : "reconnecting");
    // After a gap the events say what has changed, but the list is what counts.
    if (before === "reconnecting" && state === "open") this.resync();
  }
}
