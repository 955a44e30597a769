// Options of the gate operations.
import type { ListQuery } from "./operations.js";
import { listQuery } from "./operations.js";
import type { ProgramPlace } from "./place.js";
import type { BulkDecisionItem, Call, CallState, DecisionRequest, ProposedDefinition, ProposedImpact } from "./types.js";

/** A call, or a call id in the gate's thread. */
export type CallReference = string | Pick<Call, "threadId" | "id">;

/** Every operation stops at once when its signal is aborted, and throws the signal's reason. */
export interface SignalOptions {
  signal?: AbortSignal | undefined;
}

export interface ThreadOptions extends SignalOptions {
  /** The thread; by default, the gate's or the call's thread. */
  thread?: string | undefined;
}

/** What approvers see beside the arguments, and how long they have. */
export interface ProposalOptions {
  /** Where the call runs, if not where the gate's program does. */
  place?: ProgramPlace | undefined;
  /** The call's purpose, for approvers. */
  description?: string | undefined;
  /** The call's impact, for approvers. */
  impact?: ProposedImpact | undefined;
  /** Hints about the tool, as MCP has them. */
  annotations?: object | undefined;
  /** The tool definition. Edited arguments must satisfy its `inputSchema`. */
  definition?: ProposedDefinition | undefined;
  /** The time that people have to decide. */
  expiresInSeconds?: number | undefined;
}

export interface ProposeOptions extends ThreadOptions, ProposalOptions {
  /** The id that the model chose; a random one without it. Proposing the same call again returns its current state. */
  callId?: string | undefined;
  /** The id of an earlier call whose unused approval this call may take. */
  replaces?: string | undefined;
}

export interface WaitOptions extends ThreadOptions {
  /** The time to wait; no limit without it. */
  timeoutMs?: number | undefined;
}

export interface ClaimOptions extends SignalOptions {
  /** A new name for each attempt, which it is by default. */
  executor?: string | undefined;
  leaseSeconds?: number | undefined;
  /** The unmasked arguments, if the log has masked a secret in them. */
  arguments?: unknown;
  definitionHash?: string | undefined;
}

export interface RenewOptions extends SignalOptions {
  leaseSeconds?: number | undefined;
}

export interface FinishOptions extends SignalOptions {
  /** The arguments that ran, if they may differ from the approved ones: a difference is recorded as a mismatch. */
  ranArguments?: unknown;
  status?: "success" | "error" | "cancelled" | undefined;
  executor?: string | undefined;
}

export interface CancelOptions extends ThreadOptions {
  reason?: string | undefined;
}

export type DecideOptions = ThreadOptions & Omit<DecisionRequest, "decision">;

export type DecideAllItem = BulkDecisionItem;

interface PageOptions extends ThreadOptions {
  tool?: string | undefined;
  principal?: string | undefined;
  limit?: number | undefined;
}

export interface PendingOptions extends PageOptions {
  after?: number | undefined;
}

interface PeriodOptions extends PageOptions {
  /** Start and end of the period (RFC 3339). */
  since?: string | undefined;
  until?: string | undefined;
}

export interface CallsOptions extends PeriodOptions {
  state?: CallState | (string & {}) | undefined;
  argumentsHash?: string | undefined;
  /** A pattern such as `.env` for what a call touches, as recorded. */
  touches?: string | undefined;
  after?: number | undefined;
}

export interface EventsOptions extends PeriodOptions {
  types?: readonly string[] | undefined;
  after?: number | string | undefined;
}

export interface StreamOptions extends ThreadOptions {
  types?: readonly string[] | undefined;
  tool?: string | undefined;
  principal?: string | undefined;
  /** The cursor after which the stream starts; without it, the stream starts at the first event. */
  after?: number | string | undefined;
  /** The stream fails if the server is unavailable for this long: 2 minutes without it, with `Infinity` never. */
  giveUpAfterMs?: number | undefined;
}

/** Options of a whole call. */
export interface CallOptions<A> extends ThreadOptions, ProposalOptions {
  /** The id that the model chose. Without it, an open call with the same place, tool and arguments is resumed. */
  callId?: string | undefined;
  /** The time to wait for the decision. Then `StillPendingError` is thrown, and the same call again waits on. */
  timeoutMs?: number | undefined;
  /** True to cancel the call if the wait ends by the time-out or by the signal. */
  withdraw?: boolean | undefined;
  /** The lease, 900 seconds without it. It is renewed while the tool runs. */
  leaseSeconds?: number | undefined;
  /** Checks the approved arguments, which a person may have edited. If it throws, the tool does not run. */
  parse?: ((approved: unknown) => A | Promise<A>) | undefined;
}

/** The query string for a list of calls or events. */
export function periodQuery(options: CallsOptions & Pick<EventsOptions, "types">, after?: number | string): ListQuery {
  const { types, state, tool, principal, argumentsHash, touches, since, until, limit } = options;
  return listQuery({ type: types, state, tool, principal, argumentsHash, touches, since, until, limit, after });
}
