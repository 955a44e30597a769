// Renews a call's lease while its tool runs.
import { CountersignError } from "./errors.js";
import type { CallPlace, ServerOperations } from "./operations.js";
import { warn } from "./warning.js";

const DEFAULT_LEASE_SECONDS = 900;
const LONGEST_INTERVAL_MS = 3_600_000;

/** The lease of a claimed call. */
export interface CallLease {
  operations: ServerOperations;
  place: CallPlace;
  executor: string;
  leaseSeconds: number | undefined;
}

/** Runs the tool, and renews its lease after each third of it. */
export async function runWithLease<T>(lease: CallLease, run: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const renewals = renewUntil(lease, ended.signal);
  try {
    return await run();
  } finally {
    ended.abort();
    await renewals;
  }
}

async function renewUntil(lease: CallLease, ended: AbortSignal): Promise<void> {
  const leaseSeconds = lease.leaseSeconds ?? DEFAULT_LEASE_SECONDS;
  const interval = Math.min(Math.max((leaseSeconds * 1000) / 3, 1000), LONGEST_INTERVAL_MS);
  try {
    for (;;) {
      await lease.operations.connection.pause(interval, ended);
      await renewOnce(lease, leaseSeconds, ended);
    }
  } catch (error) {
    if (!ended.aborted) {
      warn(`the lease of the call ${lease.place.id} cannot be renewed`, error);
    }
  }
}

async function renewOnce(lease: CallLease, leaseSeconds: number, ended: AbortSignal): Promise<void> {
  try {
    await lease.operations.renew(lease.place, { executor: lease.executor, leaseSeconds }, ended);
  } catch (error) {
    // After a passing error the next renewal may succeed: the tool still runs.
    if (!(error instanceof CountersignError) || !error.isTransient) {
      throw error;
    }
  }
}
