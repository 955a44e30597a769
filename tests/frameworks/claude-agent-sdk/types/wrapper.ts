// The wrapper fits the SDK types. This file is type-checked and never run.
import { query, type Query } from "@anthropic-ai/claude-agent-sdk";
import { Gate } from "@countersign/client";
import { approvalOptions } from "@countersign/client/claude-agent-sdk";

export function checkOptions(): Query {
  const gate = new Gate({ server: "http://127.0.0.1:7878", token: "csgn_x" });
  return query({ prompt: "go", options: { model: "sonnet", ...approvalOptions(gate, { thread: ({ sessionId }) => sessionId }) } });
}
