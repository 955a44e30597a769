// Clients of the protocol 2026-07-28, which come back in rounds, and clients that open addresses for their users.
import { test } from "node:test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ElicitationCompleteNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { pendingId, servers, startLog, textOf } from "./support.js";

const asking = 'default = "ask"\n';
const roundsServer = [process.execPath, join(import.meta.dirname, "rounds_server.js")];
const program = process.env.COUNTERSIGN_PROGRAM;

// A client of 2026-07-28 behind the gateway. `words` are options before `mcp`, `gateway` those after it.
async function connectModern(t, log, { words = log.database, gateway = [], elicit, maxRounds } = {}) {
  const args = [...words, "mcp", ...gateway, "--", ...roundsServer];
  const transport = new StdioClientTransport({ command: program, args, env: log.env, stderr: "ignore" });
  const sent = [];
  const received = [];
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => (sent.push(message), send(message, ...rest));
  const start = transport.start.bind(transport);
  transport.start = () => {
    const receive = transport.onmessage;
    transport.onmessage = (message, ...rest) => (received.push(message), receive(message, ...rest));
    return start();
  };
  const options = {
    capabilities: elicit ? { elicitation: { form: {}, url: {} } } : {},
    versionNegotiation: { mode: { pin: "2026-07-28" } },
    ...maxRounds && { inputRequired: { maxRounds } },
  };
  const client = new Client({ name: "test", version: "1" }, options);
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  t.after(() => client.close());
  await client.connect(transport);
  return { client, transport, sent, received };
}

// The tool calls that were sent, and the answers with `input_required`.
const callsOf = (messages) => messages.filter((message) => message.method === "tools/call");
const asked = (messages) => messages.filter((message) => message.result?.resultType === "input_required");

// A server on the log, which has pages.
async function startService(t, log) {
  const child = spawn(program, [...log.database, "serve", "--solo", "--listen", "127.0.0.1:0"], { env: log.env });
  t.after(() => child.kill());
  let output = "";
  return new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", () => reject(new Error(output)));
  });
}

test("client of 2026-07-28 waits in rounds, and the call runs once", async (t) => {
  const log = await startLog(t, asking);
  const { client, sent, received } = await connectModern(t, log, { gateway: ["--hold", "1s"] });
  const result = client.callTool({ name: "echo", arguments: { text: "é" } });
  const { pending } = await log.waitForPending();
  await log.command("allow", pending[0].id);
  assert.equal(textOf(await result), "Echo: é");
  assert(asked(received).every((message) => message.result.inputRequests === undefined));
  for (const [index, message] of asked(received).entries()) {
    assert.equal(callsOf(sent)[index + 1].params.requestState, message.result.requestState);
  }
  assert.deepEqual((await log.calls()).map((call) => call.state), ["finished"]);
});

test("client that gives up after its rounds gets a text, and the repeated call gets the decision", async (t) => {
  const log = await startLog(t, asking);
  const { client, received } = await connectModern(t, log, { gateway: ["--hold", "0s"] });
  const request = { name: "echo", arguments: { text: "x" } };
  const id = pendingId(await client.callTool(request));
  assert.equal(asked(received).length, 8);
  await log.command("allow", id);
  assert.equal(textOf(await client.callTool(request)), "Echo: x");
});

test("state is for one use and one call", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await connectModern(t, log, { gateway: ["--hold", "0s"] });
  const request = (params) => client.request({ method: "tools/call", params }, { allowInputRequired: true });
  const call = { name: "echo", arguments: { text: "x" } };
  const { requestState } = await request(call);
  const refused = async (params) => {
    const result = await request(params);
    assert.equal(result.isError, true, JSON.stringify(result));
    assert.match(textOf(result), /requestState was used before, has expired, or belongs to another/);
  };
  await refused({ ...call, requestState: `${requestState}x` });
  await refused({ ...call, arguments: { text: "y" }, requestState });
  const next = await request({ ...call, requestState });
  assert.notEqual(next.requestState, requestState);
  await refused({ ...call, requestState });
  assert.equal((await log.calls()).length, 1);
});

