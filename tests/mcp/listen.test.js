// Clients that reach the gateway on streamable HTTP: `mcp --listen`.
import { test } from "node:test";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import assert from "node:assert/strict";
import { callAndDecide, entry, pendingId, servers, startGateway, startLog, textOf } from "./support.js";

const allowing = 'default = "allow"\n[[rule]]\nname = "all"\ntool = "*"\nverdict = "allow"\n';
const capabilities = { sampling: {}, roots: { listChanged: true }, elicitation: { form: {} } };
const accept = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
const initialize = {
  jsonrpc: "2.0", id: 0, method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

const post = (url, headers, message) =>
  fetch(url, { method: "POST", headers: { ...accept, ...headers }, body: JSON.stringify(message) });

// The messages in a response.
async function messages(response) {
  const text = await response.text();
  return text.split("\n").filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
}

test("client on HTTP has all features of its server", async (t) => {
  const log = await startLog(t, allowing);
  const gateway = await startGateway(t, log, ["--thread", "web", "--", ...servers.everything()]);
  const { client, transport } = await log.connectHttp(t, gateway.url, { capabilities, headers: gateway.headers });
  assert.equal(textOf(await client.callTool({ name: "echo", arguments: { message: "é" } })), "Echo: é");
  const sampled = await client.callTool({ name: "trigger-sampling-request", arguments: { prompt: "p", maxTokens: 5 } });
  assert.match(textOf(sampled), /sampled/);
  const steps = [];
  const slow = { name: "trigger-long-running-operation", arguments: { duration: 0.1, steps: 3 } };
  await client.callTool(slow, undefined, { onprogress: ({ progress }) => steps.push(progress) });
  assert(steps.includes(2), `${steps}`);
  await client.setLoggingLevel("debug");
  assert((await client.listResources()).resources.length > 0);
  const session = transport.sessionId;
  await transport.terminateSession();
  const gone = await post(gateway.url, { ...gateway.headers, "Mcp-Session-Id": session }, { jsonrpc: "2.0", id: 9, method: "ping" });
  assert.equal(gone.status, 404);
  assert((await log.calls()).every((call) => call.threadId === "web" && call.state === "finished"));
});

test("two clients on HTTP use the same ids without meeting", async (t) => {
  const log = await startLog(t, 'default = "ask"\n');
  const gateway = await startGateway(t, log, ["--", ...servers.everything()]);
  const clients = await Promise.all([1, 2].map(() => log.connectHttp(t, gateway.url, { headers: gateway.headers })));
  const results = await Promise.all(clients.map(({ client }, index) =>
    callAndDecide(client, "echo", { message: `${index}` }, (id) => log.command("allow", id))));
  assert.deepEqual(results.map(textOf), ["Echo: 0", "Echo: 1"]);
});

test("decision survives a killed gateway on HTTP", async (t) => {
  const log = await startLog(t, 'default = "ask"\n');
  const file = await log.config({ demo: entry(servers.everything()) });
  const request = { name: "demo__echo", arguments: { message: "once" } };
  const first = await startGateway(t, log, ["--config", file, "--hold", "0s"]);
  const before = await log.connectHttp(t, first.url, { headers: first.headers });
  const id = pendingId(await before.client.callTool(request));
  first.child.kill("SIGKILL");
  await log.command("allow", id);
  const second = await startGateway(t, log, ["--config", file, "--hold", "0s"]);
  const after = await log.connectHttp(t, second.url, { headers: second.headers });
  assert.equal(textOf(await after.client.callTool(request)), "Echo: once");
});

test("stranger cannot reach the tools", async (t) => {
  const log = await startLog(t, allowing);
  const { url, headers } = await startGateway(t, log, ["--", ...servers.memory()]);
  const statuses = [];
  for (const extra of [
    {}, { Authorization: "Bearer wrong" }, { Authorization: headers.Authorization.replace("Bearer", "Basic") },
    { ...headers, Origin: "https://evil.example" }, { ...headers, "Sec-Fetch-Site": "cross-site" },
    { ...headers, Accept: "text/html" }, headers,
  ]) {
    const response = await post(url, extra, initialize);
    statuses.push(response.status);
    if (response.status !== 200) assert.equal(response.headers.get("mcp-session-id"), null);
    await response.body.cancel();
  }
  assert.deepEqual(statuses, [401, 401, 401, 403, 403, 406, 200]);
  for (const [method, extra, status] of [
    ["GET", {}, 401], ["DELETE", {}, 401], ["GET", headers, 405], ["DELETE", headers, 400],
    ["GET", { ...headers, "Mcp-Session-Id": "guessed" }, 404], ["PUT", headers, 405],
  ]) {
    assert.equal((await fetch(url, { method, headers: { ...accept, ...extra } })).status, status, method);
  }
  for (const body of ["", "x", "[]", '{"id":1,"id":2,"method":"tools/call"}', '{"jsonrpc":"2.0","id":1,"method":"ping"}']) {
    const response = await fetch(url, { method: "POST", headers: { ...accept, ...headers }, body });
    assert.equal(response.status, 400, body);
  }
});

// A protocol 2026-07-28 request, with the headers that repeat its parts.
function stateless(url, headers, id, method, params = {}) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    ...params._meta,
  };
  const own = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method };
  if (params.name) own["Mcp-Name"] = params.name;
  return post(url, { ...own, ...headers }, { jsonrpc: "2.0", id, method, params: { ...params, _meta } });
}

