// The pages of one version and the answers of another, as while servers are replaced one by one: the unknown is shown as it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox, waitForCount } from "./support/inbox.js";
import { startOtherVersion } from "./support/other_version.js";
import { createToken, newLog, startServer } from "./support/server.js";

const PATHS = ["/", "/threads/", "/history", "/insight", "/policy", "/settings", "/threads/t", "/calls/t/call_1"];
const LATER = "Only a later version of Countersign knows this word.";

// An agent of the server, and a person's page of the other version. The person signs in there, because a page keeps its key by its origin.
async function startOther(t, ...words) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const base = await startOtherVersion(t, server, ...words);
  const page = await openInbox(await startBrowser(t), { ...server, pages: base }, "ada", "approver");
  const errors = [];
  page.on("pageerror", (error) => errors.push(`${page.url()}: ${error}`));
  return { agent, page, base, errors };
}

async function visitAll({ page, base }) {
  for (const path of PATHS) {
    await page.goto(base + path);
    await page.locator("h1, h2, .empty, tool-approval-card").first().waitFor();
  }
}

for (const version of ["newer", "older"]) {
  test(`calls are decided on the page with the answers of the ${version} version`, async (t) => {
    const world = await startOther(t, version);
    const { agent, page, base, errors } = world;
    await agent.propose("t", "call_1", "bash", { command: "echo a" }, { riskLevel: "high" });
    await page.goto(base);
    await waitForCount(page, 1);
    // The next call arrives by the stream.
    await agent.propose("t", "call_2", "bash", { command: "echo b" });
    await waitForCount(page, 2);
    await page.getByRole("button", { name: /^Allow once/ }).first().click();
    await waitForCount(page, 1);
    const { calls } = await agent.get("/v1/tool-calls?state=allowed");
    assert.equal(calls.length, 1);
    await visitAll(world);
    assert.deepEqual(errors, []);
  });
}

test("future states, decisions and risks are shown as they are, and future events refresh the page", async (t) => {
  const words = ["state", "decision", "riskLevel", "type", "status", "source", "mode", "verdict", "basis"];
  const world = await startOther(t, "newer", "--words", words.join(","), "--keep", "pending");
  const { agent, page, base, errors } = world;
  await agent.propose("t", "call_1", "bash", { command: "echo a" }, { riskLevel: "high" });
  await page.goto(`${base}/calls/t/call_1`);
  await page.getByText("future_word", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: /^Deny/ }).first().click();
  // The answer, and each event about the call, have words that the page does not know.
  await page.locator("tool-approval-card header .badge.unknown").getByText("future_word", { exact: true }).waitFor();
  await page.getByText(LATER).first().waitFor();
  assert.equal(await page.locator(".badge.allowed, .allowed").count(), 0, "nothing looks allowed");
  await page.goto(`${base}/history`);
  await page.locator("history-page .rows").getByText("future_word").first().waitFor();
  await checkPage(page);
  await visitAll(world);
  assert.deepEqual(errors, []);
});

test("an allowed call with a future decision does not look allowed", async (t) => {
  const { agent, page, base, errors } = await startOther(t, "newer", "--words", "decision");
  await agent.propose("t", "call_1", "bash", { command: "echo a" });
  await page.goto(`${base}/calls/t/call_1`);
  await page.getByRole("button", { name: /^Allow once/ }).first().click();
  await page.locator("tool-approval-card header .badge.unknown").getByText("future_word", { exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

test("no page fails if every word is a future one", async (t) => {
  const world = await startOther(t, "newer", "--words", "all");
  await world.agent.propose("t", "call_1", "bash", { command: "echo a" }, { riskLevel: "high" });
  await visitAll(world);
  assert.deepEqual(world.errors, []);
});
