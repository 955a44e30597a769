// An HTTP advisor in the test process, and a policy that names it.
import { once } from "node:events";
import { createServer } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./server.js";

// Starts an advisor on a free port of this machine. `answer` gets the call in question, and may wait.
export async function startAdvisor(t, answer) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const given = await answer(JSON.parse(text).call);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(given));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

// The policy TOML for an advisor.
export const describeAdvisor = (name, url, mode, more = "") =>
  `[[advisor]]\nname = "${name}"\nurl = "${url}"\nallowPrivate = true\ncache = "0s"\ntimeout = "60s"\nmode = "${mode}"\n${more}\n`;

// The rule that lets an advisor answer calls of a tool.
export const adviseRule = (advisor, tool) => `[[rule]]\nname = "routine"\ntool = "${tool}"\nverdict = "advised"\nadvisor = "${advisor}"\n`;

export async function applyPolicy(log, text) {
  const path = join(log.folder, "policy.toml");
  await writeFile(path, text);
  await runCommand(log, "policy", "apply", "--yes", path);
}

// Lets an advisor decide, or only advise. `admin` is a caller with the role.
export async function setAdvisorMode(admin, name, request) {
  // Another process has activated the policy, and the server reads it a moment later.
  let found;
  while (!found) {
    const { advisors } = await admin.get("/v1/advisors");
    found = advisors.find((advisor) => advisor.name === name);
  }
  const { configuration } = found;
  return admin.post(`/v1/advisors/${name}/mode`, { configuration, ...request });
}

// Waits for the first event of a type that the test accepts, and returns it. It also finds past events.
export async function waitForEvent(caller, type, accepts = () => true) {
  const headers = { ...caller.headers, accept: "text/event-stream" };
  const response = await fetch(`${caller.server.url}/v1/events?type=${type}&after=0`, { headers });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop();
    const events = lines.filter((line) => line.startsWith("data:")).map((line) => JSON.parse(line.slice(5)));
    const found = events.find(accepts);
    if (found) return found;
  }
  throw new Error(`the stream ended without ${type}`);
}
