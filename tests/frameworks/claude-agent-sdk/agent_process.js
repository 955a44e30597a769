// One agent in its own process: `agent_process.js [SESSION]`. It makes the scripted model's call, or continues a
// session.
import { query } from "@anthropic-ai/claude-agent-sdk";
import { Gate } from "@countersign/client";
import { approvalOptions } from "@countersign/client/claude-agent-sdk";

const gate = new Gate();
const [, , resume] = process.argv;
const options = { env: process.env, settingSources: [], ...approvalOptions(gate, { thread: () => gate.thread }) };
for await (const message of query({ prompt: "go", options: resume ? { ...options, resume } : options })) {
  if (message.type === "system" && message.subtype === "init") {
    console.log(message.session_id);
  }
}
