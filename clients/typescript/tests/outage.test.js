// Outages: kill -9 of the server in each step of a call, lost answers, broken streams, and servers that misbehave.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import { test } from "node:test";
import { Gate, withApproval } from "@countersign/client";
import { createPeople, decideNext, onlyCall, useServer } from "./support/people.js";
import { startHostileServer, startProxy } from "./support/proxy.js";
import { startServer } from "./support/server.js";

const people = useServer();

// A server of this test alone, which may be killed.
async function ownServer(t) {
  const server = await startServer();
  t.after(() => server.stop());
  return createPeople(server, t.name);
}

test("killed server loses nothing in any step", async (t) => {
  const { server, gate, approver } = await ownServer(t);
  const restart = async () => { await server.kill(); await server.start(); };
  // During the proposal: the server is away when it is sent.
  await server.kill();
  const proposing = gate.propose("deploy", { n: 1 }, { callId: "call" });
  await server.start();
  const call = await proposing;
  // During the wait.
  const waiting = gate.wait(call);
  await restart();
  await approver.decide(await approver.get("call"), "allow_once");
  assert.equal((await waiting).state, "allowed");
  // During the claim.
  await server.kill();
  const claiming = gate.claim(call);
  await server.start();
  const claimed = await claiming;
  assert.equal(claimed.state, "running");
  // During the result.
  await server.kill();
  const finishing = gate.finish(claimed, "done");
  await server.start();
  assert.equal((await finishing).state, "finished");
});

test("function survives kill -9 of the server", async (t) => {
  const { server, gate, approver } = await ownServer(t);
  let runs = 0;
  const deploy = withApproval(gate, "deploy", async ({ service }) => {
    runs += 1;
    await server.kill();
    const started = server.start();
    return started.then(() => service.toUpperCase());
  });
  const running = deploy({ service: "shop" });
  for await (const event of approver.stream({ types: ["TOOL_APPROVAL_REQUEST"] })) {
    await server.kill();
    await server.start();
    await approver.decide(await approver.get(event.data.toolCallId), "allow_once");
    break;
  }
  assert.equal(await running, "SHOP");
  assert.equal(runs, 1);
  assert.equal((await onlyCall(gate)).result.content, "SHOP");
});

test("lost answers double nothing", async (t) => {
  const { server, thread, approver } = people(t);
  const proxy = await startProxy(t, server.url);
  proxy.cut("POST", /\/tool-calls$/, 2);
  proxy.cut("GET", /\/tool-calls\/[^/?]+$/, 1);
  proxy.cut("POST", /\/claim$/, 2);
  proxy.cut("POST", /\/result$/, 2);
  const gate = new Gate({ server: proxy.url, token: server.agent, thread });
  let runs = 0;
  const deploy = withApproval(gate, "deploy", () => { runs += 1; return runs; });
  const [value] = await Promise.all([deploy(), decideNext(approver, "allow_once")]);
  assert.equal(value, 1);
  assert.equal(proxy.cuts, 7);
  const call = await onlyCall(approver);
  assert.deepEqual([call.state, call.result.content], ["finished", 1]);
  const { events } = await approver.events({ thread });
  assert.equal(events.filter((event) => event.type === "TOOL_EXECUTION_STARTED").length, 1);
});

