// The page of one call: shows it completely, and decides it, with a passkey where the rule asks for a proof. All texts are
// set as text, never as HTML.

import { escapeHidden, formatJson, memberText } from "./text.js";
import { find, hash, listKeys, passkeyTrouble, request, requestText, signStatement, toHex } from "/keys/passkeys.js";

const [thread, id] = location.pathname.split("/").slice(2, 4);
const callPath = `/v1/threads/${thread}/tool-calls/${id}`;
const decisionPath = `/v1/threads/${thread}/approvals/${id}`;

const proofs = { any: "a passkey or an SSH key", ssh: "an SSH key", passkey: "a passkey" };

let person = null;
let shown = null;

function addFact(name, text) {
  if (text === undefined || text === null || text === "") return;
  const [term, value] = [document.createElement("dt"), document.createElement("dd")];
  term.textContent = name;
  value.textContent = escapeHidden(String(text));
  find("facts").append(term, value);
}

function describeVote(vote) {
  const proof = vote.proof ? `, signed with the ${vote.proof.kind} key ${vote.proof.key}` : "";
  return `${vote.principal}: ${vote.decision}${proof}`;
}

function showFacts(call) {
  find("facts").replaceChildren();
  const asked = call.request || {};
  addFact("call", `${call.id} in ${call.threadId}`);
  addFact("agent", call.proposal.principal);
  addFact("purpose", call.description);
  addFact("impact", call.impact && JSON.stringify(call.impact));
  addFact("asked", asked.reason);
  addFact("rule", asked.rule);
  addFact("needs", asked.quorum > 1 ? `${asked.quorum} approvals` : "");
  addFact("level", asked.level);
  addFact("expires", asked.expiresAt);
  addFact("votes", (asked.votes || []).map(describeVote).join("; "));
  if (call.response) {
    const proof = call.response.proof;
    const signed = proof ? `, signed with the ${proof.kind} key ${proof.key}` : "";
    addFact("decided", `${call.response.decision} by ${call.response.principal} at ${call.response.at}${signed}`);
    addFact("comment", call.response.comment);
  }
}

function showCall(text) {
  const call = JSON.parse(text);
  shown = call;
  find("call").hidden = false;
  find("tool").textContent = escapeHidden(call.name);
  find("state").textContent = call.state;
  document.title = `${escapeHidden(call.name)} · Countersign`;
  showFacts(call);
  // The text of the response, because JavaScript would round long numbers.
  find("arguments").textContent = escapeHidden(formatJson(memberText(text, "arguments")));
  const places = [...(call.hiddenCharacters || []), ...(call.mixedScripts || [])];
  find("hidden-warning").hidden = places.length === 0;
  find("hidden-warning").textContent =
    `Hidden characters or letters of several alphabets, in ${escapeHidden(places.join(", "))}.`;
  showDecision(call);
}

function showDecision(call) {
  const isPending = call.state === "pending";
  find("decide").hidden = !isPending || person === null;
  if (!isPending) return;
  const needed = call.request && call.request.proof;
  find("allow").textContent = needed ? "Allow once, with a passkey" : "Allow once";
  find("allow").disabled = needed === "ssh";
  const remedy = needed === "ssh" ? ": use countersign allow --sign-with KEYFILE" : "";
  find("needs").textContent = needed ? `An approval needs the proof of ${proofs[needed] || needed}${remedy}.` : "";
}

// The statement must be about the call that is shown, or the person would sign another one.
async function checkStatement(statement, decision, comment) {
  const lines = statement.split("\n");
  const expected = [
    "Countersign decision 1", `thread: ${shown.threadId}`, `call: ${shown.id}`, `tool: ${shown.name}`,
    `arguments: sha256:${shown.argumentsHash}`, `approver: ${person}`, `decision: ${decision}`, "scope: none",
    `comment: ${comment ? `sha256:${toHex(await hash(JSON.stringify(comment)))}` : "none"}`,
  ];
  if (!expected.every((line) => lines.includes(line))) {
    throw new Error("The server asks for a signature of something else than this decision.");
  }
}

async function decide(decision) {
  const body = { decision, argumentsHash: shown.argumentsHash };
  const comment = find("comment").value.trim();
  if (comment) body.comment = comment;
  try {
    await request("POST", decisionPath, body);
  } catch (error) {
    if (!error.problem || error.problem.code !== "proof_required") throw error;
    const trouble = passkeyTrouble();
    if (trouble) throw new Error(trouble);
    const { statement } = error.problem;
    await checkStatement(statement, decision, comment);
    find("statement").textContent = escapeHidden(statement);
    find("signed").hidden = false;
    const { keys } = await listKeys(person);
    await request("POST", decisionPath, { ...body, proof: await signStatement(statement, keys) });
  }
  showCall(await requestText("GET", callPath));
}

async function attempt(work) {
  find("message").textContent = "";
  find("allow").disabled = find("deny").disabled = true;
  try {
    await work();
  } catch (error) {
    find("message").textContent = escapeHidden(error.message);
  }
  find("deny").disabled = false;
  if (shown) showDecision(shown);
  else find("allow").disabled = false;
}

find("allow").addEventListener("click", () => attempt(() => decide("allow_once")));
find("deny").addEventListener("click", () => attempt(() => decide("deny")));
find("decide").addEventListener("submit", (event) => event.preventDefault());

attempt(async () => {
  const caller = await request("GET", "/v1/me");
  person = caller.roles.includes("approver") ? caller.person : null;
  showCall(await requestText("GET", callPath));
});
