// Delegation: a person hands their queue to another one in the settings, who then decides in their place on the card.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, readEvents, runCommand, startServer } from "./support/server.js";

const policy = 'default = "ask"\n[approvers]\n"user:ada" = { groups = ["ops"] }\n[[rule]]\nname = "ops"\ntool = "bash"\nverdict = "ask"\napprovers = ["@ops"]\n';

// A moment in three days, as a field of moments has it.
const inThreeDays = () => new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16);

test("a person hands over their queue, and the other one decides for them", async (t) => {
  const log = await newLog(t);
  const server = await startServer(log);
  const browser = await startBrowser(t);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  await runCommand(log, "policy", "apply", "--yes", await agent.writePolicy(log, policy));
  const ada = await openInbox(browser, server, "ada", "approver");
  await ada.goto(`${server.pages}/settings`);
  const section = ada.locator("delegation-section");
  await section.getByLabel("Who decides for you").fill("ben");
  await section.getByLabel("Until").fill(inThreeDays());
  await section.getByLabel("Why").fill("on leave");
  await section.getByRole("button", { name: "Hand over my queue" }).click();
  await section.getByRole("listitem").filter({ hasText: "ben decides for ada" }).getByText(/on leave/).waitFor();
  await checkPage(ada);
  await agent.propose("t", "a", "bash", { command: "ls" });
  const ben = await openInbox(browser, server, "ben", "approver");
  await ben.goto(`${server.pages}/calls/t/a`);
  await ben.getByLabel("Decide as").selectOption("for ada");
  await checkPage(ben);
  await ben.getByRole("button", { name: /^Allow once/ }).click();
  await ben.getByText(/ben on behalf of ada decided: allow once/).waitFor();
  const [response] = await readEvents(log, "TOOL_APPROVAL_RESPONSE");
  assert.deepEqual([response.principal, response.data.onBehalfOf], ["user:ben", "user:ada"]);
  await ben.getByRole("link", { name: "History" }).click();
  await ben.locator("history-page .rows").getByText(/ben on behalf of ada/).first().waitFor();
  await ben.goto(`${server.pages}/settings`);
  await ben.getByRole("button", { name: "End ben for ada" }).click();
  await ben.getByRole("button", { name: "End ben for ada now" }).click();
  await ben.getByRole("listitem").filter({ hasText: "ben decides for ada" }).waitFor({ state: "detached" });
  await agent.propose("t", "b", "bash", { command: "ls -l" });
  await ben.goto(`${server.pages}/calls/t/b`);
  await ben.getByRole("button", { name: /^Deny/ }).waitFor();
  assert.equal(await ben.getByLabel("Decide as").count(), 0, "nobody has handed their queue to ben");
});
