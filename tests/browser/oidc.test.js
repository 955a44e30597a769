// Signing in at a real OpenID Connect provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPage, newPage, readSignedIn, startBrowser } from "./support/browser.js";
import { logIn, reserveProvider, settingsFor } from "./support/provider.js";
import { askDoctor, createLink, newLog, readEvents, startServer, verifyLog } from "./support/server.js";

// A provider, two servers over one log, and a browser.
async function start(t) {
  const [log, provider] = [await newLog(t), await reserveProvider(t)];
  const servers = [
    await startServer(log, [], settingsFor(provider.issuer)),
    await startServer(log, [], settingsFor(provider.issuer)),
  ];
  provider.begin(servers.map(({ pages }) => pages));
  return { log, provider, servers, browser: await startBrowser(t) };
}

async function signIn(browser, server, login) {
  const page = await newPage(browser);
  await page.goto(`${server.pages}/sign-in/`);
  await logIn(page, login);
  return page;
}

test("claims become the role, the level and the groups", async (t) => {
  const { log, provider, servers, browser } = await start(t);
  const ada = await signIn(browser, servers[0], "ada");
  const { Until, ...facts } = await readSignedIn(ada);
  assert.deepEqual(facts, {
    name: "ada@example.com", Role: "approver", Level: "admin", Groups: "security", Threads: "all",
  });
  assert.equal(new URL(ada.url()).pathname, "/sign-in/", "the code is not in the address");
  const cookies = await ada.context().cookies(servers[0].pages);
  const own = cookies.filter(({ name }) => name.startsWith("countersign")).map(({ name, sameSite, httpOnly }) => [name, sameSite, httpOnly]);
  const { port } = new URL(servers[0].pages);
  const kept = [`countersign_account_${port}`, `countersign_session_${port}`].map((name) => [name, "Strict", true]);
  assert.deepEqual(own.sort(), kept, "the state of the sign-in is gone");
  await ada.reload();
  assert.equal((await readSignedIn(ada)).name, "ada@example.com");
  assert.equal(await ada.locator("meta[name=countersign-page-key]").count(), 0);
  await ada.goto(`${servers[1].pages}/sign-in/`);
  await ada.locator("#token-form").waitFor();
  assert.equal((await readSignedIn(await signIn(browser, servers[1], "eve"))).Role, "auditor");
  const { Level, Role } = await readSignedIn(await signIn(browser, servers[1], "root"));
  assert.deepEqual([Role, Level], ["admin", undefined], "only an approver has a level");
  const sessions = (await readEvents(log, "TOKEN_CREATED")).filter(({ data }) => data.kind === "session");
  assert.deepEqual(sessions.map(({ data }) => [data.name, data.account.issuer, data.account.subject]), [
    ["ada@example.com", provider.issuer, "ada"],
    ["eve@example.com", provider.issuer, "eve"],
    ["root@example.com", provider.issuer, "root"],
  ]);
  await verifyLog(log);
});

test("an account without a role, a verified address or a name of its own is refused", async (t) => {
  const { log, servers, browser } = await start(t);
  await readSignedIn(await signIn(browser, servers[0], "ada"));
  for (const [login, why, code] of [
    ["nobody", /The account "nobody@example.com" has no role here; ask an administrator/, "sign_in_refused"],
    ["unverified", /has not verified the e-mail address; ask an administrator/, "sign_in_refused"],
    ["twin", /User:ada@example.com is the name of another account/, "name_taken"],
  ]) {
    const page = await signIn(browser, servers[1], login);
    await page.getByRole("heading", { name: "Not signed in" }).waitFor();
    assert.match(await page.locator("main").textContent(), why);
    assert.equal(await page.locator("code").textContent(), code);
    await checkPage(page);
    await page.getByRole("link", { name: "Back to sign-in" }).click();
    await page.locator("#oidc").waitFor();
    const names = (await page.context().cookies(servers[1].pages)).map(({ name }) => name);
    assert(!names.some((name) => name.startsWith("countersign")), `${names}`);
  }
  await verifyLog(log);
});

