// The keys of the inbox: only a deliberate press decides.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startInbox, stopClock, waitForCount } from "./support/inbox.js";

test("a held key decides nothing, and a second press does", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  for (let n = 0; n < 40; n += 1) await page.keyboard.down("o");
  await page.keyboard.up("o");
  await page.getByText("Press the same key again to allow once.").waitFor();
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "pending");
  await page.keyboard.press("Escape");
  await page.getByText("Press the same key again").waitFor({ state: "detached" });
  await stopClock(page);
  await page.keyboard.press("o");
  await page.getByText("Press the same key again to allow once.").waitFor();
  await page.clock.fastForward(1_000);
  await page.keyboard.press("o");
  await waitForCount(page, 0);
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "allowed");
});

test("a second press that comes at once is said, not swallowed", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  // Both presses are in one task, so that no time passes between them.
  await page.evaluate(() => {
    for (let n = 0; n < 2; n += 1) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "o", bubbles: true, composed: true }));
  });
  await page.getByText("That was too fast. Press the same key again to allow once.").waitFor();
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "pending");
});

test("keys write a comment, unfold, scroll and move, and two lead to the decision", async (t) => {
  const { agent, page } = await startInbox(t);
  const content = Array.from({ length: 200 }, (_, n) => `line ${n}`).join("\n");
  await agent.propose("t", "a", "file-write", { path: "/srv/a", content });
  await agent.propose("t", "b", "bash", { command: "echo b" });
  await waitForCount(page, 2);
  await page.getByRole("button", { name: "Show all arguments to decide" }).waitFor();
  await page.keyboard.press("f");
  await page.getByText("line 199").waitFor();
  const scrolled = () => page.locator("countersign-inbox .detail").evaluate((detail) => detail.scrollTop);
  assert.equal(await scrolled(), 0);
  await page.keyboard.press("j");
  assert.equal(await scrolled(), 80);
  await page.keyboard.press("k");
  assert.equal(await scrolled(), 0);
  await page.keyboard.press("c");
  await page.keyboard.type("o o d");
  assert.equal(await page.locator("decision-panel #comment").inputValue(), "o o d", "keys in a field are text");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.locator("tool-approval-card").getByText("echo b").waitFor();
  await page.keyboard.press("p");
  await page.locator("tool-approval-card").getByText("line 0", { exact: true }).waitFor();
  await page.locator("countersign-inbox .rows .row[aria-current=true]").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const focused = await page.locator("decision-panel").evaluate((panel) => panel.shadowRoot.activeElement?.textContent.trim());
  assert.match(focused, /^Deny/);
});
