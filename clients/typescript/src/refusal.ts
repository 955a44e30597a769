// The outcome of a call that does not run now: what it returned earlier, or why it does not run.
import {
  AlreadyRunningError, CancelledCallError, DeniedError, ExpiredError, FailedBeforeError, NotRunError, OutcomeUnknownError,
  StillPendingError, UnknownAnswerError,
} from "./errors.js";
import { writeJson } from "./json_writer.js";
import type { Call } from "./types.js";

/** A call that ran, now or earlier. */
export interface CallOutcome<T> {
  call: Call;
  /** The tool's return value; for a call that ran earlier, the recorded content. */
  value: T;
  ranNow: boolean;
  /** A note for the model: a person changed the arguments. */
  note: string | undefined;
}

export function createOutcome<T>(call: Call, value: T, ranNow: boolean): CallOutcome<T> {
  return { call, value, ranNow, note: call.response?.note ?? undefined };
}

/** The outcome of a call that ended earlier. */
export function finishedBefore<T>(call: Call): CallOutcome<T> {
  if (call.result?.status !== "success") {
    throw new FailedBeforeError(recordedText(call, "The call failed."), call);
  }
  // The recorded content has the value's type as far as JSON can express it.
  return createOutcome(call, call.result.content as T, false);
}

/** The recorded result content as text for the model. */
function recordedText(call: Call, otherwise: string): string {
  const content = call.result?.content ?? null;
  if (content === null) {
    return otherwise;
  }
  return typeof content === "string" ? content : writeJson(content);
}

/** The decisions after which a call may run. A decision that a later version has added allows nothing. */
const ALLOWING: ReadonlySet<string> = new Set(["allow_once", "allow_session"]);

/** Returns true if the call may be claimed. What a later version calls otherwise does not allow it. */
export function mayStart(call: Call): boolean {
  const isAllowed = !call.response || ALLOWING.has(call.response.decision);
  return isAllowed && (call.state === "allowed" || call.state === "unknown");
}

/** The reason why a call does not run now. */
export function refusal(call: Call, cause?: unknown): NotRunError {
  const { id } = call;
  const options = cause === undefined ? undefined : { cause };
  switch (call.state) {
    case "denied": {
      const text = recordedText(call, `The call ${id} was denied.`);
      return call.response?.source === "expiry" ? new ExpiredError(text, call, options) : new DeniedError(text, call, options);
    }
    case "cancelled":
      return new CancelledCallError(recordedText(call, `The call ${id} was cancelled and did not run.`), call, options);
    case "pending":
      return new StillPendingError(
        `The call ${id} still waits for a decision. It has not run. The same call again waits on.`, call, options,
      );
    case "running":
      return new AlreadyRunningError(`The call ${id} runs already. It was not started again.`, call, options);
    case "unknown":
      return new OutcomeUnknownError(
        `The outcome of the call ${id} is unknown: its executor was lost and may have run it. Do not repeat it. A person must ` +
          `check its effects; \`countersign release ${id}\` then lets it run again.`,
        call, options,
      );
    default: {
      // The state, or the decision of an allowed call, is a word of a later version.
      const word: string = (call.state === "allowed" && call.response?.decision) || call.state;
      const text = `The call ${id} was not run: the server answers \`${word}\`, which this version of the client does not know.`;
      return new UnknownAnswerError(text, call, options);
    }
  }
}
