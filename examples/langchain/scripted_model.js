// A model that needs no API key: it calls the tool once, and then repeats the tool's answer.
import { randomUUID } from "node:crypto";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";

class ScriptedModel extends BaseChatModel {
  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const answer = messages.find((message) => message.getType() === "tool");
    const message = new AIMessage(answer ? `The tool answered: ${answer.text}` : { content: "", tool_calls: [call()] });
    return { generations: [{ text: message.text, message }] };
  }
}

function call() {
  return { type: "tool_call", id: `call_${randomUUID()}`, name: "deploy", args: { service: "shop" } };
}

export const model = new ScriptedModel({});
