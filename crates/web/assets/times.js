// Times and spans in words.

const UNITS = /** @type {const} */ ([
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
]);

/** A span in its largest unit, such as `4 min`. @param {number} milliseconds */
export function describeSpan(milliseconds) {
  const span = Math.max(0, milliseconds);
  const [unit, size] = UNITS.find(([, length]) => span >= length) ?? ["s", 1_000];
  return `${Math.floor(span / size)} ${unit}`;
}

/** How long ago a moment was. @param {string} at @param {number} now */
export function describeAge(at, now) {
  const age = now - Date.parse(at);
  return age < 5_000 ? "just now" : `${describeSpan(age)} ago`;
}

/** A principal's name without its kind. @param {string} principal */
export const nameOf = (principal) => principal.replace(/^(?:user|agent|system|policy):/, "");
