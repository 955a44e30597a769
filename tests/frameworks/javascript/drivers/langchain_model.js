// The scripted chat model of LangChain: its first answer makes the calls, the next one ends the run.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";

export class ScriptedModel extends BaseChatModel {
  constructor(calls, results) {
    super({});
    this.calls = calls;
    this.results = results;
  }

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const answers = messages.filter((message) => message.getType() === "tool");
    for (const answer of answers) {
      this.results.set(answer.tool_call_id, answer.content);
    }
    const calls = this.calls.map(({ id, name, args }) => ({ id, name, args, type: "tool_call" }));
    const message = answers.length > 0 ? new AIMessage("done") : new AIMessage({ content: "", tool_calls: calls });
    return { generations: [{ text: message.text, message }] };
  }
}
