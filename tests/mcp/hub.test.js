// Several servers through one gateway: `mcp --config`, with the official client and real servers.
import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import assert from "node:assert/strict";
import {
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { callAndDecide, entry, pendingId, servers, startHttpServer, startLog, textOf } from "./support.js";

const allowing = 'default = "allow"\n[[rule]]\nname = "all"\ntool = "*"\nverdict = "allow"\n';
const capabilities = { sampling: {}, roots: { listChanged: true }, elicitation: { form: {} } };

// A client behind a gateway for server-everything on HTTP and on stdio, filesystem and memory.
async function connectAll(t, policy, options = {}) {
  const log = await startLog(t, policy);
  const { url } = await startHttpServer(t);
  const file = await log.config({
    far: { type: "http", url },
    demo: entry(servers.everything()),
    files: entry(servers.filesystem(log.folder)),
    memory: entry(servers.memory()),
    missing: { command: join(log.folder, "no-such-program") },
    mute: entry([process.execPath, "-e", "process.exit(3)"]),
  });
  const connection = await log.gateway(t, ["--config", file, ...(options.gateway ?? [])], { capabilities });
  return { log, ...connection };
}

test("features of all servers pass one gateway", async (t) => {
  const { client, log } = await connectAll(t, allowing);
  assert.match(client.getInstructions(), /# far\n[^]*# demo\n/);
  const { tools, nextCursor } = await client.listTools();
  assert.equal(nextCursor, undefined);
  const prefixes = new Set(tools.map((tool) => tool.name.split("__")[0]));
  assert.deepEqual([...prefixes], ["far", "demo", "files", "memory"]);

  for (const server of ["far", "demo"]) {
    assert.equal(textOf(await client.callTool({ name: `${server}__echo`, arguments: { message: "é" } })), "Echo: é");
    const sampled = await client.callTool({ name: `${server}__trigger-sampling-request`, arguments: { prompt: "p", maxTokens: 5 } });
    assert.match(textOf(sampled), /sampled/);
    assert.match(textOf(await client.callTool({ name: `${server}__get-roots-list`, arguments: {} })), /file:\/{3}root/);
    const steps = [];
    const slow = { name: `${server}__trigger-long-running-operation`, arguments: { duration: 0.1, steps: 3 } };
    await client.callTool(slow, undefined, { onprogress: ({ progress }) => steps.push(progress) });
    assert(steps.includes(2), `${steps}`);
    const prompt = await client.getPrompt({ name: `${server}__args-prompt`, arguments: { city: "Ulm" } });
    assert.match(prompt.messages[0].content.text, /Ulm/);
    const ref = { type: "ref/prompt", name: `${server}__completable-prompt` };
    const { completion } = await client.complete({ ref, argument: { name: "department", value: "E" } });
    assert.deepEqual(completion.values, ["Engineering"]);
  }
  // This server asks the client for its roots, too.
  assert.match(textOf(await client.callTool({ name: "files__list_allowed_directories", arguments: {} })), /Allowed directories/);
  assert.equal((await client.callTool({ name: "memory__read_graph", arguments: {} })).isError, undefined);

  const { resources } = await client.listResources();
  assert.notEqual((await client.readResource({ uri: resources[0].uri })).contents.length, 0);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert(resourceTemplates.length > 0);
  assert.equal((await client.readResource({ uri: "demo://resource/dynamic/text/1" })).contents.length, 1);
  await client.subscribeResource({ uri: resources[0].uri });
  await client.unsubscribeResource({ uri: resources[0].uri });
  await client.setLoggingLevel("debug");
  await client.ping();
  for (const request of [
    () => client.readResource({ uri: "x://nowhere" }), () => client.getPrompt({ name: "args-prompt" }),
    () => client.request({ method: "x/unknown", params: {} }, ToolListChangedNotificationSchema),
    () => client.listTools({ cursor: "x" }),
  ]) {
    await assert.rejects(request(), /no server lists|unknown name|cannot tell|unknown cursor/);
  }
  await client.close();
  const calls = await log.calls();
  assert(calls.every((call) => call.state === "finished"), JSON.stringify(calls));
  assert(calls.some((call) => call.name === "far__echo"));
});

test("people decide on calls of each server", async (t) => {
  const policy = 'default = "ask"\n[[rule]]\nname = "no graph"\ntool = "memory__read_graph"\nverdict = "block"\nreason = "graphs are private"\n';
  const { client, log } = await connectAll(t, policy, { gateway: ["--thread", "t"] });
  const allowed = await callAndDecide(client, "far__echo", { message: "1" }, (id) => log.command("allow", id));
  assert.equal(textOf(allowed), "Echo: 1");
  const edited = await callAndDecide(client, "demo__echo", { message: "secret plan" }, (id) =>
    log.command("allow", id, "--arguments", '{"message":"plan"}'));
  assert.equal(edited.content[0].text, "Echo: plan");
  const denied = await callAndDecide(client, "demo__get-structured-content", { location: "Chicago" }, (id) =>
    log.command("deny", id, "--comment", "not in winter"));
  assert.match(textOf(denied), /not in winter/);
  const blocked = await client.callTool({ name: "memory__read_graph", arguments: {} });
  assert.match(textOf(blocked), /graphs are private/);
  await client.close();
  const calls = await log.calls();
  assert.deepEqual(new Set(calls.map((call) => call.threadId)), new Set(["t"]));
  const call = await log.call(calls.find((call) => call.name === "far__echo").id);
  assert.equal(call.definition.description, "Echoes back the input string");
});

test("server that dies takes only its own tools with it", async (t) => {
  const log = await startLog(t, allowing);
  const pidFile = join(log.folder, "pid");
  // Only the first process works.
  const script = `const fs = require("fs"); if (fs.existsSync(${JSON.stringify(pidFile)})) process.exit(1);
    fs.writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); import(${JSON.stringify(servers.everything()[1])})`;
  const file = await log.config({
    demo: { command: process.execPath, args: ["-e", script, "stdio"] }, files: entry(servers.filesystem(log.folder)),
  });
  const { client } = await log.gateway(t, ["--config", file]);
  assert((await client.listTools()).tools.some((tool) => tool.name === "demo__echo"));
  const changed = new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve));
  // The server runs a call when it is killed, so nobody knows its outcome.
  const slow = { name: "demo__trigger-long-running-operation", arguments: { duration: 600, steps: 6000 } };
  let lost;
  await new Promise((resolve) => {
    lost = client.callTool(slow, undefined, { onprogress: resolve });
    lost.catch(() => {});
  });
  process.kill(Number(await readFile(pidFile, "utf8")), "SIGKILL");
  await assert.rejects(lost, /ended while it ran this call/);
  await changed;
  assert((await client.listTools()).tools.every((tool) => tool.name.startsWith("files__")));
  await assert.rejects(client.callTool({ name: "demo__echo", arguments: { message: "x" } }), /cannot be used: it ended/);
  assert.equal((await client.callTool({ name: "files__list_allowed_directories", arguments: {} })).isError, undefined);
  const calls = await log.calls();
  assert.equal(calls.find((call) => call.name === slow.name).state, "unknown");
});

