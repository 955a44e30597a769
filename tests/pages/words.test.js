// Counts, spans and names in words.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { load } = require("./load.js");

test("only one is singular", async () => {
  const { countWords } = await load("count-words.js");
  assert.deepEqual([0, 1, 2].map((count) => countWords(count, "call")), ["0 calls", "1 call", "2 calls"]);
});

test("a span is shown in its largest unit, rounded down", async () => {
  const { describeSpan } = await load("times.js");
  const spans = [-5, 0, 999, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, 200_000_000];
  assert.deepEqual(spans.map(describeSpan), ["0 s", "0 s", "0 s", "1 s", "59 s", "1 min", "59 min", "1 h", "1 d", "2 d"]);
});

test("an age is never in the future", async () => {
  const { describeAge } = await load("times.js");
  const at = "2026-01-31T12:00:00.000Z";
  const ages = [-60_000, 0, 4_999, 5_000, 120_000].map((later) => describeAge(at, Date.parse(at) + later));
  assert.deepEqual(ages, ["just now", "just now", "just now", "5 s ago", "2 min ago"]);
});

test("a name has no kind, and keeps its own colons", async () => {
  const { nameOf } = await load("times.js");
  assert.deepEqual(["user:ada", "agent:a:b", "advisor:x"].map(nameOf), ["ada", "a:b", "advisor:x"]);
});
