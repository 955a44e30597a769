// An agent over the API, and the inbox in a browser.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newPage, startBrowser } from "./browser.js";
import { createLink, createToken, newLog, runCommand, startServer } from "./server.js";

// A caller with a token. It acts as an agent or a person, depending on the token.
export class Agent {
  constructor(server, token) {
    this.server = server;
    this.headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  }

  async send(method, path, text) {
    const response = await fetch(this.server.url + path, { method, headers: this.headers, body: text });
    const answer = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${answer}`);
    return answer;
  }

  async post(path, body) {
    return JSON.parse(await this.send("POST", path, JSON.stringify(body)));
  }

  getText(path) {
    return this.send("GET", path);
  }

  async get(path) {
    return JSON.parse(await this.getText(path));
  }

  propose(thread, id, name, args, impact) {
    return this.post(`/v1/threads/${thread}/tool-calls`, { id, name, arguments: args, ...(impact ? { impact } : {}) });
  }

  // Proposes arguments that are sent as this string.
  proposeText(thread, id, name, args) {
    return this.send("POST", `/v1/threads/${thread}/tool-calls`, `{"id":"${id}","name":"${name}","arguments":${args}}`);
  }

  // Waits until the call is decided, as an executor does.
  async awaitDecision(thread, id) {
    const headers = { ...this.headers, prefer: "wait=30" };
    const response = await fetch(`${this.server.url}/v1/threads/${thread}/tool-calls/${id}`, { headers });
    return response.json();
  }

  decide(thread, id, decision) {
    return this.post(`/v1/threads/${thread}/approvals/${id}`, decision);
  }

  cancel(thread, id) {
    return this.post(`/v1/threads/${thread}/tool-calls/${id}/cancel`, {});
  }

  // Claims an allowed call and reports its result.
  async run(thread, id, content) {
    const path = `/v1/threads/${thread}/tool-calls/${id}`;
    const { argumentsHash } = await this.get(path);
    await this.post(`${path}/claim`, { executor: "worker", argumentsHash });
    await this.post(`${path}/result`, { status: "success", content });
  }

  async writePolicy(log, text) {
    const path = join(log.folder, "policy.toml");
    await writeFile(path, text);
    return path;
  }
}

// Signs a person in and opens the inbox.
export async function openInbox(browser, server, name, role, options = {}) {
  const page = await newPage(browser, { viewport: { width: 1280, height: 800 }, ...options });
  await page.goto(await createLink(server, name, role));
  await page.locator("#signed-in").waitFor();
  await page.goto(server.pages);
  return page;
}

// A log with a server, an agent, and an approver's page. Without a policy, the shipped one asks.
export async function startInbox(t, { role = "approver", name = "ada", policy = null } = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  if (policy !== null) await runCommand(log, "policy", "apply", "--yes", await agent.writePolicy(log, policy));
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, name, role);
  return { log, server, agent, browser, page };
}

// Waits until the page says that this many calls are pending.
export async function waitForCount(page, count) {
  const text = count === 1 ? "1 call is pending" : `${count} calls are pending`;
  await page.getByRole("status").getByText(text, { exact: true }).waitFor({ state: "attached" });
}

// The row summaries, in order.
export function readList(page) {
  return page.locator("countersign-inbox .rows .summary").allTextContents();
}

/** Stops the page's clock, so that a test says how much time passes between two presses: `page.clock.fastForward(ms)`. */
export async function stopClock(page) {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
}
