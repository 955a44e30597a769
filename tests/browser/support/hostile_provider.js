// A small provider that answers as the test says: with ID tokens that a client must not accept, and with new keys.
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { client } from "./provider.js";

const encode = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

function newKey(kid) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { kid, privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" } };
}

// Signs with a key that the provider does not publish.
const foreignKey = newKey("first");

export const signatures = {
  own: (text, key) => sign("sha256", Buffer.from(text), key.privateKey).toString("base64url"),
  foreign: (text) => sign("sha256", Buffer.from(text), foreignKey.privateKey).toString("base64url"),
  none: () => "",
  secret: (text) => createHmac("sha256", client.secret).update(text).digest("base64url"),
};

export async function startHostileProvider(t) {
  const codes = new Map();
  const behaviour = { claims: {}, header: {}, signature: signatures.own, redirect: (url) => url };
  const provider = { behaviour, key: newKey("first"), exchanges: 0, rotate: () => { provider.key = newKey("second"); } };

  function makeIdToken(nonce) {
    const now = Math.floor(Date.now() / 1000);
    const header = { alg: "RS256", typ: "JWT", kid: provider.key.kid, ...behaviour.header };
    const claims = {
      iss: provider.issuer, aud: client.id, sub: "1", nonce, iat: now, exp: now + 300,
      email: "ada@example.com", email_verified: true, groups: ["engineering"], ...behaviour.claims,
    };
    const text = `${encode(header)}.${encode(claims)}`;
    return `${text}.${behaviour.signature(text, provider.key)}`;
  }

  const routes = {
    "/.well-known/openid-configuration": () => ({
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/authorize`,
      token_endpoint: `${provider.issuer}/token`,
      jwks_uri: `${provider.issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    }),
    "/jwks": () => ({ keys: [provider.key.jwk] }),
    "/token": (_, body) => {
      provider.exchanges += 1;
      // This provider accepts a code any number of times.
      return { access_token: "x", token_type: "Bearer", id_token: makeIdToken(codes.get(body.get("code"))) };
    },
  };

  const http = createServer(async (request, response) => {
    const url = new URL(request.url, provider.issuer);
    let text = "";
    for await (const chunk of request) {
      text += chunk;
    }
    if (url.pathname === "/authorize") {
      const query = url.searchParams;
      const code = `code-${codes.size}`;
      codes.set(code, query.get("nonce"));
      const back = new URL(query.get("redirect_uri"));
      back.search = new URLSearchParams({ code, state: query.get("state") });
      provider.request = Object.fromEntries(query);
      response.writeHead(302, { location: behaviour.redirect(back).href }).end();
      return;
    }
    const route = routes[url.pathname];
    response.writeHead(route ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(route ? route(url, new URLSearchParams(text)) : {}));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  provider.issuer = `http://127.0.0.1:${http.address().port}`;
  t.after(() => new Promise((done) => { http.close(done); http.closeAllConnections(); }));
  return provider;
}
