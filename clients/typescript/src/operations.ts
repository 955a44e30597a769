// The API operations: their requests, and which of them are repeated for how long.
import type { ServerConnection } from "./connection.js";
import { CountersignError } from "./errors.js";
import { writeJson } from "./json_writer.js";
import { errorText, makeError, readReply, type HttpRequest } from "./replies.js";
import { EXECUTION, INTERACTION, PROPOSAL, retry } from "./retry.js";
import type {
  BulkDecisionItem, BulkDecisionResponse, Call, CallerView, CallPage, Decision, EventPage, PendingPage, ReadinessReport,
} from "./types.js";

/** The seconds that one request waits for a decision. The next request follows at once. */
const HOLD_SECONDS = 25;

/** Thread and id of a call. */
export interface CallPlace {
  thread: string;
  id: string;
}

/** Request members. Those without a value are not sent. */
export type RequestFields = Readonly<Record<string, unknown>>;
export type ListQuery = readonly (readonly [string, string])[];
type Signal = AbortSignal | undefined;

export function joinPath(...parts: string[]): string {
  return `/v1/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

function callPath(place: CallPlace, ...rest: string[]): string {
  return joinPath("threads", place.thread, "tool-calls", place.id, ...rest);
}

export function eventsPath(thread: string | undefined): string {
  return listPath(thread, "events");
}

function listPath(thread: string | undefined, ...parts: string[]): string {
  return thread === undefined ? joinPath(...parts) : joinPath("threads", thread, ...parts);
}

/** Writes a caller's value as JSON text. */
export function callerJson(value: unknown, what: string): string {
  try {
    return writeJson(value);
  } catch (cause) {
    throw makeError("invalid", `${what} cannot be written as JSON: ${errorText(cause)}`, { cause });
  }
}

/** The request body: the fields that have a value, and members that are JSON text already. */
function jsonBody(fields: RequestFields, raw: Readonly<Record<string, string | undefined>> = {}): string {
  const members: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null) {
      members.push(`${JSON.stringify(name)}:${callerJson(value, name)}`);
    }
  }
  for (const [name, text] of Object.entries(raw)) {
    if (text !== undefined) {
      members.push(`${JSON.stringify(name)}:${text}`);
    }
  }
  return `{${members.join(",")}}`;
}

/** The query string of a list. A filter without a value is left out. */
export function listQuery(filters: Readonly<Record<string, string | number | readonly string[] | undefined>>): ListQuery {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(filters)) {
    const text = Array.isArray(value) ? value.join(",") : value;
    if (text !== undefined && !(Array.isArray(value) && value.length === 0)) {
      pairs.push([name, String(text)]);
    }
  }
  return pairs;
}

/** The operations over one connection. */
export class ServerOperations {
  readonly connection: ServerConnection;

  constructor(connection: ServerConnection) {
    this.connection = connection;
  }

  /** Sends a request that is safe to repeat, and returns its JSON answer. */
  #send<T>(request: HttpRequest, budget: number, signal: Signal): Promise<T> {
    return retry(this.connection, budget, signal, () => this.#attempt<T>(request, signal));
  }

  async #attempt<T>(request: HttpRequest, signal: Signal): Promise<T> {
    // The types come from the OpenAPI document, which the server keeps.
    return readReply(await this.connection.send(request, signal)) as T;
  }

  #post<T>(path: string, body: string, budget: number, signal: Signal): Promise<T> {
    return this.#send(postRequest(path, body), budget, signal);
  }

  propose(thread: string, fields: RequestFields, argumentsText: string, signal: Signal): Promise<Call> {
    const body = jsonBody(fields, { arguments: argumentsText });
    return this.#post(joinPath("threads", thread, "tool-calls"), body, PROPOSAL, signal);
  }

  readCall(place: CallPlace, signal: Signal, budget = INTERACTION): Promise<Call> {
    return this.#send({ method: "GET", path: callPath(place) }, budget, signal);
  }

  /** Waits until the call is decided, for at most `timeoutMs`, also while the server restarts. */
  async wait(place: CallPlace, timeoutMs: number, signal: Signal): Promise<Call> {
    const end = this.connection.now() + timeoutMs;
    for (;;) {
      const left = Math.max(end - this.connection.now(), 0);
      // The header takes whole seconds. With less than one second left, the request does not wait, and the pause does.
      const hold = Math.min(Math.floor(left / 1000), HOLD_SECONDS);
      const request: HttpRequest = {
        method: "GET", path: callPath(place), headers: { prefer: `wait=${hold}` }, timeoutMs: HOLD_SECONDS * 2000,
      };
      const call = await this.#send<Call>(request, left, signal);
      if (call.state !== "pending" || left === 0) {
        return call;
      }
      if (hold === 0) {
        await this.connection.pause(left, signal);
      }
    }
  }

  /**
   * Claims the call. If the answer to an attempt was lost, the next is refused with a claim of this executor, which counts as
   * success. So each execution needs an executor name of its own.
   */
  async claim(
    place: CallPlace,
    fields: RequestFields & { executor: string },
    argumentsText: string | undefined,
    signal: Signal,
  ): Promise<Call> {
    const request = postRequest(callPath(place, "claim"), jsonBody(fields, { arguments: argumentsText }));
    let attempts = 0;
    try {
      return await retry(this.connection, EXECUTION, signal, () => {
        attempts += 1;
        return this.#attempt<Call>(request, signal);
      });
    } catch (error) {
      const isOwnClaim = attempts > 1 && error instanceof CountersignError && error.code === "already_claimed" &&
        error.execution?.executor === fields.executor;
      if (!isOwnClaim) {
        throw error;
      }
    }
    return this.readCall(place, signal, EXECUTION);
  }

  renew(place: CallPlace, fields: RequestFields, signal: Signal): Promise<Call> {
    return this.#post(callPath(place, "claim", "renew"), jsonBody(fields), EXECUTION, signal);
  }

  finish(place: CallPlace, fields: RequestFields, content: string, signal: Signal, budget = EXECUTION): Promise<Call> {
    return this.#post(callPath(place, "result"), jsonBody(fields, { content }), budget, signal);
  }

  cancel(place: CallPlace, reason: string | undefined, signal: Signal): Promise<Call> {
    return this.#post(callPath(place, "cancel"), jsonBody({ reason }), INTERACTION, signal);
  }

  heartbeat(place: CallPlace, signal: Signal): Promise<Call> {
    return this.#post(callPath(place, "heartbeat"), "{}", INTERACTION, signal);
  }

  decide(
    place: CallPlace, decision: Decision, fields: RequestFields, argumentsText: string | undefined, signal: Signal,
  ): Promise<Call> {
    const body = jsonBody({ decision, ...fields }, { arguments: argumentsText });
    return this.#post(joinPath("threads", place.thread, "approvals", place.id), body, INTERACTION, signal);
  }

  decideAll(decisions: readonly BulkDecisionItem[], signal: Signal): Promise<BulkDecisionResponse> {
    return this.#post(joinPath("approvals", "decide"), jsonBody({ decisions }), INTERACTION, signal);
  }

  pending(thread: string | undefined, query: ListQuery, signal: Signal): Promise<PendingPage> {
    return this.#list(listPath(thread, "approvals", "pending"), query, signal);
  }

  calls(thread: string | undefined, query: ListQuery, signal: Signal): Promise<CallPage> {
    return this.#list(listPath(thread, "tool-calls"), query, signal);
  }

  events(thread: string | undefined, query: ListQuery, signal: Signal): Promise<EventPage> {
    return this.#list(eventsPath(thread), query, signal);
  }

  #list<T>(path: string, query: ListQuery, signal: Signal): Promise<T> {
    return this.#send({ method: "GET", path, query }, INTERACTION, signal);
  }

  caller(signal: Signal): Promise<CallerView> {
    return this.#send({ method: "GET", path: joinPath("me") }, INTERACTION, signal);
  }

  ready(signal: Signal): Promise<ReadinessReport> {
    return this.#attempt({ method: "GET", path: "/readyz" }, signal);
  }
}

function postRequest(path: string, body: string): HttpRequest {
  return { method: "POST", path, body, headers: { "content-type": "application/json" } };
}