test("lost answers to a decision and a cancellation count", async (t) => {
  const { server, thread, gate } = people(t);
  const proxy = await startProxy(t, server.url);
  proxy.cut("POST", /\/approvals\//, 1);
  proxy.cut("POST", /\/cancel$/, 1);
  const approver = new Gate({ server: proxy.url, token: server.approver, thread });
  assert.equal((await approver.decide(await gate.propose("deploy", { n: 1 }), "deny")).state, "denied");
  const agent = new Gate({ server: proxy.url, token: server.agent, thread });
  assert.equal((await agent.cancel(await gate.propose("deploy", { n: 2 }))).state, "cancelled");
  assert.equal(proxy.cuts, 2);
});

test("value is returned if its result cannot be recorded", async (t) => {
  const { server, thread } = people(t);
  const warned = t.mock.method(console, "warn", () => undefined);
  const problem = { code: "not_claimed", status: 409, title: "", detail: "another executor has it" };
  const refuse = async (url, init) =>
    url.endsWith("/result") ? Response.json(problem, { status: 409 }) : fetch(url, init);
  const gate = new Gate({ server: server.url, token: server.agent, thread, fetch: refuse });
  assert.equal(await withApproval(gate, "read_it", () => 7)(), 7);
  assert.match(warned.mock.calls[0].arguments[0], /ran, but its result could not be recorded: another executor has it/);
});

test("stream goes on across kill -9 of the server", async (t) => {
  const { server, gate } = await ownServer(t);
  const events = gate.stream({ types: ["TOOL_CALL"] });
  const seen = [];
  for (let n = 0; n < 3; n += 1) {
    await gate.propose("deploy", { n });
    seen.push((await events.next()).value.data.arguments.n);
    await server.kill();
    await server.start();
  }
  await events.return();
  assert.deepEqual(seen, [0, 1, 2]);
});

test("stream delivers each event once over broken connections", async (t) => {
  const { server, thread, gate } = people(t);
  const proxy = await startProxy(t, server.url);
  const reader = new Gate({ server: proxy.url, token: server.agent });
  const seen = [];
  const failed = new AbortController();
  const proposals = (async () => {
    for (let n = 0; n < 40; n += 1) {
      await gate.propose("read_it", { n }, { callId: `call_${n}` });
      if (n % 10 === 5) {
        proxy.breakConnections();
      }
    }
  })().catch((error) => failed.abort(error));
  for await (const event of reader.stream({ thread, types: ["TOOL_CALL"], signal: failed.signal })) {
    seen.push(event.data.arguments.n);
    if (seen.length === 40) {
      break;
    }
  }
  await proposals;
  assert.deepEqual(seen, Array.from({ length: 40 }, (_, n) => n));
});

test("stream fails if the server stays away", async () => {
  const gate = new Gate({ server: "http://127.0.0.1:1", token: "x" });
  await assert.rejects(gate.stream({ giveUpAfterMs: 100 }).next(), { code: "unreachable" });
});

const hostileAnswers = {
  "text that is not JSON": (response) => response.end("<html>"),
  "an unfinished text": (response) => response.writeHead(200, { "content-length": "2" }).end("[{".slice(0, 2)),
  "a key twice": (response) => response.end('{"state":"allowed","state":"denied"}'),
  "a deep text": (response) => response.end("[".repeat(1_000_000)),
  "bytes that are not UTF-8": (response) => response.end(Buffer.from([0x22, 0xff, 0x22])),
  "a redirect": (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  "a page of another server": (response) => response.writeHead(404).end("not found"),
  "a problem without a code": (response) => response.writeHead(409).end('{"status":409}'),
};
for (const [name, answer] of Object.entries(hostileAnswers)) {
  test(`server that answers with ${name} is strange`, async (t) => {
    const server = await startHostileServer(t, (request, response) => answer(response));
    await assert.rejects(new Gate({ server }).get("call"), { name: "StrangeServerError", code: "strange_server" });
    await assert.rejects(new Gate({ server }).stream().next(), { code: "strange_server" });
  });
}

test("token does not follow a redirect", async (t) => {
  let visits = 0;
  const other = await startHostileServer(t, (request, response) => { visits += 1; response.end("{}"); });
  const server = await startHostileServer(t, (request, response) => {
    response.writeHead(307, { location: `${other}/` }).end();
  });
  await assert.rejects(new Gate({ server, token: "secret" }).caller(), { code: "strange_server", message: /redirect/ });
  assert.equal(visits, 0);
});

test("server that never answers ends by the time limit", async (t) => {
  const server = await startHostileServer(t, () => {});
  const gate = new Gate({ server, timeoutMs: 100 });
  await assert.rejects(gate.ready(), { code: "unreachable", message: /no answer within 0.1 seconds/ });
});

test("body that never ends is cut by the time limit", async (t) => {
  const server = await startHostileServer(t, (request, response) => { response.write("{"); });
  await assert.rejects(new Gate({ server, timeoutMs: 100 }).ready(), { code: "unreachable" });
});

test("connection that is reset is unreachable", async (t) => {
  const tcp = createTcpServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(tcp, "listening");
  t.after(() => tcp.close());
  const gate = new Gate({ server: `http://127.0.0.1:${tcp.address().port}` });
  await assert.rejects(gate.ready(), { code: "unreachable" });
});
