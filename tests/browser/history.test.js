// The history: every decision, searched, exported and opened.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, runCommand, startServer } from "./support/server.js";

const policy = 'default = "ask"\n[[rule]]\nname = "reads"\ntool = "file-read"\nverdict = "allow"\n';

async function startHistory(t, options = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const grace = new Agent(server, (await createToken(log, "grace", "approver")).secret);
  await runCommand(log, "policy", "apply", "--yes", await agent.writePolicy(log, policy));
  const page = await openInbox(await startBrowser(t), server, "ada", "approver", options);
  return { log, server, agent, grace, page };
}

// Two decisions of grace, one of a rule, and one call that waits.
async function decideSome({ agent, grace }) {
  await agent.propose("t", "a", "bash", { command: "echo apple" });
  await grace.decide("t", "a", { decision: "allow_once" });
  await agent.propose("t", "b", "bash", { command: "echo banana" });
  await grace.decide("t", "b", { decision: "deny", comment: "no bananas" });
  await agent.propose("u", "c", "file-read", { path: "cherry" });
  await agent.propose("u", "d", "bash", { command: "echo date" });
}

const summaries = (page) => page.locator("history-page .rows .summary").allTextContents();
const waitForRows = (page, count) => page.getByRole("status").getByText(new RegExp(`^${count}( of \\d+)? decisions?$`)).waitFor();

test("the history has every decision, the newest first, and new ones at once", async (t) => {
  const world = await startHistory(t);
  await decideSome(world);
  const { page, grace } = world;
  await page.getByRole("link", { name: "History" }).click();
  await waitForRows(page, 3);
  assert.deepEqual(await summaries(page), ["cherry", "echo banana", "echo apple"]);
  await grace.decide("u", "d", { decision: "allow_once" });
  await waitForRows(page, 4);
  assert.equal((await summaries(page))[0], "echo date");
  await page.getByRole("link", { name: /banana/ }).click();
  await page.getByText("no bananas", { exact: true }).waitFor();
  assert.match(page.url(), /\/calls\/t\/b$/);
  await page.goBack();
  await waitForRows(page, 4);
});

test("a search by person, tool, decision, time and text is part of the address", async (t) => {
  const world = await startHistory(t);
  await decideSome(world);
  const { server, page } = world;
  for (const [search, found] of [
    ["q=by%3Agrace", ["echo banana", "echo apple"]],
    ["q=tool%3Afile", ["cherry"]],
    ["q=decision%3Adeny", ["echo banana"]],
    ["q=thread%3At+apple", ["echo apple"]],
    ["q=BANANAS", ["echo banana"]],
    ["who=rules", ["cherry"]],
    ["from=2000-01-01&to=2000-01-02", []],
    ["from=2000-01-01&q=cherry", ["cherry"]],
  ]) {
    await page.goto(`${server.pages}/history?${search}`);
    await waitForRows(page, found.length);
    assert.deepEqual(await summaries(page), found, search);
  }
  await page.goto(`${server.pages}/history`);
  await waitForRows(page, 3);
  await page.keyboard.press("/");
  await page.keyboard.type("apple");
  await waitForRows(page, 1);
  assert.match(page.url(), /\?q=apple$/);
});

test("an export has what the search found, and no cell that a spreadsheet computes", async (t) => {
  const world = await startHistory(t);
  const { agent, grace, page } = world;
  await agent.proposeText("t", "a", "bash", '{"command":"echo, \\"hi\\"","amount":12345678901234567890.10}');
  await grace.decide("t", "a", { decision: "deny", comment: "=HYPERLINK(1)" });
  await agent.propose("t", "b", "file-read", { path: "x" });
  await page.goto(`${world.server.pages}/history?who=people`);
  await waitForRows(page, 1);
  const download = async (name) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return readFile(await file.path(), "utf8");
  };
  const [call] = JSON.parse(await download("Export JSON"));
  assert.deepEqual([call.id, call.response.comment], ["a", "=HYPERLINK(1)"]);
  const lines = (await download("Export CSV")).split("\r\n");
  assert.equal(lines[0], "decidedAt,decision,by,source,thread,call,tool,agent,proposedAt,state,rule,comment,arguments");
  assert.equal(lines.length, 3);
  assert.match(lines[1], /,deny,user:grace,approver,t,a,bash,agent:bot,.*,denied,,'=HYPERLINK\(1\),/);
  assert.ok(lines[1].includes('""amount"":12345678901234567890.10'), lines[1]);
});

test("fifty thousand decisions stay smooth", async (t) => {
  const { server, page } = await startHistory(t);
  const total = 50_000;
  const makeCall = (n) => ({
    threadId: "t", id: `c${n}`, name: "bash", state: "denied", arguments: { command: `echo ${n}` }, argumentsHash: "00",
    proposal: { seq: n + 1, principal: "agent:bot", at: "2026-01-01T00:00:00.000Z" },
    response: { decision: "deny", source: "approver", principal: n % 2 ? "user:ada" : "user:grace", at: "2026-01-01T00:00:00.000Z" },
  });
  // The server's answers, without the minutes that proposing so many takes.
  await page.route("**/v1/tool-calls?*", (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get("after") ?? 0) || total + 1;
    const calls = Array.from({ length: Math.min(1_000, after - 1) }, (_, n) => makeCall(after - 2 - n));
    const last = calls.at(-1)?.proposal.seq ?? 1;
    return route.fulfill({ json: { calls, next: last > 1 ? last : null } });
  });
  await page.goto(`${server.pages}/history?q=by%3Anobody`);
  await page.getByText("No decision matches").waitFor();
  await page.getByRole("link", { name: "Show all decisions" }).click();
  await waitForRows(page, "50,000");
  assert.ok((await page.locator("history-page .rows li").count()) < 60);
  const longest = await page.locator("history-page .rows").evaluate(async (rows) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    let longest = 0;
    for (let n = 0; n <= 20; n += 1) {
      const began = performance.now();
      rows.scrollTo(0, (rows.scrollHeight * n) / 20);
      await frame();
      await frame();
      longest = Math.max(longest, performance.now() - began);
    }
    return longest;
  });
  assert.equal((await summaries(page)).at(-1), "echo 0");
  assert.ok(longest < 500, `a step of scrolling took ${longest} ms`);
});

for (const colorScheme of ["light", "dark"]) {
  test(`the history passes axe and fits 320 pixels with hostile content (${colorScheme})`, async (t) => {
    const world = await startHistory(t, { colorScheme });
    const { server, agent, grace, page } = world;
    const markup = "<img src=x onerror=\"window.hacked=1\">";
    await page.goto(`${server.pages}/history`);
    await page.getByText("Nothing was decided yet").waitFor();
    await checkPage(page);
    for (const [n, text] of [markup, "\u202e\u2066txt.exe\u2069", "a".repeat(5_000), "שלום"].entries()) {
      await agent.propose("t", `c${n}`, "bash", { command: text });
      await grace.decide("t", `c${n}`, { decision: n % 2 ? "deny" : "allow_once", comment: text.slice(0, 900) });
    }
    await waitForRows(page, 4);
    await checkPage(page);
    await page.goto(`${server.pages}/history?q=nothing`);
    await page.getByText("No decision matches").waitFor();
    await checkPage(page);
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  });
}
