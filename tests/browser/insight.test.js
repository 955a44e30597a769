// The insight page: charts with tables, tools, and prompts that rules would save.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adviseRule, applyPolicy, describeAdvisor, setAdvisorMode, startAdvisor, waitForEvent } from "./support/advisor.js";
import { checkPage, startBrowser } from "./support/browser.js";
import { allowCalls, denyCall, startCallers } from "./support/decisions.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, startServer } from "./support/server.js";

const hostile = "<img src=x onerror=globalThis.isHit=1>";

async function openInsight(t, options = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const callers = await startCallers(server, log);
  await allowCalls(callers, 24);
  await allowCalls(callers, 1, { tool: hostile, prefix: "h" });
  await denyCall(callers, "d", "rm -rf /srv");
  await callers.agent.propose("w", "a", "bash", { command: "make" });
  await callers.agent.cancel("w", "a");
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, "ada", options.role ?? "approver", options);
  await page.goto(`${server.pages}/insight`);
  await page.getByRole("heading", { name: "Insight" }).waitFor();
  return { server, callers, page, browser };
}

const readTile = (page, name) => page.locator(".tile", { hasText: name }).first().locator("dd").innerText();

test("the counts of the page are those of the API, and it says that people are asked too often", async (t) => {
  const { page } = await openInsight(t);
  await page.getByText("People allow 96 of 100 prompts.").waitFor();
  assert.match(await readTile(page, "Prompts"), /^27\b/);
  assert.match(await readTile(page, "Allowed"), /^96 %/);
  assert.match(await readTile(page, "Not decided"), /^1\n\s*0 expired, 1 withdrawn, 0 pending now/);
  const rows = await page.locator("table").filter({ hasText: "Tool" }).last().locator("tbody tr").allInnerTexts();
  assert.match(rows[0], /^bash\s+26\s+24\s+1\s+1\b/);
  assert.equal(await page.evaluate(() => globalThis.isHit), undefined, "the name of a tool is text");
  assert.equal(await page.locator('img[src="x"]').count(), 0);
});

test("the figures of the page agree with each other and with the API", async (t) => {
  const { page, callers } = await openInsight(t);
  for (const id of ["x", "y"]) await callers.agent.propose("open", id, "bash", { command: `make ${id}` });
  await page.reload();
  const { total } = await callers.person.get("/v1/stats");
  assert.deepEqual([total.asked, total.askedAllowed, total.askedDenied, total.notDecided, total.waiting], [29, 25, 1, 3, 2]);
  assert.match(await readTile(page, "Not decided"), /^3\n\s*0 expired, 1 withdrawn, 2 pending now/);
  const figure = page.locator("day-chart").filter({ hasText: "Prompts per day" });
  await figure.getByText("Show as a table").press("Enter");
  const [row] = await figure.locator("tbody tr").allInnerTexts();
  assert.match(row, /\s25\s+1\s+3$/);
  const rows = await page.locator("table").filter({ hasText: "Tool" }).last().locator("tbody tr").allInnerTexts();
  const sums = rows.map((text) => text.match(/\d+\s+\d+\s+\d+\s+\d+/)[0].split(/\s+/).map(Number)).reduce((a, b) => a.map((value, at) => value + b[at]));
  assert.deepEqual(sums, [total.asked, total.askedAllowed, total.askedDenied, total.notDecided]);
});

test("each chart has a table with the same numbers", async (t) => {
  const { page } = await openInsight(t);
  const figure = page.locator("day-chart").filter({ hasText: "Prompts per day" });
  await figure.getByRole("img", { name: /Prompts per day, \d{4}-\d\d-\d\d to/ }).waitFor();
  await figure.getByText("Show as a table").press("Enter");
  const [row] = await figure.locator("tbody tr").allInnerTexts();
  assert.match(row, /^\d{4}-\d\d-\d\d\s+25\s+1\s+1$/);
  assert.equal(await page.locator("day-chart").count(), 3);
});

test("the time span is in the address, and the savings lead to the policy", async (t) => {
  const { page } = await openInsight(t);
  await page.getByRole("button", { name: "7 days" }).press("Enter");
  await page.waitForURL(/days=7$/);
  await page.reload();
  await page.getByRole("button", { name: "7 days", pressed: true }).waitFor();
  await page.getByText("24 of 27 prompts would have been saved by one rule.").waitFor();
  await page.getByRole("link", { name: "Review them in the policy" }).click();
  await page.getByRole("heading", { name: "Suggested rules" }).waitFor();
});

test("a log without calls says so", async (t) => {
  const log = await newLog(t);
  const server = await startServer(log);
  const page = await openInbox(await startBrowser(t), server, "ada", "approver");
  await page.goto(`${server.pages}/insight`);
  await page.getByText("No calls in the last 30 days").waitFor();
});

// An advisor that allows everything, whose answers people see, and one in shadow mode.
async function openAdvisors(t, { mode = "advise", ...options } = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const callers = await startCallers(server, log);
  const admin = new Agent(server, (await createToken(log, "root", "admin")).secret);
  const url = await startAdvisor(t, () => ({ advice: "allow", reason: hostile }));
  const more = mode === "decide" ? 'outcomes = ["deny", "allow"]' : "";
  const rule = mode === "decide" ? adviseRule("reviewer", "bash") : "";
  await applyPolicy(log, `default = "ask"\n${describeAdvisor("reviewer", url, mode, more)}${describeAdvisor("silent", url, "shadow")}${rule}`);
  const page = await openInbox(await startBrowser(t), server, "ada", options.role ?? "approver", options);
  // Proposes a call, and waits for the advice that people see.
  const advise = async (id) => {
    await callers.agent.propose("t", id, "bash", { command: `make ${id}` });
    await waitForEvent(admin, "TOOL_APPROVAL_ADVICE", ({ data }) => data.advisor === "reviewer" && data.toolCallId === id);
  };
  const open = async () => {
    await page.goto(`${server.pages}/insight`);
    await page.getByRole("heading", { name: "Insight" }).waitFor();
  };
  const reviewer = page.locator("advisor-section li").filter({ has: page.getByRole("heading", { name: "reviewer" }) });
  return { log, server, page, admin, advise, open, reviewer, ...callers };
}

