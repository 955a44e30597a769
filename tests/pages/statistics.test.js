// Pages of statistics add up to those of the whole log.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { load } = require("./load.js");

const counts = (calls, decisionTimes = {}) => {
  const names = ["asked", "answeredByAdvisors", "askedAllowed", "allowed", "denied", "expired", "cancelled", "abandoned", "waiting", "askedDenied", "notDecided"];
  const maxMs = Math.max(...Object.keys(decisionTimes).map(Number), 0);
  const timeToDecide = maxMs ? { maxMs } : undefined;
  return { ...Object.fromEntries(names.map((name) => [name, 0])), calls, decisionTimes, timeToDecide };
};
const page = (calls, tool, next, times) => ({
  total: counts(calls, times),
  tools: [{ tool, ...counts(calls, times) }],
  rules: [{ rule: "r", basis: "rule", verdict: "ask", calls }],
  days: [{ date: "2026-01-31", ...counts(calls) }],
  touched: [{ kind: "file", access: "read", target: tool, calls }],
  next,
});

/** Answers each request with the next page, and keeps the paths. */
function clientOf(pages) {
  const paths = [];
  return { paths, request: async (_method, path) => pages[paths.push(path) - 1] };
}

test("pages add up, and each follows the one before", async () => {
  const { countCalls } = await load("statistics.js");
  const client = clientOf([page(4, "bash", 7, { 10: 1, 30: 1 }), page(3, "read", 3, { 20: 1 }), page(1, "bash", null)]);
  let last;
  await countCalls(client, "since=x", (sum) => Boolean((last = sum)));
  assert.deepEqual(client.paths, ["/v1/stats?since=x", "/v1/stats?since=x&after=7", "/v1/stats?since=x&after=3"]);
  assert.equal(last.total.calls, 8);
  assert.deepEqual(last.tools.map(({ tool, calls }) => [tool, calls]), [["bash", 5], ["read", 3]]);
  assert.deepEqual(last.rules.map(({ calls }) => calls), [8]);
  assert.deepEqual(last.touched.map(({ target, calls }) => [target, calls]), [["bash", 5], ["read", 3]]);
  assert.deepEqual(last.days.map(({ calls }) => calls), [8]);
  assert.deepEqual(last.total.timeToDecide, { medianMs: 20, p90Ms: 30, p99Ms: 30, maxMs: 30 });
});

test("whoever looks away ends the count", async () => {
  const { countCalls } = await load("statistics.js");
  const client = clientOf([page(1, "bash", 2), page(1, "bash", null)]);
  await countCalls(client, "", () => false);
  assert.equal(client.paths.length, 1);
});
