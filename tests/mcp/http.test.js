// Servers on streamable HTTP that misbehave, and one that speaks 2026-07-28, behind `mcp --url`.
import { test } from "node:test";
import { createServer } from "node:http";
import assert from "node:assert/strict";
import { startLog, textOf } from "./support.js";

const allowing = 'default = "allow"\n[[rule]]\nname = "all"\ntool = "*"\nverdict = "allow"\n';
const tool = { name: "act", description: "Acts", inputSchema: { type: "object", properties: { place: { type: "string", "x-mcp-header": "Place" } } } };
const answers = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "fake", version: "1" } }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": () => ({ content: [{ type: "text", text: "acted" }] }),
  ping: () => ({}),
};

// A server whose answers `behave` changes: it gets the message, the request and the response, and returns true if it
// has answered.
async function startFake(t, behave = () => false) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const message = text ? JSON.parse(text) : undefined;
    seen.push({ method: request.method, headers: request.headers, message });
    if (behave(message, request, response)) return;
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
    const headers = { "Content-Type": "application/json" };
    if (message.method === "initialize") headers["Mcp-Session-Id"] = `session-${seen.length}`;
    const result = answers[message.method]?.(message);
    const body = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body }, null, 2));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close() && server.closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, seen, calls: () => seen.filter(({ message }) => message?.method === "tools/call") };
}

const act = { name: "act", arguments: { place: "Ulm" } };

test("headers come from the command line and the environment", async (t) => {
  const log = await startLog(t, allowing);
  const fake = await startFake(t);
  Object.assign(log.env, { MY_TOKEN: "secret", "X-Tenant": "one" });
  const { client } = await log.gateway(t, ["--url", fake.url, "--header", "Authorization: Bearer ${MY_TOKEN}", "--header-env", "X-Tenant"]);
  assert.equal(textOf(await client.callTool(act)), "acted");
  await client.close();
  const [call] = fake.calls();
  assert.equal(call.headers.authorization, "Bearer secret");
  assert.equal(call.headers["x-tenant"], "one");
  assert.match(call.headers["mcp-session-id"], /^session-/);
  assert.equal(call.headers["mcp-protocol-version"], "2025-11-25");
  assert.equal(fake.seen.at(-1).method, "DELETE");
  assert.match(fake.seen.at(-1).headers["mcp-session-id"], /^session-/);
});

test("lost session is begun again, and the call runs once", async (t) => {
  const log = await startLog(t, allowing);
  let lost = false;
  const fake = await startFake(t, (message, request, response) => {
    if (message?.method !== "tools/call" || lost) return false;
    lost = true;
    response.writeHead(404).end();
    return true;
  });
  const { client } = await log.gateway(t, ["--url", fake.url]);
  assert.equal(textOf(await client.callTool(act)), "acted");
  const sessions = fake.calls().map(({ headers }) => headers["mcp-session-id"]);
  assert.equal(new Set(sessions).size, 2);
  assert.equal(fake.seen.filter(({ message }) => message?.method === "notifications/initialized").length, 2);
});

test("broken answer leaves the outcome unknown, and the call is not run again", async (t) => {
  const log = await startLog(t, allowing);
  for (const [name, break_] of [
    ["reset", (response) => response.destroy()],
    ["half an answer", (response) => { response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 1000 }); response.write("{"); setImmediate(() => response.destroy()); }],
    ["stream without an answer", (response) => response.writeHead(200, { "Content-Type": "text/event-stream" }).end(": nothing\n\n")],
    ["bad gateway", (response) => response.writeHead(502).end("<html>")],
    ["another answer", (response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"jsonrpc":"2.0","id":"x","result":{}}')],
  ]) {
    const fake = await startFake(t, (message, request, response) => message?.method === "tools/call" && (break_(response), true));
    const gateway = ["--url", fake.url, "--thread", name.replaceAll(" ", "-"), "--lease", "1s"];
    const first = await log.gateway(t, gateway);
    const request = { name: "act", arguments: { place: name } };
    await assert.rejects(first.client.callTool(request), /may have run this, but its answer is lost/, name);
    await first.client.close();
    const second = await log.gateway(t, gateway);
    const repeated = await second.client.callTool(request);
    assert.match(textOf(repeated), /is unknown|is being run by another process/, name);
    assert.equal(fake.calls().length, 1, name);
  }
});

test("refused call did not run, and says why", async (t) => {
  const log = await startLog(t, allowing);
  for (const [status, headers, message] of [
    [401, {}, /set the header Authorization/], [302, { Location: "http://127.0.0.1:1/" }, /redirects are not followed/],
    [400, {}, /refused the request: HTTP 400/],
  ]) {
    const fake = await startFake(t, (sent, request, response) => sent?.method === "tools/call" && (response.writeHead(status, headers).end(), true));
    const { client } = await log.gateway(t, ["--url", fake.url, "--thread", `t${status}`]);
    await assert.rejects(client.callTool(act), message);
    await client.close();
    const call = (await log.calls()).find((call) => call.threadId === `t${status}`);
    assert.equal(call.state, "finished");
  }
  await assert.rejects(log.gateway(t, ["--url", "http://127.0.0.1:1/mcp"]), /cannot be reached/);
});

test("stream resumes after its last event", async (t) => {
  const log = await startLog(t, allowing);
  let id;
  const fake = await startFake(t, (message, request, response) => {
    const events = { "Content-Type": "text/event-stream" };
    if (message?.method === "tools/call") {
      id = message.id;
      response.writeHead(200, events).end("id: 7\nretry: 1\ndata:\n\n");
      return true;
    }
    if (request.headers["last-event-id"] !== "7") return false;
    const answer = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "resumed" }] } };
    response.writeHead(200, events).end(`id: 8\ndata: ${JSON.stringify(answer)}\n\n`);
    return true;
  });
  const { client } = await log.gateway(t, ["--url", fake.url]);
  assert.equal(textOf(await client.callTool(act)), "resumed");
  assert.equal(fake.calls().length, 1);
});

test("request of the protocol without sessions has its headers", async (t) => {
  const log = await startLog(t, allowing);
  const fake = await startFake(t);
  const { transport } = await log.rawGateway(t, ["--url", fake.url]);
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} };
  const answer = new Promise((resolve) => { transport.onmessage = resolve; });
  await transport.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...act, _meta } });
  assert.equal(textOf((await answer).result), "acted");
  const [{ headers }] = fake.calls();
  assert.deepEqual(
    [headers["mcp-protocol-version"], headers["mcp-method"], headers["mcp-name"], headers["mcp-param-place"], headers["mcp-session-id"]],
    ["2026-07-28", "tools/call", "act", "Ulm", undefined],
  );
});
