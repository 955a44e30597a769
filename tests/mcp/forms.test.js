// Forms of servers (elicitation in form mode): filled in by the client's user, or in the inbox.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { startLog } from "./support.js";

const ALLOW = '[[rule]]\nname = "tools"\ntool = "book"\nverdict = "allow"\n';
const SERVER = ["--", process.execPath, join(import.meta.dirname, "forms_server.js")];
const book = async (client) => JSON.parse((await client.callTool({ name: "book", arguments: {} })).content[0].text);

test("people fill in a form for a client that shows none", async (t) => {
  const log = await startLog(t, ALLOW);
  const { client } = await log.gateway(t, SERVER, { capabilities: {} });
  const booked = book(client);
  const [call] = (await log.waitForPending()).pending;
  assert.equal(call.name, "elicitation");
  assert.equal(call.question.message, "Which day?");
  await log.command("allow", call.id, "--answer", "Tue", "--answer", "2");
  assert.deepEqual(await booked, { action: "accept", content: { day: "Tue", seats: 2 } });
  const declined = book(client);
  const [second] = (await log.waitForPending()).pending;
  await log.command("deny", second.id);
  assert.deepEqual(await declined, { action: "decline" });
  await log.command("verify");
});

test("a form that the client's user fills in leaves no call", async (t) => {
  const log = await startLog(t, ALLOW);
  const { client } = await log.gateway(t, SERVER, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { day: "Mon" } }));
  assert.deepEqual(await book(client), { action: "accept", content: { day: "Mon" } });
  assert.deepEqual((await log.calls()).map(({ name }) => name), ["book"]);
});

test("people may fill in a form that the client shows, and its dialog is withdrawn", async (t) => {
  const log = await startLog(t, ALLOW);
  const { client, transcript } = await log.gateway(t, ["--questions-after", "0s", ...SERVER], { capabilities: { elicitation: {} } });
  let answer;
  client.setRequestHandler(ElicitRequestSchema, () => new Promise((resolve) => (answer = resolve)));
  const booked = book(client);
  const [call] = (await log.waitForPending()).pending;
  await log.command("allow", call.id, "--answer", "Tue", "--answer", "");
  assert.deepEqual(await booked, { action: "accept", content: { day: "Tue" } });
  assert.ok(transcript.received.some(({ method }) => method === "notifications/cancelled"));
  // Too late: the server must not see it.
  answer({ action: "accept", content: { day: "Mon" } });
  await client.ping();
  await log.command("verify");
});

test("the answer of the client's user withdraws the form from the inbox", async (t) => {
  const log = await startLog(t, ALLOW);
  const { client } = await log.gateway(t, ["--questions-after", "0s", ...SERVER], { capabilities: { elicitation: {} } });
  let answer;
  client.setRequestHandler(ElicitRequestSchema, () => new Promise((resolve) => (answer = resolve)));
  const booked = book(client);
  const [call] = (await log.waitForPending()).pending;
  answer({ action: "accept", content: { day: "Mon" } });
  assert.deepEqual(await booked, { action: "accept", content: { day: "Mon" } });
  await log.waitForState(call.id, "cancelled");
});
