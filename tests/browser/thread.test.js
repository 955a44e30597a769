// A thread: its calls as a timeline, its grants, its mode and its end; and the elements alone in another page.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, runCommand, startServer } from "./support/server.js";

async function startThread(t, { name = "ada", role = "approver", ...options } = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const grace = new Agent(server, (await createToken(log, "grace", "approver")).secret);
  await runCommand(log, "policy", "apply", "--yes", await agent.writePolicy(log, 'default = "ask"\n'));
  const page = await openInbox(await startBrowser(t), server, name, role, options);
  return { log, server, agent, grace, page };
}

const readTimeline = (page) => page.locator("countersign-thread .what").allTextContents().then((texts) => texts.map((text) => text.replace(/\s+/g, " ").trim()));
const waitForCalls = (page, count) => page.locator("countersign-thread li button.call").nth(count - 1).waitFor();

test("the list of threads leads to one, whose timeline is live", async (t) => {
  const { agent, page } = await startThread(t);
  await page.getByRole("link", { name: "Threads" }).click();
  await page.getByText("No thread yet").waitFor();
  await agent.propose("ci%2F7", "a", "bash", { command: "echo a" });
  await page.getByRole("link", { name: /ci\/7.*1 pending/ }).click();
  await page.getByRole("heading", { name: "ci/7" }).waitFor();
  await waitForCalls(page, 1);
  await agent.propose("ci%2F7", "b", "bash", { command: "echo b" });
  await waitForCalls(page, 2);
  assert.deepEqual(await readTimeline(page), ["bashecho b", "bashecho a"]);
  await page.getByRole("button", { name: /echo a/ }).click();
  await page.locator("tool-approval-card").getByRole("button", { name: "Allow once" }).click();
  await page.locator("button.call .badge", { hasText: "allowed" }).waitFor();
  await agent.run("ci%2F7", "a", "hello");
  await page.locator("button.call .badge", { hasText: "finished" }).waitFor();
  await page.locator("tool-approval-card").getByText("hello").waitFor();
});

