// Decision proof: a passkey signs the statement that the server names.

import { hexHash, listKeys, passkeyTrouble, signStatement } from "../passkeys.js";

/** @import { Call, DecisionBody, ProofBody } from "../types.d.ts" */
/** @import { CountersignClient } from "../countersign.js" */

/**
 * Requires that the statement is about the call that is on show, or the person would sign another one.
 * @param {string} statement @param {Call} call @param {DecisionBody} decision @param {string} person
 */
async function checkStatement(statement, call, { decision, comment, onBehalfOf }, person) {
  const lines = statement.split("\n");
  const expected = [
    "Countersign decision 1", `thread: ${call.threadId}`, `call: ${call.id}`, `tool: ${call.name}`,
    `arguments: sha256:${call.argumentsHash}`, `approver: ${person}`, `decision: ${decision}`, "scope: none",
    `comment: ${comment ? `sha256:${await hexHash(JSON.stringify(comment))}` : "none"}`,
  ];
  const place = lines.filter((line) => line.startsWith("on behalf of: ")).join();
  if (!expected.every((line) => lines.includes(line)) || place !== (onBehalfOf ? `on behalf of: ${onBehalfOf}` : "")) {
    throw new Error("The server asks for a signature of something else than this decision.");
  }
}

/**
 * Proves a call decision with the signed-in person's passkey.
 * @param {CountersignClient} client @param {Call} call @param {DecisionBody} decision @param {string} statement
 * @param {(statement: string) => void} show Shows what is signed, before the touch.
 * @returns {Promise<ProofBody>}
 */
export async function proveDecision(client, call, decision, statement, show) {
  const trouble = passkeyTrouble();
  if (trouble) throw new Error(trouble);
  const person = (await client.caller()).person ?? "";
  await checkStatement(statement, call, decision, person);
  show(statement);
  const { keys } = await listKeys(client, person);
  return signStatement(statement, keys);
}
