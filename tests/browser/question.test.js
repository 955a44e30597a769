// Calls that ask people something: the questions with fields for the answers, and plans.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, startServer } from "./support/server.js";

const QUESTIONS = {
  questions: [
    { question: "Which database should the service use?", header: "Database", multiSelect: false, options: [
      { label: "SQLite", description: "One file beside the program. Nothing to operate." },
      { label: "PostgreSQL", description: "A server of its own, for several instances.", preview: "DATABASE_URL=postgres://localhost/shop" }] },
    { question: "Which parts get an audit trail?", header: "Audit", multiSelect: true, options: [
      { label: "Orders", description: "Each change of an order" }, { label: "Users", description: "Sign-ins and rights" }] },
  ],
};

async function startQuestion(t, name, args, options = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const page = await openInbox(await startBrowser(t), server, "ada", "approver", options);
  await agent.post("/v1/threads/t/tool-calls", { id: "q1", name, arguments: args, definition: { needsApproval: true } });
  await page.goto(`${server.pages}/calls/t/q1`);
  const card = page.locator("tool-approval-card");
  const answered = async () => (await agent.get("/v1/threads/t/tool-calls/q1"));
  const waitForBadge = (text) => card.locator("header .badge").getByText(text, { exact: true }).waitFor();
  return { agent, page, card, answered, waitForBadge };
}

test("a person answers the questions of an agent", async (t) => {
  const { page, card, answered, waitForBadge } = await startQuestion(t, "AskUserQuestion", QUESTIONS);
  await card.getByRole("region", { name: "questions" }).getByText("Which database should the service use?").waitFor();
  const answer = card.getByRole("button", { name: /^Answer/ });
  assert.ok(await answer.isDisabled(), "both questions need an answer");
  await card.getByRole("radio", { name: /SQLite/ }).check();
  await card.getByRole("radio", { name: /PostgreSQL/ }).check();
  await card.getByRole("checkbox", { name: /Orders/ }).check();
  await card.getByLabel("Another answer: Which parts get an audit trail?").fill("and refunds");
  assert.equal(await card.getByRole("button", { name: /Allow more|Edit/ }).count(), 0, "no answer is remembered");
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/desktop.png`, fullPage: true });
  await checkPage(page);
  if (process.env.SHOTS) await page.setViewportSize({ width: 390, height: 844 });
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/phone.png`, fullPage: true });
  await answer.click();
  await waitForBadge("allowed");
  const call = await answered();
  assert.equal(call.state, "allowed");
  assert.deepEqual(call.arguments.answers, {
    "Which database should the service use?": "PostgreSQL", "Which parts get an audit trail?": "Orders, and refunds",
  });
});

test("a text takes the place of an option on a narrow screen", async (t) => {
  const { page, card, answered, waitForBadge } = await startQuestion(t, "AskUserQuestion", { questions: [QUESTIONS.questions[0]] }, { viewport: { width: 390, height: 844 } });
  await card.getByRole("radio", { name: /SQLite/ }).check();
  await card.getByLabel("Another answer: Which database should the service use?").fill("DuckDB");
  assert.equal(await card.getByRole("radio", { name: /SQLite/ }).isChecked(), false);
  await checkPage(page);
  await card.getByRole("button", { name: /^Answer/ }).click();
  await waitForBadge("allowed");
  assert.deepEqual((await answered()).arguments.answers, { "Which database should the service use?": "DuckDB" });
});

test("a plan is sent back with what to change", async (t) => {
  const { page, card, answered, waitForBadge } = await startQuestion(t, "ExitPlanMode", { plan: "# Plan\n1. Build\n2. Ship", planFilePath: "/plans/a.md" });
  await card.getByRole("region", { name: "plan" }).getByText("1. Build").waitFor();
  await card.getByText("From /plans/a.md").waitFor();
  await card.getByRole("button", { name: "Approve the plan" }).waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/plan.png`, fullPage: true });
  await card.getByLabel("comment").fill("test before you ship");
  await card.getByRole("button", { name: /Keep planning/ }).click();
  await waitForBadge("denied");
  assert.equal((await answered()).response.comment, "test before you ship");
});

test("arguments beside the questions are shown", async (t) => {
  const { card } = await startQuestion(t, "AskUserQuestion", { ...QUESTIONS, command: "rm -rf /" });
  await card.getByLabel("arguments", { exact: true }).getByText("rm").first().waitFor();
});