test("repeated call of one of several servers survives a kill", async (t) => {
  const log = await startLog(t, 'default = "ask"\n');
  const file = await log.config({ demo: entry(servers.everything()), files: entry(servers.filesystem(log.folder)) });
  const path = join(log.folder, "a.txt");
  const request = { name: "files__write_file", arguments: { path, content: "once" } };
  const first = await log.gateway(t, ["--config", file, "--hold", "0s"]);
  const id = pendingId(await first.client.callTool(request));
  process.kill(first.transport.pid, "SIGKILL");
  await log.command("allow", id);
  const second = await log.gateway(t, ["--config", file, "--hold", "0s"]);
  const result = await second.client.callTool(request);
  assert.equal(result.isError, undefined, textOf(result));
  assert.equal(await readFile(path, "utf8"), "once");
});

test("configuration with mistakes is refused before anything starts", async (t) => {
  const log = await startLog(t, allowing);
  for (const [mcpServers, message] of [
    [{ a__b: { command: "x" } }, /cannot be the name of a server/],
    [{ a: { command: "x" }, A: { command: "y" } }, /differ only in case/],
    [{ a: { url: "http://mcp.example.com" } }, /use https/],
    [{ a: { url: "https://mcp.example.com", headers: { Authorization: "Bearer ${COUNTERSIGN_NONE}" } } }, /is not set/],
    [{ a: { command: join(log.folder, "none") } }, /no server of the configuration can be started/],
    [{}, /no servers/],
  ]) {
    const file = await log.config(mcpServers);
    await assert.rejects(log.command("mcp", "--config", file), message);
  }
});
