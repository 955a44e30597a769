// Calls that a hook decides and that the framework runs: claimed at the decision, and finished when the framework reports
// their result.
import { CountersignError, NotRunError } from "../errors.js";
import type { Gate } from "../gate.js";
import { mayStart, refusal } from "../refusal.js";
import type { Call } from "../types.js";
import { warn } from "../warning.js";
import { contentText, hasChanges, plainJson, proposeOptions, type HookCall, type WrapperOptions } from "./framework_call.js";

const DEFAULT_LEASE_SECONDS = 900;
const LONGEST_RUN_MS = 6 * 3_600_000;

/** A call that the hook has claimed. */
interface HeldCall {
  call: Call;
  renewals: ReturnType<typeof setInterval>;
  end: ReturnType<typeof setTimeout>;
}

/** A decision on a call. */
export interface HookDecision {
  call: Call;
  /** The changed arguments that must run, if a person changed them. */
  changed: unknown;
  /** The text for the model if a person changed the arguments. */
  note: string | undefined;
}

/** The calls of one run of a framework. */
export class HeldCalls {
  readonly #gate: Gate;
  readonly #options: WrapperOptions<never>;
  readonly #held = new Map<string, HeldCall>();

  constructor(gate: Gate, options: WrapperOptions<never>) {
    this.#gate = gate;
    this.#options = options;
  }

  /** Proposes the call, waits and claims it. Throws a `NotRunError` if it must not run. */
  async decide(hookCall: HookCall, canChange: boolean): Promise<HookDecision> {
    const call = await this.#waitForDecision(hookCall);
    if (call.state === "finished") {
      const result = contentText(call.result?.content);
      throw new NotRunError(`The call ${call.id} ran already and was not started again. Its result: ${result}`, call);
    }
    if (!mayStart(call)) {
      throw refusal(call);
    }
    if (hasChanges(call) && !canChange) {
      throw await this.#refuseChange(call);
    }
    const isMasked = (call.redacted?.length ?? 0) > 0;
    const claimed = await this.#claim(call, isMasked ? plainJson(hookCall.input) : undefined);
    this.#hold(claimed);
    return {
      call: claimed,
      changed: hasChanges(claimed) ? claimed.arguments : undefined,
      note: claimed.response?.note ?? undefined,
    };
  }

  async #waitForDecision(hookCall: HookCall): Promise<Call> {
    const { timeoutMs, withdraw } = this.#options;
    const { signal } = hookCall;
    let call: Call | undefined;
    try {
      const options = proposeOptions(this.#gate, hookCall, this.#options);
      call = await this.#gate.propose(hookCall.name, plainJson(hookCall.input), options);
      if (call.state === "pending") {
        call = await this.#gate.wait(call, { timeoutMs, signal });
      }
      signal?.throwIfAborted();
      return call;
    } finally {
      if (withdraw && call && (signal?.aborted || call.state === "pending")) {
        await this.#cancel(call, "the agent does not wait any more");
      }
    }
  }

  async #claim(call: Call, unmasked: unknown): Promise<Call> {
    try {
      return await this.#gate.claim(call, { leaseSeconds: this.#options.leaseSeconds, arguments: unmasked });
    } catch (error) {
      if (!(error instanceof CountersignError) || !["already_claimed", "not_allowed"].includes(error.code)) {
        throw error;
      }
      const current = await this.#gate.get(call);
      throw current.state === "allowed" && mayStart(current) ? error : refusal(current, error);
    }
  }

  // The hook cannot change the arguments, so the model must propose the changed call itself.
  async #refuseChange(call: Call): Promise<NotRunError> {
    const text = `This call was not run: a person allows it with other arguments. Call ${call.name} again with exactly these ` +
      `arguments, if they serve your purpose: ${JSON.stringify(call.arguments)}`;
    await this.#cancel(call, "the framework cannot run changed arguments; the model is told them");
    return new NotRunError(text, call);
  }

  async #cancel(call: Call, reason: string): Promise<void> {
    try {
      await this.#gate.cancel(call, { reason });
    } catch (error) {
      warn(`the call ${call.id} cannot be cancelled`, error);
    }
  }

  #hold(call: Call): void {
    const leaseSeconds = this.#options.leaseSeconds ?? DEFAULT_LEASE_SECONDS;
    const renew = () => {
      this.#gate.renew(call, { leaseSeconds })
        .catch((error: unknown) => warn(`the lease of the call ${call.id} cannot be renewed`, error));
    };
    const renewals = setInterval(renew, Math.max((leaseSeconds * 1000) / 3, 1000));
    // A framework that never reports a result must not keep the call running for all time.
    const end = setTimeout(() => clearInterval(renewals), LONGEST_RUN_MS);
    letProcessEnd(renewals);
    letProcessEnd(end);
    this.#held.set(call.id, { call, renewals, end });
  }

  /** Records the result of a call that `decide` allowed. Other calls are ignored. */
  async finish(callId: string, status: "success" | "error" | "cancelled", content: unknown): Promise<Call | undefined> {
    const held = this.#held.get(callId);
    if (!held) {
      return undefined;
    }
    this.#held.delete(callId);
    clearInterval(held.renewals);
    clearTimeout(held.end);
    try {
      return await this.#gate.finish(held.call, content === undefined ? null : plainJson(content), { status });
    } catch (error) {
      warn(`the call ${callId} ran, but its result could not be recorded`, error);
      return undefined;
    }
  }

  /** The claimed call with this id. */
  get(callId: string): Call | undefined {
    return this.#held.get(callId)?.call;
  }
}

// Only Node has timers that let the process end.
function letProcessEnd(timer: unknown): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref();
  }
}