test("clients without sessions share a gateway, also before a server with sessions", async (t) => {
  const log = await startLog(t, allowing);
  const file = await log.config({ demo: entry(servers.everything()), memory: entry(servers.memory()) });
  const { url, headers } = await startGateway(t, log, ["--config", file]);
  const [discovered] = await messages(await stateless(url, headers, 1, "server/discover"));
  assert(discovered.result.supportedVersions.includes("2026-07-28"));
  assert(discovered.result.capabilities.tools);
  const [{ result: list }] = await messages(await stateless(url, headers, 1, "tools/list"));
  assert.deepEqual([list.resultType, list.ttlMs, list.cacheScope], ["complete", 0, "private"]);
  assert(list.tools.some((tool) => tool.name === "memory__read_graph"));
  // The same id and the same token, at once.
  const answers = await Promise.all(["a", "b", "c"].map(async (message) => {
    const params = { name: "demo__echo", arguments: { message }, _meta: { progressToken: 1 } };
    return (await messages(await stateless(url, headers, 1, "tools/call", params))).at(-1);
  }));
  assert.deepEqual(answers.map(({ id, result }) => [id, textOf(result)]), [[1, "Echo: a"], [1, "Echo: b"], [1, "Echo: c"]]);
  const slow = { name: "demo__trigger-long-running-operation", arguments: { duration: 0.1, steps: 3 }, _meta: { progressToken: "p" } };
  const frames = await messages(await stateless(url, headers, "x", "tools/call", slow));
  assert(frames.some(({ params }) => params?.progressToken === "p" && params.progress === 2), JSON.stringify(frames));
  assert.equal(frames.at(-1).id, "x");
  for (const [extra, code] of [[{ "Mcp-Name": "other" }, -32020], [{ "Mcp-Method": "tools/list" }, -32020]]) {
    const refused = await stateless(url, { ...headers, ...extra }, 1, "tools/call", { name: "demo__echo" });
    assert.deepEqual([refused.status, (await refused.json()).error.code], [400, code]);
  }
  const [old] = await messages(await stateless(url, { ...headers, "MCP-Protocol-Version": "2099-01-01" }, 1, "tools/list", {
    _meta: { "io.modelcontextprotocol/protocolVersion": "2099-01-01" },
  }));
  assert.equal(old.error.code, -32022);
});

test("subscription of a client without session hears of a lost server", async (t) => {
  const log = await startLog(t, allowing);
  const pidFile = join(log.folder, "pid");
  const script = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); import(${JSON.stringify(servers.memory()[1])})`;
  const file = await log.config({ memory: { command: process.execPath, args: ["-e", script] }, demo: entry(servers.everything()) });
  const { url, headers } = await startGateway(t, log, ["--config", file]);
  const response = await stateless(url, headers, 7, "subscriptions/listen", { notifications: { toolsListChanged: true } });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const read = async (pattern) => {
    while (!pattern.test(text)) {
      const { value, done } = await reader.read();
      assert(!done, text);
      text += value;
    }
  };
  await read(/subscriptions\/acknowledged.*subscriptionId":7.*"toolsListChanged":true/);
  process.kill(Number(await readFile(pidFile, "utf8")), "SIGKILL");
  await read(/tools\/list_changed.*subscriptionId":7/);
  await reader.cancel();
});

test("client without session that closes its response gets the decision later", async (t) => {
  const log = await startLog(t, 'default = "ask"\n');
  const { url, headers } = await startGateway(t, log, ["--", ...servers.memory()]);
  const params = { name: "read_graph", arguments: {}, _meta: { progressToken: 1 } };
  const response = await stateless(url, headers, 1, "tools/call", params);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const id = /mcp-[0-9a-f]+-\d+/.exec((await reader.read()).value)[0];
  await reader.cancel();
  const again = stateless(url, headers, 2, "tools/call", params);
  await log.command("allow", id);
  const text = await (await again).text();
  assert.match(text, /entities[^]*"id":2/, text);
  assert.equal((await log.calls()).length, 1);
});

test("token can be given, and a weak one is refused", async (t) => {
  const log = await startLog(t, allowing);
  const file = join(log.folder, "token");
  for (const [text, message] of [["short", /at least 16 characters/], ["has spaces in it, see", /without spaces/]]) {
    await writeFile(file, text);
    await assert.rejects(log.command("mcp", "--listen", "127.0.0.1:0", "--listen-token-file", file, "--", "true"), message);
  }
  await assert.rejects(log.command("mcp", "--listen", "0.0.0.0:0", "--", "true"), /addresses of this machine only/);
});

test("signal ends the gateway and the servers of its sessions", async (t) => {
  const log = await startLog(t, allowing);
  const { url, headers, child } = await startGateway(t, log, ["--", ...servers.memory()]);
  await log.connectHttp(t, url, { headers });
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});
