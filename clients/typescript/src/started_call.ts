// A call that has started and is not finished: for frameworks with a function before a tool and another one after it.
import { ReportedEnd, type RunningCall } from "./execution.js";
import { writeJson } from "./json_writer.js";
import type { CallOutcome } from "./refusal.js";
import { errorContent, resultContent } from "./result_text.js";
import type { Call } from "./types.js";

/** A started call. Its lease is renewed until it ends; if the process dies, the call's outcome is unknown. */
export interface StartedCall<A> {
  call: Call;
  /** The arguments to run, and nothing else: a person may have edited them. */
  arguments: A;
  /** A note for the model: a person changed the arguments. */
  note: string | undefined;
  /** True for a call that an earlier process has run to its end. Do not run it again: `recorded` is its result. */
  ranBefore: boolean;
  recorded: unknown;
  /** Records the result. A second report changes nothing. */
  finish(result?: unknown, options?: { ranArguments?: unknown }): Promise<Call>;
  /** Records that the tool failed. */
  fail(error: unknown): Promise<Call>;
  /** Records that the call was not run. */
  cancel(reason?: string): Promise<Call>;
}

type MakeCall<A> = (run: (approved: A, running: RunningCall) => Promise<unknown>) => Promise<CallOutcome<unknown>>;

/** Makes a whole call whose tool ends when the caller says so. Resolves as soon as the tool would start. */
export function beginCall<A>(makeCall: MakeCall<A>): Promise<StartedCall<A>> {
  return new Promise((resolve, reject) => {
    let endCall: (end: ReportedEnd) => void = () => undefined;
    const ended = new Promise<ReportedEnd>((end) => (endCall = end));
    const outcome = makeCall((approved, { call }) => {
      const end = async (status: string, content: string, ranArguments?: unknown): Promise<Call> => {
        endCall(new ReportedEnd(status, content, ranArguments));
        return (await outcome).call;
      };
      resolve({
        call,
        arguments: approved,
        note: call.response?.note ?? undefined,
        ranBefore: false,
        recorded: undefined,
        finish: (result, options) => end("success", resultContent(result), options?.ranArguments),
        fail: (error) => end("error", typeof error === "string" ? writeJson(error) : errorContent(error)),
        cancel: (reason = "it was not run") => end("cancelled", writeJson(reason)),
      });
      return ended;
    });
    // Only a call that ran before ends without its tool.
    outcome.then((made) => resolve(endedBefore<A>(made)), reject);
  });
}

function endedBefore<A>({ call, value, note }: CallOutcome<unknown>): StartedCall<A> {
  const end = async (): Promise<Call> => call;
  return {
    call, arguments: call.arguments as A, note, ranBefore: true, recorded: value, finish: end, fail: end, cancel: end,
  };
}
