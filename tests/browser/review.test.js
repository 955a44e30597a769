// Before a person allows: claims are marked, everything is read to its end, and what reaches far takes a second step.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage } from "./support/browser.js";
import { readList, startInbox, stopClock, waitForCount } from "./support/inbox.js";

const startReview = (t, { policy = 'default = "ask"\n' } = {}) => startInbox(t, { policy });

const card = (page) => page.locator("tool-approval-card");

test("claims of the agent are marked, smaller than the arguments, and hide no description", async (t) => {
  const { agent, page } = await startReview(t);
  const impact = { message: "Only reads.", riskLevel: "low", reversible: true, affectedResources: ["db-1"] };
  const definition = { description: "Deletes a table.", inputSchema: { type: "object" } };
  await agent.post("/v1/threads/t/tool-calls", { id: "a", name: "drop", arguments: { table: "users" }, impact, definition, description: "Look at it" });
  const claims = page.getByRole("region", { name: "what the agent says" });
  await claims.getByText("The agent says (not checked)").waitFor();
  for (const text of ["Only reads.", "Look at it", "low", "yes", "db-1", "Deletes a table."]) await claims.getByText(text, { exact: true }).waitFor();
  await card(page).getByText("agent says: low risk", { exact: true }).waitFor();
  const size = (selector) => card(page).locator(selector).first().evaluate((node) => ({ font: parseFloat(getComputedStyle(node).fontSize), top: node.getBoundingClientRect().top }));
  const [claimed, argument] = [await size(".claims dd"), await size(".arguments dd > code")];
  assert.ok(claimed.font < argument.font, `${claimed.font} < ${argument.font}`);
  assert.ok(claimed.top > argument.top, "the claim stands below the arguments");
});

test("a call without a claim sorts above a low risk", async (t) => {
  const { agent, page } = await startReview(t);
  for (const risk of ["low", "", "critical", "medium"]) {
    await agent.propose("t", risk || "none", "bash", { command: `echo ${risk || "none"}` }, risk ? { riskLevel: risk } : undefined);
  }
  await waitForCount(page, 4);
  await page.getByRole("combobox", { name: "Sort", exact: true }).selectOption("risk");
  assert.deepEqual(await readList(page), ["echo critical", "echo medium", "echo none", "echo low"]);
  await page.locator("#filter").fill("risk:unknown");
  assert.deepEqual(await readList(page), ["echo none"]);
});

test("a review shows each warning of the cards, and one comment goes to all", async (t) => {
  const { agent, page } = await startReview(t);
  await agent.propose("t", "a", "bash", { command: "echo p\u0430ypal" });
  await agent.propose("t", "b", "bash", { command: `ls${" ".repeat(80)}; rm -rf /srv` });
  await agent.propose("t", "c", "bash", { command: "echo \u202e" }, { message: "harmless", riskLevel: "low" });
  await waitForCount(page, 3);
  for (const id of ["a", "b", "c"]) await page.getByLabel(`check ${id}`).check();
  const review = page.locator("bulk-review");
  for (const text of [/mix letters of several alphabets/, /push a part out of sight/, /characters that are invisible/, "The agent says (not checked)"]) {
    await review.getByText(text).waitFor();
  }
  await review.locator("mark.foreign", { hasText: "\u0430" }).first().waitFor();
  await review.getByLabel("comment on all").fill("not these");
  await review.getByRole("button", { name: "Deny these 3" }).click();
  await waitForCount(page, 0);
  for (const id of ["a", "b", "c"]) assert.equal((await agent.get(`/v1/threads/t/tool-calls/${id}`)).response.comment, "not these");
});

