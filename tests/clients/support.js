// A server with an agent, which proposes and runs calls, and the credential of a person for the client.
import assert from "node:assert/strict";
import { createToken, newLog, runCommand, startServer, verifyLog } from "../browser/support/server.js";

// The tests of Lace replace the global one by that of the client's page.
const { fetch } = globalThis;

export async function openWorld(t) {
  const ends = [];
  const log = await newLog({ after: (end) => ends.push(end) });
  t.after(async () => {
    await verifyLog(log);
    await Promise.all(ends.map((end) => end()));
  });
  await runCommand(log, "migrate");
  const { secret: agent } = await createToken(log, "builder", "agent");
  const { secret: person } = await createToken(log, "ada", "approver");
  const { url } = await startServer(log);
  return { log, url, agent, person };
}

// The requests of an agent in a thread.
export class Agent {
  constructor(world, thread) {
    Object.assign(this, { world, thread });
  }

  async send(method, path, body, headers = {}) {
    const { url, agent } = this.world;
    const response = await fetch(`${url}/v1/threads/${this.thread}/${path}`, {
      method,
      headers: { authorization: `Bearer ${agent}`, "content-type": "application/json", ...headers },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    assert.ok(response.ok, JSON.stringify(answer));
    return answer;
  }

  propose(id) {
    return this.send("POST", "tool-calls", { id, name: "delete_customer", arguments: { customer_id: id } });
  }

  decided(id) {
    return this.send("GET", `tool-calls/${id}`, undefined, { prefer: "wait=30" });
  }

  // Waits for the decision, and runs the call.
  async run(id) {
    const { state, argumentsHash } = await this.decided(id);
    assert.equal(state, "allowed");
    await this.send("POST", `tool-calls/${id}/claim`, { executor: "worker", argumentsHash });
    await this.send("POST", `tool-calls/${id}/result`, { status: "success", content: "deleted" });
  }

  say(content) {
    return this.send("POST", "messages", { format: "openai", message: { role: "assistant", content } });
  }
}

// Waits until a value that `watch` reports is as wanted.
export function until(watch, isWanted) {
  return new Promise((resolve) => watch((value) => isWanted(value) && resolve(value)));
}
