// The settings: signing out, the look, notifications, tokens and webhooks, and the installed application.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, readEvents, startServer } from "./support/server.js";

async function startSettings(t, { name = "ada", role = "approver", ...options } = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, name, role, options);
  await page.goto(`${server.pages}/settings`);
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  return { log, server, browser, page };
}

test("the settings say who is signed in and until when, and sign out", async (t) => {
  const { server, page } = await startSettings(t);
  await page.getByRole("heading", { name: "ada" }).waitFor();
  await page.getByText(/Role approver, all threads\. Signed in until /).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Tokens" }).count(), 0, "an approver makes no tokens");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.locator("#token-form").waitFor();
  await page.goto(server.pages);
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
});

test("theme and density change at once", async (t) => {
  const { page } = await startSettings(t, { colorScheme: "light" });
  await page.getByLabel("Theme").selectOption("dark");
  await page.getByLabel("Density").selectOption("compact");
  const look = await page.evaluate(() => ({ ...document.documentElement.dataset }));
  assert.deepEqual(look, { theme: "dark", density: "compact" });
  await page.reload();
  await page.getByLabel("Theme").waitFor();
  assert.equal(await page.getByLabel("Theme").inputValue(), "dark");
});

test("an admin creates a token, sees it once, and revokes it", async (t) => {
  const { server, page } = await startSettings(t, { name: "root", role: "admin" });
  const tokens = page.locator("token-section");
  await tokens.getByLabel("Name").fill("deploy-bot");
  await tokens.getByLabel("Only threads").fill("ci/*");
  await tokens.getByRole("button", { name: "Create a token" }).click();
  const secret = await tokens.locator(".secret code").textContent();
  await tokens.getByRole("listitem").filter({ hasText: "agent:deploy-bot" }).getByText("threads ci/*").waitFor();
  const ask = async () => (await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${secret}` } })).status;
  assert.equal(await ask(), 200);
  await tokens.getByRole("button", { name: "Done" }).click();
  await tokens.getByText(secret).waitFor({ state: "detached" });
  await tokens.getByRole("button", { name: "Revoke the token of agent:deploy-bot" }).click();
  // The focus is on the harmless answer, so a key that is held down keeps the token.
  await page.keyboard.press("Enter");
  assert.equal(await ask(), 200);
  await tokens.getByRole("button", { name: "Revoke the token of agent:deploy-bot" }).click();
  await checkPage(page);
  await tokens.getByRole("button", { name: "Revoke the token of agent:deploy-bot now" }).click();
  await tokens.getByRole("listitem").filter({ hasText: "agent:deploy-bot" }).waitFor({ state: "detached" });
  assert.equal(await ask(), 401);
  await tokens.getByLabel("Name").fill("a\u202eb");
  await tokens.getByRole("button", { name: "Create a token" }).click();
  await tokens.getByRole("alert").filter({ hasText: /./ }).waitFor();
});

test("an admin adds a webhook, tests and removes it", async (t) => {
  const { page } = await startSettings(t, { name: "root", role: "admin" });
  const webhooks = page.locator("webhook-section");
  await webhooks.getByLabel("Name").fill("ops");
  await webhooks.getByLabel("Address", { exact: true }).fill("https://127.0.0.1:9/secret-part");
  await webhooks.getByRole("button", { name: "Add a webhook" }).click();
  await webhooks.getByRole("alert").getByText(/private address/).waitFor();
  await webhooks.getByText("Topics: all, unless you choose some").press("Enter");
  await webhooks.getByLabel("flagged").check();
  await webhooks.getByLabel("advisor mode").check();
  await webhooks.getByLabel("Allow a private address").check();
  await webhooks.getByRole("button", { name: "Add a webhook" }).click();
  assert.match(await webhooks.locator(".secret code").textContent(), /^whsec_/);
  await webhooks.getByText("standard, https://127.0.0.1:9, flagged, advisor_mode").waitFor();
  assert.equal(await webhooks.getByText("secret-part").count(), 0);
  await webhooks.getByRole("button", { name: "Test ops" }).click();
  await webhooks.getByText(/^Not delivered: /).waitFor();
  await webhooks.getByRole("button", { name: "Remove ops" }).click();
  await webhooks.getByRole("button", { name: "Remove ops now" }).click();
  await webhooks.getByRole("listitem").waitFor({ state: "detached" });
});

test("an admin gives a webhook a new secret, and ends the old one", async (t) => {
  const { log, page } = await startSettings(t, { name: "root", role: "admin" });
  const webhooks = page.locator("webhook-section");
  await webhooks.getByLabel("Name").fill("ops");
  await webhooks.getByLabel("Address", { exact: true }).fill("https://127.0.0.1:9/x");
  await webhooks.getByLabel("Allow a private address").check();
  await webhooks.getByRole("button", { name: "Add a webhook" }).click();
  const secret = webhooks.locator(".secret code");
  const first = await secret.textContent();
  await webhooks.getByRole("button", { name: "New secret for ops" }).click();
  await webhooks.getByText(/the old secret signs until /).waitFor();
  const second = await secret.textContent();
  assert.match(second, /^whsec_/);
  assert.notEqual(second, first);
  assert.equal(await webhooks.getByRole("button", { name: "New secret for ops" }).count(), 0, "two secrets sign already");
  await checkPage(page);
  await webhooks.getByRole("button", { name: "End old secret of ops" }).click();
  await webhooks.getByRole("button", { name: "New secret for ops" }).waitFor();
  assert.equal(await webhooks.getByText(/the old secret signs until /).count(), 0);
  assert.equal((await readEvents(log, "WEBHOOK_SECRET_SET")).length, 2);
});

test("a notification tells of a new call after the person asked for it, and leads to it", async (t) => {
  const { log, server, page } = await startSettings(t);
  // Chromium without a screen shows no notification, so the page gets a class that keeps them.
  await page.addInitScript(() => {
    globalThis.shown = [];
    globalThis.Notification = class extends EventTarget {
      static permission = "default";
      static async requestPermission() { return (this.permission = "granted"); }
      constructor(title, options) { super(); globalThis.shown.push({ title, options, it: this }); }
      close() {}
    };
    document.hasFocus = () => false;
  });
  await page.reload();
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  await agent.propose("t", "early", "bash", { command: "echo early" });
  await page.getByRole("link", { name: /Inbox.*1 pending/ }).waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.shown.length), 0, "nothing before the person asked");
  await page.getByRole("button", { name: "Notify me of new calls" }).click();
  await page.getByRole("button", { name: "Stop notifications" }).waitFor();
  await agent.propose("t", "a", "bash", { command: "echo \u202ea" });
  await page.waitForFunction(() => globalThis.shown.length === 1);
  const [{ title, options }] = await page.evaluate(() => globalThis.shown.map(({ title, options }) => ({ title, options })));
  assert.equal(title, "bot asks: bash");
  assert.equal(options.body, "echo \\u{202e}a");
  await page.evaluate(() => globalThis.shown[0].it.dispatchEvent(new Event("click")));
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  assert.match(page.url(), /\/calls\/t\/a$/);
});

test("the manifest makes the pages installable", async (t) => {
  const { server, page } = await startSettings(t);
  const answer = await fetch(`${server.url}/assets/manifest.webmanifest`);
  assert.equal(answer.headers.get("content-type"), "application/manifest+json");
  const manifest = await answer.json();
  for (const { src, type } of manifest.icons) {
    const icon = await fetch(server.url + src);
    assert.deepEqual([icon.status, icon.headers.get("content-type")], [200, type]);
  }
  const devtools = await page.context().newCDPSession(page);
  const { errors, data } = await devtools.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  assert.equal(JSON.parse(data).name, "Countersign");
});

for (const colorScheme of ["light", "dark"]) {
  test(`the settings pass axe and fit 320 pixels (${colorScheme})`, async (t) => {
    const { server, browser, page } = await startSettings(t, { name: "root", role: "admin", colorScheme });
    await page.locator("token-section li").first().waitFor();
    await checkPage(page);
    await page.locator("token-section").getByLabel("Name").fill("bot");
    await page.getByRole("button", { name: "Create a token" }).click();
    await page.locator(".secret").waitFor();
    await checkPage(page);
    const approver = await openInbox(browser, server, "ada", "approver", { colorScheme });
    await approver.goto(`${server.pages}/settings`);
    await approver.locator("#add-passkey button:enabled").waitFor();
    await checkPage(approver);
  });
}
