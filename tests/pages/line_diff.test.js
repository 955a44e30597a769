// The difference between two strings: each side can be read from it, and nothing is shown twice.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { load } = require("./load.js");

const side = (lines, sign) => lines.filter((line) => line.sign !== sign).map((line) => line.text).join("\n");
const shown = (lines) => lines.map(({ sign, text }) => sign + text);

test("changed lines stand between common ones", async () => {
  const { compareLines } = await load("arguments/line-diff.js");
  assert.deepEqual(shown(compareLines("a\nb\nc", "a\nx\nc")), [" a", "-b", "+x", " c"]);
  assert.deepEqual(shown(compareLines("a\nc", "a\nb\nc")), [" a", "+b", " c"]);
  assert.deepEqual(shown(compareLines("a\na", "a")), [" a", "-a"]);
  assert.deepEqual(shown(compareLines("", "")), [" "]);
});

test("both sides can be read from the difference", async () => {
  const { compareLines } = await load("arguments/line-diff.js");
  // A small generator with a fixed seed, so that a failure can be repeated.
  let state = 1;
  const next = (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const text = () => Array.from({ length: next(12) }, () => "abc"[next(3)]).join("\n");
  for (let round = 0; round < 2_000; round += 1) {
    const [before, after] = [text(), text()];
    const lines = compareLines(before, after);
    assert.equal(side(lines, "+"), before);
    assert.equal(side(lines, "-"), after);
  }
});

test("large texts are shown as removed and added, without a comparison", async () => {
  const { compareLines } = await load("arguments/line-diff.js");
  const many = (letter) => Array.from({ length: 3_000 }, (_, at) => `${letter}${at}`).join("\n");
  const lines = compareLines(many("a"), many("b"));
  assert.equal(lines.length, 6_000);
  assert.deepEqual([lines[2_999].sign, lines[3_000].sign], ["-", "+"]);
});
