// The call state in words.

import { describeAge, describeSpan, nameOf } from "../times.js";

/** @import { ApprovalResponse, Call, CallAdvice, SameCall } from "../types.d.ts" */
/** @import { CountersignError } from "../countersign.js" */

const DECISIONS = /** @type {Record<string, string>} */ ({
  allow_once: "allow once",
  allow_session: "allow for the session",
  deny: "deny",
});

const DECISION_STYLES = /** @type {Record<string, string>} */ ({ allow_once: "allowed", allow_session: "allowed", deny: "denied" });

/** How a decision is drawn. A word of a later version allows nothing here. @param {string} decision */
const decisionStyle = (decision) => DECISION_STYLES[decision] ?? "unknown";

/** The decision itself, in a word: who withdraws a call decides nothing. @param {ApprovalResponse} response @returns {{ word: string, style: string }} */
export function describeDecision({ decision, source }) {
  if (source === "cancellation") return { word: "withdrawn", style: "" };
  if (source === "expiry") return { word: decision === "deny" ? "expired" : "expired: allowed", style: "expired" };
  return { word: DECISIONS[decision] ?? decision, style: decisionStyle(decision) };
}

/** How the end of a call is drawn, by the status of its result. @type {Record<string, string>} */
const OUTCOMES = { success: "done", error: "failed", denied: "denied", expired: "denied" };

/** A person, and in whose place they decided or voted. @param {{ principal: string, onBehalfOf?: string | null }} decision */
export const describePerson = ({ principal, onBehalfOf }) => `${nameOf(principal)}${onBehalfOf ? ` on behalf of ${nameOf(onBehalfOf)}` : ""}`;

/** Who decided: a person, or a rule or a setting and the person behind it. @param {ApprovalResponse} response */
export function describeDecider(response) {
  if (response.source === "approver") return describePerson(response);
  if (response.grantOrigin) return `${nameOf(response.grantOrigin.principal)}, on the call ${response.grantOrigin.toolCallId}`;
  const person = response.setBy?.principal ?? response.policyChange?.principal;
  return person ? `${response.principal}, set by ${nameOf(person)}` : response.principal;
}

/** Who decided what, and when. @param {ApprovalResponse} response @param {number} now */
export function describeResponse(response, now) {
  return `${describeDecider(response)}, ${describeAge(response.at, now)}: ${DECISIONS[response.decision] ?? response.decision}`;
}

/** What is said about a state or a decision that this page does not know. */
const LATER = "Only a later version of Countersign knows this word.";

/**
 * The call state: a badge label, which is a word of docs/concepts.md, and a sentence.
 * @param {Call} call @param {number} now @returns {{ badge: string, style: string, text: string }}
 */
export function describeState(call, now) {
  const decided = call.response ? describeResponse(call.response, now) : "";
  switch (call.state) {
    case "pending":
      return { badge: "pending", style: "pending", text: "" };
    case "allowed":
      if (call.response && !(call.response.decision in DECISIONS)) {
        return { badge: call.response.decision, style: "unknown", text: `${decided}. ${LATER}` };
      }
      return { badge: "allowed", style: "allowed", text: `${decided}. It has not started yet.` };
    case "denied": {
      const isExpired = call.response?.source === "expiry";
      return { badge: isExpired ? "expired" : "denied", style: isExpired ? "expired" : "denied", text: isExpired ? (call.outcome ?? "") : `${call.outcome ?? ""} ${decided}.`.trim() };
    }
    case "running":
      return { badge: "running", style: "running", text: `${call.execution?.executor ?? "An executor"} runs it. ${decided}.` };
    case "finished": {
      const failed = call.result?.status === "error";
      return { badge: failed ? "failed" : "finished", style: failed ? "failed" : "done", text: decided ? `${decided}.` : "" };
    }
    case "cancelled":
      return { badge: "cancelled", style: "cancelled", text: call.outcome ?? "" };
    case "unknown":
      return { badge: "unknown", style: "unknown", text: `${call.outcome ?? ""} ${decided}.`.trim() };
    default:
      return { badge: call.state, style: "unknown", text: LATER };
  }
}

/** Whether a person's approval can still be taken back: no executor has used it. @param {Call} call @param {number} now */
export function mayTakeBack(call, now) {
  const { state, response } = call;
  const isLapsed = response?.lapsesAt !== undefined && response.lapsesAt !== null && Date.parse(response.lapsesAt) <= now;
  return state === "allowed" && !isLapsed && (response?.source === "approver" || response?.scope === "once");
}