test("advisors show their modes, their last report and how often people contradict them", async (t) => {
  const { page, admin, person, advise, open, reviewer } = await openAdvisors(t);
  await advise("a");
  await advise("b");
  await person.decide("t", "a", { decision: "allow_once" });
  await person.decide("t", "b", { decision: "deny" });
  const { configuration } = (await admin.get("/v1/advisors")).advisors[0];
  const counts = { source: "replay", cases: 240, agreed: 221, falseAllows: 0, falseDenials: 4, asked: 15, failed: 2, upTo: 1 };
  await admin.post("/v1/advisors/reviewer/reports", { configuration, counts });
  await open();
  await page.getByRole("heading", { name: "Advisors" }).waitFor();
  await reviewer.getByText("advises", { exact: true }).waitFor();
  await reviewer.getByText("Of the last 2 answers people overruled 1 and complained of 0 (5 %, taken of 20, limit 5 %).").waitFor();
  await reviewer.getByText(/^Last report \(replay, .+, by root\): of 240 calls, 221 decided alike, 0 false allows, 4 false denials, 15 left to people, of which 2 failed\.$/).waitFor();
  assert.equal(await reviewer.locator(".alarm").count(), 0, "5 % is not beyond the limit");
  await person.post("/v1/threads/t/tool-calls/a/flag", {});
  await page.reload();
  await reviewer.getByText("Of the last 2 answers people overruled 1 and complained of 1 (10 %, taken of 20, limit 5 %).").waitFor();
  await reviewer.getByText("People contradict it more often than the policy permits.").waitFor();
  const silent = page.locator("advisor-section li").filter({ hasText: "silent" });
  assert.match(await silent.innerText(), /shadow: people do not see its advice/);
  assert.doesNotMatch(await silent.innerText(), /overruled/);
});

test("an advisor that fell back says so, with the reason as text", async (t) => {
  const { admin, person, advise, open, reviewer, page } = await openAdvisors(t, { mode: "decide" });
  await open();
  await reviewer.getByText("only advises").waitFor();
  await reviewer.getByText("It may not decide: no report about these settings exists").waitFor();
  await setAdvisorMode(admin, "reviewer", { mode: "decide", statement: "a test" });
  await page.reload();
  await reviewer.getByText("decides", { exact: true }).waitFor();
  await reviewer.getByText(/^Reason: user:root let it decide in event \d+: a test$/).waitFor();
  for (const id of ["a", "b"]) {
    await advise(id);
    await person.post(`/v1/threads/t/tool-calls/${id}/flag`, {});
  }
  // 2 complaints are 10 % of 20 answers, and the limit is 5 %.
  await waitForEvent(admin, "ADVISOR_MODE_SET", ({ data }) => data.mode === "advise");
  await page.reload();
  await reviewer.getByText("The policy says decide.").waitFor();
  await page.getByText("0 more calls without asking, 2 answered by advisors").waitFor();
  await reviewer.getByText(/^It may not decide: system:drift let it only advise since event \d+: /).waitFor();
  await setAdvisorMode(admin, "reviewer", { mode: "decide", statement: "again" });
  await setAdvisorMode(admin, "reviewer", { mode: "advise", reason: `${hostile}\u202e` });
  await page.reload();
  await reviewer.getByText(`: ${hostile}\\u{202e}`).waitFor();
  assert.equal(await page.evaluate(() => globalThis.isHit), undefined);
});

test("without advisors, or without the right to read them, the page has no section", async (t) => {
  const { page } = await openInsight(t);
  await page.getByText("Review them in the policy").waitFor();
  assert.equal(await page.getByRole("heading", { name: "Advisors" }).count(), 0);
  // Every person may read the policy today.
  const refusal = JSON.stringify({ status: 403, code: "forbidden", title: "Forbidden", detail: "no" });
  await page.route("**/v1/advisors", (route) => route.fulfill({ status: 403, contentType: "application/problem+json", body: refusal }));
  const [response] = await Promise.all([page.waitForResponse("**/v1/advisors"), page.reload()]);
  assert.equal(response.status(), 403);
  await page.getByText("Review them in the policy").waitFor();
  assert.equal(await page.locator("advisor-section").isVisible(), false);
  assert.equal(await page.getByRole("alert").count(), 0);
});

for (const colorScheme of ["light", "dark"]) {
  test(`advisors pass axe and fit on a phone, ${colorScheme}`, async (t) => {
    const { page, person, advise, open, reviewer } = await openAdvisors(t, { colorScheme, mode: "decide" });
    for (const id of ["a", "b"]) {
      await advise(id);
      await person.decide("t", id, { decision: "deny" });
    }
    await open();
    await reviewer.locator(".alarm").waitFor();
    await checkPage(page);
  });

  test(`the page passes axe and fits on a phone, ${colorScheme}`, async (t) => {
    const { page } = await openInsight(t, { colorScheme });
    await page.getByText("Review them in the policy").waitFor();
    for (const summary of await page.getByText("Show as a table").all()) await summary.click();
    await checkPage(page);
  });
}
