// Calls that people decided, for the pages that count them.
import { Agent } from "./inbox.js";
import { createToken } from "./server.js";

// Returns an agent and a person, both over the API.
export async function startCallers(server, log) {
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const person = new Agent(server, (await createToken(log, "ada", "approver")).secret);
  return { agent, person };
}

// Proposes calls that the person allows: ten or more lead to a suggested rule.
export async function allowCalls({ agent, person }, count, { tool = "bash", args = { command: "git status -s" }, prefix = "s" } = {}) {
  for (let n = 0; n < count; n += 1) {
    const thread = `${prefix}${n}`;
    await agent.propose(thread, "a", tool, args);
    await person.decide(thread, "a", { decision: "allow_once" });
  }
}

export async function denyCall({ agent, person }, thread, command) {
  await agent.propose(thread, "a", "bash", { command });
  await person.decide(thread, "a", { decision: "deny", comment: "not this" });
}
