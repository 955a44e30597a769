// The arguments that tell the most about a call. `watch` chooses the same: a test compares the lists with those of
// crates/console/src/present/summary.rs.

/** @import { Json } from "../types.d.ts" */

/** The names of arguments that say alone what a call does, the most telling first. */
const ALONE = ["command", "cmd", "script", "code", "url", "path", "file_path", "filePath", "file"];
/** Names that tell the most together: one of the first list, and one of the second. */
const PAIRS = [
  [["amount", "total", "price"], ["payee", "recipient", "to", "iban", "account", "customer"]],
  [["to", "recipient"], ["subject", "title"]],
  [["resource", "name"], ["namespace", "cluster", "environment", "database", "region"]],
  [["query"], []],
];

/**
 * The names of the most telling arguments: one or two, the most telling first, or none.
 * @param {{ [key: string]: Json }} value
 */
export function findTelling(value) {
  const has = (/** @type {string} */ name) => Object.hasOwn(value, name);
  const alone = ALONE.find(has);
  if (alone !== undefined) return [alone];
  for (const [firsts = [], seconds = []] of PAIRS) {
    const first = firsts.find(has);
    if (first === undefined) continue;
    const second = seconds.find((name) => has(name) && name !== first);
    return second === undefined ? [first] : [first, second];
  }
  return Object.keys(value).filter((name) => typeof value[name] === "string").slice(0, 1);
}
