// Advisors in the pages: advice that arrives on an open card, decisions of advisors, and complaints about allowed calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adviseRule, applyPolicy, describeAdvisor, setAdvisorMode, startAdvisor, waitForEvent } from "./support/advisor.js";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, startServer, verifyLog } from "./support/server.js";

const MARKUP = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>";

async function start(t, { role = "approver", ...options } = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const caller = async (name, of) => new Agent(server, (await createToken(log, name, of)).secret);
  const [agent, admin, grace] = [await caller("bot", "agent"), await caller("root", "admin"), await caller("grace", "approver")];
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, "ada", role, options);
  const open = (thread, id) => page.goto(`${server.pages}/calls/${thread}/${id}`);
  return { log, server, browser, page, agent, admin, grace, open };
}

// A promise, and the function that fulfils it.
function makeGate() {
  let resolve;
  const promise = new Promise((fulfil) => { resolve = fulfil; });
  return { promise, resolve };
}

const flag = (person, id, comment) => person.post(`/v1/threads/t/tool-calls/${id}/flag`, comment ? { comment } : {});

async function startAllowedCall(t, options) {
  const world = await start(t, options);
  await applyPolicy(world.log, 'default = "ask"\n');
  await world.agent.propose("t", "a", "bash", { command: "make clean" });
  await world.grace.decide("t", "a", { decision: "allow_once" });
  await world.open("t", "a");
  await world.page.getByText("grace decided: allow once").waitFor();
  return world;
}

test("advice arrives on an open card, with its reason as text", async (t) => {
  const gate = makeGate();
  const url = await startAdvisor(t, async () => {
    await gate.promise;
    return { advice: "deny", reason: `${MARKUP} it\u202e pushes`, confidence: 0.9, labels: ["git\u200b"] };
  });
  const { log, agent, page } = await start(t);
  await applyPolicy(log, `default = "ask"\n${describeAdvisor("reviewer", url, "advise")}`);
  await agent.propose("t", "a", "bash", { command: "git push" });
  const card = page.locator("tool-approval-card");
  await card.getByText("git push").waitFor();
  assert.equal(await card.getByText("Advice of").count(), 0);
  await page.evaluate(() => { globalThis.isSamePage = true; });
  gate.resolve();
  const fact = card.locator(".facts > div").filter({ hasText: "Advice of reviewer" });
  await fact.waitFor();
  const text = await fact.innerText();
  assert.ok(text.includes("deny (confidence 0.9, git\\u{200b})") && text.includes(`${MARKUP} it\\u{202e} pushes`), text);
  assert.deepEqual(await fact.locator("mark.hidden").allTextContents(), ["\\u{200b}", "\\u{202e}"]);
  assert.deepEqual(await page.evaluate(() => [globalThis.hacked, globalThis.isSamePage]), [undefined, true]);
  assert.equal(await card.getByRole("button", { name: "Allow once" }).isEnabled(), true, "a person still decides");
});

test("the advice of a shadow advisor never shows", async (t) => {
  const gate = makeGate();
  const shadow = await startAdvisor(t, () => ({ advice: "deny", reason: "a secret opinion" }));
  const visible = await startAdvisor(t, async () => {
    await gate.promise;
    return { advice: "allow", reason: "routine" };
  });
  const { log, agent, admin, grace, page, open } = await start(t);
  await applyPolicy(log, `default = "ask"\n${describeAdvisor("silent", shadow, "shadow")}${describeAdvisor("reviewer", visible, "advise")}`);
  await agent.propose("t", "a", "bash", { command: "make" });
  await page.locator("tool-approval-card").getByText("make").waitFor();
  await waitForEvent(admin, "TOOL_APPROVAL_ADVICE", ({ data }) => data.advisor === "silent");
  gate.resolve();
  // The card read the call again after the later event, so it would show both.
  await page.getByText("Advice of reviewer").waitFor();
  const isShown = () => page.getByText(/secret opinion|silent/).count();
  assert.equal(await isShown(), 0);
  await grace.decide("t", "a", { decision: "allow_once" });
  await open("t", "a");
  await page.getByText("reviewer advised: allow").waitFor();
  assert.equal(await isShown(), 0, "not even after the decision");
});

