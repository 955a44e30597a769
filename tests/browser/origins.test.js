// Other programs on the same machine: a page or a server on another port, as a coding agent may start one. Browsers
// send it the session cookie and let it use the host's passkeys, so both must be worthless there.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { newPage, readSignedIn, startBrowser } from "./support/browser.js";
import { Agent } from "./support/inbox.js";
import { createLink, createToken, newLog, readEvents, requestPages, startServer, verifyLog } from "./support/server.js";

const policy = `
[[rule]]
name = "touched"
tool = "wire"
verdict = "ask"
proof = "passkey"
`;

// A log with a server, an agent, and a page on which ada is signed in and has an authenticator.
async function start(t) {
  const log = await newLog(t);
  const policyFile = join(log.folder, "policy.toml");
  await writeFile(policyFile, policy);
  const server = await startServer(log, ["--policy", policyFile]);
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  const token = (await createToken(log, "ada", "approver")).secret;
  const browser = await startBrowser(t);
  const page = await newPage(browser);
  const devtools = await page.context().newCDPSession(page);
  await addAuthenticator(devtools);
  await page.goto(`${server.pages}/sign-in/#${token}`);
  await readSignedIn(page);
  return { log, server, agent, token, browser, page, devtools };
}

async function addAuthenticator(devtools) {
  await devtools.send("WebAuthn.enable");
  return devtools.send("WebAuthn.addVirtualAuthenticator", { options: {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
    automaticPresenceSimulation: true,
  } });
}

// Somebody else's program on a port of this machine. It keeps the last request's headers.
async function startOther(t) {
  const other = { headers: {} };
  const http = createServer((received, response) => {
    other.headers = received.headers;
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>dev server</title>");
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => new Promise((done) => { http.close(done); http.closeAllConnections(); }));
  return Object.assign(other, { port: http.address().port });
}

// Sends a request as a program does, with any headers, and returns the status and the code.
async function send(server, method, path, headers, json) {
  const body = json && JSON.stringify(json);
  const own = body ? { "content-type": "application/json", "content-length": Buffer.byteLength(body) } : {};
  const { status, text } = await requestPages(server, path, { method, headers: { ...own, ...headers }, body });
  return [status, JSON.parse(text).code];
}

async function addPasskey({ server, page }) {
  await page.goto(`${server.pages}/settings`);
  await page.locator("#add-passkey button:enabled").click();
  await page.locator("#key-list li").waitFor();
}

test("a program on another port that gets the cookie reads and decides nothing with it", async (t) => {
  const { log, server, agent, page } = await start(t);
  await agent.propose("t", "a", "bash", { command: "echo a" });
  const other = await startOther(t);
  const evil = await page.context().newPage();
  await evil.goto(`http://countersign.localhost:${other.port}/`);
  const { cookie } = other.headers;
  assert.match(cookie, /countersign_session_\d+=csgn_/, "the browser sends it to each port of the host");
  assert.equal(await evil.evaluate(() => localStorage.length), 0, "the key of the page stays with its origin");
  const asPage = { cookie, origin: server.pages, "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };
  for (const headers of [{ cookie }, asPage, { ...asPage, "countersign-page-key": "0".repeat(40) }]) {
    for (const [method, path, body] of [
      ["GET", "/v1/approvals/pending"],
      ["GET", "/v1/threads/t/tool-calls/a"],
      ["GET", "/v1/me"],
      ["POST", "/v1/threads/t/approvals/a", { decision: "allow_once" }],
      ["POST", "/v1/approvals/decide", { decisions: [] }],
      ["POST", "/v1/approver-keys", { kind: "ssh", publicKey: "x" }],
      ["DELETE", "/v1/sessions"],
    ]) {
      assert.deepEqual(await send(server, method, path, headers, body), [401, "unauthenticated"], `${method} ${path}`);
    }
  }
  // Other names of this machine do not even get the cookie.
  for (const host of ["localhost", "127.0.0.1"]) {
    await evil.goto(`http://${host}:${other.port}/`);
    assert.equal(other.headers.cookie, undefined, host);
  }
  await page.reload();
  assert.equal((await readSignedIn(page)).name, "ada");
  assert.equal((await readEvents(log, "TOOL_APPROVAL_RESPONSE")).length, 0);
  await verifyLog(log);
});

test("a touch on a page of another port signs no one in and proves nothing", async (t) => {
  const world = await start(t);
  const { log, server, agent, token, page } = world;
  await addPasskey(world);
  await agent.propose("t", "a", "wire", { amount: 1 });
  const other = await startOther(t);
  // The page asks for a touch over a challenge that its program has got from the server.
  await page.goto(`http://countersign.localhost:${other.port}/`);
  const touch = (challenge) => page.evaluate(async (text) => {
    const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const challenge = Uint8Array.from(plain, (character) => character.charCodeAt(0));
    const { rawId, response } = await navigator.credentials.get({
      publicKey: { challenge, rpId: "countersign.localhost", userVerification: "required" },
    });
    return {
      credentialId: encode(rawId), clientData: encode(response.clientDataJSON),
      authenticatorData: encode(response.authenticatorData), signature: encode(response.signature),
    };
  }, challenge);
  const person = new Agent(server, token);
  const { challenge } = await person.post("/v1/sessions/passkey/challenge", {});
  const signed = await touch(challenge);
  assert.deepEqual(await send(server, "POST", "/v1/sessions/passkey", { origin: server.pages }, signed), [403, "proof_invalid"]);
  // A token thief also needs a proof.
  const asked = await fetch(`${server.url}/v1/threads/t/approvals/a`, {
    method: "POST", headers: person.headers, body: JSON.stringify({ decision: "allow_once" }),
  });
  const { statement } = await asked.json();
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(statement))).toString("base64url");
  const { credentialId, ...assertion } = await touch(hash);
  const [key] = await readEvents(log, "APPROVER_KEY_ADDED");
  assert.ok(credentialId);
  const decision = { decision: "allow_once", proof: { kind: "passkey", key: key.data.id, ...assertion } };
  const headers = { authorization: `Bearer ${token}` };
  assert.deepEqual(await send(server, "POST", "/v1/threads/t/approvals/a", headers, decision), [403, "proof_invalid"]);
  const all = await person.post("/v1/approvals/decide", { decisions: [{ threadId: "t", id: "a", ...decision }] });
  assert.equal(all.results[0].problem.code, "proof_invalid");
  assert.equal((await agent.get("/v1/threads/t/tool-calls/a")).state, "pending");
  await verifyLog(log);
});

