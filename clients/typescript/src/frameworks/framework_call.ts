// A tool call that a framework makes: the parts that all wrappers share.
import { withoutCallId } from "../call_context.js";
import { DeniedError, NotRunError } from "../errors.js";
import { UnusableArguments } from "../execution.js";
import type { Gate } from "../gate.js";
import type { CallOptions, ProposeOptions } from "../gate_options.js";
import { writeJson } from "../json_writer.js";
import { errorText } from "../replies.js";
import type { Call, ProposedDefinition, ProposedImpact } from "../types.js";

/** Options of every wrapper. `Context` is what the framework tells a tool about its run. */
export interface WrapperOptions<Context = unknown> {
  /**
   * The calls' thread: a name, or a function that gets what the framework tells the tool. Without it, the gate's
   * thread, or else the framework's conversation.
   */
  thread?: string | ((context: Context) => string | undefined) | undefined;
  /** The call's purpose, for approvers. */
  description?: ((tool: string, input: unknown) => string | undefined) | undefined;
  /** The call's impact, for approvers. */
  impact?: ((tool: string, input: unknown) => ProposedImpact | undefined) | undefined;
  /** The time that people have to decide, in seconds. */
  expiresInSeconds?: number | undefined;
  /** The time to wait for a decision. Then the call stays open, and the model is told. */
  timeoutMs?: number | undefined;
  /** Whether to cancel the call if the wait ends by time-out or by the run's signal. */
  withdraw?: boolean | undefined;
  /** The lease, 900 seconds without it. It is renewed while the tool runs. */
  leaseSeconds?: number | undefined;
  /** `throw` to throw the `NotRunError` if a call does not run, instead of explaining it to the model. */
  onDenial?: "return" | "throw" | undefined;
}

/** A call that a hook decides and that the framework runs. */
export interface HookCall {
  name: string;
  /** The tool input, as the framework has parsed it. */
  input: unknown;
  /** The id that the model chose. */
  callId: string | undefined;
  /** The thread that the options name. */
  thread?: string | undefined;
  /** The framework's conversation. It is the thread, unless the options or the gate name one. */
  conversation?: string | undefined;
  definition?: ProposedDefinition | undefined;
  annotations?: Readonly<Record<string, unknown>> | undefined;
  signal?: AbortSignal | undefined;
}

/** A call that the wrapper runs. */
export interface FrameworkCall<Value> extends HookCall {
  /** Checks an input that a person changed, and returns it as the tool expects it. It throws for an invalid one. */
  parse?: ((changed: unknown) => unknown) | undefined;
  run(input: unknown): Value | PromiseLike<Value>;
  /** Which part of the value to record; by default, the whole value. */
  content?: ((value: Value) => unknown) | undefined;
  /** True for an error by which the tool interrupts its run, to be run again later. */
  isInterruption?: ((error: unknown) => boolean) | undefined;
}

/** The outcome of a call that ran. */
export interface FrameworkOutcome<Value> {
  /** The tool's return value, unless the call ran in an earlier process. */
  produced: { value: Value } | undefined;
  /** The recorded content. */
  content: unknown;
  /** The text for the model if a person changed the arguments. */
  note: string | undefined;
}

/** The result of a tool that interrupted its run. The framework runs it again under the same approval. */
export const INTERRUPTED = "The tool interrupted its run, which continues under the same approval.";

/** Proposes the call, waits, claims it, runs it and reports. Throws a `NotRunError` if it does not run. */
export async function makeCall<Value>(
  gate: Gate, call: FrameworkCall<Value>, options: WrapperOptions<never>,
): Promise<FrameworkOutcome<Value>> {
  const proposed = plainJson(call.input);
  const original = snapshot(call.input, proposed);
  let produced: { value: Value } | undefined;
  let interruption: { error: unknown } | undefined;
  const run = async (approved: unknown, isChanged: boolean): Promise<unknown> => {
    const input = isChanged ? await parseChanged(call, approved) : original;
    try {
      const value = await withoutCallId(() => call.run(input));
      produced = { value };
      return call.content ? call.content(value) : value;
    } catch (error) {
      if (!call.isInterruption?.(error)) {
        throw error;
      }
      interruption = { error };
      return INTERRUPTED;
    }
  };
  const outcome = await gate.callTool<unknown, unknown>(
    call.name, proposed, (approved, running) => run(approved, hasChanges(running.call)), callOptions(gate, call, options),
  );
  if (!outcome.ranNow && outcome.value === INTERRUPTED) {
    await run(outcome.call.arguments, hasChanges(outcome.call));
  }
  if (interruption) {
    throw interruption.error;
  }
  return { produced, content: outcome.value, note: outcome.note };
}

async function parseChanged<Value>(call: FrameworkCall<Value>, approved: unknown): Promise<unknown> {
  try {
    return call.parse ? await call.parse(approved) : approved;
  } catch (cause) {
    throw new UnusableArguments(`The approved arguments do not fit the tool, so it was not run: ${errorText(cause)}`, { cause });
  }
}

/** Whether a person changed the arguments. */
export function hasChanges(call: Call): boolean {
  return (call.response?.changes?.length ?? 0) > 0;
}

/** The proposal options, from the call and the wrapper options. */
export function proposeOptions(gate: Gate, call: HookCall, options: WrapperOptions<never>): ProposeOptions {
  return {
    callId: call.callId,
    thread: call.thread ?? (gate.namesThread ? undefined : call.conversation),
    definition: call.definition,
    annotations: call.annotations,
    description: options.description?.(call.name, call.input),
    impact: options.impact?.(call.name, call.input),
    expiresInSeconds: options.expiresInSeconds,
    signal: call.signal,
  };
}

function callOptions(gate: Gate, call: HookCall, options: WrapperOptions<never>): CallOptions<unknown> {
  const { timeoutMs, withdraw, leaseSeconds } = options;
  return { ...proposeOptions(gate, call, options), timeoutMs, withdraw, leaseSeconds };
}

/** The thread that the options name for a framework run. */
export function threadOf<Context>(options: WrapperOptions<Context>, context: Context): string | undefined {
  return typeof options.thread === "function" ? options.thread(context) : options.thread;
}

/** The input as JSON, as approvers see it. Dates and other objects of schemas become strings. */
export function plainJson(input: unknown): unknown {
  const text = JSON.stringify(input) as string | undefined;
  return text === undefined ? {} : JSON.parse(text);
}

// A later change of the object must not change the call.
function snapshot(input: unknown, plain: unknown): unknown {
  try {
    return structuredClone(input);
  } catch {
    return plain;
  }
}

/** The content as text for the model. */
export function contentText(content: unknown): string {
  return typeof content === "string" ? content : writeJson(content ?? null);
}

/** The text for the model, with the note before it. */
export function textWithNote(text: string, note: string | undefined): string {
  return note === undefined ? text : `${note}\n\n${text}`;
}

/** Returns the error of a call that did not run, or throws it if the options or another kind of error demand it. */
export function notRun(error: unknown, options: WrapperOptions<never>): NotRunError {
  if (error instanceof NotRunError && options.onDenial !== "throw") {
    return error;
  }
  throw error;
}

/** Returns true if people or the policy refused the call. */
export function isDenial(error: NotRunError): boolean {
  return error instanceof DeniedError;
}
