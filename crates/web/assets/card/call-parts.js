// The parts of a call that a person reads beside its arguments. The card and the review of several calls show the same.

import { html, nothing } from "../element.js";
import { renderArguments, renderDifferences, renderJson } from "../arguments/arguments-view.js";
import { renderText } from "../hidden-text.js";
import { nameOf } from "../times.js";
import { describeAdvice, describePerson, describeSameCall } from "./describe.js";

/** @import { Call } from "../types.d.ts" */

/** @typedef {[string, unknown]} Fact */

/** What a result is called, by its status. A call that did not run has no output. @type {Record<string, string>} */
const RESULTS = { success: "Output", error: "The tool failed" };

/** @param {Call} call */
export function renderRisk(call) {
  const risk = call.impact?.riskLevel;
  return risk ? html`<span class="badge ${risk}" title="The agent's claim; nobody has checked it.">agent says: ${risk} risk</span>` : nothing;
}

/** What ran, if it is not what people allowed. @param {Call} call */
export function renderMismatch(call) {
  const { mismatch } = call;
  if (!mismatch) return nothing;
  const what = call.execution
    ? "Other arguments ran than were approved."
    : "The call ran without an approval.";
  return html`<section class="mismatch" aria-label="mismatch">
    <p class="problem banner" role="alert">${what} ${renderText(nameOf(mismatch.principal))} reports that this ran:</p>
    ${renderArguments(mismatch.arguments, mismatch.redacted ?? [], undefined)}
  </section>`;
}

/** What a person should know before reading on, in sentences. @param {Call} call */
export function describeWarnings(call) {
  const warnings = [];
  if (call.hiddenCharacters?.length) warnings.push("It contains characters that are invisible. They are marked below.");
  if (call.mixedScripts?.length) warnings.push(`Words mix letters of several alphabets: ${call.mixedScripts.join(", ")}. The letters are marked.`);
  if (call.padded?.length) warnings.push(`Many blanks or empty lines push a part out of sight: ${call.padded.join(", ")}. Read to the end.`);
  if (call.redacted?.length) warnings.push(`Secrets are masked: ${call.redacted.join(", ")}.`);
  if (call.proposerGone) warnings.push("The agent no longer waits. It may never run this call.");
  if (call.request?.sameCall) warnings.push(describeSameCall(call.request.sameCall));
  for (const { name, likeness } of call.lookAlikes ?? []) {
    warnings.push(likeness === "sameTool" ? `Another server has this tool, too: ${name}.` : `The name of the tool looks like ${name}.`);
  }
  return warnings;
}

/** @param {Call} call */
export const renderWarnings = (call) => describeWarnings(call).map((text) => html`<p class="note warning banner">${renderText(text)}</p>`);

/** How the definition of the tool changed. @param {Call} call @param {string} root @param {boolean} canDecide */
export function renderDefinition(call, root, canDecide) {
  const changed = call.request?.changedDefinition;
  if (!changed) return nothing;
  return html`<section class="definition" aria-label="definition of the tool">
    <p class="note warning banner">The definition of this tool has changed since it was accepted${changed.accepted ? ". A person has accepted it meanwhile." : ". Earlier approvals do not answer its calls."}
      ${canDecide && !changed.accepted ? html`<a href=${`${root}/settings#tools`}>Read and accept it</a>` : nothing}</p>
    ${changed.changes?.length ? renderDifferences(changed.changes) : nothing}
  </section>`;
}

/** @param {Call} call */
export function renderEffects(call) {
  if (!call.effects?.length) return nothing;
  return html`<section class="effects" aria-label="what it does">
    <h3>What it does, as far as it shows</h3>
    <ul>${call.effects.map((effect) => html`<li>${renderText(effect)}</li>`)}</ul>
  </section>`;
}

