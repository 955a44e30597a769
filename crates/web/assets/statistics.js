// Statistics of calls. The server counts a part of the log at a time, so that a long log stops nobody else.

/** @import { CallCounts, Statistics } from "./types.d.ts" */

const COUNTS = /** @type {const} */ (["calls", "asked", "answeredByAdvisors", "askedAllowed", "allowed", "denied", "expired", "cancelled", "abandoned", "waiting"]);

/**
 * Counts the calls of a time span, the newest first.
 * @param {{ request(method: string, path: string): Promise<any> }} client
 * @param {string} query the time span, and more
 * @param {(sum: Statistics, isComplete: boolean) => boolean} show gets the sum after each answer; false ends it
 */
export async function countCalls(client, query, show) {
  /** @type {Statistics | null} */
  let sum = null;
  for (let after = 0; ; ) {
    /** @type {Statistics} */
    const page = await client.request("GET", `/v1/stats?${query}${after > 0 ? `&after=${after}` : ""}`);
    sum = sum ? addStatistics(sum, page) : page;
    if (!show(sum, page.next === null) || page.next === null) return;
    after = page.next;
  }
}

/** @param {Statistics} a @param {Statistics} b @returns {Statistics} */
function addStatistics(a, b) {
  const tools = addBy(a.tools, b.tools, (tool) => tool.tool, addCounts);
  const rules = addBy(a.rules ?? [], b.rules ?? [], (hits) => JSON.stringify([hits.rule, hits.basis, hits.verdict]), (x, y) => ({ ...x, calls: x.calls + y.calls }));
  return {
    total: addCounts(a.total, b.total),
    tools: tools.sort((x, y) => y.asked - x.asked || y.calls - x.calls || (x.tool < y.tool ? -1 : 1)),
    rules: rules.sort((x, y) => y.calls - x.calls),
    days: a.days && addBy(a.days, b.days ?? [], (day) => day.date, addCounts).sort((x, y) => (x.date < y.date ? -1 : 1)),
    next: b.next,
  };
}

/**
 * Adds up the items with the same key.
 * @template T
 * @param {T[]} a @param {T[]} b @param {(item: T) => string} key @param {(x: T, y: T) => T} add
 */
function addBy(a, b, key, add) {
  /** @type {Map<string, T>} */
  const sum = new Map(a.map((item) => [key(item), item]));
  for (const item of b) {
    const before = sum.get(key(item));
    sum.set(key(item), before ? add(before, item) : item);
  }
  return [...sum.values()];
}

/** @template {CallCounts} T @param {T} a @param {T} b @returns {T} */
function addCounts(a, b) {
  const sum = { ...a };
  for (const name of COUNTS) sum[name] += b[name];
  sum.decisionTimes = { ...a.decisionTimes };
  for (const [millis, number] of Object.entries(b.decisionTimes ?? {})) {
    sum.decisionTimes[millis] = (sum.decisionTimes[millis] ?? 0) + number;
  }
  const maxMs = Math.max(a.timeToDecide?.maxMs ?? 0, b.timeToDecide?.maxMs ?? 0);
  if (b.timeToDecide) sum.timeToDecide = findPercentiles(sum.decisionTimes, maxMs);
  return sum;
}

/** The nearest-rank percentiles. @param {Record<string, number>} times @param {number} maxMs */
function findPercentiles(times, maxMs) {
  const groups = Object.entries(times).map(([millis, number]) => ({ millis: Number(millis), number })).sort((x, y) => x.millis - y.millis);
  const total = groups.reduce((sum, { number }) => sum + number, 0);
  const percentile = (/** @type {number} */ percent) => {
    let rest = Math.max(1, Math.ceil((total * percent) / 100));
    return groups.find(({ number }) => (rest -= number) <= 0)?.millis ?? maxMs;
  };
  return { medianMs: percentile(50), p90Ms: percentile(90), p99Ms: percentile(99), maxMs };
}