test("calls of a review must be read to their end before they can be allowed", async (t) => {
  const { agent, page } = await startReview(t);
  const script = Array.from({ length: 25 }, (_, n) => `line ${n}`).join("\n");
  for (const id of ["a", "b", "c"]) await agent.propose("t", id, "bash", { command: `${script}\necho ${id}` }, { riskLevel: "critical" });
  await waitForCount(page, 3);
  for (const id of ["a", "b", "c"]) await page.getByLabel(`check ${id}`).check();
  const review = page.locator("bulk-review");
  const allow = review.getByRole("button", { name: "Allow these 3 once" });
  await review.getByText(/must be read to their end/).waitFor();
  assert.ok(await allow.isDisabled());
  // Each call counts only once its own end was on the screen.
  for (const [n, left] of [[0, "2 must"], [1, "1 must"]]) {
    await review.locator("article .facts").nth(n).scrollIntoViewIfNeeded();
    await review.getByText(left).waitFor();
  }
  await review.locator("article .facts").nth(2).scrollIntoViewIfNeeded();
  await review.getByText(/must be read to their end/).waitFor({ state: "detached" });
  await stopClock(page);
  await allow.click();
  const sure = review.getByRole("button", { name: "Yes, allow these 3, 3 critical" });
  await sure.click();
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "pending", "a double click decides nothing");
  await page.clock.fastForward(1_000);
  await sure.click();
  await waitForCount(page, 0);
});

test("the whole tool and a critical call take a second click", async (t) => {
  const { agent, page } = await startReview(t);
  await agent.propose("t", "a", "bash", { command: "echo a" }, { riskLevel: "critical" });
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await stopClock(page);
  await page.getByRole("button", { name: "Allow once" }).click();
  const sure = page.getByRole("button", { name: "Yes, allow this critical call" });
  await sure.click();
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "pending", "a double click decides nothing");
  await page.clock.fastForward(1_000);
  await sure.click();
  await waitForCount(page, 0);
  await agent.propose("t", "b", "bash", { command: "echo b" });
  await waitForCount(page, 1);
  await page.locator("countersign-inbox .rows button.row").click();
  await page.getByRole("button", { name: "Allow more…" }).click();
  await page.getByLabel(/whole tool/).check();
  await page.getByRole("button", { name: "Allow these calls" }).click();
  await page.getByText("This allows every later call of bash.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await page.getByRole("button", { name: "Allow more…" }).click();
  await page.getByLabel(/whole tool/).check();
  await page.getByRole("button", { name: "Allow these calls" }).click();
  await page.clock.fastForward(1_000);
  await page.getByRole("button", { name: "Yes, allow every later call of bash" }).click();
  await waitForCount(page, 0);
  assert.equal((await agent.get("/v1/threads/t/grants")).grants.length, 1);
});

test("a script that is longer than the window cannot be allowed before its end was shown", async (t) => {
  const { agent, page } = await startReview(t);
  await page.setViewportSize({ width: 1280, height: 420 });
  const command = Array.from({ length: 25 }, (_, n) => `echo line ${n}`).join("\n");
  await agent.propose("t", "a", "bash", { command });
  const allow = page.getByRole("button", { name: "Allow once" });
  await page.getByText("once the end of the arguments was on the screen").waitFor();
  assert.ok(await allow.isDisabled());
  await page.keyboard.press("a");
  assert.equal(await page.getByText("Press the same key again").count(), 0);
  await card(page).locator(".facts").scrollIntoViewIfNeeded();
  await page.getByText("once the end of the arguments was on the screen").waitFor({ state: "detached" });
  assert.ok(await allow.isEnabled());
});

for (const [level, offered] of [["owner", ["basic", "admin", "owner"]], ["admin", ["basic", "admin"]], ["basic", []]]) {
  test(`a person of level ${level} is offered ${offered.length} levels`, async (t) => {
    const policy = `default = "ask"\nlevels = ["basic", "admin", "owner"]\n[approvers]\n"user:ada" = { level = "${level}" }\n`;
    const { agent, page } = await startReview(t, { policy });
    await agent.propose("t", "a", "bash", { command: "echo a" });
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    assert.deepEqual(await page.getByLabel("Decide at level").locator("option").allTextContents(), offered);
    await checkPage(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Allow once" }).click();
    await waitForCount(page, 0);
    assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "allowed");
  });
}
