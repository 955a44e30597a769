// A model that needs no API key: it calls the tool once, and then repeats the tool's answer.
import { randomUUID } from "node:crypto";
import { Usage } from "@openai/agents";

export const model = {
  async getResponse({ input }) {
    const answer = Array.isArray(input) && input.find((item) => item.type === "function_call_result");
    return { usage: new Usage(), output: [answer ? message(answer.output) : call()] };
  },
  async *getStreamedResponse() {
    throw new Error("this model does not stream");
  },
};

function message(output) {
  const text = `The tool answered: ${output.text ?? output}`;
  return { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}

function call() {
  const callId = `call_${randomUUID()}`;
  return { type: "function_call", callId, name: "deploy", status: "completed", arguments: '{"service":"shop"}' };
}
