// A whole call: propose, wait, claim, run, report. One implementation for functions and frameworks.
import { CountersignError, UnusableArgumentsError } from "./errors.js";
import { readJson } from "./json_reader.js";
import type { JsonValue } from "./json_value.js";
import { writeJson } from "./json_writer.js";
import { runWithLease } from "./lease.js";
import { processName } from "./node_platform.js";
import type { CallPlace, RequestFields, ServerOperations } from "./operations.js";
import { createOutcome, finishedBefore, mayStart, refusal, type CallOutcome } from "./refusal.js";
import { randomHex } from "./resumption.js";
import { errorContent, resultContent } from "./result_text.js";
import { INTERACTION } from "./retry.js";
import type { Call } from "./types.js";
import { warn } from "./warning.js";

/** The call that runs, for the tool. */
export interface RunningCall {
  call: Call;
  /** The caller's signal: a tool that takes long should stop when it is aborted. */
  signal: AbortSignal | undefined;
}

/** Runs the tool with the approved arguments. */
export type ToolRunner<T> = (approved: JsonValue, running: RunningCall) => T | Promise<T>;

/** A call to make, and how. */
export interface CallPlan<T> {
  place: CallPlace;
  name: string;
  /** The arguments as JSON text: a snapshot, so later changes to an object have no effect. */
  argumentsText: string;
  run: ToolRunner<T>;
  /** Further proposal members. */
  fields: RequestFields;
  /** The time to wait for the decision; `Infinity` without a limit. */
  timeoutMs: number;
  /** True to cancel the call if the wait ends without a decision: by the time-out, or by the signal. */
  withdraw: boolean;
  leaseSeconds: number | undefined;
  signal: AbortSignal | undefined;
  /** Tells the people at this program that the call waits for a decision. */
  announce: (place: CallPlace) => void;
}

/** How a call ended, as its caller reports it. A runner returns it instead of a value. */
export class ReportedEnd {
  constructor(
    readonly status: string,
    readonly content: string,
    readonly ranArguments: unknown,
  ) {}
}

/** The approved arguments do not fit the tool. A runner throws it before the tool starts. */
export class UnusableArguments extends Error {
  override readonly name: string = "UnusableArguments";
}

const MASKED_CHANGE =
  "This call was not run: a person changed its arguments, and the log masks a secret in them, so this program does not have " +
  "the approved arguments.";
const ABORTED = "The agent stopped the call before the tool started.";

/** A new name for one execution. */
export function newExecutor(): string {
  return `typescript${processName()}-${randomHex(6)}`;
}

/** One call on its way. `mayBeOpen` is true after an error if the call has not started and the next call may resume it. */
export class CallExecution<T> {
  readonly #operations: ServerOperations;
  readonly #plan: CallPlan<T>;
  readonly #executor = newExecutor();
  #isBeforeClaim = true;

  constructor(operations: ServerOperations, plan: CallPlan<T>) {
    this.#operations = operations;
    this.#plan = plan;
  }

  /** Makes the call. Returns its outcome, or throws a `NotRunError`, the tool's error, or the signal's reason. */
  async execute(): Promise<CallOutcome<T>> {
    const call = await this.#openCall();
    if (call.state === "finished") {
      return finishedBefore(call);
    }
    if (!mayStart(call)) {
      throw refusal(call);
    }
    const claimed = await this.#claim(call);
    return claimed.state === "finished" ? finishedBefore(claimed) : this.#run(claimed);
  }

  /** Returns true if the call that failed with this error has not started, and may still wait for a decision. */
  mayBeOpen(error: unknown): boolean {
    const isLost = error instanceof CountersignError && error.isTransient;
    const isAborted = this.#plan.signal?.aborted === true && !this.#plan.withdraw;
    return this.#isBeforeClaim && (isLost || isAborted);
  }

