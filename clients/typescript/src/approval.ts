// Functions that run after people, or the policy, have allowed the call.
import { currentContext, withoutCallId, type CallContext } from "./call_context.js";
import { NotRunError } from "./errors.js";
import { UnusableArguments } from "./execution.js";
import type { Gate } from "./gate.js";
import type { CallOptions } from "./gate_options.js";
import { readJson } from "./json_reader.js";
import { ExactNumber } from "./json_value.js";
import { callerJson } from "./operations.js";
import type { ProposedImpact } from "./types.js";

/** A denial throws a `NotRunError`, or returns its text for the model. */
export type DenialStyle = "throw" | "return";

/** How a function asks. */
export interface ApprovalOptions<A, D extends DenialStyle = DenialStyle>
  extends Omit<CallOptions<A>, "description" | "impact" | "callId"> {
  /** The call's purpose, for approvers: a string, or a function that gets the arguments. */
  description?: string | ((args: A) => string) | undefined;
  /** The call's impact, for approvers: a value, or a function that gets the arguments. */
  impact?: ProposedImpact | ((args: A) => ProposedImpact) | undefined;
  /** The call id: a string, or a function that gets the arguments. */
  callId?: string | ((args: A) => string) | undefined;
  /** `"throw"`, or `"return"` to return the model's text instead of the value. */
  onDenial?: D | undefined;
}

/** The return value of a function with approval. */
export type ApprovedValue<T, D extends DenialStyle> = Awaited<T> | (D extends "return" ? string : never);

/** A function with approval. `with` gives one call an id, a thread and a signal. */
export interface ApprovedFunction<P extends unknown[], V> {
  (...parameters: P): Promise<V>;
  /** The same function, for a call with this id, thread and signal. */
  with(context: CallContext): (...parameters: P) => Promise<V>;
}

/**
 * Asks before each call of a function.
 *
 * The function's first parameter is an object with the arguments, which approvers see. Further parameters are passed
 * through and not shown. The wrapper proposes the call, waits for the decision, claims the call, runs the function with exactly
 * the approved arguments, and reports the result. If the call does not run, it throws a `NotRunError` whose `text` is for the
 * model; with `onDenial: "return"` it returns that text.
 */
export function withApproval<T, D extends DenialStyle = "throw">(
  gate: Gate,
  name: string,
  tool: () => T,
  options?: ApprovalOptions<object, D>,
): ApprovedFunction<[], ApprovedValue<T, D>>;
export function withApproval<A extends object, R extends unknown[], T, D extends DenialStyle = "throw">(
  gate: Gate,
  name: string,
  tool: (args: A, ...rest: R) => T,
  options?: ApprovalOptions<A, D>,
): ApprovedFunction<[args: A, ...rest: R], ApprovedValue<T, D>>;
export function withApproval<A extends object, R extends unknown[], T>(
  gate: Gate,
  name: string,
  tool: (args: A, ...rest: R) => T,
  options: ApprovalOptions<A> = {},
): ApprovedFunction<[args: A, ...rest: R], Awaited<T> | string> {
  const call = async (context: CallContext, receiver: unknown, args: A | undefined, rest: R): Promise<Awaited<T> | string> => {
    const { onDenial, ...asked } = options;
    // Approvers, option functions and the tool see the same snapshot.
    const shown = readJson(callerJson(args ?? {}, "the arguments")) as A;
    const run = (approved: A): Awaited<T> | Promise<Awaited<T>> =>
      withoutCallId(() => tool.call(receiver, checkObject(approved), ...rest)) as Promise<Awaited<T>>;
    try {
      return (await gate.callTool(name, shown, run, callOptions(asked, shown, context))).value;
    } catch (error) {
      if (onDenial === "return" && error instanceof NotRunError) {
        return error.text;
      }
      throw error;
    }
  };
  const approved = function (this: unknown, args?: A, ...rest: R) {
    return call(currentContext(), this, args, rest);
  };
  return Object.assign(approved as (...parameters: [args: A, ...rest: R]) => Promise<Awaited<T> | string>, {
    with: (context: CallContext) =>
      function (this: unknown, args: A, ...rest: R) {
        return call({ ...currentContext(), ...context }, this, args, rest);
      },
  });
}

function callOptions<A>(options: ApprovalOptions<A>, args: A, context: CallContext): CallOptions<A> {
  const { description, impact, callId, ...fixed } = options;
  return {
    ...fixed,
    description: typeof description === "function" ? description(args) : description,
    impact: typeof impact === "function" ? impact(args) : impact,
    callId: context.callId ?? (typeof callId === "function" ? callId(args) : callId),
    thread: context.thread ?? options.thread,
    signal: context.signal ?? options.signal,
  };
}

function checkObject<A>(approved: A): A {
  const isObject = typeof approved === "object" && approved !== null && !Array.isArray(approved);
  if (!isObject || approved instanceof ExactNumber) {
    throw new UnusableArguments("The approved arguments are not an object, so the function was not run.");
  }
  return approved;
}
