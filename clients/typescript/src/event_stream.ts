// The stream of events, which resumes by itself.
import { onAbort } from "./abort.js";
import { readBody, type FetchConnection } from "./connection.js";
import { EventReader, StreamPosition } from "./event_reader.js";
import { makeError, replyError } from "./replies.js";
import type { Event } from "./types.js";

/** The server sends a comment after 15 idle seconds. A connection that is silent for this long is broken. */
const SILENCE_MS = 45_000;

/**
 * The logged events, in order, each once. Leaving the loop, `return()` and the signal end the stream and its connection.
 */
export class EventStream implements AsyncIterableIterator<Event> {
  readonly #connection: FetchConnection;
  readonly #position: StreamPosition;
  readonly #ended = new AbortController();
  readonly #events: AsyncGenerator<Event, void, undefined>;
  readonly #forget: () => void;
  #isClosed = false;

  constructor(connection: FetchConnection, position: StreamPosition, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.#position = position;
    this.#events = this.#follow();
    this.#forget = onAbort(signal, () => this.#ended.abort(signal?.reason));
    if (signal?.aborted) {
      this.#ended.abort(signal.reason);
    }
  }

  /** The place after the last event that this stream returned. */
  get cursor(): string {
    return this.#position.cursor;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event. It fails with the signal's reason, or with the error that ended the stream. */
  next(): Promise<IteratorResult<Event, undefined>> {
    return this.#events.next() as Promise<IteratorResult<Event, undefined>>;
  }

  /** Ends the stream and its connection, also while `next()` waits. */
  async return(): Promise<IteratorResult<Event, undefined>> {
    this.#isClosed = true;
    this.#ended.abort(new Error("the stream is closed"));
    this.#forget();
    await this.#events.return();
    return { done: true, value: undefined };
  }

  async *#follow(): AsyncGenerator<Event, void, undefined> {
    const { signal } = this.#ended;
    try {
      for (;;) {
        let failure: unknown;
        try {
          yield* this.#readConnection();
        } catch (error) {
          failure = error;
        }
        signal.throwIfAborted();
        await this.#connection.pause(this.#position.pauseAfter(failure, this.#connection.now()), signal);
      }
    } catch (error) {
      if (!this.#isClosed) {
        throw error;
      }
    } finally {
      this.#forget();
    }
  }

  async *#readConnection(): AsyncGenerator<Event, void, undefined> {
    const open = await this.#connection.open(this.#position.request(), this.#ended.signal, SILENCE_MS);
    try {
      if (open.status !== 200) {
        const body = await readBody(open, () => SILENCE_MS);
        throw replyError({ status: open.status, headers: open.headers, body });
      }
      if (!open.headers.get("content-type")?.startsWith("text/event-stream")) {
        throw makeError("strange_server", "the server does not answer with a stream of events");
      }
      this.#position.opened();
      const reader = new EventReader();
      for (let chunk = await open.read(SILENCE_MS); chunk; chunk = await open.read(SILENCE_MS)) {
        for (const message of reader.feed(chunk)) {
          if (this.#position.deliver(message)) {
            yield message.event;
          }
        }
      }
    } finally {
      open.close();
    }
  }
}
