// Statistics of calls, which the server counts page by page.

/** @import { CallCounts, Statistics } from "./types.d.ts" */

const COUNTS = /** @type {const} */ (["calls", "asked", "answeredByAdvisors", "askedAllowed", "allowed", "denied", "expired", "cancelled", "abandoned", "waiting", "askedDenied", "notDecided"]);

const NONE = Object.fromEntries(COUNTS.map((name) => [name, 0]));

/** Adds the counts that an older server does not have. @param {Statistics} page @returns {Statistics} */
const completeCounts = ({ total, tools, days, ...others }) => ({
  ...others,
  total: { ...NONE, ...total },
  tools: tools.map((tool) => ({ ...NONE, ...tool })),
  ...(days ? { days: days.map((day) => ({ ...NONE, ...day })) } : {}),
});

/**
 * Counts calls page by page. `show` gets the sum after each page; false ends it.
 * @param {{ request(method: string, path: string): Promise<any> }} client
 * @param {string} query @param {(sum: Statistics, isComplete: boolean) => boolean} show
 */
export async function countCalls(client, query, show) {
  const read = async (/** @type {string} */ path) => completeCounts(await client.request("GET", path));
  let sum = await read(`/v1/stats?${query}`);
  while (show(sum, sum.next === null) && sum.next !== null) {
    sum = addStatistics(sum, await read(`/v1/stats?${query}&after=${sum.next}`));
  }
}

/** @param {Statistics} a @param {Statistics} b @returns {Statistics} */
const addStatistics = (a, b) => ({
  total: addCounts(a.total, b.total),
  tools: addBy(a.tools, b.tools, ({ tool }) => tool, addCounts).sort((x, y) => y.asked - x.asked || y.calls - x.calls),
  rules: addBy(a.rules ?? [], b.rules ?? [], ({ rule, basis, verdict }) => JSON.stringify([rule, basis, verdict]), (x, y) => ({ ...x, calls: x.calls + y.calls })),
  touched: addBy(a.touched ?? [], b.touched ?? [], ({ kind, access, target }) => JSON.stringify([kind, access, target]), (x, y) => ({ ...x, calls: x.calls + y.calls })).sort((x, y) => y.calls - x.calls),
  days: addBy(a.days ?? [], b.days ?? [], ({ date }) => date, addCounts),
  next: b.next,
});

/**
 * @template T
 * @param {T[]} a @param {T[]} b @param {(item: T) => string} key @param {(x: T, y: T) => T} add
 */
function addBy(a, b, key, add) {
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
  const times = { ...a.decisionTimes };
  for (const [millis, number] of Object.entries(b.decisionTimes ?? {})) times[millis] = (times[millis] ?? 0) + number;
  // The nearest-rank percentiles. Keys that are whole numbers are in their order.
  const groups = Object.entries(times);
  const total = groups.reduce((all, [, number]) => all + number, 0);
  const find = (/** @type {number} */ percent) => {
    let rest = Math.ceil((total * percent) / 100);
    return Number(groups.find(([, number]) => (rest -= number) <= 0)?.[0]);
  };
  const maxMs = Math.max(a.timeToDecide?.maxMs ?? 0, b.timeToDecide?.maxMs ?? 0);
  return { ...sum, decisionTimes: times, timeToDecide: total ? { medianMs: find(50), p90Ms: find(90), p99Ms: find(99), maxMs } : undefined };
}
