// Signing in with links and tokens, signing out, and requests of other sites.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { checkPage, newPage, readSignedIn, startBrowser } from "./support/browser.js";
import { createLink, createToken, newLog, startServer, verifyLog } from "./support/server.js";

async function start(t, options) {
  const log = await newLog(t);
  return { server: await startServer(log, options), browser: await startBrowser(t), log };
}

// Opens a stream of events in the page, and returns a function that waits for its last message.
async function openStream(page) {
  await page.evaluate(async () => {
    const { sessionHeaders } = await import("/assets/countersign.js");
    const response = await fetch("/v1/events", { headers: { accept: "text/event-stream", ...sessionHeaders() } });
    const reader = response.body.getReader();
    await reader.read();
    globalThis.streamEnd = (async () => {
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          return text;
        }
        text += new TextDecoder().decode(value);
      }
    })();
  });
  return () => page.evaluate(() => globalThis.streamEnd);
}

// Asks in the page who is signed in, and returns the status.
async function askWhoami() {
  const { sessionHeaders } = await import("/assets/countersign.js");
  return (await fetch("/v1/me", { headers: sessionHeaders() })).status;
}

test("a link signs in once", async (t) => {
  const { server, browser, log } = await start(t);
  const link = await createLink(server, "ada", "approver", "--level", "admin", "--group", "security");
  const page = await newPage(browser);
  await page.goto(link);
  const { Until, ...facts } = await readSignedIn(page);
  assert.deepEqual(facts, { name: "ada", Role: "approver", Level: "admin", Groups: "security", Threads: "all" });
  assert(Until);
  assert.equal(new URL(page.url()).hash, "", "the token is not in the address, so not in the history");
  await page.reload();
  assert.equal((await readSignedIn(page)).name, "ada");
  const second = await newPage(browser);
  await second.goto(link);
  await second.locator("#message").filter({ hasText: "The link was used before" }).waitFor();
  assert(await second.locator("#token-form").isVisible());
  await verifyLog(log);
});

test("a sign-in leads to where the person wanted to go", async (t) => {
  const { server, browser, log } = await start(t);
  const page = await newPage(browser);
  await page.goto(`${server.pages}/history?q=tool%3Abash`);
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("Token").fill((await createToken(log, "ada", "approver")).secret);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${server.pages}/history?q=tool%3Abash`);
  const elsewhere = await newPage(browser);
  await elsewhere.goto(`${server.pages}/sign-in/?to=https://example.com/`);
  await elsewhere.getByLabel("Token").fill((await createToken(log, "bob", "approver")).secret);
  await elsewhere.keyboard.press("Enter");
  assert.equal((await readSignedIn(elsewhere)).name, "bob", "no link leads to another server");
});

test("a used link goes on with a session that is valid", async (t) => {
  const { server, browser } = await start(t);
  const link = await createLink(server, "ada", "approver");
  const page = await newPage(browser);
  await page.goto(link);
  assert.equal((await readSignedIn(page)).name, "ada");
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByText("The link was used before. You are signed in already.").waitFor();
  await page.getByRole("link", { name: "Open the inbox" }).click();
  await page.getByText("Nothing waits for you").waitFor();
});

test("a token signs in and out, and the page is accessible and fits a phone", async (t) => {
  const { server, browser, log } = await start(t);
  const { secret } = await createToken(log, "eve", "auditor", "--threads", "ci/*");
  const page = await newPage(browser);
  await page.goto(`${server.pages}/sign-in/`);
  assert.equal(await page.locator("#oidc").count(), 0, "no provider is set up");
  await checkPage(page);
  await page.getByLabel("Token").fill("csgn_wrong");
  await page.getByRole("button", { name: "Sign in with token" }).click();
  await page.getByRole("alert").filter({ hasText: "It is not a token" }).waitFor();
  await checkPage(page);
  await page.getByLabel("Token").fill(secret);
  await page.keyboard.press("Enter");
  assert.equal((await readSignedIn(page)).Threads, "ci/*");
  await checkPage(page);
  const [cookie] = await page.context().cookies();
  const { name, httpOnly, sameSite, secure } = cookie;
  const expected = { name: `countersign_session_${new URL(server.pages).port}`, httpOnly: true, sameSite: "Strict", secure: false };
  assert.deepEqual({ name, httpOnly, sameSite, secure }, expected);
  assert.equal(await page.evaluate(() => document.cookie), "", "scripts cannot read it");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.locator("#token-form").waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  await page.context().addCookies([cookie]);
  await page.reload();
  await page.locator("#token-form").waitFor();
  await verifyLog(log);
});

test("an agent's token signs no one in", async (t) => {
  const { server, browser, log } = await start(t);
  const { secret } = await createToken(log, "bot", "agent");
  const page = await newPage(browser);
  await page.goto(`${server.pages}/sign-in/#${secret}`);
  await page.getByRole("alert").filter({ hasText: "The token of an agent signs no one in" }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);
});

