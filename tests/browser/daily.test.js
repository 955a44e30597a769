// The review of yesterday above the inbox: what was needless, the rules that switch it off, and their evidence.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { allowCalls, denyCall, startCallers } from "./support/decisions.js";
import { openInbox } from "./support/inbox.js";
import { newLog, readEvents, startServer, verifyLog } from "./support/server.js";

// Opens the inbox as it is the day after: the page asks for yesterday, and gets today.
async function openNextDay(t, { decide = decideCalls, role = "admin" } = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const callers = await startCallers(server, log);
  await decide(callers);
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, "eve", role);
  await page.route("**/v1/policy/daily?*", (route) => {
    const today = new Date().toISOString().slice(0, 10);
    return route.continue({ url: `${server.pages}/v1/policy/daily?utcOffsetMinutes=0&date=${today}` });
  });
  await page.goto(server.pages);
  return { log, server, callers, page };
}

async function decideCalls(callers) {
  await allowCalls(callers, 3);
  await allowCalls(callers, 1, { args: { command: "git status src" }, prefix: "t" });
  await allowCalls(callers, 3, { tool: "read_mail", args: {}, prefix: "m" });
  await denyCall(callers, "d", "git push --force");
}

test("an admin sees what was needless, looks at the evidence, and switches it off", async (t) => {
  const { log, page, callers } = await openNextDay(t);
  const review = page.getByRole("complementary", { name: "Yesterday" });
  await review.getByText("Yesterday: 8 calls, 8 asked, 7 allowed, 1 denied.").waitFor();
  await review.getByText("7 of them would not have been asked with these 2 rules.").waitFor();
  await review.getByText("nothing that was refused: none of 1 call since").waitFor();
  await review.getByRole("button", { name: "Show the evidence" }).press("Enter");
  await review.getByText("git status -s").first().waitFor();
  await review.getByText("(3 times)").first().waitFor();
  await review.getByText("The rule, and what it does not allow").first().press("Enter");
  await review.getByText("git push --force").first().waitFor();
  await checkPage(page);
  await review.getByRole("button", { name: "Use these 2 rules" }).press("Enter");
  await page.getByText("Calls like these no longer ask.").waitFor();
  assert.equal((await callers.agent.propose("later", "a", "read_mail", {})).state, "allowed");
  assert.equal((await callers.agent.propose("later", "b", "bash", { command: "git push --force" })).state, "pending");
  const sources = (await readEvents(log, "POLICY_SET")).map(({ principal, data }) => `${principal} ${data.source}`);
  assert.equal(sources.filter((source) => source.startsWith("user:eve accepted rule: ")).length, 2);
  await verifyLog(log);
});

test("it is dismissed until the next day", async (t) => {
  const { page } = await openNextDay(t);
  const review = page.getByRole("complementary", { name: "Yesterday" });
  await review.getByRole("button", { name: "Not today" }).press("Enter");
  await review.waitFor({ state: "hidden" });
  await page.reload();
  await page.getByText("Nothing waits for you").waitFor();
  assert.equal(await review.count(), 0);
  // The next day, the date in the browser's storage is another one.
  await page.evaluate(() => localStorage.setItem("countersign.daily-dismissed", "2026-01-30"));
  await page.reload();
  await review.waitFor();
});

test("a rule that matches a denied call is not offered, and the evidence says why", async (t) => {
  const decide = async (callers) => {
    await decideCalls(callers);
    await denyCall(callers, "w", "git status --porcelain");
  };
  const { page } = await openNextDay(t, { decide });
  const review = page.getByRole("complementary", { name: "Yesterday" });
  // The exact command is still offered.
  await review.getByRole("button", { name: "Use these 2 rules" }).waitFor();
  await review.getByRole("button", { name: "Show the evidence" }).click();
  await review.getByText("It would have saved 4 prompts, and also allowed 1 refused call:").waitFor();
  await review.getByText("git status --porcelain").first().waitFor();
});

test("an approver, who cannot change the policy, does not see it", async (t) => {
  const { page } = await openNextDay(t, { role: "approver" });
  await page.getByText("Nothing waits for you").waitFor();
  assert.equal(await page.locator("daily-review").count(), 0);
});
