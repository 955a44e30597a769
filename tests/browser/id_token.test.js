// Answers of an identity provider that the server must not accept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage, readSignedIn, startBrowser } from "./support/browser.js";
import { signatures, startHostileProvider } from "./support/hostile_provider.js";
import { settingsFor } from "./support/provider.js";
import { newLog, readEvents, startServer, verifyLog } from "./support/server.js";

async function start(t) {
  const [log, provider] = [await newLog(t), await startHostileProvider(t)];
  const server = await startServer(log, [], settingsFor(provider.issuer));
  return { log, provider, server, browser: await startBrowser(t) };
}

async function begin(browser, server) {
  const page = await newPage(browser);
  await page.goto(`${server.pages}/sign-in/`);
  await page.locator("#oidc").click();
  return page;
}

const countSessions = async (log) =>
  (await readEvents(log, "TOKEN_CREATED")).filter(({ data }) => data.kind === "session").length;

const hours = (count) => Math.floor(Date.now() / 1000) + count * 3600;

test("only an ID token for this sign-in is accepted", async (t) => {
  const { log, provider, server, browser } = await start(t);
  const cases = [
    ["wrong audience", { claims: { aud: "other" } }, /made for another client/],
    ["further audience", { claims: { aud: ["countersign", "other"] } }, /made for another client/],
    ["no audience", { claims: { aud: undefined } }, /not accepted|not answer as/],
    ["other authorized party", { claims: { azp: "other" } }, /made for another client/],
    ["wrong issuer", { claims: { iss: "https://evil.example" } }, /another issuer/],
    ["wrong nonce", { claims: { nonce: "other" } }, /another sign-in/],
    ["no nonce", { claims: { nonce: undefined } }, /another sign-in/],
    ["expired", { claims: { exp: hours(-1) } }, /has expired/],
    ["no expiry", { claims: { exp: undefined } }, /not accepted|not answer as/],
    ["unsigned", { header: { alg: "none" }, signature: signatures.none }, /no valid signature/],
    ["no signature", { signature: signatures.none }, /no valid signature/],
    ["foreign key", { signature: signatures.foreign }, /no valid signature/],
    ["signed with the client secret", { header: { alg: "HS256" }, signature: signatures.secret }, /no valid signature/],
    ["signed with the public key", { header: { alg: "HS256", kid: undefined }, signature: signatures.own }, /no valid signature/],
    ["unknown critical header", { header: { crit: ["x"], x: 1 } }, /not accepted/],
  ];
  const usual = { ...provider.behaviour };
  for (const [name, behaviour, why] of cases) {
    Object.assign(provider.behaviour, usual, behaviour);
    const page = await begin(browser, server);
    const text = await page.locator("main").textContent();
    assert.match(text, /Not signed in/, name);
    assert.match(text, why, name);
    assert.match(text, /sign_in_failed|provider_unavailable/, name);
    const names = (await page.context().cookies()).map((cookie) => cookie.name);
    assert.deepEqual(names, [], name);
    await page.context().close();
  }
  assert.equal(await countSessions(log), 0);
  Object.assign(provider.behaviour, usual);
  await readSignedIn(await begin(browser, server));
  // A clock that is a little late, and a list of one audience.
  provider.behaviour.claims = { exp: Math.floor(Date.now() / 1000) - 5, aud: ["countersign"], azp: "countersign" };
  await readSignedIn(await begin(browser, server));
  await verifyLog(log);
});

test("the request has a state, a nonce and a challenge of PKCE", async (t) => {
  const { provider, server, browser } = await start(t);
  await readSignedIn(await begin(browser, server));
  const first = provider.request;
  assert.equal(first.code_challenge_method, "S256");
  assert.equal(first.response_type, "code");
  assert.equal(first.redirect_uri, `${server.pages}/sign-in/oidc/callback`);
  assert.equal(first.scope, "openid email groups");
  await readSignedIn(await begin(browser, server));
  for (const name of ["state", "nonce", "code_challenge"]) {
    assert(first[name].length >= 22, name);
    assert.notEqual(first[name], provider.request[name], name);
  }
});