test("signing out ends the streams of that session, and everywhere those of all", async (t) => {
  const { server, browser, log } = await start(t);
  const { secret } = await createToken(log, "ada", "approver");
  const other = (await createToken(log, "bob", "approver")).secret;
  const signIn = async (token) => {
    const page = await newPage(browser);
    await page.goto(`${server.pages}/sign-in/#${token}`);
    await readSignedIn(page);
    return page;
  };
  const [laptop, phone, office, bob] = [await signIn(secret), await signIn(secret), await signIn(secret), await signIn(other)];
  const ends = [await openStream(laptop), await openStream(phone)];
  await laptop.getByRole("button", { name: "Sign out", exact: true }).click();
  assert.match(await ends[0](), /event: error[\s\S]*"unauthenticated"/);
  assert.equal(await phone.evaluate(askWhoami), 200, "another session stays");
  await office.getByRole("button", { name: "Sign out everywhere" }).click();
  assert.match(await ends[1](), /event: error[\s\S]*"unauthenticated"/);
  assert.equal(await phone.evaluate(askWhoami), 401);
  await bob.reload();
  assert.equal((await readSignedIn(bob)).name, "bob");
  await verifyLog(log);
});

test("a page of another site can send nothing with the session", async (t) => {
  const { server, browser, log } = await start(t);
  const { secret } = await createToken(log, "ada", "approver");
  const page = await newPage(browser);
  await page.goto(`${server.pages}/sign-in/#${secret}`);
  await readSignedIn(page);
  const http = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<form method="post" action="${server.pages}/v1/sessions" enctype="text/plain"><input name="a" value="b"></form>`);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => new Promise((done) => { http.close(done); http.closeAllConnections(); }));
  const statuses = [];
  page.context().on("response", (response) => {
    if (response.url().startsWith(server.pages)) {
      statuses.push([response.request().method(), response.status()]);
    }
  });
  // Another port of the same host is another origin of the same site, so the browser sends even a strict cookie; and other
  // names of this machine are other sites.
  for (const host of ["countersign.localhost", "127.0.0.1", "localhost"]) {
    const evil = await page.context().newPage();
    await evil.goto(`http://${host}:${http.address().port}/`);
    const sent = await evil.evaluate(async (url) => {
      const send = (path, options) => fetch(url + path, { credentials: "include", ...options }).then(() => "read", () => "blocked");
      return [
        await send("/v1/sessions", { method: "DELETE" }),
        await send("/v1/sessions/current", { method: "DELETE", mode: "no-cors" }),
        await send("/v1/sessions", { method: "POST", mode: "no-cors", body: "{}" }),
        await send("/v1/approvals/decide", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }),
        await send("/v1/me"),
      ];
    }, server.pages);
    assert(!sent.slice(0, 1).concat(sent.slice(3)).includes("read"), `${sent}`);
    await evil.locator("form").evaluate((form) => form.submit());
    await evil.waitForURL(`${server.pages}/**`);
    assert.match(await evil.locator("body").textContent(), /foreign_origin/);
    await evil.close();
  }
  assert(statuses.length >= 4 && statuses.every(([, status]) => status === 403), JSON.stringify(statuses));
  await page.reload();
  assert.equal((await readSignedIn(page)).name, "ada", "the session is as it was");
});

test("with TLS the cookie is secure and belongs to this host alone", async (t) => {
  const log = await newLog(t);
  const [certificate, key] = [join(log.folder, "certificate.pem"), join(log.folder, "key.pem")];
  execFileSync("openssl", [
    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
  ], { stdio: "ignore" });
  const server = await startServer(log, ["--tls-certificate", certificate, "--tls-key", key]);
  assert(server.url.startsWith("https://"), server.url);
  const page = await newPage(await startBrowser(t));
  await page.goto(await createLink(server, "ada", "approver"));
  await readSignedIn(page);
  const [{ name, secure, httpOnly, sameSite, path, domain }] = await page.context().cookies();
  assert.deepEqual({ name, secure, httpOnly, sameSite, path, domain }, {
    name: `__Host-countersign_session_${new URL(server.pages).port}`, secure: true, httpOnly: true, sameSite: "Strict", path: "/",
    domain: "countersign.localhost",
  });
});

test("servers of one log on two ports have sessions of their own, which end together", async (t) => {
  const { server, browser, log } = await start(t);
  const second = await startServer(log);
  const page = await newPage(browser);
  await page.goto(await createLink(server, "ada", "approver"));
  await readSignedIn(page);
  // Cookies ignore ports, but the page key does not.
  await page.goto(`${second.pages}/sign-in/`);
  await page.locator("#token-form").waitFor();
  const other = await page.context().newPage();
  await other.goto(await createLink(second, "ada", "approver"));
  assert.equal((await readSignedIn(other)).name, "ada");
  const end = await openStream(other);
  const first = await page.context().newPage();
  await first.goto(`${server.pages}/sign-in/`);
  await first.getByRole("button", { name: "Sign out everywhere" }).click();
  assert.match(await end(), /"unauthenticated"/);
  await verifyLog(log);
});