test("a grant is listed, and its revocation asks people again", async (t) => {
  const { server, agent, grace, page } = await startThread(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.goto(`${server.pages}/threads/t`);
  await page.getByText("No earlier decision answers later calls.").waitFor();
  await grace.decide("t", "a", { decision: "allow_session", scope: "exact" });
  await page.getByText("bash: this exact call").waitFor();
  await agent.propose("t", "b", "bash", { command: "echo a" });
  assert.equal((await agent.get("/v1/threads/t/tool-calls/b")).state, "allowed");
  await page.getByRole("button", { name: "Revoke the grant for bash" }).click();
  await page.getByText("No earlier decision answers later calls.").waitFor();
  assert.deepEqual((await grace.get("/v1/threads/t/grants")).grants, []);
});

test("an admin changes the mode, and sees the refusal of a change", async (t) => {
  const { server, agent, page } = await startThread(t, { name: "root", role: "admin" });
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.goto(`${server.pages}/threads/t`);
  await page.getByLabel("Mode").selectOption("auto_deny");
  await page.getByText("All calls are denied that people would be asked about.").waitFor();
  await agent.propose("t", "b", "bash", { command: "echo b" });
  assert.equal((await agent.get("/v1/threads/t/tool-calls/b")).state, "denied");
  await page.route("**/v1/threads/t/mode", (route) => route.fulfill({ status: 403, json: { code: "not_eligible", detail: "your level is too low" } }));
  await page.getByLabel("Mode").selectOption("interactive");
  await page.getByRole("alert").getByText("your level is too low").waitFor();
});

test("an admin sets and removes the policy for a tool", async (t) => {
  const { server, agent, page } = await startThread(t, { name: "root", role: "admin" });
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.goto(`${server.pages}/threads/t`);
  await page.getByLabel("Tool", { exact: true }).fill("bash");
  await page.getByLabel("Its policy").selectOption("deny");
  await page.getByRole("button", { name: "Set" }).click();
  const policy = page.getByLabel("Policy for bash");
  await policy.waitFor();
  assert.equal(await policy.inputValue(), "deny");
  await agent.propose("t", "b", "bash", { command: "echo b" });
  assert.equal((await agent.get("/v1/threads/t/tool-calls/b")).state, "denied");
  await policy.selectOption("default");
  await policy.waitFor({ state: "detached" });
  await agent.propose("t", "c", "bash", { command: "echo c" });
  assert.equal((await agent.get("/v1/threads/t/tool-calls/c")).state, "pending");
  await page.getByLabel("Tool", { exact: true }).fill("two words \u0000");
  await page.getByRole("button", { name: "Set" }).click();
  await page.getByRole("alert").waitFor();
});

test("closing a thread asks first, and cancels its calls", async (t) => {
  const { server, agent, page } = await startThread(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.goto(`${server.pages}/threads/t`);
  await page.getByRole("button", { name: "Close the thread…" }).click();
  await page.getByRole("button", { name: "Keep it open" }).click();
  await page.getByRole("button", { name: "Close the thread…" }).click();
  await page.getByRole("button", { name: "Close the thread", exact: true }).click();
  await page.getByText("It accepts no new calls.").waitFor();
  await page.locator("button.call .badge", { hasText: "cancelled" }).waitFor();
});

test("earlier calls are read page by page, and a thread that does not exist says so", async (t) => {
  const { log, server, agent, page } = await startThread(t);
  await runCommand(log, "policy", "apply", "--yes", await agent.writePolicy(log, 'default = "allow"\n'));
  await Promise.all(Array.from({ length: 120 }, (_, n) => agent.propose("t", `c${n}`, "bash", { command: `echo ${n}` })));
  await page.goto(`${server.pages}/threads/t`);
  await waitForCalls(page, 100);
  await page.getByRole("button", { name: "Show earlier" }).click();
  await waitForCalls(page, 120);
  await page.goto(`${server.pages}/threads/none`);
  await page.getByRole("heading", { name: "There is no such thread" }).waitFor();
});

test("the conversation is in the timeline with its calls, live, and its texts are folded", async (t) => {
  const { server, agent, page } = await startThread(t);
  const say = (body) => agent.post("/v1/threads/t/messages", { format: "openai", ...body });
  await say({ messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Deploy it." }] });
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.goto(`${server.pages}/threads/t`);
  const rows = page.locator("countersign-thread ul.calls > li");
  await rows.nth(2).waitFor();
  const read = () => rows.allInnerTexts().then((texts) => texts.map((text) => text.replace(/\d\d:\d\d/g, "").replace(/\s+/g, " ").trim()));
  assert.deepEqual(await read(), ["bashecho a pending ›", "Person Deploy it.", "Instructions Be brief."]);
  // A message that is only about calls has no separate row, because the calls have rows.
  const call = (args) => ({ id: "a", type: "function", function: { name: "bash", arguments: JSON.stringify(args) } });
  await say({ message: { role: "assistant", content: null, tool_calls: [call({ command: "echo a" })] } });
  await say({ message: { role: "tool", tool_call_id: "a", content: "done" } });
  await say({ message: { role: "assistant", content: "line\n".repeat(40) + "the end" } });
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByText("the end").waitFor();
  assert.equal((await read()).length, 4);
  // A message that shows a call differently has a row that says so.
  await say({ message: { role: "assistant", content: null, tool_calls: [call({ command: "ls" })] } });
  await page.getByText("This message shows a with another tool or other arguments than the log has.").waitFor();
  assert.equal((await read()).length, 5);
  // The person changed the second message: what followed it is gone.
  await say({ messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Test it." }] });
  await page.getByText("Test it.").waitFor();
  assert.deepEqual(await read(), ["Person Test it.", "bashecho a pending ›", "Instructions Be brief."]);
});

test("a long conversation is read from its end", async (t) => {
  const { server, agent, page } = await startThread(t);
  const messages = Array.from({ length: 230 }, (_, n) => ({ role: "user", text: `message ${n}` }));
  await agent.post("/v1/threads/t/messages", { format: "plain", messages });
  await page.goto(`${server.pages}/threads/t`);
  await page.getByText("message 229").waitFor();
  assert.equal(await page.locator("li.message").count(), 100);
  await page.getByRole("button", { name: "Show earlier" }).click();
  await page.getByText("message 30", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Show earlier" }).click();
  await page.getByText("message 0", { exact: true }).waitFor();
  assert.equal(await page.locator("li.message").count(), 230);
});

test("the elements stand alone in a page of the same origin", async (t) => {
  const { server, agent, page } = await startThread(t);
  await agent.propose("release-7", "call_1", "bash", { command: "echo a" });
  const example = await readFile(join(import.meta.dirname, "../../examples/embed/plain.html"), "utf8");
  await page.route("**/embed/**", (route) => route.fulfill({ body: example, contentType: "text/html" }));
  await page.goto(`${server.pages}/embed/plain.html`);
  await page.locator("countersign-thread").getByRole("button", { name: /echo a/ }).waitFor();
  await page.locator("countersign-inbox").getByText("echo a").first().waitFor();
  const states = page.evaluate(() => new Promise((resolve) => document.addEventListener("call-state", (event) => resolve(event.detail.state))));
  await page.locator("#one").getByRole("button", { name: "Allow once" }).click();
  await page.locator("#one header .badge", { hasText: "allowed" }).waitFor();
  await page.locator("countersign-thread .badge", { hasText: "allowed" }).waitFor();
  assert.equal(await states, "allowed");
});

for (const colorScheme of ["light", "dark"]) {
  test(`threads pass axe and fit 320 pixels with hostile content (${colorScheme})`, async (t) => {
    const { server, agent, grace, page } = await startThread(t, { name: "root", role: "admin", colorScheme });
    const markup = "<img src=x onerror=\"window.hacked=1\">";
    const thread = encodeURIComponent(`${markup}${"a".repeat(60)}`);
    await agent.propose(thread, "a", "bash", { command: `${markup}${"b".repeat(3_000)}` });
    await grace.decide(thread, "a", { decision: "allow_session", scope: "exact" });
    await agent.propose(thread, "b", "bash", { command: "\u202eecho b" });
    const text = `${markup}\u202e${"c".repeat(3_000)}`;
    await agent.post(`/v1/threads/${thread}/messages`, { format: "plain", message: { role: "user", text } });
    await page.goto(`${server.pages}/threads/`);
    await page.getByRole("link", { name: /1 pending/ }).last().waitFor();
    await checkPage(page);
    await page.goto(`${server.pages}/threads/${thread}`);
    await waitForCalls(page, 2);
    await page.locator("button.call").first().click();
    await page.locator("tool-approval-card").waitFor();
    await page.getByRole("button", { name: "Close the thread…" }).click();
    await checkPage(page);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  });
}
