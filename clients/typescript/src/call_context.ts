// Thread, id and signal of the calls inside a function, where the platform can carry them.
import { createAsyncContext } from "./node_platform.js";

/** Thread, id and signal of a call. */
export interface CallContext {
  /** The conversation. */
  thread?: string | undefined;
  /** The id that the model chose for the one call inside. */
  callId?: string | undefined;
  signal?: AbortSignal | undefined;
}

const store = createAsyncContext<CallContext>();

/**
 * Gives the calls inside `work` a thread and a signal, and the one call inside it an id: the id that the model chose. It needs
 * `AsyncLocalStorage` of Node, Deno or Bun; elsewhere, use the function's `with`.
 */
export function withCallContext<T>(context: CallContext, work: () => T): T {
  if (!store) {
    throw new Error("withCallContext needs AsyncLocalStorage, which this platform lacks: use `with` of the function");
  }
  const outer = currentContext();
  const { thread = outer.thread, signal = outer.signal, callId } = context;
  return store.run({ thread, signal, callId }, work);
}

/** The context that the caller has set. */
export function currentContext(): CallContext {
  return store?.getStore() ?? {};
}

/** Runs a call's tool. The calls that it makes are other calls: they keep the thread and the signal, not the id. */
export function withoutCallId<T>(work: () => T): T {
  return store && currentContext().callId !== undefined ? withCallContext({}, work) : work();
}
