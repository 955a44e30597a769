// LangChain tools whose schema is JSON, and tools that change the graph state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "@langchain/langgraph";
import { approvalMiddleware } from "@countersign/client/langchain";
import { createAgent, tool, ToolMessage } from "langchain";
import { ScriptedModel } from "./drivers/langchain_model.js";
import { decideCalls, openThread, shareStory } from "./support.js";

const story = shareStory();
const schema = { type: "object", properties: { service: { type: "string" } }, required: ["service"] };

async function run(thread, execute, args) {
  const results = new Map();
  const decided = decideCalls(thread, 1, () => ({ decision: "allow_once" }));
  const agent = createAgent({
    model: new ScriptedModel([{ id: "call_1", name: "deploy", args }], results),
    tools: [tool(execute, { name: "deploy", description: "Deploys.", schema })],
    middleware: [approvalMiddleware(thread.gate)],
  });
  await agent.invoke({ messages: [{ role: "user", content: "go" }] });
  await decided;
  return results.get("call_1");
}

test("tool with a JSON schema explains wrong arguments", async () => {
  const thread = openThread(story, "json-schema");
  const text = await run(thread, () => "deployed", { service: 5 });
  assert.match(text, /did not match expected schema/);
  assert.match(text, /Please fix the error and try again/);
  assert.equal((await thread.approver.get("call_1")).result.status, "error");
});

test("tool that returns a command changes the state", async () => {
  const thread = openThread(story, "command");
  const execute = (_, config) => new Command({
    update: { messages: [new ToolMessage({ content: "deployed by command", tool_call_id: config.toolCall.id })] },
  });
  assert.equal(await run(thread, execute, { service: "shop" }), "deployed by command");
  assert.equal((await thread.approver.get("call_1")).state, "finished");
});
