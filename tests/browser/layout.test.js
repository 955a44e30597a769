// The layout of the inbox and its cards, from a phone to 3840 pixels.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, openInbox, readList, startInbox, waitForCount } from "./support/inbox.js";
import { createToken } from "./support/server.js";

const PAYMENT = { iban: "DE02120300000000202051", amount: "1250.00", currency: "EUR", note: "one\ntwo", payee: "Ada GmbH" };

test("plain arguments are one table with the telling ones first", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.propose("t", "a", "transfer", PAYMENT);
  await agent.propose("t", "b", "send-email", { body: "Hello\nAda", to: "ada@example.com", subject: "Hi" });
  await agent.propose("t", "c", "delete", { kind: "Deployment", namespace: "prod", name: "api", grace: 30 });
  await waitForCount(page, 3);
  assert.deepEqual(await readList(page), [
    "1250.00 · Ada GmbH, iban: DE02120300000000202051, currency: EUR, note: one two",
    "ada@example.com · Hi, body: Hello Ada",
    "api · prod, kind: Deployment, grace: 30",
  ]);
  const rows = page.locator("tool-approval-card .argument.plain");
  assert.deepEqual(await rows.locator("dt").allTextContents(), ["amount", "payee", "iban", "currency"]);
  assert.deepEqual(await page.locator("tool-approval-card .argument:not(.plain) dt").allTextContents(), ["note"]);
});

test("each choice of a scope is beside its label", async (t) => {
  const { agent, page } = await startInbox(t);
  await agent.propose("t", "a", "bash", { command: "git status" });
  await page.getByRole("button", { name: "Allow more…" }).click();
  const choice = page.locator("label.choice", { hasText: "this exact call" });
  const [radio, label] = [await choice.locator("input").boundingBox(), await choice.locator("span").boundingBox()];
  assert.ok(Math.abs(radio.y + radio.height / 2 - label.y - label.height / 2) < 6, "they are on one line");
  assert.ok(label.x - radio.x - radio.width < 16, "they are beside each other");
});

test("on a phone the decision takes a quarter of the window and covers nothing", async (t) => {
  const { server, agent, browser } = await startInbox(t);
  await agent.propose("t", "a", "transfer", PAYMENT, { riskLevel: "high", message: "Pays" });
  await agent.propose("t", "b", "bash", { command: "ls" });
  const page = await openInbox(browser, server, "grace", "approver", { viewport: { width: 375, height: 667 } });
  await page.locator("countersign-inbox .rows button.row").first().click();
  const panel = page.locator("decision-panel");
  await panel.getByRole("button", { name: "Allow once" }).waitFor();
  const { height } = await panel.boundingBox();
  assert.ok(height <= 667 / 4, `${height} pixels`);
  assert.equal(await page.locator("kbd").filter({ visible: true }).count(), 0, "there are no keys to press");
  const [bar, title] = [await page.locator(".detail-bar").boundingBox(), await page.locator("tool-approval-card #tool").boundingBox()];
  assert.ok(bar.y + bar.height <= title.y, "the controls are above the heading");
  const stop = await page.getByRole("button", { name: "Stop the thread…" }).boundingBox();
  assert.ok(stop.y + stop.height <= title.y, "and none stands on it");
  assert.equal(await panel.locator("#comment").isVisible(), false);
  await panel.getByRole("button", { name: "Comment" }).click();
  await page.keyboard.type("fine");
  await panel.getByRole("button", { name: "Allow once" }).click();
  await page.locator("last-decision").getByText("Allowed transfer a").waitFor();
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).response.comment, "fine");
});

test("on a phone, checked calls lead to their review", async (t) => {
  const { server, agent, browser } = await startInbox(t);
  for (const id of ["a", "b"]) await agent.propose("t", id, "bash", { command: `echo ${id}` });
  const page = await openInbox(browser, server, "grace", "approver", { viewport: { width: 375, height: 812 } });
  for (const id of ["a", "b"]) await page.getByRole("checkbox", { name: `check ${id}` }).check();
  await page.getByRole("button", { name: "Review 2" }).click();
  await page.locator("bulk-review").getByRole("button", { name: "Deny these 2" }).waitFor();
});

/** The lines that an element's text takes. */
const countLines = (locator) => locator.evaluate((element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
});

/** How many pixels of the text of a field or a list are cut off. */
const measureCut = (locator) => locator.evaluate((field) => {
  const { font, paddingLeft, paddingRight } = getComputedStyle(field);
  const pen = new OffscreenCanvas(1, 1).getContext("2d");
  pen.font = font;
  const isList = field instanceof HTMLSelectElement;
  const text = isList ? field.selectedOptions[0].text : field.placeholder;
  // The arrow of a list takes 20 pixels.
  return pen.measureText(text).width - (field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - (isList ? 20 : 0));
});

test("no control cuts its text, and no name is broken", async (t) => {
  const { server, agent, browser } = await startInbox(t);
  await agent.propose("t", "a", "deploy", { service: "shop-api", version: "7.4.0", environment: "production" }, { riskLevel: "critical" });
  await agent.propose("t", "b", "bash", { command: "ls" });
  const other = new Agent(server, (await createToken(server.log, "other-bot", "agent")).secret);
  await other.propose("t", "c", "bash", { command: "ls" });
  for (const width of [375, 1280]) {
    const page = await openInbox(browser, server, "grace", "approver", { viewport: { width, height: 812 } });
    await waitForCount(page, 3);
    const controls = await page.locator("list-controls select").all();
    assert.equal(controls.length, 4);
    for (const control of [page.locator("#filter"), ...controls]) assert.ok((await measureCut(control)) <= 0, `${await control.getAttribute("id")} ${await control.getAttribute("aria-label")} at ${width}`);
    await page.goto(`${server.pages}/calls/t/a`);
    const names = page.locator("tool-approval-card .argument dt");
    await names.first().waitFor();
    for (const name of await names.all()) assert.equal(await countLines(name), 1, `${await name.innerText()} at ${width}`);
    await page.goto(`${server.pages}/history`);
    assert.ok((await measureCut(page.locator("#search"))) <= 0, `the search at ${width}`);
  }
});

test("a window of 3840 pixels shows wide content", async (t) => {
  const { server, agent, browser } = await startInbox(t);
  await agent.propose("t", "a", "transfer", PAYMENT);
  const page = await openInbox(browser, server, "grace", "approver", { viewport: { width: 3840, height: 2160 } });
  const card = page.locator("tool-approval-card");
  await card.getByText("Ada GmbH").waitFor();
  assert.ok((await card.boundingBox()).width >= 1_600);
  assert.ok((await page.locator("countersign-inbox .list").boundingBox()).width >= 600);
  await page.goto(`${server.pages}/insight`);
  const insight = page.locator("insight-page .page");
  await insight.waitFor();
  assert.ok((await insight.boundingBox()).width >= 1_600);
});
