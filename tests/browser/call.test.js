// The page of one call: the link of notifications and webhooks, in each state of the call.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, runCommand, startServer } from "./support/server.js";

async function startCall(t, { role = "approver", policy = 'default = "ask"\n', ...options } = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  await runCommand(log, "policy", "apply", "--yes", await agent.writePolicy(log, policy));
  const page = await openInbox(await startBrowser(t), server, "ada", role, options);
  const open = (thread, id) => page.goto(`${server.pages}/calls/${encodeURIComponent(thread)}/${encodeURIComponent(id)}`);
  return { log, server, agent, page, open };
}

const waitForBadge = (page, text) => page.locator("tool-approval-card header .badge").getByText(text, { exact: true }).waitFor();

test("a call shows each of its states without a reload", async (t) => {
  const { agent, page, open } = await startCall(t);
  await agent.propose("ci%2F7%20a", "a", "bash", { command: "echo a" });
  await open("ci/7 a", "a");
  await page.getByText("Waits for a decision").waitFor();
  assert.equal(await page.title(), "(1) bash a · Countersign");
  await page.getByRole("button", { name: "Allow once" }).click();
  await waitForBadge(page, "allowed");
  const path = "/v1/threads/ci%2F7%20a/tool-calls/a";
  const { argumentsHash } = await agent.get(path);
  await agent.post(`${path}/claim`, { executor: "worker", argumentsHash });
  await waitForBadge(page, "running");
  await agent.post(`${path}/result`, { status: "success", content: "hello from the tool" });
  await waitForBadge(page, "finished");
  await page.getByText("hello from the tool").waitFor();
  await page.getByText("worker began to run it").waitFor();
  assert.equal(await page.title(), "bash a · Countersign");
  assert.equal(await page.getByRole("link", { name: "ci/7 a" }).first().getAttribute("href"), "/threads/ci%2F7%20a");
});

test("denied, cancelled, failed and lost calls say so, and a lost one can be released", async (t) => {
  const { agent, page, open } = await startCall(t);
  for (const id of ["denied", "cancelled", "failed", "lost"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await open("t", "denied");
  await page.getByLabel("comment").fill("not today");
  await page.getByRole("button", { name: /^Deny/ }).click();
  await waitForBadge(page, "denied");
  await page.getByText("not today", { exact: true }).waitFor();
  await agent.cancel("t", "cancelled");
  await open("t", "cancelled");
  await waitForBadge(page, "cancelled");
  await open("t", "failed");
  await page.getByRole("button", { name: "Allow once" }).click();
  await waitForBadge(page, "allowed");
  const { argumentsHash } = await agent.get("/v1/threads/t/tool-calls/failed");
  await agent.post("/v1/threads/t/tool-calls/failed/claim", { executor: "worker", argumentsHash });
  await agent.post("/v1/threads/t/tool-calls/failed/result", { status: "error", content: "no space left" });
  await waitForBadge(page, "failed");
  await open("t", "lost");
  await page.getByRole("button", { name: "Allow once" }).click();
  await waitForBadge(page, "allowed");
  const lost = await agent.get("/v1/threads/t/tool-calls/lost");
  await agent.post("/v1/threads/t/tool-calls/lost/claim", { executor: "worker", argumentsHash: lost.argumentsHash, leaseSeconds: 1 });
  // A lease lapses without an event.
  await waitForBadge(page, "unknown");
  await page.getByRole("button", { name: "Let another executor take over" }).click();
  await page.getByText("lets another executor take over").waitFor();
});

test("a call that does not exist says so, and appears when it is proposed", async (t) => {
  const { agent, page, open } = await startCall(t);
  await open("t", "later");
  await page.getByRole("heading", { name: "There is no such call" }).waitFor();
  await agent.propose("t", "later", "bash", { command: "echo late" });
  await page.locator("tool-approval-card").getByText("echo").waitFor();
});

test("a link from the card opens the page, and back returns to the inbox", async (t) => {
  const { server, agent, page } = await startCall(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.goto(server.pages);
  await page.locator("tool-approval-card").getByRole("link", { name: "a", exact: true }).click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  const focused = await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName);
  assert.equal(focused, "h1");
  await page.keyboard.press("d");
  await page.getByText("Press the same key again to deny.").waitFor();
  await page.goBack();
  await page.getByRole("status").getByText("1 call is pending", { exact: true }).waitFor({ state: "attached" });
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "pending");
});

test("a reader sees the call and has no buttons", async (t) => {
  const { agent, page, open } = await startCall(t, { role: "auditor" });
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await open("t", "a");
  await page.getByText("Waits for a decision").waitFor();
  assert.equal(await page.getByRole("button", { name: /Allow|Deny/ }).count(), 0);
});

for (const colorScheme of ["light", "dark"]) {
  test(`the page of a call passes axe and fits 320 pixels with hostile content (${colorScheme})`, async (t) => {
    const { agent, page, open } = await startCall(t, { colorScheme });
    const markup = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>";
    const impact = { message: `${markup}\u202e${"a".repeat(900)}`, riskLevel: "critical", affectedResources: [markup] };
    await agent.propose("t", "a", "bash", { command: `echo '${markup}'`, long: "x".repeat(4_000) }, impact);
    await open("t", "a");
    await page.getByText("Waits for a decision").waitFor();
    await checkPage(page);
    await page.getByRole("button", { name: /^Deny/ }).click();
    await waitForBadge(page, "denied");
    await checkPage(page);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  });
}

test("a call shows where it runs, and in red what ran instead", async (t) => {
  const { server, agent, page, open } = await startCall(t);
  const place = { server: "staging", address: "npx shop --staging", folder: "/srv/shop", host: "ada-laptop" };
  await agent.post("/v1/threads/t/tool-calls", { id: "a", name: "deploy", arguments: { command: "touch a.txt" }, place });
  await open("t", "a");
  await page.getByText("npx shop --staging").waitFor();
  const shown = await page.locator("tool-approval-card .argument.place").allInnerTexts();
  assert.deepEqual(shown.map((text) => text.split(/\s*\n\s*/)), [
    ["on server", "staging"], ["server address", "npx shop --staging"], ["in folder", "/srv/shop"], ["on machine", "ada-laptop"],
  ]);
  await page.getByRole("button", { name: "Allow once" }).click();
  await waitForBadge(page, "allowed");
  const path = "/v1/threads/t/tool-calls/a";
  const { argumentsHash } = await agent.get(path);
  await agent.post(`${path}/claim`, { executor: "worker", argumentsHash });
  await agent.post(`${path}/result`, { status: "success", content: "done", ranArguments: { command: "touch rewritten.txt" } });
  const mismatch = page.getByRole("region", { name: "mismatch" });
  await mismatch.getByRole("alert").getByText("Other arguments ran than were approved.").waitFor();
  await mismatch.getByText("touch rewritten.txt").waitFor();
  await page.goto(`${server.pages}/threads/t`);
  await page.locator("button.call").getByText("mismatch").waitFor();
  await checkPage(page);
});

test("a call that ran before its decision says so at once", async (t) => {
  const { agent, page, open } = await startCall(t);
  await agent.propose("t", "a", "bash", { command: "rm a" });
  await open("t", "a");
  await page.getByText("Waits for a decision").waitFor();
  await agent.post("/v1/threads/t/tool-calls/a/result", { status: "success", content: "", ranArguments: { command: "rm a" } });
  await page.getByRole("alert").getByText("The call ran without an approval.").waitFor();
});