test("an answer to another browser, or with another state, is refused before the code is used", async (t) => {
  const { log, provider, server, browser } = await start(t);
  const refused = async (page) => {
    await page.getByText("was begun in another browser").waitFor();
    assert.equal(provider.exchanges, 0);
  };
  provider.behaviour.redirect = (url) => { url.searchParams.set("state", "other"); return url; };
  await refused(await begin(browser, server));
  // The victim opens the answer to an attacker's sign-in.
  let stolen;
  provider.behaviour.redirect = (url) => { stolen = url.href; return new URL(`${server.pages}/sign-in/`); };
  await (await begin(browser, server)).locator("#oidc").waitFor();
  const victim = await newPage(browser);
  await victim.goto(stolen);
  await refused(victim);
  for (const query of ["", "?state=&code=", "?code=a&code=b", "?state=%ff", `?error=${encodeURIComponent("<img src=x>")}`]) {
    const response = await victim.goto(`${server.pages}/sign-in/oidc/callback${query}`);
    assert.equal(response.status(), 400, query);
    assert.equal(await victim.locator("img[src='x']").count(), 0);
  }
  provider.behaviour.redirect = (url) => { url.searchParams.set("iss", "https://evil.example"); return url; };
  await (await begin(browser, server)).getByText("Another identity provider answered").waitFor();
  assert.equal(provider.exchanges, 0);
  assert.equal(await countSessions(log), 0);
});

test("a state signs in once, also if the provider accepts its code again", async (t) => {
  const { log, provider, server, browser } = await start(t);
  let answer;
  provider.behaviour.redirect = (url) => { answer = url.href; return new URL(`${server.pages}/sign-in/`); };
  const page = await begin(browser, server);
  await page.locator("#oidc").waitFor();
  const cookies = await page.context().cookies();
  await page.goto(answer);
  await readSignedIn(page);
  const thief = await newPage(browser);
  await thief.context().addCookies(cookies);
  await thief.goto(answer);
  await thief.getByText("This sign-in was used before").waitFor();
  assert.equal(provider.exchanges, 2, "the provider did accept it");
  assert.equal(await countSessions(log), 1);
});

test("a sign-in is completed by another server of the log", async (t) => {
  const { log, provider, server, browser } = await start(t);
  const second = await startServer(log, [], settingsFor(provider.issuer));
  provider.behaviour.redirect = (url) => new URL(url.href.replace(server.pages, second.pages));
  const page = await begin(browser, server);
  await readSignedIn(page);
  assert(page.url().startsWith(second.pages));
});

test("new keys of the provider are accepted", async (t) => {
  const { provider, server, browser } = await start(t);
  await readSignedIn(await begin(browser, server));
  provider.rotate();
  await readSignedIn(await begin(browser, server));
});

test("an account keeps the name of its first sign-in", async (t) => {
  const { log, provider, server, browser } = await start(t);
  assert.equal((await readSignedIn(await begin(browser, server))).name, "ada@example.com");
  provider.behaviour.claims = { email: "lovelace@example.com" };
  assert.equal((await readSignedIn(await begin(browser, server))).name, "ada@example.com");
  await verifyLog(log);
});

test("nothing leads to another site after signing in", async (t) => {
  const { provider, server, browser } = await start(t);
  for (const query of ["?return=https://evil.example/", "?redirect_uri=https://evil.example/", "?next=//evil.example"]) {
    const page = await newPage(browser);
    await page.goto(`${server.pages}/sign-in/oidc${query}`);
    await readSignedIn(page);
    assert.equal(page.url(), `${server.pages}/sign-in/`);
    assert.equal(provider.request.redirect_uri, `${server.pages}/sign-in/oidc/callback`);
  }
});
