// The OpenAI Agents SDK, with a scripted model.
import { Agent, Runner, Usage, tool } from "@openai/agents";
import { wrapTool } from "@countersign/client/openai-agents";

export function scriptedModel(calls, results) {
  return {
    async getResponse({ input }) {
      const outputs = Array.isArray(input) ? input.filter((item) => item.type === "function_call_result") : [];
      for (const { callId, output } of outputs) {
        results.set(callId, typeof output === "string" ? output : output.text);
      }
      const output = outputs.length > 0 ? [finalMessage()] : calls.map(callItem);
      return { usage: new Usage(), output };
    },
    async *getStreamedResponse() {
      throw new Error("the tests do not stream");
    },
  };
}

function callItem({ id, name, args }) {
  return { type: "function_call", callId: id, name, status: "completed", arguments: JSON.stringify(args) };
}

function finalMessage() {
  return { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] };
}

export default {
  errorsEndTheRun: true,
  async run({ gate, calls, tools, options, signal }) {
    const approvedTool = wrapTool(gate, tool, options);
    const defined = Object.entries(tools).map(([name, { description, schema, execute }]) =>
      approvedTool({ name, description, parameters: schema, execute, errorFunction: (_, error) => `failed: ${error.message}` }));
    const results = new Map();
    const agent = new Agent({ name: "builder", model: scriptedModel(calls, results), tools: defined });
    const runner = new Runner({ tracingDisabled: true });
    await runner.run(agent, "go", { signal });
    return results;
  },
};
