// The review of a day in words.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { load } = require("./load.js");

const day = {
  log: { complete: true }, since: "2026-01-01T00:00:00.000Z", calls: 214, asked: 9, askedAllowed: 9, askedDenied: 0, saved: 7, refused: 3,
  rules: [{}, {}], observed: 0,
};

test("the sentence leaves out what did not happen", async () => {
  const { countDay } = await load("policy/daily-words.js");
  assert.equal(countDay(day), "Yesterday: 214 calls, 9 asked, 9 allowed.");
  assert.equal(countDay({ ...day, calls: 1, asked: 1, askedAllowed: 0, askedDenied: 1 }), "Yesterday: 1 call, 1 asked, 1 denied.");
});

test("the rules and the saved prompts are counted", async () => {
  const { describeSaved } = await load("policy/daily-words.js");
  assert.equal(describeSaved(day), "7 of them would not have been asked with these 2 rules.");
  assert.equal(describeSaved({ ...day, saved: 9, rules: [{}] }), "All 9 would not have been asked with this rule.");
  assert.equal(describeSaved({ ...day, saved: 1, asked: 1, rules: [{}] }), "It would not have been asked with this rule.");
});

test("the proof says what was compared", async () => {
  const { describeProof } = await load("policy/daily-words.js");
  assert.equal(describeProof(day), "They would have allowed nothing that was refused: none of 3 calls since 2026-01-01.");
  assert.match(describeProof({ ...day, rules: [{}] }), /^It would have allowed nothing/);
  assert.equal(describeProof({ ...day, refused: 0 }), "No call was refused since 2026-01-01.");
  assert.match(describeProof({ ...day, log: { complete: false } }), /Not all calls since then could be compared/);
});

test("the date is that of the viewer", async () => {
  const { dateOf } = await load("policy/daily-words.js");
  const late = Date.parse("2026-01-31T23:30:00Z");
  assert.deepEqual([0, 60, -840].map((offset) => dateOf(late, offset)), ["2026-01-31", "2026-02-01", "2026-01-31"]);
});