/** The same call, proposed earlier. @param {SameCall} same */
export function describeSameCall({ id, startedAt, state }) {
  if (state === "unknown") return `The same call was lost, so nobody knows if it ran: ${id}.`;
  if (state === "running") return `The same call runs already: ${id}.`;
  if (state === "allowed" || (!startedAt && !state)) return `The same call is allowed already and has not started: ${id}.`;
  return `The same call was allowed before: ${id}.`;
}

/** The time until a pending request expires. @param {Call} call @param {number} now */
export function describeTimeLeft(call, now) {
  const end = call.request?.expiresAt;
  if (!end || call.state !== "pending") return "";
  const left = Date.parse(end) - now;
  return left > 0 ? `${describeSpan(left)} left` : "expires now";
}

/** @param {string} code */
const isOfTakeBack = (code) => code === "already_claimed" || code === "nothing_to_take_back";
/** What is known about a decision whose answer was lost. The card beside it shows the call as the server has it. */
const LOST = "The answer of the server was lost. The call is shown as it was read last; if it still waits, decide again.";

/** Why a decision was refused. @param {CountersignError} error @param {number} now */
export function describeRefusal(error, now) {
  const { code, detail, response } = error.problem;
  if (code === "already_decided" && response) return `Already decided by ${describeResponse(response, now)}.`;
  if (code === "arguments_changed") return "The arguments were changed meanwhile. Look at them again.";
  if (code === "unreachable") return LOST;
  if (code === "unauthenticated") return "You are signed out. Sign in again; nothing was decided.";
  return `${isOfTakeBack(code) ? "Not taken back" : "Not decided"}: ${detail}`;
}

/** An advisor's answer, without its reason. @param {CallAdvice} advice */
export function describeAdvice({ advice, confidence, labels, failure }) {
  if (failure) return `no answer (${failure})`;
  const details = [...(confidence === null || confidence === undefined ? [] : [`confidence ${confidence}`]), ...(labels ?? [])];
  return details.length ? `${advice} (${details.join(", ")})` : advice;
}

/** The states after which nothing more happens to a call. */
const ENDED = { denied: true, finished: true, cancelled: true };

/** @typedef {{ text: string, at: string, style: string }} CallStep */

/** A call's steps in order. The last one has no time if it has not ended. @param {Call} call @returns {CallStep[]} */
export function describeSteps(call) {
  const { proposal, request, response, execution, result } = call;
  const word = (/** @type {string} */ decision) => DECISIONS[decision] ?? decision;
  /** @type {CallStep[]} */
  const steps = [{ text: `${nameOf(proposal.principal)} proposed it`, at: proposal.at, style: "" }];
  if (request) steps.push({ text: `An approval was asked for: ${request.reason}`, at: request.requestedAt, style: "" });
  for (const vote of request?.votes ?? []) {
    const isLast = response && response.principal === vote.principal && response.at === vote.at;
    if (!isLast) steps.push({ text: `${describePerson(vote)} voted: ${word(vote.decision)}`, at: vote.at, style: decisionStyle(vote.decision) });
  }
  for (const advice of call.advice ?? []) steps.push({ text: `${advice.advisor} advised: ${describeAdvice(advice)}`, at: advice.at, style: "" });
  if (response) {
    const isExpiry = response.source === "expiry";
    const how = response.source === "approver" || isExpiry ? "" : ` (${response.source})`;
    steps.push({ text: `${isExpiry ? "Nobody decided in time" : `${describeDecider(response)} decided`}: ${word(response.decision)}${how}`, at: response.at, style: decisionStyle(response.decision) });
  }
  if (call.takenBack) {
    const { principal, at, comment } = call.takenBack;
    return [...steps, { text: `${nameOf(principal)} took the approval back${comment ? `: ${comment}` : ""}`, at, style: "denied" }];
  }
  if (execution) steps.push({ text: `${execution.executor} began to run it`, at: execution.startedAt, style: "" });
  if (result) steps.push({ text: (call.outcome ?? result.status).replace(/\.$/, ""), at: result.at, style: OUTCOMES[result.status] ?? "" });
  for (const { principal, at } of call.flags ?? []) steps.push({ text: `${nameOf(principal)} flagged it`, at, style: "failed" });
  if (call.mismatch) steps.push({ text: `${nameOf(call.mismatch.principal)} reported that something else ran`, at: call.mismatch.at, style: "failed" });
  if (call.released) steps.push({ text: `${nameOf(call.released.principal)} lets another executor take over`, at: call.released.at, style: "" });
  const open = /** @type {Record<string, string>} */ ({ pending: "Waits for a decision", allowed: "Waits for an executor", running: "Runs now", unknown: "The outcome is unknown" });
  const text = open[call.state] ?? (call.state in ENDED ? "" : `${call.state}: ${LATER}`);
  return text ? [...steps, { text, at: "", style: "open" }] : steps;
}