/** What the agent claims about its call. Nobody has checked it, so it stands below the arguments and is smaller. @param {Call} call */
export function renderClaims(call) {
  const impact = call.impact ?? {};
  /** @type {Fact[]} */
  const claims = [];
  if (call.description) claims.push(["Purpose", renderText(call.description)]);
  if (impact.message) claims.push(["Impact", renderText(impact.message)]);
  if (impact.riskLevel) claims.push(["Risk", impact.riskLevel]);
  if (impact.reversible !== undefined) claims.push(["Reversible", impact.reversible ? "yes" : html`<strong class="problem">no</strong>`]);
  if (impact.affectedResources?.length) claims.push(["Affects", renderText(impact.affectedResources.join(", "))]);
  if (impact.estimatedImpact) claims.push(["Extent", renderText(impact.estimatedImpact)]);
  const own = call.definition?.description;
  if (claims.length === 0 && !own) return nothing;
  return html`<section class="claims" aria-label="what the agent says">
    ${claims.length > 0 ? html`<h3>The agent says (not checked)</h3>${renderList(claims)}` : nothing}
    ${own ? html`<h3>The tool says of itself</h3><p>${renderText(own)}</p>` : nothing}
  </section>`;
}

/** @param {Fact[]} facts @param {string} [style] The class of the list. */
const renderList = (facts, style = "") => html`<dl class=${style}>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** The reason of the request, the votes, the advice, and the comments. @param {Call} call */
export function renderFacts(call) {
  const facts = [...requestFacts(call), ...adviceFacts(call), ...decisionFacts(call)];
  return facts.length === 0 ? nothing : renderList(facts, "facts");
}

/** @param {Call} call @returns {Fact[]} */
function requestFacts({ request }) {
  if (!request) return [];
  const { rule, reason, votes = [], quorum = 1 } = request;
  /** @type {Fact[]} */
  const facts = [["Asked because", html`${renderText(reason)}${rule && !reason.includes(rule) ? html` (${renderText(rule)})` : nothing}`]];
  if (request.similarOperationsCount) facts.push(["Similar", `${request.similarOperationsCount} lately in this thread`]);
  if (request.level) facts.push(["Needs level", renderText(request.level)]);
  if (quorum > 1 || votes.length > 0) {
    const counted = votes.filter((vote) => vote.counts && vote.decision !== "deny");
    const names = counted.map(describePerson).join(", ");
    facts.push(["Votes", renderText(`${counted.length} of ${quorum}${names ? `, ${names}` : ""}`)]);
  }
  return facts;
}

/** @param {Call} call @returns {Fact[]} */
function adviceFacts({ advice = [] }) {
  return advice.map((one) => [
    `Advice of ${one.advisor}`,
    html`<strong>${renderText(describeAdvice(one))}</strong>${one.reason ? html` ${renderText(one.reason)}` : nothing}`,
  ]);
}

/** The comments and the proofs. @param {Call} call @returns {Fact[]} */
function decisionFacts({ request, response }) {
  const said = [...(request?.votes ?? []), ...(response ? [response] : [])];
  const isRule = (/** @type {string} */ principal) => response?.principal === principal && response.source !== "approver";
  /** @type {Fact[]} */
  const facts = [];
  /** The last vote is the decision, too: its comment is shown once. @type {Set<string>} */
  const shown = new Set();
  for (const { principal, comment } of said) {
    const key = `${principal}\n${comment}`;
    if (comment && !shown.has(key)) facts.push([isRule(principal) ? "Reason" : `Comment of ${nameOf(principal)}`, renderText(comment)]);
    shown.add(key);
  }
  for (const { principal, proof } of said) {
    if (proof) facts.push(["Proof", renderText(`${nameOf(principal)} signed with the ${proof.kind} key ${proof.key}`)]);
  }
  return facts;
}

/** @param {Call} call */
export function renderResult(call) {
  if (!call.result) return nothing;
  const { content, status } = call.result;
  const shown = typeof content === "string" ? html`<pre class="text">${renderText(content)}</pre>` : renderJson(content);
  return html`<details class="result" open>
    <summary>${RESULTS[status] ?? "Answer to the agent"}</summary>
    ${shown}
  </details>`;
}
