// Repeats a request while the server or its database is unavailable. Only operations that are safe to repeat use it.
import type { ServerConnection } from "./connection.js";
import { CountersignError } from "./errors.js";

/** The time for which a claim and a result are retried: the executor cannot continue without them. */
export const EXECUTION = 120_000;
/** The time for which a proposal is retried. */
export const PROPOSAL = 30_000;
/** The time for which a decision, a cancellation or a read is retried. */
export const INTERACTION = 5_000;

export const FIRST_PAUSE = 50;
export const LONGEST_PAUSE = 2_000;
const LONGEST_REQUESTED_PAUSE = 30_000;

/**
 * Repeats `attempt` while its error is transient, and never sooner than the server asks for. Gives up after `budget`
 * milliseconds with the last error; with `Infinity`, never.
 */
export async function retry<T>(
  connection: ServerConnection,
  budget: number,
  signal: AbortSignal | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  const end = connection.now() + budget;
  let longest = FIRST_PAUSE;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const now = connection.now();
      if (!(error instanceof CountersignError) || !error.isTransient || now >= end) {
        throw error;
      }
      const wanted = Math.max(longest * (0.5 + Math.random() / 2), requestedPause(error));
      await connection.pause(Math.min(wanted, end - now), signal);
    }
    longest = Math.min(longest * 2, LONGEST_PAUSE);
  }
}

/** The pause that the server asks for. A server that is stopping does not count: behind a proxy, the next may be ready. */
export function requestedPause(error: CountersignError): number {
  return error.code === "shutting_down" ? 0 : Math.min(error.retryAfterMs ?? 0, LONGEST_REQUESTED_PAUSE);
}
