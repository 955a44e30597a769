// History rows: what a decided call says in one line, the search in it, and the export.

import { describeRow } from "../inbox-list.js";
import { nameOf } from "../times.js";
import { describeDecision, describePerson, describeState } from "../card/describe.js";

/** @import { ApprovalResponse, Call } from "../types.d.ts" */

/**
 * A row keeps little of a call, because the history may have many.
 * @typedef {object} HistoryRow
 * @property {string} threadId
 * @property {string} id
 * @property {number} seq The proposal's position in the log.
 * @property {string} tool
 * @property {string} summary
 * @property {string} agent
 * @property {string} project The project's folder; empty if the call has none.
 * @property {string} by Who decided: a person, or the rule or other source that did.
 * @property {boolean} isPerson Whether a person decided, and not a rule or a clock.
 * @property {string} decision
 * @property {string} word The decision in words.
 * @property {string} wordStyle How the decision is drawn.
 * @property {string} at When it was decided.
 * @property {string} state What became of the call, in a word.
 * @property {string} style How the state is drawn.
 * @property {boolean} isFlagged Whether a person flagged the allowed call.
 * @property {string} text The searched content, in lower case.
 */

/** The state that a search finds beside the badge state. */
const FLAGGED = "flagged";

/** A call's row; null if it was not decided. @param {Call} call @returns {HistoryRow | null} */
export function makeRow(call) {
  const { response } = call;
  if (!response) return null;
  const isPerson = response.source === "approver";
  const by = isPerson ? describePerson(response) : describeSource(response);
  const { badge: state, style } = describeState(call, 0);
  const { word, style: wordStyle } = describeDecision(response);
  const summary = describeRow(call);
  const agent = nameOf(call.proposal.principal);
  const project = call.place?.project ?? "";
  const isFlagged = (call.flags?.length ?? 0) > 0;
  const text = [call.name, call.threadId, call.id, summary, agent, call.place?.agent ?? "", project, by, state, word, isFlagged ? FLAGGED : "", response.decision, response.comment ?? ""].join("\n").toLowerCase();
  return {
    threadId: call.threadId, id: call.id, seq: call.proposal.seq, tool: call.name, summary, agent, project, by, isPerson,
    decision: response.decision, word, wordStyle, at: response.at, state, style, isFlagged, text,
  };
}

/** The rule or other source that decided, and the person behind it. @param {ApprovalResponse} response */
function describeSource({ source, principal, rule, grantOrigin, setBy }) {
  if (source === "cancellation") return nameOf(principal);
  if (source === "advisor") return principal;
  const person = grantOrigin?.principal ?? setBy?.principal;
  return `${rule ?? source}${person ? `, ${nameOf(person)}` : ""}`;
}

/** The names that a search may use, as in `by:ada tool:bash deploy`. */
const NAMES = /** @type {const} */ (["tool", "by", "agent", "project", "thread", "decision", "state"]);

/** @typedef {{ words: string[], who: "all" | "people" | "rules" } & Record<(typeof NAMES)[number], string>} HistorySearch */

/** @param {string} text @param {string} who @returns {HistorySearch} */
export function readSearch(text, who) {
  /** @type {HistorySearch} */
  const search = { words: [], who: who === "people" || who === "rules" ? who : "all", tool: "", by: "", agent: "", project: "", thread: "", decision: "", state: "" };
  for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const [, name, value] = /^([a-z]+):(.+)$/.exec(word) ?? [];
    const known = NAMES.find((candidate) => candidate === name);
    if (known && value) search[known] = value;
    else search.words.push(word);
  }
  return search;
}

/** Returns true if the search finds the row. @param {HistoryRow} row @param {HistorySearch} search */
export function isFound(row, search) {
  if (search.who !== "all" && row.isPerson !== (search.who === "people")) return false;
  const has = (/** @type {string} */ text, /** @type {string} */ part) => part === "" || text.toLowerCase().includes(part);
  return (
    has(row.tool, search.tool) && has(row.by, search.by) && has(row.agent, search.agent) && has(row.project, search.project) && has(row.threadId, search.thread) &&
    has(row.decision, search.decision) && (has(row.state, search.state) || (row.isFlagged && has(FLAGGED, search.state))) && search.words.every((word) => row.text.includes(word))
  );
}

const COLUMNS = ["decidedAt", "decision", "by", "source", "thread", "call", "tool", "agent", "proposedAt", "state", "rule", "comment", "arguments"];

/** A spreadsheet must not compute a cell, as in the CSV of `countersign log`. @param {string} text */
function writeCell(text) {
  const safe = /^[=+\-@\p{Cc}]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {Call} call */
function writeCsv(call) {
  const { response, proposal } = call;
  const cells = [
    response?.at, response?.decision, response?.principal, response?.source, call.threadId, call.id, call.name, proposal.principal,
    proposal.at, call.state, response?.rule, response?.comment, JSON.stringify(call.arguments),
  ];
  return `${cells.map((cell) => writeCell(cell ?? "")).join(",")}\r\n`;
}

/** @typedef {{ name: string, type: string, head: string, separator: string, tail: string, write: (call: Call) => string }} ExportFormat */

/** @type {Record<"csv" | "json", ExportFormat>} */
export const FORMATS = {
  csv: { name: "decisions.csv", type: "text/csv", head: `${COLUMNS.join(",")}\r\n`, separator: "", tail: "", write: writeCsv },
  json: { name: "decisions.json", type: "application/json", head: "[\n", separator: ",\n", tail: "\n]\n", write: (call) => JSON.stringify(call) },
};