test("a call that an advisor decided names it", async (t) => {
  const url = await startAdvisor(t, ({ id }) => ({ advice: id === "bad" ? "deny" : "allow", reason: "as the test says" }));
  const { log, server, agent, admin, page, open } = await start(t);
  await applyPolicy(log, `default = "ask"\n${describeAdvisor("reviewer", url, "decide", 'outcomes = ["deny", "allow"]')}${adviseRule("reviewer", "bash")}`);
  await setAdvisorMode(admin, "reviewer", { mode: "decide", statement: "a test" });
  await open("t", "good");
  await agent.propose("t", "good", "bash", { command: "make" });
  await page.getByText("advisor:reviewer decided: allow once (advisor)").waitFor();
  await page.locator(".facts > div").filter({ hasText: "Reason" }).getByText("as the test says", { exact: true }).waitFor();
  await agent.propose("t", "bad", "bash", { command: "make bad" });
  await open("t", "bad");
  await page.locator("tool-approval-card .state").getByText(/advisor:reviewer, .*: deny\.$/).waitFor();
  await page.goto(`${server.pages}/history?who=rules`);
  await page.getByRole("status").getByText("2 decisions", { exact: true }).waitFor();
  assert.deepEqual(await page.locator("history-page .by").allTextContents(), ["advisor:reviewer", "advisor:reviewer"]);
});

test("a person flags an allowed call once, by keyboard, and everybody sees it", async (t) => {
  const { log, server, agent, grace, page, open } = await startAllowedCall(t);
  const button = page.getByRole("button", { name: "Flag this call" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("What is wrong (optional)").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await button.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("it deleted ");
  await page.keyboard.insertText(`${MARKUP}\u202edata`);
  await page.keyboard.press("Enter");
  const complaints = page.getByRole("region", { name: "complaints about this call" });
  await complaints.getByRole("heading").and(page.locator(":focus")).waitFor();
  const check = async () => {
    const text = await complaints.getByRole("listitem").innerText();
    assert.ok(/^ada (just now|\d+ s ago)/.test(text) && text.includes(`it deleted ${MARKUP}\\u{202e}data`), text);
    assert.equal(await button.count(), 0, "each person flags a call once");
  };
  await check();
  await flag(grace, "a");
  await page.getByText("grace flagged it").waitFor();
  await page.reload();
  await complaints.getByRole("listitem").filter({ hasText: "grace" }).waitFor();
  assert.equal(await complaints.getByRole("listitem").count(), 2);
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  await agent.propose("t", "b", "bash", { command: "make b" });
  await page.goto(`${server.pages}/threads/t`);
  const rows = page.locator("button.call");
  await rows.filter({ hasText: "make b" }).waitFor();
  assert.equal(await rows.filter({ hasText: "flagged" }).count(), 1);
  await rows.filter({ hasText: "flagged" }).click();
  await complaints.getByText("ada").waitFor();
  await page.goto(`${server.pages}/history?q=state:flagged`);
  await page.locator("history-page .call").getByText("flagged").waitFor();
  await open("t", "b");
  await page.getByText("Waits for a decision").waitFor();
  assert.equal(await button.count(), 0, "a pending call was not allowed yet");
  await verifyLog(log);
});

test("a complaint that is refused says why, and can be sent again", async (t) => {
  const { page } = await startAllowedCall(t);
  await page.route("**/flag", (route) => route.fulfill({
    status: 409, contentType: "application/problem+json",
    body: JSON.stringify({ type: "about:blank", status: 409, code: "call_archived", title: "Conflict", detail: "the call content is in the archive <b>1</b>\u202e" }),
  }), { times: 1 });
  await page.getByRole("button", { name: "Flag this call" }).click();
  await page.getByLabel("What is wrong (optional)").fill("too much");
  await page.getByRole("button", { name: "Flag", exact: true }).click();
  await page.getByRole("alert").getByText("the call content is in the archive <b>1</b>\\u{202e}").waitFor();
  await page.getByRole("button", { name: "Flag", exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: "too much" }).waitFor();
});

test("a reader sees complaints and cannot complain", async (t) => {
  const { grace, page } = await startAllowedCall(t, { role: "auditor" });
  await flag(grace, "a", "wrong host");
  await page.getByText("wrong host").waitFor();
  assert.equal(await page.getByRole("button", { name: /flag/i }).count(), 0);
});

test("a denied call cannot be flagged", async (t) => {
  const { agent, grace, page, open } = await startAllowedCall(t);
  await agent.propose("t", "b", "bash", { command: "make b" });
  await grace.decide("t", "b", { decision: "deny" });
  await open("t", "b");
  await page.getByText("grace decided: deny").waitFor();
  assert.equal(await page.getByRole("button", { name: "Flag this call" }).count(), 0);
});

for (const colorScheme of ["light", "dark"]) {
  test(`complaints pass axe and fit 320 pixels (${colorScheme})`, async (t) => {
    const { server, grace, page } = await startAllowedCall(t, { colorScheme });
    await flag(grace, "a", `${MARKUP}${"x".repeat(900)}`);
    await page.getByText("grace flagged it").waitFor();
    await page.getByRole("button", { name: "Flag this call" }).click();
    await checkPage(page);
    await page.goto(`${server.pages}/threads/t`);
    await page.locator("button.call").getByText("flagged").waitFor();
    await checkPage(page);
  });
}
