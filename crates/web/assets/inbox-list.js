// Order and filter for the list of pending calls.

import { findTelling } from "./arguments/telling.js";
import { nameOf } from "./times.js";

/** @import { Call, Json } from "./types.d.ts" */

/** The risks that agents claim, from low on. A call without a claim can be anything, so it is above a low one, as in `watch`. */
const RISKS = ["low", "", "medium", "high", "critical"];

/** @typedef {{ words: string[], tool: string, agent: string, project: string, thread: string, risk: string }} ListFilter */

/** Reads a filter such as `tool:bash risk:high deploy`. @param {string} text @returns {ListFilter} */
export function readFilter(text) {
  /** @type {ListFilter} */
  const filter = { words: [], tool: "", agent: "", project: "", thread: "", risk: "" };
  for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const [, name, value] = /^(tool|agent|project|thread|risk):(.+)$/.exec(word) ?? [];
    if (name && value) filter[/** @type {"tool" | "agent" | "project" | "thread" | "risk"} */ (name)] = value;
    else filter.words.push(word);
  }
  return filter;
}

/** @param {Call} call @param {ListFilter} filter */
function isListed(call, filter) {
  const has = (/** @type {string} */ text, /** @type {string} */ part) => text.toLowerCase().includes(part);
  const text = () => `${call.name} ${call.id} ${call.threadId} ${call.proposal.principal} ${JSON.stringify(call.arguments)}`;
  return (
    has(call.name, filter.tool) &&
    has(`${call.proposal.principal} ${call.place?.agent ?? ""}`, filter.agent) &&
    has(call.place?.project ?? "", filter.project) &&
    has(call.threadId, filter.thread) &&
    has(call.impact?.riskLevel ?? "unknown", filter.risk) &&
    filter.words.every((word) => has(text(), word))
  );
}

/** @param {Call} call */
const riskOf = (call) => {
  const rank = RISKS.indexOf(call.impact?.riskLevel ?? "");
  // A risk that this version does not know.
  return rank < 0 ? RISKS.indexOf("medium") + 0.5 : rank;
};

/**
 * The calls that the filter lists, in order.
 * @param {Call[]} calls @param {ListFilter} filter @param {"oldest" | "risk"} order
 */
export function arrange(calls, filter, order) {
  const age = (/** @type {Call} */ a, /** @type {Call} */ b) => (a.request?.seq ?? 0) - (b.request?.seq ?? 0);
  const risk = (/** @type {Call} */ a, /** @type {Call} */ b) => riskOf(b) - riskOf(a) || age(a, b);
  return calls.filter((call) => isListed(call, filter)).sort(order === "risk" ? risk : age);
}

/** From more than this number of calls on, they can be grouped. */
export const MANY = 20;

/** @typedef {"" | "thread" | "agent" | "tool"} Grouping */
/** @typedef {{ name: string, calls: Call[] }} CallGroup */

/** @type {Record<Exclude<Grouping, "">, (call: Call) => string>} */
const NAMES = { thread: (call) => call.threadId, agent: (call) => nameOf(call.proposal.principal), tool: (call) => call.name };

/** The calls in groups, which keep the order of their first calls; null without grouping. @param {Call[]} calls @param {Grouping} by */
export function groupCalls(calls, by) {
  if (by === "") return null;
  /** @type {Map<string, CallGroup>} */
  const groups = new Map();
  for (const call of calls) {
    const name = NAMES[by](call);
    const group = groups.get(name);
    if (group) group.calls.push(call);
    else groups.set(name, { name, calls: [call] });
  }
  return [...groups.values()];
}

/** The tool and the argument names: calls with the same shape are similar. @param {Call} call */
export function shapeOf(call) {
  const value = call.arguments;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return `${call.name}\n${isObject ? Object.keys(value).sort().join("\n") : ""}`;
}

/** Whether several calls can be decided in one step: a question needs an answer of its own. @param {Call} call */
export function isBulk(call) {
  return !call.question;
}

/** A line about the arguments, the most telling first. The card shows all of them. @param {Call} call */
export function describeRow(call) {
  const value = call.arguments;
  if (call.erased) return "erased";
  const asked = call.question?.message ?? call.question?.questions[0]?.text;
  if (asked) return shorten(asked);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return shorten(value);
  const parts = Object.entries(value);
  if (parts.length === 1) return shorten(parts[0]?.[1] ?? null);
  const telling = findTelling(value);
  const lead = telling.map((name) => shorten(value[name] ?? null)).join(" · ");
  const rest = parts.filter(([name]) => !telling.includes(name)).map(([name, part]) => `${name}: ${shorten(part)}`);
  return [lead, ...rest].filter(Boolean).join(", ").slice(0, 300);
}

/** @param {Json} value */
function shorten(value) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.slice(0, 300).replaceAll(/\s+/g, " ");
}
