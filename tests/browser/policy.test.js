// The policy page, and the rule that the inbox offers.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { allowCalls, denyCall, startCallers } from "./support/decisions.js";
import { openInbox } from "./support/inbox.js";
import { newLog, readEvents, startServer, verifyLog } from "./support/server.js";

const POLICY = `default = "ask"

[[rule]]
name = "no force pushes <b>now</b>"
tool = "bash"
command = "git push*--force*"
verdict = "block"
reason = "history is shared"
`;

async function openPolicy(t, role, options = {}) {
  const log = await newLog(t);
  const file = join(log.folder, "policy.toml");
  await writeFile(file, POLICY);
  const server = await startServer(log, ["--policy", file, "--as", "user:operator"]);
  const callers = await startCallers(server, log);
  await allowCalls(callers, 10);
  await denyCall(callers, "d", "rm -rf /srv");
  await callers.agent.propose("p", "a", "bash", { command: "git push --force" });
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, "eve", role, options);
  await page.goto(`${server.pages}/policy`);
  await page.getByRole("heading", { name: "Active rules" }).waitFor();
  return { log, file, server, callers, page, browser };
}

test("a call that a block rule only asked about is no hit of the block", async (t) => {
  const { callers, page } = await openPolicy(t, "approver");
  // The command cannot be read, so the rule asks.
  const call = await callers.agent.propose("unclear", "a", "bash", { command: 'eval "$COMMAND"' });
  assert.equal(call.state, "pending");
  await page.reload();
  const row = page.locator("table.rules tr", { hasText: "no force pushes <b>now</b>" });
  await row.locator("td:last-child", { hasText: /^\s*1\s+1 asked\s*$/ }).waitFor();
});

test("each rule has its hits, and an approver may not add rules", async (t) => {
  const { page } = await openPolicy(t, "approver");
  const row = page.locator("table.rules tr", { hasText: "no force pushes <b>now</b>" });
  await row.getByText("history is shared").waitFor();
  // The hits come after the rules.
  await row.locator("td:last-child", { hasText: /^\s*1\s*$/ }).waitFor();
  assert.match(await row.innerText(), /block[^]*main file, line 4[^]*\b1$/);
  assert.match(await page.locator("table.rules tr", { hasText: "(the default)" }).innerText(), /\b11$/);
  await page.getByText("saves 10 prompts").waitFor();
  assert.equal(await page.getByRole("button", { name: "Add this rule" }).count(), 0);
  await page.goto(new URL("/", page.url()).href);
  await page.getByText("Nothing waits for you").waitFor();
  assert.equal(await page.locator("rule-offer").count(), 0, "the inbox offers it to others only");
});

test("the what-if says the verdict and the reason of a pasted call", async (t) => {
  const { log, page } = await openPolicy(t, "auditor");
  const events = (await readEvents(log, "TOOL_CALL")).length;
  const box = page.getByLabel("A command line, or a call as JSON");
  await box.fill("git push origin --force");
  await page.getByRole("button", { name: "Judge" }).press("Enter");
  await page.getByRole("status").getByText("history is shared").waitFor();
  await box.fill('{"name": "transfer", "arguments": {"amount": 20000000000000000001}}');
  await page.getByRole("button", { name: "Judge" }).click();
  await page.getByRole("status").getByText("no rule matches this call").waitFor();
  await box.fill('{"name": "transfer"');
  await page.getByRole("button", { name: "Judge" }).click();
  await page.getByRole("status").getByText("This is not JSON").waitFor();
  assert.equal((await readEvents(log, "TOOL_CALL")).length, events, "nothing was proposed");
});

test("a candidate file is compared with the log", async (t) => {
  const { page } = await openPolicy(t, "auditor");
  const candidate = { name: "next.toml", mimeType: "application/toml", buffer: Buffer.from('default = "allow"\n') };
  await page.locator('policy-replay input[type="file"]').setInputFiles(candidate);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("11 prompts saved, 0 added; 12 of 12 calls have another outcome.").waitFor();
  await page.getByText("Would now be allowed, but was denied, expired or changed: 2").waitFor();
  await page.getByText("Then denied by ada: not this.").waitFor();
  await page.getByLabel("The text of the main file").fill("default = 1");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("a verdict must be a string").first().waitFor();
});

const FAULTY = 'default = "ask"\n[[rule]]\nname = "no shell"\ntool = "bash"\nverdict = "block"\n[[rule]]\nname = "listing"\ntool = "bash"\nverdict = "perhaps"\n';

