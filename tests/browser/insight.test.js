// The page of the counts: charts with tables, tools, and prompts that rules would save.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { allowCalls, denyCall, startCallers } from "./support/decisions.js";
import { openInbox } from "./support/inbox.js";
import { newLog, startServer } from "./support/server.js";

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
  await page.goto(`${server.url}/insight`);
  await page.getByRole("heading", { name: "Insight" }).waitFor();
  return { server, callers, page, browser };
}

const readTile = (page, name) => page.locator(".tile", { hasText: name }).first().locator("dd").innerText();

test("the counts of the page are those of the API, and it says that people are asked too often", async (t) => {
  const { page } = await openInsight(t);
  await page.getByText("People allow 96 of 100 prompts.").waitFor();
  assert.match(await readTile(page, "Prompts"), /^27\b/);
  assert.match(await readTile(page, "Allowed"), /^96 %/);
  assert.match(await readTile(page, "Not decided"), /^1\n\s*0 expired, 1 withdrawn; 0 pending now/);
  const rows = await page.locator("table").filter({ hasText: "Tool" }).last().locator("tbody tr").allInnerTexts();
  assert.match(rows[0], /^bash\s+26\s+24\s+1\s+1\b/);
  assert.equal(await page.evaluate(() => globalThis.isHit), undefined, "the name of a tool is text");
  assert.equal(await page.locator('img[src="x"]').count(), 0);
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
  await page.goto(`${server.url}/insight`);
  await page.getByText("No calls in the last 30 days").waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  test(`the page passes axe and fits on a phone, ${colorScheme}`, async (t) => {
    const { page } = await openInsight(t, { colorScheme });
    await page.getByText("Review them in the policy").waitFor();
    for (const summary of await page.getByText("Show as a table").all()) await summary.click();
    await checkPage(page);
  });
}
