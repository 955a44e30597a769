// Notifications on a phone-sized Chromium with the page's service worker. The push service is on this machine, and the DevTools
// protocol delivers what it decrypts.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkPage, newPage, startBrowser } from "./support/browser.js";
import { Agent } from "./support/inbox.js";
import { PushService, subscribeAt } from "./support/push_service.js";
import { createLink, createToken, newLog, readEvents, startServer, verifyLog } from "./support/server.js";

// A message that never comes must not hold the other tests up.
const limit = { timeout: 120_000 };

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const policy = `
[notify]
allow = ["low"]

[[rule]]
name = "touched"
tool = "wire"
verdict = "ask"
proof = "passkey"
`;

// A server, its push service, and Ada's telephone with the page.
async function startPhone(t) {
  const log = await newLog(t);
  const policyFile = join(log.folder, "policy.toml");
  await writeFile(policyFile, policy);
  const server = await startServer(log, ["--policy", policyFile], { COUNTERSIGN_PUSH_PRIVATE: "true" });
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const service = await PushService.start(t);
  const browser = await startBrowser(t);
  const page = await newPage(browser, phone);
  const context = page.context();
  await context.grantPermissions(["notifications"], { origin: server.pages });
  await subscribeAt(context, service);
  const devtools = await context.newCDPSession(page);
  const registered = new Promise((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      for (const { registrationId, scopeURL } of registrations) if (scopeURL.startsWith(server.pages)) resolve(registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  await page.goto(await createLink(server, "ada", "approver"));
  await page.locator("#signed-in").waitFor();
  const started = context.serviceWorkers()[0] ?? context.waitForEvent("serviceworker");
  await page.goto(`${server.pages}/settings`);
  const worker = await started;
  const registrationId = await registered;
  const deliver = async (message) => {
    const before = await worker.evaluate(countShown);
    await devtools.send("ServiceWorker.deliverPushMessage", { origin: server.pages, registrationId, data: JSON.stringify(message) });
    if (message.kind === "ask") await worker.evaluate(waitForShown, before);
    return message;
  };
  return { log, server, agent, service, page, worker, devtools, deliver };
}

// Registers the telephone in the settings.
async function notifyDevice({ page }, name = "my phone") {
  const section = page.locator("device-section");
  await section.getByLabel("Name of this device").fill(name);
  await section.getByRole("button", { name: "Notify this device" }).click();
  await section.getByRole("listitem").filter({ hasText: name }).getByText("this device").waitFor();
}

// Counts the notifications that the worker has shown. Chromium drops one that is read while it is shown, so tests read them later.
function countShown() {
  if (!self.shown) {
    const show = self.registration.showNotification.bind(self.registration);
    self.shown = [];
    self.registration.showNotification = (...words) => {
      const shown = show(...words);
      self.shown.push(shown);
      self.dispatchEvent(new Event("shown"));
      return shown;
    };
  }
  return self.shown.length;
}

// Waits until the worker has shown a notification after the first `before` ones.
async function waitForShown(before) {
  while (self.shown.length <= before) await new Promise((resolve) => self.addEventListener("shown", resolve, { once: true }));
  await Promise.all(self.shown);
}

// Waits until the worker shows notifications that meet a condition, and returns them.
function waitForNotices(worker, isExpected) {
  return worker.evaluate(async (source) => {
    const isExpected = (0, eval)(source);
    for (;;) {
      const shown = (await self.registration.getNotifications()).map(({ title, body, tag, data, actions }) => ({ title, body, tag, data, actions: actions.map(({ action }) => action) }));
      if (isExpected(shown)) return shown;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }, isExpected.toString());
}

// Acts on the only notification as a person does, who has looked at it for a while.
function tap(worker, action = "", lookedFor = 2_000) {
  return worker.evaluate(async ([action, lookedFor]) => {
    const [notification] = await self.registration.getNotifications();
    const now = Date.now;
    Date.now = () => now() + lookedFor;
    const event = new NotificationEvent("notificationclick", { notification, action });
    let work;
    // Only an event of the browser itself may prolong the worker's life.
    Object.defineProperty(event, "waitUntil", { value: (promise) => { work = promise; } });
    self.dispatchEvent(event);
    Date.now = now;
    await work.catch(() => {});
  }, [action, lookedFor]);
}

const low = { riskLevel: "low" };

test("the page installs, and a device is registered, changed and removed", limit, async (t) => {
  const world = await startPhone(t);
  const { page, devtools, log } = world;
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  const errors = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito");
  assert.deepEqual(errors, [], "a manifest, icons and an address that is secure");
  await notifyDevice(world);
  const section = page.locator("device-section");
  await section.getByLabel("Quiet from").fill("22:00");
  await section.getByLabel("Quiet until").fill("07:00");
  await section.getByRole("button", { name: "Change this device" }).click();
  await section.getByText("quiet from 22:00 to 07:00").waitFor();
  await section.getByRole("button", { name: "Remove my phone" }).click();
  await checkPage(page);
  await page.setViewportSize(phone.viewport);
  await section.getByRole("button", { name: "Remove my phone now" }).click();
  await section.getByRole("listitem").waitFor({ state: "detached" });
  assert.equal((await readEvents(log, "PUSH_DEVICE_REMOVED")).length, 1);
  await verifyLog(log);
});

test("a notification allows with one touch what the policy lets it allow", limit, async (t) => {
  const world = await startPhone(t);
  const { agent, service, worker, deliver, log } = world;
  await notifyDevice(world);
  const proposed = performance.now();
  await agent.propose("t1", "call_1", "mail", { command: "make report" }, low);
  const message = await service.receive();
  const pushed = performance.now() - proposed;
  await deliver(message);
  const [notice] = await waitForNotices(worker, (shown) => shown.length === 1);
  assert.deepEqual([notice.title, notice.body], ["bot asks: mail", "Risk, as the agent says: low\nmake report"]);
  assert.deepEqual([notice.tag, notice.actions], ["thread/t1", ["deny", "allow"]]);
  const woken = agent.awaitDecision("t1", "call_1").then((call) => ({ call, at: performance.now() }));
  const touched = performance.now();
  await tap(worker, "allow");
  const { call, at } = await woken;
  assert.equal(call.state, "allowed");
  t.diagnostic(`from the request to the push service ${Math.round(pushed)} ms, from the touch to the executor ${Math.round(at - touched)} ms`);
  assert.equal(call.response.channel, "notification");
  // The server withdraws it on all devices.
  const withdrawal = await service.receive();
  assert.deepEqual([withdrawal.kind, withdrawal.waiting], ["withdraw", 0]);
  await deliver(message);
  await waitForNotices(worker, (shown) => shown.length === 1);
  await deliver(withdrawal);
  await waitForNotices(worker, (shown) => shown.length === 0);
  await verifyLog(log);
});

test("a late action decides nothing and says why", limit, async (t) => {
  const world = await startPhone(t);
  const { agent, service, worker, deliver, log, server } = world;
  await notifyDevice(world);
  const bob = new Agent(server, (await createToken(log, "bob", "approver")).secret);
  await agent.propose("t1", "call_1", "mail", { command: "make report" }, low);
  const message = await deliver(await service.receive());
  await waitForNotices(worker, (shown) => shown.length === 1);
  await bob.decide("t1", "call_1", { decision: "allow_once" });
  await tap(worker, "deny");
  const [refusal] = await waitForNotices(worker, (shown) => shown[0]?.title === "Nothing was decided");
  assert.match(refusal.body, /decided already: allow_once by user:bob/);
  const [response, ...others] = await readEvents(log, "TOOL_APPROVAL_RESPONSE");
  assert.deepEqual([response.principal, others], ["user:bob", []]);
  // An old message again, as a push service could send it: a replayed action decides no other call.
  await deliver(message);
  await waitForNotices(worker, (shown) => shown[0]?.title === "bot asks: mail");
  await tap(worker, "allow");
  assert.equal((await readEvents(log, "TOOL_APPROVAL_RESPONSE")).length, 1);
});

test("an action at once after a notification only opens the card", limit, async (t) => {
  const world = await startPhone(t);
  const { agent, service, worker, deliver, log, page } = world;
  await notifyDevice(world);
  await agent.propose("t1", "call_1", "mail", { command: "make report" }, low);
  await deliver(await service.receive());
  await waitForNotices(worker, (shown) => shown.length === 1);
  await tap(worker, "allow", -500);
  await page.getByRole("button", { name: /^Allow once/ }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/calls/t1/call_1");
  assert.deepEqual(await readEvents(log, "TOOL_APPROVAL_RESPONSE"), []);
});

test("signing out ends the notifications, and an action of before decides nothing", limit, async (t) => {
  const world = await startPhone(t);
  const { agent, service, worker, deliver, log, page } = world;
  await notifyDevice(world);
  await agent.propose("t1", "call_1", "mail", { command: "make report" }, low);
  await deliver(await service.receive());
  await waitForNotices(worker, (shown) => shown.length === 1);
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.locator("#token-form").waitFor();
  await tap(worker, "allow");
  const [refusal] = await waitForNotices(worker, (shown) => shown[0]?.title === "Nothing was decided");
  assert.match(refusal.body, /signed out/);
  await agent.propose("t2", "call_2", "mail", { command: "make report" }, low);
  assert.deepEqual(await readEvents(log, "TOOL_APPROVAL_RESPONSE"), []);
  const [removed] = await readEvents(log, "PUSH_DEVICE_REMOVED");
  assert.deepEqual([removed.principal, /signed out/.test(removed.data.reason), service.isEmpty], ["system:push", true, true]);
});

test("one touch of the passkey on the card decides where the rule asks for proof", limit, async (t) => {
  const world = await startPhone(t);
  const { agent, service, worker, deliver, log, page, devtools } = world;
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", { options: {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
    automaticPresenceSimulation: true,
  } });
  await page.locator("#key-name").fill("phone");
  await page.locator("#add-passkey button").click();
  await page.locator("#key-list li").waitFor();
  await notifyDevice(world);
  await agent.propose("t1", "call_1", "wire", { command: "pay" }, low);
  await deliver(await service.receive());
  const [notice] = await waitForNotices(worker, (shown) => shown.length === 1);
  assert.deepEqual(notice.actions, ["deny"], "a notification proves nothing");
  await tap(worker);
  const button = page.getByRole("button", { name: "Allow with a passkey" });
  await button.waitFor();
  const woken = agent.awaitDecision("t1", "call_1").then((call) => ({ call, at: performance.now() }));
  const touched = performance.now();
  await button.tap();
  const { call, at } = await woken;
  assert.deepEqual([call.state, call.response.proof.kind], ["allowed", "passkey"]);
  t.diagnostic(`from the touch on the card to the executor ${Math.round(at - touched)} ms`);
  await verifyLog(log);
});