test("a candidate is checked while it is written", async (t) => {
  const { page } = await openPolicy(t, "auditor");
  const field = page.getByLabel("The text of the main file");
  await field.fill(FAULTY);
  const findings = page.locator("policy-findings");
  await findings.getByText(/line 9, column 11: unknown verdict "perhaps"; expected one of/).waitFor();
  await findings.getByRole("button", { name: "Line 9" }).press("Enter");
  assert.equal(await field.evaluate((box) => box.value.slice(box.selectionStart, box.selectionEnd)), 'verdict = "perhaps"');
  await page.keyboard.type('command = "ls"\nverdict = "allow"');
  await findings.getByRole("list", { name: "warnings" }).getByText(/no shell/).waitFor();
  await checkPage(page);
  await field.fill('default = "ask"\n');
  await findings.getByText("No errors and no warnings.").waitFor();
});

test("an admin adds a suggested rule with one confirmation, and removes it", async (t) => {
  const { log, page, callers, server } = await openPolicy(t, "admin");
  await page.getByText("The rule, and what it does not allow").press("Enter");
  await page.getByLabel("the rule").getByText('verdict = "allow"').waitFor();
  await page.getByText("rm -rf /srv").first().waitFor();
  await page.getByRole("button", { name: "Add this rule" }).press("Enter");
  await page.locator("table.rules").getByText("accepted", { exact: true }).waitFor();
  await page.getByText("No rule follows from them yet.").waitFor();
  const answered = await callers.agent.propose("new", "a", "bash", { command: "git status -s" });
  assert.equal(answered.state, "allowed");
  assert.equal((await fetch(`${server.url}/readyz`).then((answer) => answer.json())).policyTrouble, undefined);
  await page.getByRole("button", { name: /^Remove the rule/ }).press("Enter");
  await page.getByRole("button", { name: "Remove this rule" }).press("Enter");
  await page.getByText("The rule was removed.").waitFor({ state: "attached" });
  assert.equal((await callers.agent.propose("new2", "a", "bash", { command: "git status -s" })).state, "pending");
  const sources = (await readEvents(log, "POLICY_SET")).map(({ principal, data }) => `${principal} ${data.source}`);
  assert.match(sources.at(-1), /^user:eve removed rule: suggested: /);
  await verifyLog(log);
});

test("the inbox offers a rule to an admin, once it is dismissed no more", async (t) => {
  const { page, server, callers } = await openPolicy(t, "admin");
  await page.goto(server.pages);
  const offer = page.getByRole("complementary", { name: "Suggested rule" });
  await offer.getByText("10 times and never denied one").waitFor();
  await offer.getByRole("button", { name: "Dismiss" }).press("Enter");
  await offer.waitFor({ state: "hidden" });
  await page.reload();
  await page.getByText("Nothing waits for you").waitFor();
  await allowCalls(callers, 12, { tool: "read_mail", args: {}, prefix: "m" });
  // A tab keeps the answer for ten minutes, because the server reads the log for it.
  let asked = 0;
  page.on("request", (request) => { asked += request.url().includes("/v1/policy/suggestions") ? 1 : 0; });
  await page.reload();
  await page.getByText("Nothing waits for you").waitFor();
  assert.equal(asked, 0);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await offer.getByText("12 times and never denied one").waitFor();
  await offer.getByRole("button", { name: "Look at a rule" }).press("Enter");
  await offer.getByRole("button", { name: "Add this rule" }).press("Enter");
  await page.getByText("no longer asks").waitFor();
  assert.equal((await callers.agent.propose("later", "a", "read_mail", {})).state, "allowed");
});

test("a rule is not added if the policy changed meanwhile", async (t) => {
  const { log, page } = await openPolicy(t, "admin");
  // The page reads the policy again as soon as it changes, so here the request gets an older policy's hash.
  await page.route("**/v1/policy/managed-rules", (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), replaces: "0".repeat(64) }) }),
  );
  await page.getByRole("button", { name: "Add this rule" }).click();
  await page.getByText("Nothing was added: the policy changed meanwhile.").waitFor();
  assert.equal((await readEvents(log, "POLICY_SET")).length, 2);
});

test("a broken policy file is reported", async (t) => {
  const { page, file } = await openPolicy(t, "auditor");
  await writeFile(file, 'default = "perhaps"\n');
  await page.waitForFunction(async () => (await (await fetch("/v1/policy/rules")).json()).trouble !== undefined);
  await page.reload();
  await page.getByRole("alert").getByText("unknown verdict").waitFor();
});

for (const colorScheme of ["light", "dark"]) {
  test(`page and offer pass axe and fit on a phone, ${colorScheme}`, async (t) => {
    const { page, server } = await openPolicy(t, "admin", { colorScheme });
    await page.getByText("The rule, and what it does not allow").click();
    await page.getByLabel("A command line, or a call as JSON").fill("git push --force");
    await page.getByRole("button", { name: "Judge" }).click();
    await page.getByRole("status").getByText("history is shared").waitFor();
    await page.getByText("main file (").click();
    await checkPage(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(server.pages);
    await page.getByRole("button", { name: "Look at a rule" }).click();
    await page.getByRole("button", { name: "Add this rule" }).waitFor();
    await checkPage(page);
  });
}
