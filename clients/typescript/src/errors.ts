// The client's errors: the base class for server errors, and one class for each reason why a call did not run.
import type { ApprovalResponse, ApprovalVote, Call, CallExecution, CallResult } from "./types.js";

const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  "unreachable", "not_ready", "shutting_down", "too_many_requests", "too_many_streams", "too_many_waits",
]);
const TRANSIENT_REASONS: ReadonlySet<string> = new Set([
  "behind", "busy", "full", "io_error", "locked", "lost", "standby", "unreachable",
]);

/** Further error facts. */
export interface ErrorFacts {
  status?: number | undefined;
  problem?: Readonly<Record<string, unknown>> | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** An operation was refused or failed. Programs switch on the class or on `code`; the text is for people. */
export class CountersignError extends Error {
  override readonly name: string = "CountersignError";
  /** The stable code. A newer server may send codes that this version has no class for. */
  readonly code: string;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The HTTP status, if a server answered. */
  readonly status: number | undefined;
  /** The server's whole answer (RFC 9457). */
  readonly problem: Readonly<Record<string, unknown>>;
  /** The pause that the server asks for before the next attempt. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, detail: string, facts: ErrorFacts = {}) {
    super(detail, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.detail = detail;
    this.status = facts.status;
    this.problem = facts.problem ?? {};
    this.retryAfterMs = facts.retryAfterMs;
  }

  /** Whether a later attempt may succeed, because the request itself is valid. */
  get isTransient(): boolean {
    if (this.code === "database_unavailable") {
      return this.status === 503 || TRANSIENT_REASONS.has(this.reason ?? "");
    }
    return this.status === 503 || TRANSIENT_CODES.has(this.code);
  }

  /** The cause of `database_unavailable`. */
  get reason(): string | undefined {
    return textFact(this.problem["reason"]);
  }

  /** The request id in the server log. */
  get requestId(): string | undefined {
    return textFact(this.problem["requestId"]);
  }

  /** The invalid parameter or header. */
  get parameter(): string | undefined {
    return textFact(this.problem["parameter"]);
  }

  /** The last logged event, with `bad_cursor`. */
  get tip(): number | undefined {
    const tip = this.problem["tip"];
    return typeof tip === "number" ? tip : undefined;
  }

  /** The earlier decision that the request conflicts with. */
  get response(): ApprovalResponse | undefined {
    return objectFact<ApprovalResponse>(this.problem["response"]);
  }

  /** The earlier vote that the request conflicts with. */
  get vote(): ApprovalVote | undefined {
    return objectFact<ApprovalVote>(this.problem["vote"]);
  }

  /** The earlier claim that the request conflicts with. */
  get execution(): CallExecution | undefined {
    return objectFact<CallExecution>(this.problem["execution"]);
  }

  /** The earlier result that the request conflicts with. */
  get result(): CallResult | undefined {
    return objectFact<CallResult>(this.problem["result"]);
  }
}

function textFact(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function objectFact<T extends object>(value: unknown): T | undefined {
  return typeof value === "object" && value !== null ? (value as T) : undefined;
}

/** The call did not run now. `text` is for the model, and `call` is the call as the log has it. */
export class NotRunError extends Error {
  override readonly name: string = "NotRunError";
  /** The text for the model: what happened, and whether to try again. */
  readonly text: string;
  /** The call. */
  readonly call: Call;

  constructor(text: string, call: Call, options?: { cause?: unknown }) {
    super(text, options);
    this.text = text;
    this.call = call;
  }
}

/** A person, the policy or the thread denied the call, or the request expired. */
export class DeniedError extends NotRunError {
  override readonly name: string = "DeniedError";
}

/** No person decided in time. */
export class ExpiredError extends DeniedError {
  override readonly name: string = "ExpiredError";
}

/** The call was withdrawn before it started. */
export class CancelledCallError extends NotRunError {
  override readonly name: string = "CancelledCallError";
}

/** No person has decided within `timeoutMs`. The call still waits: the same call again waits on. */
export class StillPendingError extends NotRunError {
  override readonly name: string = "StillPendingError";
}

/** Another executor runs the call, or had claimed it before it was killed and its lease has not ended. */
export class AlreadyRunningError extends NotRunError {
  override readonly name: string = "AlreadyRunningError";
}

/** The executor was lost between its claim and its result, so the call may have run. A person must look. */
export class OutcomeUnknownError extends NotRunError {
  override readonly name: string = "OutcomeUnknownError";
}

/** A newer server names a state or a decision that this version does not know. It allows nothing: update this package. */
export class UnknownAnswerError extends NotRunError {
  override readonly name: string = "UnknownAnswerError";
}

/** The call ran earlier, and it failed. `text` is the recorded error. */
export class FailedBeforeError extends NotRunError {
  override readonly name: string = "FailedBeforeError";
}

/** The approved arguments do not fit the tool, or the log masks some of the arguments that a person changed. */
export class UnusableArgumentsError extends NotRunError {
  override readonly name: string = "UnusableArgumentsError";
}
