// The pages in two tabs, on a display of 4K, and for a person who wants no motion.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startBrowser } from "./support/browser.js";
import { Agent, openInbox, waitForCount } from "./support/inbox.js";
import { createToken, newLog, startServer } from "./support/server.js";

async function startPages(t, options = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const page = await openInbox(await startBrowser(t), server, "root", "admin", options);
  return { log, server, agent, page };
}

const pages = ["/", "/threads/", "/threads/t", "/history", "/insight", "/policy", "/settings", "/calls/t/a"];

test("two tabs of a person show the same calls, and a decision in one shows in the other", async (t) => {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const first = await openInbox(await startBrowser(t), server, "ada", "approver");
  const second = await first.context().newPage();
  await second.goto(server.pages);
  for (const id of ["a", "b"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  await Promise.all([waitForCount(first, 2), waitForCount(second, 2)]);
  await first.getByRole("button", { name: /^Deny/ }).click();
  await second.getByText(/You, .*: deny\.$|ada, .*: deny\.$/).waitFor();
  await Promise.all([waitForCount(first, 1), waitForCount(second, 1)]);
});

test("the pages fit a display of 4K, and the lines of a text stay short", async (t) => {
  const { server, agent, page } = await startPages(t, { viewport: { width: 3840, height: 2160 } });
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await agent.post("/v1/threads/t/messages", { format: "plain", message: { role: "user", text: "word ".repeat(400) } });
  for (const path of pages) {
    await page.goto(server.pages + path);
    await page.locator("main").getByRole("heading").first().waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 3840, path);
  }
  await page.goto(`${server.pages}/threads/t`);
  const width = await page.locator("li.message p").evaluate((text) => text.getBoundingClientRect().width / parseFloat(getComputedStyle(text).fontSize));
  assert.ok(width < 60, `a line of a message is ${width} times as wide as its letters`);
});

test("nothing moves for a person who asks for reduced motion", async (t) => {
  const { server, agent, page } = await startPages(t, { reducedMotion: "reduce" });
  await agent.propose("t", "a", "bash", { command: "echo a" });
  for (const path of pages) {
    await page.goto(server.pages + path);
    await page.locator("main").getByRole("heading").first().waitFor();
    await page.keyboard.press("Control+k");
    const moving = await page.evaluate(() => {
      const all = (root) => [...root.querySelectorAll("*")].flatMap((node) => [node, ...(node.shadowRoot ? all(node.shadowRoot) : [])]);
      const moves = (node) => {
        const { animationName, transitionDuration } = getComputedStyle(node);
        return animationName !== "none" || transitionDuration.split(", ").some((span) => parseFloat(span) > 0);
      };
      return all(document).filter(moves).map((node) => node.outerHTML.slice(0, 80));
    });
    assert.deepEqual(moving, [], path);
  }
});
