// What a page says about the end of a call, about a decision whose answer was lost, and about what a stop ends, is true.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox, readList, waitForCount } from "./support/inbox.js";
import { createToken, newLog, requestPages, runCommand, startServer, verifyLog } from "./support/server.js";

async function startOutcomes(t, { policy = 'default = "ask"\n' } = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const grace = new Agent(server, (await createToken(log, "grace", "approver")).secret);
  await runCommand(log, "policy", "apply", "--yes", await agent.writePolicy(log, policy));
  const admin = new Agent(server, (await createToken(log, "zoe", "admin")).secret);
  const page = await openInbox(await startBrowser(t), server, "ada", "approver");
  const open = (thread, id) => page.goto(`${server.pages}/calls/${thread}/${id}`);
  return { log, server, agent, grace, admin, page, open };
}

const readSteps = async (page) => (await page.locator("call-page .steps li > span").allInnerTexts()).map((text) => text.trim());
const waitForStep = (page, text) => page.locator("call-page .steps").getByText(text, { exact: true }).waitFor();

test("a call that did not run names who ended it", async (t) => {
  const { log, agent, grace, page, open } = await startOutcomes(t);
  for (const id of ["denied", "withdrawn", "stopped", "halted"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await grace.decide("t", "denied", { decision: "deny" });
  await agent.cancel("t", "withdrawn");
  await grace.decide("t", "halted", { decision: "allow_once" });
  await grace.post("/v1/threads/t/stop", { comment: "enough" });
  for (const [id, outcome] of [
    ["denied", "It did not run: grace denied it"],
    ["withdrawn", "It did not run: bot withdrew it"],
    ["stopped", "It did not run: grace denied it"],
    ["halted", "It did not run: grace stopped it"],
  ]) {
    await open("t", id);
    await waitForStep(page, outcome);
    assert.ok((await readSteps(page)).every((step) => !/succeeded|Waits|withdrew it$/.test(step) || step === outcome), id);
    const { outcome: words } = await agent.get(`/v1/threads/t/tool-calls/${id}`);
    assert.equal(words, `${outcome}.`, "the page shows the words of the API");
    assert.equal(await page.locator("tool-approval-card .result summary").innerText(), "Answer to the agent", "it has no output");
  }
  await verifyLog(log);
});

test("the comment of a decision is shown once", async (t) => {
  const { agent, grace, page, open } = await startOutcomes(t, { policy: 'default = "ask"\n[[rule]]\nname = "two"\ntool = "bash"\nverdict = "ask"\nquorum = 2\n' });
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await grace.decide("t", "a", { decision: "deny", comment: "staging comes first" });
  await open("t", "a");
  await page.getByText("Comment of grace").waitFor();
  assert.equal(await page.locator("tool-approval-card .facts").getByText("staging comes first").count(), 1);
});

test("an answer of a mode, a thread policy or a rule names the person behind it", async (t) => {
  const policy = 'default = "ask"\n[[rule]]\nname = "no force"\ntool = "push"\nverdict = "block"\n';
  const { agent, admin, page, open } = await startOutcomes(t, { policy });
  await agent.propose("t", "first", "bash", { command: "echo 1" });
  await admin.send("PUT", "/v1/threads/t/mode", '{"mode":"approve_all"}');
  await agent.propose("t", "mode", "bash", { command: "kubectl delete ns prod" });
  await open("t", "mode");
  await waitForStep(page, "policy:mode, set by zoe decided: allow once (mode)");
  await admin.send("PUT", "/v1/threads/t/policy", '{"tools":{"deploy":"deny"}}');
  await agent.propose("t", "own", "deploy", {});
  await open("t", "own");
  await waitForStep(page, "It did not run: the thread denies this tool, set by zoe");
  await agent.propose("t", "rule", "push", {});
  const call = await agent.get("/v1/threads/t/tool-calls/rule");
  assert.match(call.outcome, /^It did not run: the rule “no force” blocks it, set by .+\.$/);
  assert.match(call.response.setBy.principal, /^user:/);
});

test("the history shows the decision, and the state beside it", async (t) => {
  const { server, agent, grace, page } = await startOutcomes(t);
  for (const id of ["a", "b", "c", "d"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await grace.decide("t", "a", { decision: "allow_once" });
  await agent.run("t", "a", "hello");
  await grace.decide("t", "b", { decision: "deny" });
  await agent.cancel("t", "c");
  await grace.decide("t", "d", { decision: "allow_session", scope: "exact" });
  await page.goto(`${server.pages}/history`);
  await page.getByRole("status").getByText("4 decisions", { exact: true }).waitFor();
  const cells = (name) => page.locator(`history-page .rows .${name}`).allInnerTexts();
  assert.deepEqual(await cells("decision"), ["allow for the session", "withdrawn", "deny", "allow once"]);
  assert.deepEqual(await cells("state"), ["allowed", "cancelled", "denied", "finished"]);
});

test("a decision whose answer was lost is shown as the server has it", async (t) => {
  const { log, server, agent, page } = await startOutcomes(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.goto(server.pages);
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  // The server decides, and its answer never arrives.
  await page.route("**/approvals/a", async (route) => {
    const asked = route.request();
    const { host, "content-length": length, ...headers } = await asked.allHeaders();
    const { status } = await requestPages(server, new URL(asked.url()).pathname, { method: "POST", headers, body: asked.postData() });
    assert.equal(status, 200, `${host} ${length}`);
    await route.abort("connectionreset");
  });
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.locator("tool-approval-card header .badge").getByText("allowed", { exact: true }).waitFor();
  await page.getByRole("alert").waitFor({ state: "detached" });
  assert.equal(await page.getByText("Nothing was decided").count(), 0);
  assert.equal(await page.getByText("answer of the server was lost").count(), 0);
  await verifyLog(log);
});

test("a stop ends exactly what it lists, whatever the filter hides", async (t) => {
  const { log, server, agent, grace, page } = await startOutcomes(t);
  for (const id of ["a", "b", "c"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await agent.propose("t", "d", "deploy", { to: "prod" });
  await agent.propose("u", "e", "bash", { command: "echo e" });
  await grace.decide("t", "c", { decision: "allow_once" });
  await page.goto(server.pages);
  await waitForCount(page, 4);
  await page.locator("#filter").fill("tool:deploy");
  await page.getByText("1 of 4 pending", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Stop the thread…" }).click();
  const panel = page.getByRole("region", { name: "stop the thread" });
  await panel.getByRole("button", { name: "Deny 3 and end 1 allowed" }).waitFor();
  assert.deepEqual(await panel.locator("li .summary").allInnerTexts(), ["echo a", "echo b", "prod", "echo c"]);
  await checkPage(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await panel.getByLabel("comment").fill("the release is off");
  await panel.getByRole("button", { name: "Deny 3 and end 1 allowed" }).click();
  await panel.waitFor({ state: "detached" });
  await page.locator("#filter").fill("");
  await waitForCount(page, 1);
  assert.deepEqual(await readList(page), ["echo e"]);
  const states = await Promise.all(["a", "b", "c", "d"].map(async (id) => (await agent.get(`/v1/threads/t/tool-calls/${id}`)).state));
  assert.deepEqual(states, ["denied", "denied", "cancelled", "denied"]);
  assert.equal((await agent.get("/v1/threads/t/tool-calls/d")).response.comment, "the release is off");
  await verifyLog(log);
});

test("a call that arrives after the list was read is not ended with it", async (t) => {
  const { server, agent, grace, page } = await startOutcomes(t);
  for (const id of ["a", "b"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await page.goto(server.pages);
  await page.getByRole("button", { name: "Stop the thread…" }).click();
  const button = page.getByRole("button", { name: "Deny 2", exact: true });
  await button.waitFor();
  // The page does not learn of the third call before it sends the stop.
  await page.route("**/v1/threads/t/approvals/pending?*", () => {});
  await agent.propose("t", "c", "bash", { command: "echo c" });
  await button.click();
  await waitForCount(page, 1);
  assert.deepEqual(await readList(page), ["echo c"]);
  assert.equal((await grace.get("/v1/threads/t/tool-calls/c")).state, "pending");
});

test("Escape removes the filter with its text", async (t) => {
  const { server, agent, grace, page } = await startOutcomes(t);
  for (const id of ["a", "b"]) await agent.propose("t", id, `tool-${id}`, { command: `echo ${id}` });
  await page.goto(server.pages);
  await waitForCount(page, 2);
  await page.locator("#filter").pressSequentially("tool-a");
  await page.getByText("1 of 2 pending", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("2 pending", { exact: true }).waitFor();
  assert.equal(await page.locator("#filter").inputValue(), "");
  assert.deepEqual(await readList(page), ["echo a", "echo b"]);
  for (const id of ["a", "b"]) await grace.decide("t", id, { decision: "deny" });
  await page.goto(`${server.pages}/history?q=banana`);
  await page.getByRole("status").getByText("0 of 2 decisions", { exact: true }).waitFor();
  await page.locator("#search").press("Escape");
  await page.getByRole("status").getByText("2 decisions", { exact: true }).waitFor();
  assert.equal(await page.locator("#search").inputValue(), "");
  assert.match(page.url(), /\/history$/);
});
