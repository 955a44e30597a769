// A Claude Agent SDK agent: the gate decides before Claude Code runs a tool.
import { query } from "@anthropic-ai/claude-agent-sdk";
import { Gate } from "@countersign/client";
import { approvalOptions } from "@countersign/client/claude-agent-sdk";
import { startModel } from "./scripted_model.js";

const gate = new Gate(); // COUNTERSIGN_SERVER and COUNTERSIGN_TOKEN
const model = await startModel();

const messages = query({
  prompt: "Deploy the shop.",
  options: { env: { ...process.env, ...model.env }, ...approvalOptions(gate) },
});
for await (const message of messages) {
  if (message.type === "result") {
    console.log(message.result);
  }
}
model.stop();
