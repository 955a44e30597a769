// Each outcome of a call that people decide, with the official client and real servers.
import { test } from "node:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import assert from "node:assert/strict";
import { callAndDecide, pendingId, servers, startLog, textOf } from "./support.js";

const asking = 'default = "ask"\n';
// A call does not wait for people.
const impatient = ["--hold", "0s"];

test("allowed call runs, and the log has its definition and its result", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything(), { gateway: ["--name", "demo", "--thread", "t"] });
  let id;
  const result = await callAndDecide(client, "echo", { message: "hello" }, (pending) => {
    id = pending;
    return log.command("allow", pending);
  });
  assert.equal(textOf(result), "Echo: hello");
  await client.close();
  const call = await log.call(id);
  assert.equal(call.name, "demo__echo");
  assert.equal(call.threadId, "t");
  assert.equal(call.state, "finished");
  assert.equal(call.definition.description, "Echoes back the input string");
  assert.deepEqual(call.result.content, { content: [{ type: "text", text: "Echo: hello" }] });
  // Nobody vouches for this server, so its claim to be harmless is not recorded.
  assert.equal(call.annotations?.readOnlyHint, undefined);
});

test("hints of a trusted server are recorded", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const { client } = await log.connect(t, servers.everything(), { gateway: ["--trust-hints"] });
  await client.callTool({ name: "echo", arguments: { message: "x" } });
  await client.close();
  assert.equal((await log.calls())[0].annotations.readOnlyHint, true);
});

test("denied call is an error with the reason", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything());
  const result = await callAndDecide(client, "get-structured-content", { location: "Chicago" }, (id) =>
    log.command("deny", id, "--comment", "not in winter"));
  assert.equal(result.isError, true);
  assert.match(textOf(result), /not in winter/);
});

test("blocked call names the rule", async (t) => {
  const policy = 'default = "allow"\n[[rule]]\nname = "no echo"\ntool = "echo"\nverdict = "block"\nreason = "echoes are loud"\n';
  const log = await startLog(t, policy);
  const { client } = await log.connect(t, servers.everything());
  const result = await client.callTool({ name: "echo", arguments: { message: "x" } });
  assert.equal(result.isError, true);
  assert.match(textOf(result), /echoes are loud/);
});

test("edited arguments reach the server, and the model is told", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything());
  const result = await callAndDecide(client, "echo", { message: "secret plan" }, (id) =>
    log.command("allow", id, "--arguments", '{"message":"plan"}'));
  assert.equal(result.content[0].text, "Echo: plan");
  assert.equal(result.content.length, 2);
});

test("new rule frees a call that waits", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything(), { gateway: impatient });
  const sum = { name: "get-sum", arguments: { a: 1, b: 2 } };
  assert.equal((await client.callTool(sum)).isError, true);
  const [{ id }] = (await log.waitForPending()).pending;
  const looser = join(log.folder, "looser.toml");
  await writeFile(looser, 'default = "ask"\n[[rule]]\nname = "sums"\ntool = "get-sum"\nverdict = "allow"\n');
  await log.command("policy", "apply", "--yes", looser);
  await log.waitForState(id, "allowed");
  assert.equal((await client.callTool(sum)).isError, undefined);
});

test("arguments that programs read differently never reach the server", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const { client } = await log.connect(t, servers.everything());
  await assert.rejects(client.callTool({ name: "echo", arguments: { message: "a", Message: "b" } }), /ambiguous/);
});

test("session grant answers later calls", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything());
  await callAndDecide(client, "get-sum", { a: 1, b: 2 }, (id) => log.command("allow", id, "--session", "tool"));
  for (const b of [3, 4]) {
    assert.equal((await client.callTool({ name: "get-sum", arguments: { a: 1, b } })).isError, undefined);
  }
  // The same call twice is two calls.
  await client.callTool({ name: "get-sum", arguments: { a: 1, b: 4 } });
  await client.close();
  assert.equal((await log.calls()).filter((call) => call.state === "finished").length, 4);
});

test("expired request is an error", async (t) => {
  const log = await startLog(t, 'default = "ask"\nexpires = "1s"\n');
  const { client } = await log.connect(t, servers.everything(), { gateway: ["--hold", "60s"] });
  const result = await client.callTool({ name: "echo", arguments: { message: "x" } });
  assert.equal(result.isError, true);
  assert.match(textOf(result), /Nobody decided before/);
});

