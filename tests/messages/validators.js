// The validators that the SDKs for JavaScript have. Formats without one are checked in Python.
import { EventSchema, MessageSchema, ResumeEntrySchema } from "@ag-ui/core/schemas";
import { coerceMessageLikeToMessage } from "@langchain/core/messages";
import { protocol } from "@openai/agents-core";
import { convertToModelMessages, modelMessageSchema, validateUIMessages } from "ai";

const validators = {
  "ag-ui": (messages) => {
    for (const message of messages) {
      if (message.type === "RUN_FINISHED") EventSchema.parse(message);
      else if (message.resume) message.resume.forEach((entry) => ResumeEntrySchema.parse(entry));
      else MessageSchema.parse(message);
    }
  },
  "ai-sdk": (messages) => messages.forEach((message) => modelMessageSchema.parse(message)),
  "ai-sdk-ui": async (messages) => {
    if (messages.length === 0) return;
    await validateUIMessages({ messages });
    (await convertToModelMessages(messages)).forEach((message) => modelMessageSchema.parse(message));
  },
  "openai-agents": (items) => {
    for (const item of items) {
      if (item.type === "tool_approval_item") protocol.FunctionCallItem.parse(item.rawItem);
      else if (item.type !== "tool_approval_response") protocol.ModelItem.parse(item);
    }
  },
  langchain: (messages) => {
    for (const message of messages.filter((message) => !message.__interrupt__)) coerceMessageLikeToMessage(message);
  },
};
validators["langchain-per-call"] = validators["agent-inbox"] = validators.langchain;

export async function validate(format, messages) {
  await validators[format]?.(messages);
}
