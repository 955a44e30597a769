// Passkeys in Chromium, whose virtual authenticator stands for a security key or a phone lock.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { newPage, startBrowser } from "./support/browser.js";
import { createToken, newLog, readEvents, runCommand, startServer, verifyLog } from "./support/server.js";

const policy = `
[[rule]]
name = "touched"
tool = "wire"
verdict = "ask"
proof = "passkey"
[[rule]]
name = "two touch"
tool = "drop"
verdict = "ask"
proof = "any"
quorum = 2
`;

// A server whose rules ask for proofs. Passkeys belong to the host of its pages: none belongs to an address.
async function start(t) {
  const log = await newLog(t);
  const policyFile = join(log.folder, "policy.toml");
  await writeFile(policyFile, policy);
  const server = await startServer(log, ["--policy", policyFile]);
  const { url, pages: site } = server;
  const agent = (await createToken(log, "bot", "agent")).secret;
  return { log, url, site, agent, browser: await startBrowser(t) };
}

async function post(site, token, path, body) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const response = await fetch(`${site}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, answer: await response.json() };
}

async function propose(world, id, name, args) {
  const proposed = await post(world.url, world.agent, "/v1/threads/t1/tool-calls", { id, name, arguments: args });
  assert.equal(proposed.status, 201, JSON.stringify(proposed.answer));
}

// A page whose person has an authenticator and is signed in.
async function newApprover(world, name, options = {}) {
  const token = (await createToken(world.log, name, "approver")).secret;
  const page = await newPage(world.browser);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", { options: {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
    automaticPresenceSimulation: true, ...options,
  } });
  await page.goto(`${world.site}/sign-in/`);
  await page.locator("#token").fill(token);
  await page.locator("#token").press("Enter");
  await page.locator("#signed-in").waitFor();
  return { name, token, page, devtools, authenticatorId };
}

async function addPasskey(world, { page }, name = "phone") {
  await page.goto(`${world.site}/settings`);
  await page.locator("#add-passkey button:enabled").waitFor();
  const before = await page.locator("#key-list li").count();
  await page.locator("#key-name").fill(name);
  await page.locator("#add-passkey button").click();
  await page.locator("#key-list li").nth(before).waitFor();
}

async function openCall(world, { page }, id) {
  await page.goto(`${world.site}/calls/t1/${id}`);
  await page.getByRole("button", { name: /^Deny/ }).waitFor();
}

const allow = ({ page }) => page.getByRole("button", { name: "Allow with a passkey" }).click();
const waitForState = ({ page }, text) => page.locator("tool-approval-card header .badge", { hasText: text }).waitFor();

test("a passkey approves a call, and the log proves it", async (t) => {
  const world = await start(t);
  const ada = await newApprover(world, "ada");
  await addPasskey(world, ada);
  await propose(world, "call_1", "wire", { amount: 12 });
  await openCall(world, ada, "call_1");
  await ada.page.getByLabel("comment").fill("as agreed");
  // The card shows what is signed while the authenticator waits for the touch.
  let release;
  const isDecided = new Promise((resolve) => { release = resolve; });
  await ada.page.route("**/v1/approver-keys*", async (route) => { await isDecided; await route.continue(); });
  await allow(ada);
  await ada.page.getByText("What you sign").waitFor();
  const statement = await ada.page.locator("#statement").textContent();
  release();
  await waitForState(ada, "allowed");
  assert.match(statement, /^Countersign decision 1\nlog: [0-9a-f]{64}\nthread: t1\ncall: call_1\n/);
  const [response] = await readEvents(world.log, "TOOL_APPROVAL_RESPONSE");
  assert.equal(response.data.proof.kind, "passkey");
  const clientData = JSON.parse(Buffer.from(response.data.proof.clientData, "base64url").toString());
  assert.equal(clientData.origin, world.site);
  await verifyLog(world.log);
});

test("a forged, replayed or foreign assertion approves nothing", async (t) => {
  const world = await start(t);
  const ada = await newApprover(world, "ada");
  await addPasskey(world, ada);
  await propose(world, "call_1", "wire", { amount: 12 });
  await openCall(world, ada, "call_1");
  await allow(ada);
  await waitForState(ada, "allowed");
  const [response] = await readEvents(world.log, "TOOL_APPROVAL_RESPONSE");
  await propose(world, "call_2", "wire", { amount: 12_000 });
  const decide = (body) => post(world.url, ada.token, "/v1/threads/t1/approvals/call_2", { decision: "allow_once", ...body });
  const refused = async (proof, code) => assert.equal((await decide({ proof })).answer.code, code);
  const { proof } = response.data;
  await refused(undefined, "proof_required");
  await refused(proof, "proof_invalid");
  // The token thief replaces the challenge with this call's challenge, which breaks the signature.
  const { statement } = (await decide({})).answer;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(statement));
  const clientData = JSON.parse(Buffer.from(proof.clientData, "base64url").toString());
  clientData.challenge = Buffer.from(digest).toString("base64url");
  const forged = Buffer.from(JSON.stringify(clientData)).toString("base64url");
  await refused({ ...proof, clientData: forged }, "proof_invalid");
  await refused({ ...proof, kind: "ssh" }, "proof_invalid");
  const eve = await newApprover(world, "eve");
  const stolen = await post(world.url, eve.token, "/v1/threads/t1/approvals/call_2", { decision: "allow_once", proof });
  assert.equal(stolen.answer.code, "proof_invalid");
});

test("an authenticator that does not verify the person is refused", async (t) => {
  const world = await start(t);
  const ada = await newApprover(world, "ada");
  await addPasskey(world, ada);
  await propose(world, "call_1", "wire", {});
  await openCall(world, ada, "call_1");
  await ada.devtools.send("WebAuthn.setUserVerified", { authenticatorId: ada.authenticatorId, isUserVerified: false });
  await allow(ada);
  await ada.page.getByRole("alert").filter({ hasText: "Not decided: " }).waitFor();
  assert.equal((await readEvents(world.log, "TOOL_APPROVAL_RESPONSE")).length, 0);
});

test("two people approve with passkeys, and one of them cannot do it twice", async (t) => {
  const world = await start(t);
  const [ada, ben] = [await newApprover(world, "ada"), await newApprover(world, "ben")];
  await addPasskey(world, ada);
  await addPasskey(world, ben);
  await propose(world, "call_1", "drop", {});
  await openCall(world, ada, "call_1");
  await allow(ada);
  await ada.page.getByText(/^ada signed with the passkey key /).waitFor();
  const [vote] = await readEvents(world.log, "TOOL_APPROVAL_VOTE");
  const body = { decision: "allow_once", proof: vote.data.proof };
  const twice = await post(world.url, ben.token, "/v1/threads/t1/approvals/call_1", body);
  assert.equal(twice.answer.code, "proof_invalid");
  await openCall(world, ben, "call_1");
  await allow(ben);
  await waitForState(ben, "allowed");
  await verifyLog(world.log);
});

test("a second key needs a touch of the first, and a removed one approves nothing", async (t) => {
  const world = await start(t);
  const ada = await newApprover(world, "ada");
  await addPasskey(world, ada);
  const body = {
    kind: "ssh", publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE6vUdE3OJbyf7V2VbZLJUvbc0KpVyOqYOtKmO4nPPqr",
  };
  const thief = await post(world.url, ada.token, "/v1/approver-keys", body);
  assert.equal(thief.answer.code, "proof_required");
  await ada.page.evaluate(async ([statement, sent]) => {
    const { CountersignClient } = await import("/assets/countersign.js");
    const { listKeys, signStatement } = await import("/assets/passkeys.js");
    const client = new CountersignClient();
    const { keys } = await listKeys(client, "user:ada");
    await client.request("POST", "/v1/approver-keys", { ...sent, proof: await signStatement(statement, keys) });
  }, [thief.answer.statement, body]);
  const added = await readEvents(world.log, "APPROVER_KEY_ADDED");
  assert.equal(added[1].data.proof.key, added[0].data.id);
  await ada.page.reload();
  await ada.page.locator("#key-list li").nth(1).waitFor();
  await ada.page.getByRole("button", { name: "Remove phone" }).click();
  await ada.page.getByRole("button", { name: "Remove phone now" }).click();
  await ada.page.locator("#key-list li").nth(1).waitFor({ state: "detached" });
  await propose(world, "call_1", "wire", {});
  await openCall(world, ada, "call_1");
  await allow(ada);
  await ada.page.getByRole("alert").filter({ hasText: "You have no passkey for this site" }).waitFor();
  await verifyLog(world.log);
});

test("a passkey signs in, and a sign-in approves nothing", async (t) => {
  const world = await start(t);
  const ada = await newApprover(world, "ada");
  await addPasskey(world, ada);
  await ada.page.context().clearCookies();
  await ada.page.goto(`${world.site}/sign-in/`);
  // Another server process on the log makes the challenge, as behind a load balancer.
  const second = await startServer(world.log);
  await ada.page.route("**/v1/sessions/passkey/challenge", async (route) => {
    const { status, answer } = await post(second.url, ada.token, "/v1/sessions/passkey/challenge", {});
    await route.fulfill({ status, json: answer });
  });
  let sent;
  ada.page.on("request", (request) => { if (request.url().endsWith("/v1/sessions/passkey")) sent = request.postDataJSON(); });
  await ada.page.locator("#passkey").click();
  await ada.page.locator("#name", { hasText: "ada" }).waitFor();
  // The same assertion signs in once, and its challenge is none of a decision.
  const again = await post(world.url, ada.token, "/v1/sessions/passkey", sent);
  assert.equal(again.answer.code, "sign_in_failed");
  await propose(world, "call_1", "wire", {});
  const [key] = await readEvents(world.log, "APPROVER_KEY_ADDED");
  const { credentialId, ...assertion } = sent;
  const proof = { kind: "passkey", key: key.data.id, ...assertion };
  const decided = await post(world.url, ada.token, "/v1/threads/t1/approvals/call_1", { decision: "allow_once", proof });
  assert.equal(decided.answer.code, "proof_invalid");
  // Removing the passkey ends the session that it started.
  await ada.page.goto(`${world.site}/settings`);
  await ada.page.locator("#key-list li button").click();
  await ada.page.getByRole("button", { name: /^Remove .* now$/ }).click();
  await ada.page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await verifyLog(world.log);
});

test("the page of a call shows every digit and every hidden character", async (t) => {
  const world = await start(t);
  const ada = await newApprover(world, "ada");
  // The number is longer than JavaScript numbers, and the text has a direction mark and a zero-width character.
  const body = '{"id":"call_1","name":"wire","arguments":{"amount":9007199254740993,"to":"\u202eknab\u200b <b>x</b>","list":[]}}';
  const headers = { "content-type": "application/json", authorization: `Bearer ${world.agent}` };
  await fetch(`${world.url}/v1/threads/t1/tool-calls`, { method: "POST", headers, body });
  await openCall(world, ada, "call_1");
  const card = ada.page.locator("tool-approval-card");
  await card.getByText("9007199254740993", { exact: true }).waitFor();
  const text = (await card.getByText("knab").first().textContent()).trim();
  assert.equal(text, "\\u{202e}knab\\u{200b} <b>x</b>");
  await card.getByText("It contains characters that are invisible.").waitFor();
  await ada.page.getByRole("button", { name: /^Deny/ }).click();
  await waitForState(ada, "denied");
});

test("the key of a passkey can be pinned off the machine", async (t) => {
  const world = await start(t);
  const ada = await newApprover(world, "ada");
  await addPasskey(world, ada);
  await propose(world, "call_1", "wire", {});
  await openCall(world, ada, "call_1");
  await allow(ada);
  await waitForState(ada, "allowed");
  const { keys } = await runCommand(world.log, "approver-key", "list");
  const pins = join(world.log.folder, "pins");
  await writeFile(pins, `user:ada ${keys[0].publicKey}\n`);
  const found = await runCommand(world.log, "verify", "--approver-keys", pins);
  assert.deepEqual(found.proofs, { proved: 1, unproved: 0, unknownOrigin: 0 });
  assert.match(await readFile(pins, "utf8"), /^user:ada passkey countersign[.]localhost /);
});
