// `mcp wrap` puts the gateway into a client configuration, and `mcp unwrap` takes it out.
import { test } from "node:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import assert from "node:assert/strict";
import { servers, startHttpServer, startLog, textOf } from "./support.js";

test("wrapped configuration starts the server behind the gateway", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const file = join(log.folder, "client.json");
  const [command, ...args] = servers.everything();
  const before = JSON.stringify({ mcpServers: { demo: { command, args, env: { A: "b" } }, far: { type: "sse", url: "https://example.com" } } }, null, 2);
  await writeFile(file, before, { mode: 0o600 });
  await assert.rejects(log.command("mcp", "wrap", file), /confirm with --yes/);
  assert.equal(await readFile(file, "utf8"), before);

  const report = await log.command("mcp", "wrap", file, "--yes");
  assert.deepEqual([report.changed, report.skipped.map(({ name }) => name)], [["demo"], ["far"]]);
  assert.equal(await readFile(report.backup, "utf8"), before);
  assert.equal((await stat(report.backup)).mode & 0o777, 0o600);
  assert.deepEqual((await log.command("mcp", "wrap", file, "--yes")).changed, []);

  const { demo } = JSON.parse(await readFile(file, "utf8")).mcpServers;
  assert.deepEqual(demo.env, { A: "b" });
  // The client starts the gateway with its usual settings; here they name the test log.
  log.env.COUNTERSIGN_DATABASE = log.database[1];
  const { client } = await log.connect(t, [demo.command, ...demo.args], { direct: true });
  assert.equal(textOf(await client.callTool({ name: "echo", arguments: { message: "hi" } })), "Echo: hi");
  await client.close();
  delete log.env.COUNTERSIGN_DATABASE;
  assert.equal((await log.calls())[0].name, "demo__echo");

  await log.command("mcp", "unwrap", file, "--yes");
  assert.equal(await readFile(file, "utf8"), before);
});

test("file that is not a configuration is refused", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const file = join(log.folder, "client.json");
  for (const [text, message] of [["{", /cannot be parsed/], ["// a comment\n{}", /mcpServers/]]) {
    await writeFile(file, text);
    await assert.rejects(log.command("mcp", "wrap", file, "--yes"), message);
  }
  await assert.rejects(log.command("mcp", "wrap", join(log.folder, "none.json")), /No such file/);
});

test("wrapped address is served by the gateway, and its headers are no arguments", async (t) => {
  const log = await startLog(t, 'default = "allow"\n');
  const { url } = await startHttpServer(t);
  const file = join(log.folder, "client.json");
  const before = JSON.stringify({ mcpServers: { far: { type: "http", url, headers: { "X-Key": "secret" } } } });
  await writeFile(file, before);
  assert.deepEqual((await log.command("mcp", "wrap", file, "--yes")).changed, ["far"]);
  const { far } = JSON.parse(await readFile(file, "utf8")).mcpServers;
  assert.equal(far.args.includes("secret"), false);
  Object.assign(log.env, far.env, { COUNTERSIGN_DATABASE: log.database[1] });
  const { client } = await log.connect(t, [far.command, ...far.args], { direct: true });
  assert.equal(textOf(await client.callTool({ name: "echo", arguments: { message: "hi" } })), "Echo: hi");
  await client.close();
  delete log.env.COUNTERSIGN_DATABASE;
  assert.equal((await log.calls())[0].name, "far__echo");
  await log.command("mcp", "unwrap", file, "--yes");
  assert.equal(await readFile(file, "utf8"), before);
});
