// A client has the same conversation with a server through the gateway as without it, if the policy allows all calls.
import { test } from "node:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import assert from "node:assert/strict";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { removeOwnMetadata, servers, startHttpServer, startLog } from "./support.js";

const allowing = 'default = "allow"\n[[rule]]\nname = "all"\ntool = "*"\nverdict = "allow"\n';
const capabilities = { sampling: {}, roots: { listChanged: true }, elicitation: { form: {} } };
// server-filesystem exchanges its folders for the client's roots some time after the start, so it is offered none.
const capabilitiesWithoutRoots = { sampling: {}, elicitation: { form: {} } };

// Requests whose failure belongs to the conversation.
const attempt = (promise) => promise.catch((error) => error.code);

async function converseWithEverything({ client, transcript }) {
  // Its own first request would otherwise come at any time.
  await transcript.rootsAsked;
  await client.ping();
  const { tools } = await client.listTools();
  for (const [name, args] of [
    ["echo", { message: "é \u2028 \" 1.10" }],
    ["get-sum", { a: 1e21, b: 0.1 }],
    ["get-sum", { a: "no number" }],
    ["no-such-tool", {}],
    ["get-annotated-message", { messageType: "error", includeImage: true }],
    ["get-structured-content", { location: "Chicago" }],
    ["get-resource-links", { count: 2 }],
    ["get-tiny-image", undefined],
    ["get-roots-list", {}],
    ["trigger-sampling-request", { prompt: "p", maxTokens: 5 }],
    ["trigger-elicitation-request", {}],
  ]) {
    await attempt(client.callTool({ name, arguments: args }));
  }
  const onprogress = () => {};
  await client.callTool({ name: "trigger-long-running-operation", arguments: { duration: 0.1, steps: 3 } }, undefined, { onprogress });
  const { resources } = await client.listResources();
  await client.readResource({ uri: resources[0].uri });
  await attempt(client.readResource({ uri: "demo://resource/none" }));
  await client.listResourceTemplates();
  await client.subscribeResource({ uri: resources[0].uri });
  await client.unsubscribeResource({ uri: resources[0].uri });
  await client.listPrompts();
  await client.getPrompt({ name: "args-prompt", arguments: { city: "Ulm" } });
  await attempt(client.getPrompt({ name: "none" }));
  await client.complete({ ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "E" } });
  await client.setLoggingLevel("debug");
  await attempt(client.request({ method: "x/unknown", params: { a: [1.5] } }, ToolListChangedNotificationSchema));
  return tools.length;
}

async function converseWithFilesystem({ client }, folder) {
  await client.listTools();
  const path = join(folder, "files/a.txt");
  for (const [name, args] of [
    ["write_file", { path, content: "one\ntwo\n" }],
    ["edit_file", { path, edits: [{ oldText: "two", newText: "three" }] }],
    ["read_text_file", { path }],
    ["read_text_file", { path: "/etc/passwd" }],
    ["list_directory", { path: join(folder, "files") }],
    ["list_allowed_directories", {}],
  ]) {
    await attempt(client.callTool({ name, arguments: args }));
  }
}

async function converseWithMemory({ client }) {
  await client.listTools();
  const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
  for (const [name, args] of [
    ["create_entities", { entities }],
    ["search_nodes", { query: "programs" }],
    ["read_graph", {}],
    ["delete_entities", { entityNames: ["Ada"] }],
  ]) {
    await attempt(client.callTool({ name, arguments: args }));
  }
}

// Answers and requests in their order, and the notifications in any: the server sends some of them at any time.
function normalize({ sent, received }) {
  const parts = (messages) => {
    const isNotification = (message) => message.method !== undefined && message.id === undefined;
    // Servers on HTTP name their session.
    const text = JSON.stringify(messages).replaceAll(/session [0-9a-f-]{36}/g, "session");
    const plain = JSON.parse(text);
    plain.forEach((message) => removeOwnMetadata(message.result));
    return { ordered: plain.filter((message) => !isNotification(message)), notifications: plain.filter(isNotification).map((message) => JSON.stringify(message)).sort() };
  };
  return { sent: parts(sent), received: parts(received) };
}

for (const [name, converse, offered] of [
  ["everything", converseWithEverything, capabilities],
  ["filesystem", converseWithFilesystem, capabilitiesWithoutRoots],
  ["memory", converseWithMemory, capabilities],
]) {
  test(`conversation with ${name} is the same with and without the gateway`, async (t) => {
    const transcripts = [];
    const log = await startLog(t, allowing);
    for (const direct of [true, false]) {
      await mkdir(join(log.folder, "files"), { recursive: true });
      await writeFile(join(log.folder, "memory.jsonl"), "");
      const connection = await log.connect(t, servers[name](log.folder), { direct, capabilities: offered });
      await converse(connection, log.folder);
      await connection.client.close();
      transcripts.push(normalize(connection.transcript));
    }
    assert.deepEqual(transcripts[1], transcripts[0]);
    assert(transcripts[0].received.ordered.length > 5);
    const calls = await log.calls();
    assert(calls.length >= 4 && calls.every((call) => call.state === "finished"), JSON.stringify(calls));
  });
}

test("conversation with a server on HTTP is the same with and without the gateway", async (t) => {
  const transcripts = [];
  const log = await startLog(t, allowing);
  for (const direct of [true, false]) {
    // Its resources depend on its age, so each conversation gets a server of its own.
    const { url } = await startHttpServer(t);
    const connection = direct
      ? await log.connectHttp(t, url, { capabilities })
      : await log.gateway(t, ["--url", url], { capabilities });
    await converseWithEverything(connection);
    await connection.client.close();
    transcripts.push(normalize(connection.transcript));
  }
  assert.deepEqual(transcripts[1], transcripts[0]);
  assert((await log.calls()).every((call) => call.state === "finished"));
});
