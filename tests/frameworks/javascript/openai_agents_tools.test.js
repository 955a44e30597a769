// The settings of function tools of the OpenAI Agents SDK keep their meaning.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Runner, tool } from "@openai/agents";
import { approveTools, wrapTool } from "@countersign/client/openai-agents";
import { z } from "zod";
import { scriptedModel } from "./drivers/openai_agents.js";
import { decideCalls, openThread, shareStory } from "./support.js";

const story = shareStory();
const ALLOW = () => ({ decision: "allow_once" });
const deployment = { name: "deploy", description: "Deploys.", parameters: z.object({ service: z.string() }) };

async function run(tools) {
  const results = new Map();
  const model = scriptedModel([{ id: "call_1", name: "deploy", args: { service: "shop" } }], results);
  await new Runner({ tracingDisabled: true }).run(new Agent({ name: "builder", model, tools }), "go");
  return results.get("call_1");
}

test("timeoutMs of a tool does not count the wait", async () => {
  const thread = openThread(story, "timeout");
  // The decision takes longer than the tool timeout.
  const decided = decideCalls(thread, 1, async (call) => {
    await thread.gate.wait(call, { timeoutMs: 60 });
    return ALLOW();
  });
  const deploy = wrapTool(thread.gate, tool)({ ...deployment, timeoutMs: 50, execute: async () => "deployed" });
  assert.equal(await run([deploy]), "deployed");
  await decided;
});

test("error without an error function ends the run and is recorded", async () => {
  const thread = openThread(story, "error");
  const decided = decideCalls(thread, 1, ALLOW);
  const execute = async () => {
    throw new Error("the disk is full");
  };
  await assert.rejects(run([wrapTool(thread.gate, tool)({ ...deployment, errorFunction: null, execute })]), /disk is full/);
  await decided;
  assert.equal((await thread.approver.get("call_1")).result.status, "error");
});

test("needsApproval asks the gate alone", async () => {
  const thread = openThread(story, "needs-approval");
  const decided = decideCalls(thread, 1, ALLOW);
  const made = wrapTool(thread.gate, tool)({ ...deployment, needsApproval: true, execute: async () => "deployed" });
  assert.equal(await run([made]), "deployed");
  await decided;
  const { events } = await thread.approver.events({ thread: thread.thread });
  assert.equal(events.find(({ type }) => type === "TOOL_CALL").data.definition.needsApproval, true);
});

test("tool that exists already is wrapped", async () => {
  const thread = openThread(story, "wrapped");
  const decided = decideCalls(thread, 1, () => ({ decision: "deny", comment: "not on Fridays" }));
  const tools = approveTools(thread.gate, [tool({ ...deployment, execute: async () => "deployed" })]);
  assert.match(await run(tools), /not on Fridays/);
  await decided;
});
