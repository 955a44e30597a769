// An agent of Mastra.
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV3 } from "ai-v6/test";
import { approveTools } from "@countersign/client/mastra";
import { outputText, scriptedModel } from "./ai_sdk_model.js";

export default {
  async run({ gate, calls, tools, options, signal }) {
    const results = new Map();
    const defined = Object.entries(tools).map(([name, { description, schema, execute }]) => [
      name, createTool({ id: name, description, inputSchema: schema, execute }),
    ]);
    const agent = new Agent({
      id: "builder",
      name: "builder",
      instructions: "build",
      model: scriptedModel(MockLanguageModelV3, calls, results),
      tools: approveTools(gate, Object.fromEntries(defined), options),
    });
    await agent.generate("go", { abortSignal: signal });
    return new Map([...results].map(([id, output]) => [id, outputText(output)]));
  },
};