test("a page of another name of this machine cannot use the passkey", async (t) => {
  const world = await start(t);
  await addPasskey(world);
  const other = await startOther(t);
  await world.page.goto(`http://localhost:${other.port}/`);
  const failure = await world.page.evaluate(() => navigator.credentials.get({
    publicKey: { challenge: new Uint8Array(32), rpId: "countersign.localhost", userVerification: "required" },
  }).then(() => "used", ({ name }) => name));
  assert.equal(failure, "SecurityError");
});

test("a passkey created on a page of another port is not registered", async (t) => {
  const { log, server, token, page } = await start(t);
  const other = await startOther(t);
  const { log: identity } = await new Agent(server, token).get("/v1/approver-keys");
  await page.goto(`http://countersign.localhost:${other.port}/`);
  const passkey = await page.evaluate(async (text) => {
    const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    const { response } = await navigator.credentials.create({ publicKey: {
      challenge, rp: { id: "countersign.localhost", name: "x" }, user: { id: new Uint8Array(8), name: "ada", displayName: "ada" },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }], authenticatorSelection: { userVerification: "required" },
    } });
    return { clientData: encode(response.clientDataJSON), attestation: encode(response.attestationObject) };
  }, `Countersign new passkey 1\nlog: ${identity}\napprover: user:ada\n`);
  const headers = { authorization: `Bearer ${token}` };
  assert.deepEqual(await send(server, "POST", "/v1/approver-keys", headers, { kind: "passkey", passkey }), [403, "proof_invalid"]);
  assert.equal((await readEvents(log, "APPROVER_KEY_ADDED")).length, 0);
});

test("other names of this machine lead to the host of the pages, with the token of a link", async (t) => {
  const { log, server, browser } = await start(t);
  for (const name of ["127.0.0.1", "localhost", "[::1]"]) {
    const page = await newPage(browser);
    const link = await createLink(server, "ada", "approver");
    await page.goto(link.replace("countersign.localhost", name));
    assert.equal((await readSignedIn(page)).name, "ada");
    assert.equal(new URL(page.url()).origin, server.pages);
    await page.goto(`${server.pages.replace("countersign.localhost", name)}/history?who=people`);
    assert.equal(page.url(), `${server.pages}/history?who=people`);
  }
  const sessions = (await readEvents(log, "TOKEN_CREATED")).filter(({ data }) => data.kind === "session");
  assert.ok(sessions.every(({ data }) => data.webOrigin === server.pages), JSON.stringify(sessions));
  await verifyLog(log);
});

test("a page that a person opens over a forwarded port says which address to use", async (t) => {
  const { server, browser } = await start(t);
  // A tunnel to the server port, such as `ssh -L` makes.
  const { hostname, port } = new URL(server.url);
  const tunnel = createServer((received, response) => {
    const sent = request({ hostname, port, method: received.method, path: received.url, headers: received.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    received.pipe(sent);
  });
  tunnel.listen(0, "127.0.0.1");
  await once(tunnel, "listening");
  t.after(() => new Promise((done) => { tunnel.close(done); tunnel.closeAllConnections(); }));
  const page = await newPage(browser);
  const response = await page.goto(`http://localhost:${tunnel.address().port}/`);
  assert.equal(response.status(), 421);
  const text = await page.locator("body").textContent();
  assert.ok(text.includes(`--public-url http://countersign.localhost:${tunnel.address().port}`), text);
  assert.ok(text.includes(server.pages), text);
});

test("no other program can listen on the second address of the pages' host", async (t) => {
  const { server } = await start(t);
  const { port } = new URL(server.url);
  const http = createServer(() => {});
  http.listen(Number(port), "::1");
  const [error] = await once(http, "error");
  assert.equal(error.code, "EADDRINUSE");
});

