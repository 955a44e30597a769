// Reads the server's answers: JSON, or a problem.
import { errorClasses } from "./error_codes.js";
import { CountersignError, type ErrorFacts } from "./errors.js";
import { readJson } from "./json_reader.js";

/** A request to the server. */
export interface HttpRequest {
  method: "GET" | "POST";
  path: string;
  query?: readonly (readonly [string, string])[];
  body?: string;
  headers?: Readonly<Record<string, string>>;
  /** The time to wait for the answer; by default, the gate's time-out. */
  timeoutMs?: number;
}

/** The answer to a request. */
export interface HttpReply {
  status: number;
  headers: { get(name: string): string | null };
  body: Uint8Array;
}

/** Creates the error for a code, as an object of its class. */
export function makeError(code: string, detail: string, facts?: ErrorFacts): CountersignError {
  return new (errorClasses.get(code) ?? CountersignError)(code, detail, facts);
}

/** The message of an error, whatever its type. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Creates the error for a problem document. */
export function problemError(problem: unknown, retryAfterMs?: number): CountersignError {
  if (!isProblem(problem)) {
    return makeError("strange_server", "the server does not answer as a Countersign server does");
  }
  const { code, detail, status } = problem;
  return makeError(code, typeof detail === "string" ? detail : "", {
    status: typeof status === "number" ? status : undefined,
    problem,
    retryAfterMs,
  });
}

function isProblem(value: unknown): value is Record<string, unknown> & { code: string } {
  return typeof value === "object" && value !== null && "code" in value && typeof value.code === "string";
}

/** Returns the JSON value of a successful answer. Throws the error of any other. */
export function readReply(reply: HttpReply): unknown {
  if (reply.status < 200 || reply.status > 299) {
    throw replyError(reply);
  }
  try {
    return readJson(decodeText(reply.body));
  } catch (cause) {
    throw makeError("strange_server", `the answer of the server is not JSON: ${errorText(cause)}`, { cause });
  }
}

/** The error for an answer with a status other than 2xx. */
export function replyError(reply: HttpReply): CountersignError {
  const { status } = reply;
  const problem = readProblem(reply.body);
  if (isProblem(problem)) {
    return problemError(problem, readPause(reply.headers));
  }
  if (status >= 502 && status <= 504) {
    // A proxy answers with these statuses if the server behind it does not.
    return makeError("unreachable", `no answer from the server: a proxy answers ${status}`);
  }
  // A browser shows a redirect as 0.
  if (status === 0 || (status >= 300 && status <= 399)) {
    return makeError("strange_server", "the server answers with a redirect: name its final address", { status });
  }
  return makeError("strange_server", `the server answers ${status} without a problem`, { status });
}

function readProblem(body: Uint8Array): unknown {
  try {
    return readJson(decodeText(body));
  } catch {
    return undefined;
  }
}

function decodeText(body: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
}

/**
 * The pause for which `Retry-After` asks, as seconds or as a date, in milliseconds. A date is compared with the `Date`
 * of the answer, so that clocks which differ do not matter.
 */
function readPause(headers: HttpReply["headers"]): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^[0-9]+$/.test(text)) {
    return Number(text.slice(0, 10)) * 1000;
  }
  const until = readDate(text);
  return until === undefined ? undefined : Math.max(until - (readDate(headers.get("date")) ?? Date.now()), 0);
}

/** The moment of an HTTP date, in milliseconds since 1970. The old form without a time zone is in UTC, too. */
function readDate(text: string | null): number | undefined {
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text ?? "");
  const moment = isDate ? Date.parse(`${text}${text?.endsWith("GMT") ? "" : " GMT"}`) : NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
