// A test file's server, and an agent client and an approver client with a thread of their own for each test.
import { after, before } from "node:test";
import { Gate } from "@countersign/client";
import { startServer } from "./server.js";

// Starts one server for a test file. Returns a function that creates the clients for a test.
export function useServer(options) {
  const shared = {};
  before(async () => { shared.server = await startServer(options); });
  after(() => shared.server?.stop());
  return (t, thread = t.fullName ?? t.name) => createPeople(shared.server, thread);
}

export function createPeople(server, thread) {
  const gate = new Gate({ server: server.url, token: server.agent, thread });
  const approver = new Gate({ server: server.url, token: server.approver, thread });
  return { server, thread, gate, approver, decideNext: (decision, options) => decideNext(approver, decision, options) };
}

// Decides the thread's next call as soon as it is asked. Returns the decided call.
export async function decideNext(approver, decision, options = {}) {
  for await (const event of approver.stream({ types: ["TOOL_APPROVAL_REQUEST"] })) {
    if (event.threadId !== approver.thread) {
      continue;
    }
    const call = await approver.get(event.data.toolCallId);
    if (call.state === "pending") {
      return approver.decide(call, decision, options);
    }
  }
  throw new Error("the stream of events ended");
}

// The thread's only call.
export async function onlyCall(gate) {
  const { calls } = await gate.calls({ thread: gate.thread });
  if (calls.length !== 1) {
    throw new Error(`the thread has ${calls.length} calls`);
  }
  return calls[0];
}
