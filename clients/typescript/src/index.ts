/**
 * Ask people before an AI agent runs a tool: the TypeScript client of Countersign.
 *
 *     import { Gate, withApproval } from "@countersign/client";
 *
 *     const gate = new Gate(); // COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN
 *     const deploy = withApproval(gate, "deploy", ({ service }: { service: string }) => `deployed ${service}`);
 */
export { withApproval } from "./approval.js";
export type { ApprovalOptions, ApprovedFunction, ApprovedValue, DenialStyle } from "./approval.js";
export { withCallContext } from "./call_context.js";
export type { CallContext } from "./call_context.js";
export * from "./error_codes.js";
export {
  AlreadyRunningError, CancelledCallError, CountersignError, DeniedError, ExpiredError, FailedBeforeError, NotRunError,
  OutcomeUnknownError, StillPendingError, UnknownAnswerError, UnusableArgumentsError,
} from "./errors.js";
export { EventStream } from "./event_stream.js";
export type { RunningCall } from "./execution.js";
export { Gate } from "./gate.js";
export type {
  CallOptions, CallReference, CallsOptions, CancelOptions, ClaimOptions, DecideAllItem, DecideOptions, EventsOptions,
  FinishOptions, PendingOptions, ProposalOptions, ProposeOptions, RenewOptions, SignalOptions, StreamOptions, ThreadOptions,
  WaitOptions,
} from "./gate_options.js";
export type { ProgramPlace } from "./place.js";
export { readJson } from "./json_reader.js";
export { ExactNumber } from "./json_value.js";
export type { JsonObject, JsonValue } from "./json_value.js";
export { writeJson } from "./json_writer.js";
export type { CallOutcome } from "./refusal.js";
export { newId } from "./resumption.js";
export type { GateOptions } from "./settings.js";
export type { StartedCall } from "./started_call.js";
export type * from "./types.js";