  /** Proposes the call and waits for the decision. Proposing again resumes the same call. */
  async #openCall(): Promise<Call> {
    const { place, name, fields, argumentsText, signal, timeoutMs } = this.#plan;
    try {
      let call = await this.#operations.propose(place.thread, { id: place.id, name, ...fields }, argumentsText, signal);
      if (call.state === "pending") {
        this.#plan.announce(place);
        call = await this.#operations.wait(place, timeoutMs, signal);
      }
      signal?.throwIfAborted();
      if (call.state === "pending") {
        await this.#withdraw("the agent waited in vain");
      }
      return call;
    } catch (error) {
      if (signal?.aborted) {
        await this.#withdraw("the agent does not wait any more");
      }
      throw error;
    }
  }

  async #withdraw(reason: string): Promise<void> {
    if (!this.#plan.withdraw) {
      return;
    }
    try {
      await this.#operations.cancel(this.#plan.place, reason, undefined);
    } catch (error) {
      const isUnknown = error instanceof CountersignError && ["unknown_call", "unknown_thread"].includes(error.code);
      if (!isUnknown) {
        warn(`the call ${this.#plan.place.id} cannot be cancelled`, error);
      }
    }
  }

  /** Claims the call. Throws the reason why it cannot start. */
  async #claim(call: Call): Promise<Call> {
    const { place, argumentsText, leaseSeconds, signal } = this.#plan;
    const isMasked = (call.redacted?.length ?? 0) > 0;
    if (isMasked && (call.response?.changes?.length ?? 0) > 0) {
      await this.#operations.cancel(place, MASKED_CHANGE, signal);
      throw new UnusableArgumentsError(MASKED_CHANGE, call);
    }
    const fields = { executor: this.#executor, argumentsHash: call.argumentsHash, leaseSeconds };
    this.#isBeforeClaim = false;
    try {
      const claimed = await this.#operations.claim(place, fields, isMasked ? argumentsText : undefined, signal);
      signal?.throwIfAborted();
      return claimed;
    } catch (error) {
      if (signal?.aborted) {
        await this.#abandonClaim();
        throw error;
      }
      if (!(error instanceof CountersignError) || !["already_claimed", "not_allowed"].includes(error.code)) {
        throw error;
      }
      const current = await this.#operations.readCall(place, signal);
      if (current.state === "allowed" && mayStart(current)) {
        throw error;
      }
      if (current.state === "finished") {
        return current;
      }
      throw refusal(current, error);
    }
  }

  /** Ends a claim that may have been recorded while its caller aborted it. Otherwise, the outcome would be unknown. */
  async #abandonClaim(): Promise<void> {
    const fields = { status: "cancelled", executor: this.#executor };
    try {
      await this.#operations.finish(this.#plan.place, fields, writeJson(ABORTED), undefined, INTERACTION);
    } catch (error) {
      // Most often the claim was not recorded.
      this.#isBeforeClaim = error instanceof CountersignError && !error.isTransient;
      await this.#withdraw("the agent does not wait any more");
    }
  }

  /** Runs the claimed call with the approved arguments, and reports the result. */
  async #run(call: Call): Promise<CallOutcome<T>> {
    const { argumentsText, run, signal, leaseSeconds, place } = this.#plan;
    // The log masks secrets. Only this program has the real values.
    const approved = (call.redacted?.length ?? 0) > 0 ? readJson(argumentsText) : call.arguments;
    const lease = { operations: this.#operations, place, executor: this.#executor, leaseSeconds };
    let value: T;
    try {
      value = await runWithLease(lease, async () => run(approved, { call, signal }));
    } catch (error) {
      const status = signal?.aborted && isAbort(error, signal) ? "cancelled" : "error";
      const finished = await this.#report(call, status, errorContent(error));
      if (error instanceof UnusableArguments) {
        throw new UnusableArgumentsError(error.message, finished, { cause: error.cause ?? error });
      }
      throw error;
    }
    const { status, content, ranArguments } =
      value instanceof ReportedEnd ? value : new ReportedEnd("success", resultContent(value), undefined);
    return createOutcome(await this.#report(call, status, content, ranArguments), value, true);
  }

  /** Reports the result. The tool has run, so a failure here is logged and does not hide its value. */
  async #report(call: Call, status: string, content: string, ranArguments?: unknown): Promise<Call> {
    const fields = { status, executor: this.#executor, ranArguments };
    const { place } = this.#plan;
    try {
      return await this.#operations.finish(place, fields, content, undefined);
    } catch (error) {
      let failure = error;
      if (error instanceof CountersignError && ["too_large", "invalid", "bad_json"].includes(error.code)) {
        const note = `The result has ${content.length} characters and could not be recorded: ${error.detail}`;
        try {
          return await this.#operations.finish(place, fields, writeJson(note), undefined);
        } catch (again) {
          failure = again;
        }
      }
      warn(`the call ${place.id} ran, but its result could not be recorded`, failure);
      return call;
    }
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}
