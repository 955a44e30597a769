// The scripted model for every version of the AI SDK: its first answer makes the calls, the next one ends the run.
export function scriptedModel(Model, calls, results) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const answer = (prompt) => {
    const last = prompt.at(-1);
    if (last.role !== "tool") {
      return { content: calls.map(toolCallPart), finishReason: { unified: "tool-calls" }, usage, warnings: [] };
    }
    for (const part of last.content) {
      if (part.type === "tool-result") {
        results.set(part.toolCallId, part.output);
      }
    }
    return { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] };
  };
  return new Model({ doGenerate: async ({ prompt }) => answer(prompt) });
}

function toolCallPart({ id, name, args }) {
  return { type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(args) };
}

// The text that a model reads in a result.
export function outputText(output) {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "execution-denied":
      return output.reason;
    case "content":
      return output.value.map((part) => part.text).join("\n");
    default:
      return JSON.stringify(output.value);
  }
}
