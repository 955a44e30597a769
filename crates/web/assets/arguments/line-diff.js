// The difference between two strings, line by line (longest common subsequence).

/** The maximum number of lines on both sides together, and of comparisons. Beyond them, all is shown as removed and added. */
const MOST_LINES = 4_000;
const MOST_STEPS = 4_000_000;

/** @typedef {{ sign: " " | "-" | "+", text: string }} DiffLine */

/** @param {string} before @param {string} after @returns {DiffLine[]} */
export function compareLines(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const same = (/** @type {string} */ text) => /** @type {DiffLine} */ ({ sign: " ", text });
  return [
    ...a.slice(0, start).map(same),
    ...compareMiddle(left, right),
    ...(end > 0 ? a.slice(-end) : []).map(same),
  ];
}

/** @param {string[]} left @param {string[]} right @returns {DiffLine[]} */
function compareMiddle(left, right) {
  const removed = left.map((text) => /** @type {DiffLine} */ ({ sign: "-", text }));
  const added = right.map((text) => /** @type {DiffLine} */ ({ sign: "+", text }));
  const isLarge = left.length + right.length > MOST_LINES || left.length * right.length > MOST_STEPS;
  if (left.length === 0 || right.length === 0 || isLarge) return [...removed, ...added];
  // `common[i][j]` is the longest common subsequence's length for left[i..] and right[j..].
  const common = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  const at = (/** @type {number} */ i, /** @type {number} */ j) => common[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    const row = /** @type {Uint16Array} */ (common[i]);
    for (let j = right.length - 1; j >= 0; j -= 1) {
      row[j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  /** @type {DiffLine[]} */
  const lines = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push({ sign: " ", text: left[i] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: "-", text: left[i] ?? "" });
      i += 1;
    } else {
      lines.push({ sign: "+", text: right[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}
