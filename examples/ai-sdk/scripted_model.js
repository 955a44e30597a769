// A model that needs no API key: it calls the tool once, and then repeats the tool's answer.
import { randomUUID } from "node:crypto";
import { MockLanguageModelV4 } from "ai/test";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const last = prompt.at(-1);
    if (last.role === "tool") {
      const { output } = last.content.find((part) => part.type === "tool-result");
      const text = `The tool answered: ${output.value ?? output.reason}`;
      return { content: [{ type: "text", text }], finishReason: { unified: "stop" }, usage, warnings: [] };
    }
    const call = { type: "tool-call", toolCallId: `call_${randomUUID()}`, toolName: "deploy", input: '{"service":"shop"}' };
    return { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] };
  },
});
