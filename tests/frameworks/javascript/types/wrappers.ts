// The wrappers fit the framework types, and keep the tool types. This file is type-checked and never run.
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { Agent, tool as openaiTool } from "@openai/agents";
import { generateText, streamText, tool, type LanguageModel, type ModelMessage } from "ai";
import * as v6 from "ai-v6";
import { Gate } from "@countersign/client";
import * as aiSdk from "@countersign/client/ai-sdk";
import * as langchain from "@countersign/client/langchain";
import * as mastra from "@countersign/client/mastra";
import * as mcp from "@countersign/client/mcp";
import * as openaiAgents from "@countersign/client/openai-agents";
import { createAgent, tool as langchainTool } from "langchain";
import { z } from "zod";

declare const model: LanguageModel;
declare const messages: ModelMessage[];
declare const modelV6: v6.LanguageModel;
const gate = new Gate({ server: "http://127.0.0.1:7878", token: "csgn_x" });
const schema = z.object({ service: z.string() });

export async function checkAiSdk(): Promise<string> {
  const tools = { deploy: tool({ inputSchema: schema, execute: async ({ service }) => ({ service }) }) };
  const approved = aiSdk.approveTools(gate, tools, { thread: ({ toolCallId }) => toolCallId, pause: true });
  const result = await generateText({ model, tools: approved, prompt: "go" });
  const asked = streamText({ model, tools, prompt: "go", ...aiSdk.askGate(gate) });
  const answers = await aiSdk.answerApprovals(gate, messages);
  const continued = answers ? [...messages, answers] : messages;
  await generateText({ model, tools: approved, messages: continued });
  const [first] = result.toolResults;
  return first && !first.dynamic ? first.output.service : asked.text;
}

export async function checkAiSdkV6(): Promise<string> {
  const tools = { deploy: v6.tool({ inputSchema: schema, execute: async ({ service }) => service }) };
  return (await v6.generateText({ model: modelV6, tools: aiSdk.approveTools(gate, tools), prompt: "go" })).text;
}

export function checkOpenaiAgents(): Agent {
  const approvedTool = openaiAgents.wrapTool(gate, openaiTool);
  const deploy = approvedTool({ name: "deploy", description: "", parameters: schema, execute: ({ service }) => service.length });
  return new Agent({ name: "builder", tools: openaiAgents.approveTools(gate, [deploy]) });
}

export function checkLangchain(): ToolNode {
  const deploy = langchainTool(({ service }) => service, { name: "deploy", description: "", schema });
  createAgent({ model: "openai:gpt-5", tools: [deploy], middleware: [langchain.approvalMiddleware(gate, { timeoutMs: 5 })] });
  return new ToolNode(langchain.approveTools(gate, [deploy]));
}

export function checkMastra(): MastraAgent {
  const deploy = createTool({ id: "deploy", description: "", inputSchema: schema, execute: async ({ service }) => service });
  return new MastraAgent({
    id: "builder", name: "builder", instructions: "", model: "openai/gpt-5", tools: mastra.approveTools(gate, { deploy }),
  });
}

export function checkMcp(): Client {
  return mcp.approveClient(gate, new Client({ name: "builder", version: "1" }), { trustAnnotations: true });
}
