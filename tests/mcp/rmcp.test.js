// A client with the official Rust SDK, with and without the gateway.
import { test } from "node:test";
import { execFile } from "node:child_process";
import assert from "node:assert/strict";
import { entry, removeFormTool, servers, startLog, textOf } from "./support.js";

const client = process.env.COUNTERSIGN_RMCP_CLIENT;
const program = process.env.COUNTERSIGN_PROGRAM;

// Runs the client, which makes these calls, and returns its report.
function drive(log, command, calls) {
  return new Promise((resolve, reject) => {
    const child = execFile(client, command, { env: log.env, cwd: log.folder }, (error, stdout) =>
      error ? reject(error) : resolve(JSON.parse(stdout)));
    child.stdin.end(calls.map((call) => JSON.stringify(call) + "\n").join(""));
  });
}

test("client of the Rust SDK gets the same results through the gateway", async (t) => {
  const log = await startLog(t, 'default = "allow"\n[[rule]]\nname = "all"\ntool = "*"\nverdict = "allow"\n');
  const calls = [
    { name: "echo", arguments: { message: "é" } }, { name: "get-sum", arguments: { a: 1, b: "no number" } },
    { name: "get-structured-content", arguments: { location: "Chicago" } }, { name: "get-tiny-image" }, { name: "none" },
  ];
  const server = servers.everything();
  const direct = await drive(log, server, calls);
  const gated = await drive(log, [program, ...log.database, "mcp", "--", ...server], calls);
  assert.notDeepEqual(gated, direct);
  assert.deepEqual(removeFormTool(gated), direct);
  assert.equal(textOf(gated.results[0]), "Echo: é");
  assert.equal((await log.calls()).length, calls.length);
});

test("client of the Rust SDK is told about blocked and expired calls of several servers", async (t) => {
  const log = await startLog(t, 'default = "ask"\nexpires = "1s"\n[[rule]]\nname = "no echo"\ntool = "demo__echo"\nverdict = "block"\nreason = "echoes are loud"\n');
  const file = await log.config({ demo: entry(servers.everything()), memory: entry(servers.memory()) });
  // The SDK asks for progress, so the second call waits until its request expires.
  const { tools, results } = await drive(log, [program, ...log.database, "mcp", "--config", file], [
    { name: "demo__echo", arguments: { message: "x" } }, { name: "memory__read_graph", arguments: {} },
  ]);
  assert(tools.includes("demo__echo") && tools.includes("memory__read_graph"));
  assert.match(textOf(results[0]), /echoes are loud/);
  assert.match(textOf(results[1]), /Nobody decided before/);
});
