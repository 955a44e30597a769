// The AI SDK, version 7 or 6: both have the same interface for tools.
import { approveTools } from "@countersign/client/ai-sdk";
import { outputText, scriptedModel } from "./ai_sdk_model.js";

export function aiSdkDriver({ generateText, stepCountIs, tool }, Model) {
  return {
    async run({ gate, calls, tools, options, signal }) {
      const defined = Object.entries(tools).map(([name, { description, schema, execute }]) => [
        name, tool({ description, inputSchema: schema, execute }),
      ]);
      const results = new Map();
      await generateText({
        model: scriptedModel(Model, calls, results),
        tools: approveTools(gate, Object.fromEntries(defined), options),
        stopWhen: stepCountIs(3),
        prompt: "go",
        abortSignal: signal,
      });
      return new Map([...results].map(([id, output]) => [id, outputText(output)]));
    },
  };
}