test("killed gateway refuses the state of the one before, and the repeated call gets the decision", async (t) => {
  const log = await startLog(t, asking);
  const options = { gateway: ["--hold", "0s"] };
  const call = { name: "echo", arguments: { text: "x" } };
  const first = await connectModern(t, log, options);
  const { requestState } = await first.client.request({ method: "tools/call", params: call }, { allowInputRequired: true });
  process.kill(first.transport.pid, "SIGKILL");
  const second = await connectModern(t, log, options);
  const refused = await second.client.request(
    { method: "tools/call", params: { ...call, requestState } }, { allowInputRequired: true });
  assert.match(textOf(refused), /Repeat the same call without it/);
  const { pending } = await log.waitForPending();
  await log.command("allow", pending[0].id);
  assert.equal(textOf(await second.client.callTool(call)), "Echo: x");
  assert.equal((await log.calls()).length, 1);
});

test("input that the server asks for belongs to the call that was approved", async (t) => {
  const log = await startLog(t, asking);
  const elicit = ({ mode }) => mode === "url" ? { action: "accept" } : { action: "accept", content: { name: "Ada" } };
  const { client } = await connectModern(t, log, { elicit, gateway: ["--hold", "5s"] });
  const result = client.callTool({ name: "greet", arguments: { greeting: "Hello" } });
  const { pending } = await log.waitForPending();
  await log.command("allow", pending[0].id);
  assert.equal(textOf(await result), "Hello, Ada (asked for Hello)");
  const calls = await log.calls();
  assert.deepEqual(calls.map((call) => call.state), ["finished"]);
  assert.equal((await log.call(calls[0].id)).result.content.content[0].text, "Hello, Ada (asked for Hello)");
});

test("page of the call is opened, and only the page decides", async (t) => {
  const log = await startLog(t, asking);
  const url = await startService(t, log);
  const opened = [];
  const elicit = (params) => (opened.push(params), { action: "accept" });
  const { client } = await connectModern(t, log, { words: ["--server", url], elicit, gateway: ["--hold", "1s"] });
  const result = client.callTool({ name: "echo", arguments: { text: "x" } });
  const { pending } = await log.waitForPending();
  await log.command("deny", pending[0].id, "--comment", "not today");
  assert.match(textOf(await result), /not today/);
  assert.equal(opened.length, 1);
  assert.deepEqual([opened[0].mode, opened[0].url.startsWith(url)], ["url", true]);
  // The pages have a host of their own, which browsers resolve.
  const page = await fetch(opened[0].url, { headers: { accept: "text/html" }, redirect: "manual" });
  const there = opened[0].url.replace("127.0.0.1", "countersign.localhost");
  assert.deepEqual([page.status, page.headers.get("location")], [307, there]);
});

test("user who declines to open the page ends the wait, and the call stays pending", async (t) => {
  const log = await startLog(t, asking);
  const url = await startService(t, log);
  const { client } = await connectModern(t, log, { words: ["--server", url], elicit: () => ({ action: "decline" }), gateway: ["--hold", "1s"] });
  const id = pendingId(await client.callTool({ name: "echo", arguments: { text: "x" } }));
  assert.equal((await log.call(id)).state, "pending");
});

test("client of 2025-11-25 opens the page once, and is told when the call is decided", async (t) => {
  const log = await startLog(t, asking);
  const url = await startService(t, log);
  const transport = new EarlierTransport({
    command: program, args: ["--server", url, "mcp", "--", ...servers.everything()], env: log.env, stderr: "ignore",
  });
  const client = new EarlierClient({ name: "t", version: "1" }, { capabilities: { elicitation: { url: {} } } });
  const opened = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => (opened.push(params), { action: "accept" }));
  const complete = new Promise((resolve) => {
    client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => resolve(params.elicitationId));
  });
  t.after(() => client.close());
  await client.connect(transport);
  const result = client.callTool({ name: "echo", arguments: { message: "x" } });
  const { pending } = await log.waitForPending();
  await log.command("allow", pending[0].id);
  assert.equal(textOf(await result), "Echo: x");
  assert.deepEqual(opened.map(({ mode, elicitationId }) => [mode, elicitationId]), [["url", pending[0].id]]);
  assert.equal(await complete, pending[0].id);
});
