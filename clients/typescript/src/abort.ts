// Waits for the abortion of signals, and pauses that it ends.

/** The work that each signal stops. Node warns of more than ten listeners, so each signal has only one. */
const stopsOfSignals = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `stop` when the signal is aborted. Returns a function that ends the attention. */
export function onAbort(signal: AbortSignal | undefined, stop: () => void): () => void {
  if (!signal) {
    return () => undefined;
  }
  const stops = stopsOfSignals.get(signal) ?? listen(signal);
  stops.add(stop);
  return () => stops.delete(stop);
}

function listen(signal: AbortSignal): Set<() => void> {
  const stops = new Set<() => void>();
  stopsOfSignals.set(signal, stops);
  const stopAll = (): void => {
    for (const stop of [...stops]) {
      stop();
    }
  };
  signal.addEventListener("abort", stopAll, { once: true });
  return stops;
}

/** A longer time overflows the timer, which then ends at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls `end` after some time. Returns a function that prevents it. */
export function startTimer(ms: number, end: () => void): () => void {
  const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER));
  return () => clearTimeout(timer);
}

/** Waits, or fails at once with the signal's reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stopTimer = startTimer(ms, () => {
      forget();
      resolve();
    });
    const forget = onAbort(signal, () => {
      stopTimer();
      forget();
      reject(signal?.reason);
    });
  });
}
