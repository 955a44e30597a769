// The page frame: links, history, focus, keys, theme and density.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, newPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox, waitForCount } from "./support/inbox.js";
import { createToken, newLog, requestPages, startServer } from "./support/server.js";

async function startApp(t, options = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, "ada", "approver", options);
  await page.getByText("Nothing waits for you").waitFor();
  return { log, server, agent, browser, page };
}

test("every path of a page has the document, and other clients get what they got before", async (t) => {
  const log = await newLog(t);
  const server = await startServer(log);
  for (const path of ["/", "/threads/", "/threads/a%2Fb", "/calls/a%2Fb/c", "/history", "/insight", "/policy", "/settings"]) {
    const page = await requestPages(server, path, { headers: { accept: "text/html" } });
    assert.equal(page.status, 200, path);
    assert.match(page.text, /<app-navigation>/, path);
    const other = await fetch(server.url + path, { headers: { accept: "application/json" } });
    assert.equal(other.status, path === "/" ? 200 : 404, path);
    assert.doesNotMatch(await other.text(), /<app-navigation>/, path);
  }
});

test("a path without a page says so, and the way back keeps the document", async (t) => {
  const { server, page } = await startApp(t);
  await page.goto(`${server.pages}/threads/x/y`).catch(() => {});
  await page.goto(server.pages);
  await page.evaluate(() => { globalThis.isKept = true; history.pushState(null, "", "/nowhere"); dispatchEvent(new PopStateEvent("popstate")); });
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.getByRole("link", { name: "Open the inbox" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  assert.equal(await page.evaluate(() => globalThis.isKept), true, "the document was not loaded again");
  const heading = await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent);
  assert.equal(heading, "Pending calls", "the focus is on the heading");
  await page.goBack();
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
});

test("an unknown address is a page, and empty pages say what to do next", async (t) => {
  const { server, page } = await startApp(t);
  await page.goto(`${server.pages}/nowhere/at-all`);
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  await page.getByRole("link", { name: "Open the inbox" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  for (const path of ["/", "/threads/", "/history", "/insight"]) {
    await page.goto(server.pages + path);
    await page.getByText("countersign run -- git --version").waitFor();
    await page.getByText("countersign install claude-code").waitFor();
  }
});

test("of two visits to a page that is still loading, the later one shows it and gets the focus", async (t) => {
  const log = await newLog(t);
  const server = await startServer(log);
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, "ada", "approver");
  const module = /\/pages\/inbox-page\.js/;
  let release = () => {};
  const isReleased = new Promise((resolve) => { release = resolve; });
  await page.route(module, async (route) => {
    await isReleased;
    await route.continue();
  });
  const isAsked = page.waitForRequest(module);
  await page.goto(server.pages);
  await isAsked;
  await page.evaluate(() => { history.pushState(null, "", "/nowhere"); dispatchEvent(new PopStateEvent("popstate")); });
  await page.getByRole("link", { name: "Open the inbox" }).click();
  release();
  await page.getByText("Nothing waits for you").waitFor();
  const heading = await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent);
  assert.equal(heading, "Pending calls");
});

test("the open page is marked, and the count of pending calls is in the navigation and in the title", async (t) => {
  const { agent, page } = await startApp(t);
  const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Inbox" });
  assert.equal(await link.getAttribute("aria-current"), "page");
  assert.equal(await page.title(), "Inbox · Countersign");
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await page.getByRole("link", { name: /Inbox.*1 pending/ }).waitFor();
  assert.equal(await page.title(), "(1) Inbox · Countersign");
});

test("the palette finds actions, and keys in a dialog never reach the page behind it", async (t) => {
  const { agent, page } = await startApp(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  await waitForCount(page, 1);
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("allow once: press twice").waitFor();
  for (let n = 0; n < 3; n += 1) await page.keyboard.press("d");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a page" }).fill("theme dark");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.equal(await page.getByText("Press the same key again").count(), 0);
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "pending");
});

test("theme and density are kept, and apply before the first paint", async (t) => {
  const { server, page } = await startApp(t, { colorScheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.evaluate(() => {
    globalThis.countersignAppearance.write("theme", "dark");
    globalThis.countersignAppearance.write("density", "compact");
  });
  const dark = await ground();
  assert.notEqual(dark, light);
  // The pages' modules never arrive, so only what runs before them can have set the look.
  await page.route("**/assets/app.js", (route) => route.abort());
  await page.goto(server.pages, { waitUntil: "domcontentloaded" });
  assert.equal(await ground(), dark);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--cs-row")), "54px");
  await page.goto(`${server.pages}/sign-in/`);
  assert.equal(await ground(), dark, "the sign-in page has the same look");
});

test("a person who is signed out comes back to the page of the link, and to no other server", async (t) => {
  const log = await newLog(t);
  const server = await startServer(log);
  const { secret } = await createToken(log, "ada", "approver");
  const page = await newPage(await startBrowser(t));
  await page.goto(`${server.pages}/history?q=a`);
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Token").fill(secret);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "History" }).waitFor();
  assert.match(page.url(), /\/history\?q=a$/);
  for (const foreign of ["https://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:alert(1)"]) {
    await page.goto(`${server.pages}/sign-in/?to=${encodeURIComponent(foreign)}`);
    await page.locator("#signed-in").waitFor();
    const target = await page.locator("#open-inbox").evaluate((link) => link.href);
    assert.equal(new URL(target).origin, server.pages, foreign);
  }
});

test("the first tab stop skips the navigation", async (t) => {
  const { page } = await startApp(t);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const focused = await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent);
  assert.equal(focused, "Pending calls");
});

for (const colorScheme of ["light", "dark"]) {
  test(`dialogs and narrow windows pass axe (${colorScheme})`, async (t) => {
    const { page } = await startApp(t, { colorScheme });
    for (const width of [1280, 900, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Find a page" }).waitFor();
      await checkPage(page);
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      await checkPage(page);
      await page.keyboard.press("Escape");
    }
  });
}
