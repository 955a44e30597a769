// A real OpenID Connect provider (oidc-provider) on this machine.
import { once } from "node:events";
import { createServer } from "node:http";
import Provider from "oidc-provider";

export const client = { id: "countersign", secret: "a secret of the client, which is long enough" };

// The accounts by their login name.
const accounts = {
  ada: { email: "ada@example.com", email_verified: true, groups: ["engineering", "leads", "security"] },
  eve: { email: "eve@example.com", email_verified: true, groups: ["audit"] },
  root: { email: "root@example.com", email_verified: true, groups: ["platform", "leads"] },
  nobody: { email: "nobody@example.com", email_verified: true, groups: ["marketing"] },
  unverified: { email: "ada@example.com", email_verified: false, groups: ["engineering"] },
  // Another account that the provider gives the address of ada.
  twin: { email: "ada@example.com", email_verified: true, groups: ["platform"] },
};

// Binds a port. `begin` gives it a provider, whose clients may come back to these servers.
export async function reserveProvider(t, port = 0) {
  const http = createServer();
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  const stop = () => new Promise((done) => { http.close(done); http.closeAllConnections(); });
  t.after(stop);
  const issuer = `http://127.0.0.1:${http.address().port}`;
  return { issuer, port: http.address().port, stop, begin: (urls) => http.on("request", handler(issuer, urls)) };
}

function handler(issuer, urls) {
  const provider = new Provider(issuer, {
    clients: [{
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: urls.map((url) => `${url}/sign-in/oidc/callback`),
      post_logout_redirect_uris: urls.map((url) => `${url}/sign-in/oidc/signed-out`),
    }],
    cookies: { keys: ["a key of the test"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"], profile: ["name"] },
    pkce: { required: () => true },
    findAccount: (_, sub) => accounts[sub] && { accountId: sub, claims: () => ({ sub, ...accounts[sub] }) },
  });
  return provider.callback();
}

// The variables that make a server use the provider.
export const settingsFor = (issuer) => ({
  COUNTERSIGN_OIDC_ISSUER: issuer,
  COUNTERSIGN_OIDC_CLIENT_ID: client.id,
  COUNTERSIGN_OIDC_CLIENT_SECRET: client.secret,
  COUNTERSIGN_OIDC_SCOPES: "email,groups",
  COUNTERSIGN_OIDC_ROLES: "admin=groups:platform,approver=groups:engineering,auditor=groups:audit",
  COUNTERSIGN_OIDC_LEVELS: "admin=groups:leads",
  COUNTERSIGN_OIDC_GROUPS: "security=groups:security,ops=groups:operations",
  COUNTERSIGN_OIDC_LABEL: "Example Login",
});

// Signs in at the provider's own pages, as a person does.
export async function logIn(page, login) {
  await page.locator("#oidc").click();
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]", { hasText: "Continue" }).click();
}
