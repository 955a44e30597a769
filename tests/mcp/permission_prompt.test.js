// `permission-prompt` answers as Claude Code expects it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { startLog, textOf } from "./support.js";

const program = process.env.COUNTERSIGN_PROGRAM;

// Asks about a call, decides on it as soon as it is pending, and returns the answer.
async function ask(client, id, input, decide) {
  let decided;
  const onprogress = () => { decided ??= decide(id); };
  const args = { tool_name: "Bash", input, tool_use_id: id };
  const result = await client.callTool({ name: "approve", arguments: args }, undefined, { onprogress });
  await decided;
  return JSON.parse(textOf(result));
}

test("answers have the form of Claude Code", async (t) => {
  const log = await startLog(t, 'default = "ask"\n');
  const { client } = await log.connect(t, [program, ...log.database, "permission-prompt"], { direct: true });
  assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ["approve"]);
  const allow = (id) => log.command("allow", id);
  assert.deepEqual(await ask(client, "toolu_1", { command: "ls", n: 1.5 }, allow), { behavior: "allow", updatedInput: { command: "ls", n: 1.5 } });
  const edit = (id) => log.command("allow", id, "--arguments", '{"command":"ls -l"}');
  assert.deepEqual(await ask(client, "toolu_2", { command: "rm x" }, edit), { behavior: "allow", updatedInput: { command: "ls -l" } });
  const deny = (id) => log.command("deny", id, "--comment", "not today");
  const denied = await ask(client, "toolu_3", { command: "rm y" }, deny);
  assert.equal(denied.behavior, "deny");
  assert.match(denied.message, /not today/);
  // The same question again does not allow a second run.
  assert.equal((await ask(client, "toolu_1", { command: "ls", n: 1.5 }, allow)).behavior, "deny");
  await assert.rejects(client.callTool({ name: "other", arguments: {} }), /only tool/);
  const { behavior, message } = JSON.parse(textOf(await client.callTool({ name: "approve", arguments: {} })));
  assert.equal(behavior, "deny");
  assert.match(message, /tool_name/);
  await client.close();
  assert.equal((await log.call("toolu_1")).state, "finished");
});