test("repeated call gets the decision, also after a kill", async (t) => {
  const log = await startLog(t, asking);
  const path = join(log.folder, "a.txt");
  const request = { name: "write_file", arguments: { path, content: "once" } };
  const first = await log.connect(t, servers.filesystem(log.folder), { gateway: impatient });
  const id = pendingId(await first.client.callTool(request));
  assert.equal(pendingId(await first.client.callTool(request)), id);
  process.kill(first.transport.pid, "SIGKILL");
  await log.command("allow", id);

  const second = await log.connect(t, servers.filesystem(log.folder), { gateway: impatient });
  const result = await second.client.callTool(request);
  assert.equal(result.isError, undefined, textOf(result));
  assert.equal(await readFile(path, "utf8"), "once");
  // It has run, so the same call is a new one.
  assert.notEqual(pendingId(await second.client.callTool(request)), id);
  await second.client.close();
  assert.equal((await log.call(id)).state, "finished");
});

test("call whose gateway was killed does not run again", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const request = { name: "trigger-long-running-operation", arguments: { duration: 600, steps: 6000 } };
  const first = await log.connect(t, servers.everything(), { gateway: ["--lease", "1s"] });
  // The first progress notification of the server says that it runs the call.
  const running = new Promise((resolve) => {
    first.client.callTool(request, undefined, { onprogress: resolve }).catch(() => {});
  });
  await running;
  process.kill(first.transport.pid, "SIGKILL");

  const second = await log.connect(t, servers.everything());
  const result = await second.client.callTool(request);
  assert.equal(result.isError, true);
  assert.match(textOf(result), /outcome of the same call .* is unknown|is being run by another process/);
  await second.client.close();
  const calls = await log.calls();
  assert.equal(calls.length, 1);
});

test("ten calls at once are ten calls", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything());
  const results = await Promise.all([...Array(10).keys()].map((number) =>
    callAndDecide(client, "echo", { message: `${number}` }, (id) => log.command("allow", id))));
  assert.deepEqual(results.map(textOf), [...Array(10).keys()].map((number) => `Echo: ${number}`));
});

test("identical calls run once each if nobody is asked", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const { client } = await log.connect(t, servers.everything());
  const request = { name: "echo", arguments: { message: "same" } };
  const results = await Promise.all([...Array(10)].map(() => client.callTool(request)));
  assert.equal(results.filter((result) => textOf(result) === "Echo: same").length, 10);
  await client.close();
  assert.equal((await log.calls()).length, 10);
});

test("client that stops waiting cancels the call", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything());
  const abort = new AbortController();
  let id;
  const cancelled = callAndDecide(client, "echo", { message: "x" }, async () => {});
  const call = client.callTool({ name: "echo", arguments: { message: "y" } }, undefined, {
    signal: abort.signal,
    onprogress: ({ message }) => {
      id = /mcp-[0-9a-f]+-\d+/.exec(message)[0];
      abort.abort("enough");
    },
  });
  await assert.rejects(call);
  await client.close();
  await assert.rejects(cancelled);
  assert.equal((await log.call(id)).state, "cancelled");
});

test("client that gives up at its time limit leaves the call open", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything());
  const request = { name: "echo", arguments: { message: "later" } };
  // The SDK cancels its request at its time limit, although it got progress notifications.
  await assert.rejects(client.callTool(request, undefined, { timeout: 500, onprogress: () => {} }), /timed out/);
  const [{ id }] = (await log.waitForPending()).pending;
  const again = client.callTool(request);
  await log.command("allow", id);
  assert.equal(textOf(await again), "Echo: later");
  assert.equal((await log.calls()).length, 1);
});

test("progress token does not make a call wait longer than the hold", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything(), { gateway: ["--hold", "1s"] });
  const request = { name: "echo", arguments: { message: "slow" } };
  pendingId(await client.callTool(request, undefined, { timeout: 5_000, onprogress: () => {} }));
});

test("client with a short time-out gets the decision by repeating", async (t) => {
  const log = await startLog(t, asking);
  const { client } = await log.connect(t, servers.everything(), { gateway: ["--hold", "1s"] });
  const request = { name: "echo", arguments: { message: "slow" } };
  const id = pendingId(await client.callTool(request, undefined, { timeout: 5_000 }));
  await log.command("allow", id);
  assert.equal(textOf(await client.callTool(request, undefined, { timeout: 5_000 })), "Echo: slow");
});

test("equal calls that need no person all run, also from two gateways of one project", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const gateways = await Promise.all([1, 2].map(() => log.connect(t, servers.everything(), { gateway: ["--name", "demo"] })));
  const echo = ({ client }) => client.callTool({ name: "echo", arguments: { message: "hi" } });
  const answers = await Promise.all(gateways.flatMap((gateway) => Array.from({ length: 20 }, () => echo(gateway))));
  assert.deepEqual(new Set(answers.map(textOf)), new Set(["Echo: hi"]));
  const calls = await log.calls();
  assert.deepEqual([calls.length, new Set(calls.map(({ state }) => state))], [40, new Set(["finished"])]);
  assert.equal(new Set(calls.map(({ threadId }) => threadId)).size, 1);
});