test("a replayed answer of the provider signs no one in", async (t) => {
  const { servers, browser } = await start(t);
  const page = await newPage(browser);
  let answer;
  page.on("request", (request) => {
    if (request.url().includes("/sign-in/oidc/callback")) {
      answer = request.url();
    }
  });
  await page.goto(`${servers[0].pages}/sign-in/`);
  await logIn(page, "ada");
  await readSignedIn(page);
  for (const replaying of [page, await newPage(browser)]) {
    const response = await replaying.goto(answer);
    assert.equal(response.status(), 400);
    assert.match(await replaying.locator("main").textContent(), /was used before.*sign_in_failed/s);
  }
  await page.goto(`${servers[0].pages}/sign-in/`);
  assert.equal((await readSignedIn(page)).name, "ada@example.com", "the session is as it was");
});

test("a person who cancels is told so", async (t) => {
  const { servers, browser } = await start(t);
  const page = await newPage(browser);
  await page.goto(`${servers[0].pages}/sign-in/`);
  await page.locator("#oidc").click();
  await page.getByRole("link", { name: /cancel/i }).click();
  await page.getByText("The identity provider denied the sign-in, or you cancelled it").waitFor();
});

test("a provider that is down stops no other way to sign in", async (t) => {
  const log = await newLog(t);
  const reserved = await reserveProvider(t);
  await reserved.stop();
  const settings = settingsFor(reserved.issuer);
  const server = await startServer(log, [], settings);
  const page = await newPage(await startBrowser(t));
  await page.goto(`${server.pages}/sign-in/`);
  await page.locator("#oidc").click();
  await page.getByText(`${reserved.issuer} cannot be reached; try again later`).waitFor();
  assert.equal(await page.locator("code").textContent(), "provider_unavailable");
  await checkPage(page);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  assert.equal((await page.goto(`${server.pages}/sign-in/oidc`)).status(), 503);
  const { status, found } = await askDoctor(log, settings);
  assert.deepEqual([status, found.includes("cannot be reached")], ["warn", true]);
  await page.goto(await createLink(server, "ada", "approver"));
  assert.equal((await readSignedIn(page)).name, "ada");
  // The provider comes back, and the server needs no restart.
  const provider = await reserveProvider(t, reserved.port);
  provider.begin([server.pages]);
  assert.equal((await askDoctor(log, settings)).status, "ok");
  const later = await newPage(page.context().browser());
  for (;;) {
    await later.goto(`${server.pages}/sign-in/`);
    await later.locator("#oidc").click();
    if (later.url().startsWith(provider.issuer)) {
      break;
    }
    // For a second, requests share the last attempt's failure.
    assert.match(await later.locator("main").textContent(), /cannot be reached/);
  }
  assert(!server.errors().includes(settings.COUNTERSIGN_OIDC_CLIENT_SECRET));
});

test("signing out ends the session here, and then at the provider", async (t) => {
  const { log, provider, servers, browser } = await start(t);
  const page = await signIn(browser, servers[0], "ada");
  await readSignedIn(page);
  await page.locator("#sign-out").click();
  await page.waitForURL(`${provider.issuer}/**`);
  const revoked = await readEvents(log, "TOKEN_REVOKED");
  assert.deepEqual(revoked.map(({ data }) => data.reason), ["signed out"], "before the provider is asked");
  const asked = new URL(page.url()).searchParams;
  assert.equal(asked.get("id_token_hint").split(".").length, 3);
  await page.locator("button[value=yes]").click();
  await page.getByText("You are signed out here and at Example Login.").waitFor();
  const cookies = await page.context().cookies(servers[0].pages);
  assert.deepEqual(cookies.filter(({ name }) => name.startsWith("countersign")), []);
  await page.goto(`${servers[0].pages}/sign-in/`);
  await page.locator("#oidc").click();
  await page.locator("input[name=login]").waitFor();
});

test("no page signs people out at the provider", async (t) => {
  const { provider, servers, browser } = await start(t);
  const page = await signIn(browser, servers[0], "ada");
  await readSignedIn(page);
  for (const path of ["/sign-in/oidc/out", "/sign-in/oidc/signed-out", "/sign-in/oidc/signed-out?state=x"]) {
    const response = await page.goto(`${servers[0].pages}${path}`);
    assert.equal(response.status(), 400, path);
    await page.getByText("This browser has not signed out in the last 10 minutes").waitFor();
    assert(!page.url().startsWith(provider.issuer));
  }
  await page.goto(`${servers[0].pages}/sign-in/`);
  assert.equal((await readSignedIn(page)).name, "ada@example.com");
});
