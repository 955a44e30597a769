// Reads the stream of events without input or output: server-sent events, and the place where to resume.
import { CountersignError } from "./errors.js";
import { readJson } from "./json_reader.js";
import { eventsPath, type ListQuery } from "./operations.js";
import { errorText, makeError, problemError, type HttpRequest } from "./replies.js";
import { FIRST_PAUSE, LONGEST_PAUSE, requestedPause } from "./retry.js";
import type { Event } from "./types.js";

/** A longer line is not from a Countersign server, whose events have 4 MiB. */
const MAX_LINE_CHARACTERS = 32 * 1024 * 1024;

/** An event, and the cursor after it. */
export interface EventMessage {
  cursor: string | undefined;
  event: Event;
}

/** Reads one connection: bytes in, events with their cursors out. */
export class EventReader {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #line: string[] = [];
  #lineLength = 0;
  #id: string | undefined;
  #type = "";
  #data: string[] = [];

  /** Returns the events that `chunk` completes. Throws the error that ends the stream. */
  *feed(chunk: Uint8Array): Generator<EventMessage, void, undefined> {
    const text = this.#decode(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      const message = this.#endLine(text.slice(start, end));
      start = end + 1;
      if (message) {
        yield message;
      }
    }
    this.#line.push(text.slice(start));
    this.#lineLength += text.length - start;
    if (this.#lineLength > MAX_LINE_CHARACTERS) {
      throw makeError("strange_server", "a line of the stream is too long for an event");
    }
  }

  #decode(chunk: Uint8Array): string {
    try {
      return this.#decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw makeError("strange_server", "the stream is not UTF-8", { cause });
    }
  }

  #endLine(end: string): EventMessage | undefined {
    const line = [...this.#line, end].join("").replace(/\r$/, "");
    this.#line = [];
    this.#lineLength = 0;
    if (line === "") {
      return this.#endMessage();
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") {
      this.#id = value;
    } else if (name === "event") {
      this.#type = value;
    } else if (name === "data") {
      this.#data.push(value);
    }
    return undefined;
  }

  #endMessage(): EventMessage | undefined {
    const [cursor, type, data] = [this.#id, this.#type, this.#data.join("\n")];
    this.#id = undefined;
    this.#type = "";
    this.#data = [];
    if (data === "") {
      return undefined;
    }
    const value = readData(data);
    if (type === "error") {
      throw problemError(value);
    }
    if (!isEvent(value)) {
      throw makeError("strange_server", "an event of the stream has no position");
    }
    return { cursor, event: value };
  }
}

function readData(data: string): unknown {
  try {
    return readJson(data);
  } catch (cause) {
    throw makeError("strange_server", `an event of the stream is not JSON: ${errorText(cause)}`, { cause });
  }
}

function isEvent(value: unknown): value is Event {
  return typeof value === "object" && value !== null && "seq" in value && typeof value.seq === "number";
}

/** A stream's log position, which outlives its connections. */
export class StreamPosition {
  readonly #thread: string | undefined;
  readonly #query: ListQuery;
  readonly #giveUpAfterMs: number;
  #cursor: string;
  #isResuming = false;
  #hasReceived = false;
  #pause = FIRST_PAUSE;
  #failingSince: number | undefined;

  constructor(thread: string | undefined, query: ListQuery, after: string | number, giveUpAfterMs: number) {
    this.#thread = thread;
    this.#query = query;
    this.#cursor = String(after);
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  /** The place after the last event that the caller received. Save it to resume in another process. */
  get cursor(): string {
    return this.#cursor;
  }

  /** The request that opens the stream, or resumes it. */
  request(): HttpRequest {
    const request = { method: "GET", path: eventsPath(this.#thread) } as const;
    const headers = { accept: "text/event-stream" };
    return this.#isResuming
      ? { ...request, query: this.#query, headers: { ...headers, "last-event-id": this.#cursor } }
      : { ...request, query: [...this.#query, ["after", this.#cursor]], headers };
  }

  /** Notes that the caller receives the event. Returns false for an event that the caller has already. */
  deliver(message: EventMessage): boolean {
    const { seq } = message.event;
    if (seq <= Number(this.#cursor.split("-", 1)[0])) {
      return false;
    }
    this.#cursor = message.cursor ?? String(seq);
    this.#hasReceived = true;
    this.#pause = FIRST_PAUSE;
    this.#failingSince = undefined;
    return true;
  }

  /** Notes that the server accepted the request. */
  opened(): void {
    this.#isResuming = true;
    this.#hasReceived = false;
  }

  /** The time until the stream is opened again, after it ended with `error`. Throws an error that will stay. */
  pauseAfter(error: unknown, now: number): number {
    if (error !== undefined) {
      this.#failingSince ??= now;
      const isTransient = error instanceof CountersignError && error.isTransient;
      if (!isTransient || now - this.#failingSince >= this.#giveUpAfterMs) {
        throw error;
      }
    } else if (this.#hasReceived) {
      this.#failingSince = undefined;
    }
    const pause = Math.max(this.#pause, error instanceof CountersignError ? requestedPause(error) : 0);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    return pause;
  }
}
