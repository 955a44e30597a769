// The reference of the API: its command lines run as printed, its list finds operations, and everyone can read it.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { promisify } from "node:util";
import { checkPage, newPage, startBrowser } from "./support/browser.js";
import { createToken, newLog, startServer } from "./support/server.js";

const run = promisify(execFile);

// The roles whose tokens try the operations, the one with the fewest rights first.
const roles = ["agent", "approver", "admin"];

async function openReference(t, hash = "", options = {}) {
  const log = await newLog(t);
  const server = await startServer(log);
  const page = await newPage(await startBrowser(t), options);
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
  await page.goto(`${server.pages}/docs/${hash}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { log, server, page, problems };
}

const documentOf = async (server) => (await fetch(`${server.url}/openapi.json`)).json();

const operationsOf = (document) =>
  Object.values(document.paths).flatMap((item) => Object.values(item));

const curlRegion = (page, kind = "") => page.getByRole("region", { name: `Request with curl${kind}` }).first();

// Reads the command line of an operation from the page.
async function readLine(page, server, id, kind = "") {
  await page.goto(`${server.pages}/docs/#${id}`);
  await page.getByRole("link", { name: id, exact: true }).and(page.locator("article a")).waitFor();
  return curlRegion(page, kind).innerText();
}

const shell = (line, token) => ["sh", ["-c", line], { env: { PATH: process.env.PATH, COUNTERSIGN_TOKEN: token } }];

async function runLine(line, token) {
  const { stdout } = await run(...shell(line, token));
  return stdout;
}

async function createTokens(log) {
  const tokens = {};
  for (const role of roles) tokens[role] = (await createToken(log, `tester-${role}`, role)).secret;
  return tokens;
}

const tokenFor = (tokens, operation) => tokens[roles.find((role) => operation["x-access"]?.roles.includes(role))] ?? "";

test("the command lines of the main cycle run as printed, one after the other", async (t) => {
  const { log, server, page } = await openReference(t);
  const tokens = await createTokens(log);
  const send = async (id, role, kind) => JSON.parse(await runLine(await readLine(page, server, id, kind), tokens[role]));
  assert.equal((await send("propose", "agent")).state, "pending");
  const { pending } = await send("listPending", "approver");
  assert.deepEqual(pending.map((call) => call.id), ["call_1"]);
  assert.equal((await send("decide", "approver")).state, "allowed");
  assert.equal((await send("claim", "agent")).state, "running");
  assert.equal((await send("finish", "agent")).result.status, "success");
  const { events } = await send("listEvents", "approver", ": application/json");
  const types = events.map((event) => event.type);
  for (const type of ["TOOL_CALL", "TOOL_APPROVAL_REQUEST", "TOOL_APPROVAL_RESPONSE", "TOOL_EXECUTION_STARTED", "TOOL_RESULT"]) {
    assert.ok(types.includes(type), `${type} is in ${types}`);
  }
  // The same events as a stream, which does not end by itself.
  const stream = spawn(...shell(`exec ${await readLine(page, server, "listEvents", ": text/event-stream")}`, tokens.approver));
  let text = "";
  while (!text.includes("event: TOOL_RESULT")) text += String((await once(stream.stdout, "data"))[0]);
  stream.kill();
  await once(stream, "exit");
});

test("the command line of every operation is a request that the server understands", async (t) => {
  const { log, server, page } = await openReference(t);
  const document = await documentOf(server);
  const usual = await createTokens(log);
  // These say that a line itself is wrong.
  const wrong = ["bad_json", "not_json", "unauthenticated", "not_permitted", "unknown_route", "wrong_method"];
  for (const operation of operationsOf(document)) {
    const id = operation.operationId;
    // Signing in and out would take the credential of others away.
    const tokens = id.startsWith("sign") ? await createTokens(log) : usual;
    const kinds = Object.keys(operation.responses[200]?.content ?? {});
    // A stream has no end.
    if (kinds.length === 1 && kinds[0] === "text/event-stream") continue;
    const line = await readLine(page, server, id, kinds.length > 1 ? ": application/json" : "");
    const answer = await runLine(line, tokenFor(tokens, operation));
    if (kinds[0]?.endsWith("json") === false) continue;
    const { code, detail } = JSON.parse(answer);
    // The credentials of the examples are not real.
    if (id.startsWith("signIn")) continue;
    assert.ok(!wrong.includes(code), `${id}: ${line}\n${code}: ${detail}`);
  }
});

test("a link leads to an operation, with its fields, errors and examples", async (t) => {
  const { page, problems } = await openReference(t, "#decide");
  await page.getByRole("heading", { level: 1, name: "Decides on a call." }).waitFor();
  assert.equal(await page.title(), "decide – Countersign API");
  await page.getByText("Who may call it: a caller with the role approver.").waitFor();
  const body = page.locator("section").filter({ has: page.getByRole("heading", { name: "Body" }) });
  const decision = body.getByRole("listitem").filter({ has: page.getByText("decision", { exact: true }) }).first();
  assert.match(await decision.innerText(), /^decision string required\s+`?allow_once.*One of "allow_once" "allow_session" "deny"/s);
  await body.getByText("Fields of ProofRequest").press("Enter");
  await body.getByText("publicKey", { exact: true }).or(body.getByText("signature", { exact: true })).first().waitFor();
  await page.getByText("self_approval").click();
  assert.match(await page.getByRole("region", { name: "Example of self_approval" }).innerText(), /"status": 403/);
  assert.match(await page.getByRole("region", { name: "Response 200: application/json" }).innerText(), /"state": "allowed"/);
  assert.deepEqual(problems, [], "the policy of the page forbids nothing that it does");
});

test("the operations of /v1 come before those of other systems", async (t) => {
  const { page, server } = await openReference(t);
  const groups = await page.getByRole("navigation", { name: "Operations" }).getByRole("heading").allInnerTexts();
  const names = groups.map((name) => name.toLowerCase());
  assert.deepEqual(names, (await documentOf(server)).tags.map((tag) => tag.name));
  assert.equal(names[0], "executor");
  assert.deepEqual(names.slice(-3), ["lace", "opey", "agent-world"]);
});

test("the keyboard finds an operation and leads through the page", async (t) => {
  const { page } = await openReference(t);
  await page.keyboard.press("/");
  await page.keyboard.type("already_voted andWaiting");
  await page.getByRole("status").filter({ hasText: /^2 of \d+ operations$/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.type("lease extends");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#renewClaim$/);
  const heading = page.getByRole("heading", { level: 1, name: "Extends a claim's lease." });
  await heading.waitFor();
  assert.ok(await heading.evaluate((element) => element === element.ownerDocument.activeElement), "the heading has the focus");
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Countersign API" }).waitFor();
});

test("an operation can be tried, and the answer is shown", async (t) => {
  const { page } = await openReference(t, "#getHealth");
  await page.getByText("Send it to this server").click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText('"status": "ok"').last().waitFor();
});

test("the theme that a person chooses stays", async (t) => {
  const { page } = await openReference(t, "", { colorScheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByLabel("Theme").selectOption("dark");
  await page.reload();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.notEqual(await ground(), light);
});

for (const hash of ["", "#propose", "#listEvents", "#errors"]) {
  test(`the page passes axe and fits on a phone: ${hash || "overview"}`, async (t) => {
    const { page } = await openReference(t, hash);
    for (const summary of await page.locator("main section > details > summary, main li > details > summary").all()) await summary.click();
    await checkPage(page);
    if (hash) return;
    await page.getByRole("button", { name: "Operations" }).click();
    await page.getByRole("navigation", { name: "Operations" }).getByRole("link", { name: "propose" }).click();
    await page.getByRole("heading", { level: 1, name: "Proposes a call" }).waitFor();
    assert.equal(await page.getByRole("searchbox").isVisible(), false, "the list closes");
  });
}
