// Tools that interrupt their run continue under the approval that they have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { Gate } from "@countersign/client";
import { approvalMiddleware } from "@countersign/client/langchain";
import { approveTools } from "@countersign/client/mastra";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { outputText, scriptedModel } from "./drivers/ai_sdk_model.js";
import { ScriptedModel } from "./drivers/langchain_model.js";
import { decideCalls, openThread, shareStory } from "./support.js";

const story = shareStory();
const DEPLOY = { id: "call_1", name: "deploy", args: { service: "shop" } };
const EDIT = () => ({ decision: "allow_once", arguments: { service: "staging" } });

test("LangGraph interrupt continues with the approved arguments", async () => {
  const thread = openThread(story, "langgraph-interrupt");
  const results = new Map();
  const deploy = tool(({ service }) => `deployed ${service} in ${interrupt("which region?")}`, {
    name: "deploy", description: "Deploys a service.", schema: z.object({ service: z.string() }),
  });
  const agent = createAgent({
    model: new ScriptedModel([DEPLOY], results),
    tools: [deploy],
    middleware: [approvalMiddleware(new Gate({ server: story.url, token: story.agentToken }))],
    checkpointer: new MemorySaver(),
  });
  const config = { configurable: { thread_id: thread.thread } };
  const decided = decideCalls(thread, 1, EDIT);
  const first = await agent.invoke({ messages: [{ role: "user", content: "go" }] }, config);
  await decided;
  assert.equal(first.__interrupt__[0].value, "which region?");
  await agent.invoke(new Command({ resume: "Frankfurt" }), config);
  assert.match(results.get("call_1"), /deployed staging in Frankfurt/);
  assert.match((await thread.approver.get("call_1")).result.content, /continues under the same approval/);
});

test("Mastra suspend continues with the approved arguments", async () => {
  const thread = openThread(story, "mastra-suspend");
  const results = new Map();
  const { MockLanguageModelV3 } = await import("ai-v6/test");
  const deploy = createTool({
    id: "deploy",
    description: "Deploys a service.",
    inputSchema: z.object({ service: z.string() }),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ region: z.string() }),
    execute: async ({ service }, { agent }) => {
      if (!agent.resumeData) {
        return agent.suspend({ question: "which region?" });
      }
      return `deployed ${service} in ${agent.resumeData.region}`;
    },
  });
  const builder = new Agent({
    id: "builder", name: "builder", instructions: "build", model: scriptedModel(MockLanguageModelV3, [DEPLOY], results),
    tools: approveTools(thread.gate, { deploy }),
  });
  const mastra = new Mastra({ agents: { builder }, storage: new InMemoryStore(), logger: false });
  const agent = mastra.getAgent("builder");
  const decided = decideCalls(thread, 1, EDIT);
  const first = await agent.generate("go");
  await decided;
  assert.equal(first.finishReason, "suspended");
  await agent.resumeGenerate({ region: "Frankfurt" }, { runId: first.runId, toolCallId: "call_1" });
  assert.match(outputText(results.get("call_1")), /deployed staging in Frankfurt/);
});
