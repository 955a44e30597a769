// The libraries of Standard Webhooks accept messages with each secret that signs, and with no other.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { newLog, runCommand } from "../browser/support/server.js";

// A target that keeps the last message.
async function startTarget(t) {
  const target = { last: undefined };
  const http = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    target.last = { headers: request.headers, body };
    response.writeHead(204).end();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => { http.close(); http.closeAllConnections(); });
  target.url = `http://127.0.0.1:${http.address().port}/`;
  return target;
}

function isAcceptedInJavaScript({ headers, body }, secret) {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    assert.equal(error.name, "WebhookVerificationError", error.stack);
    return false;
  }
}

function isAcceptedInPython({ headers, body }, secrets) {
  const input = JSON.stringify(secrets.map((secret) => [secret, headers, body]));
  return JSON.parse(execFileSync(process.env.COUNTERSIGN_PYTHON, ["verify.py"], { input, encoding: "utf8" }));
}

test("each secret that signs is accepted", async (t) => {
  const [log, target] = [await newLog(t), await startTarget(t)];
  const webhook = (...words) => runCommand(log, "webhook", ...words);
  // Sends a message, and says which of these secrets the libraries accept it with.
  const accepted = async (...secrets) => {
    assert.deepEqual(await webhook("test", "ops"), { delivered: true, detail: "the target answered 204" });
    const found = secrets.map((secret) => isAcceptedInJavaScript(target.last, secret));
    assert.deepEqual(isAcceptedInPython(target.last, secrets), found, "the libraries agree");
    const forged = { ...target.last, body: `${target.last.body} ` };
    assert.deepEqual(secrets.map((secret) => isAcceptedInJavaScript(forged, secret)), secrets.map(() => false));
    return found;
  };
  await runCommand(log, "migrate");
  const { secret: first } = await webhook("add", "ops", target.url, "--allow-private");
  assert.deepEqual(await accepted(first), [true]);
  const { secret: second } = await webhook("rotate", "ops");
  assert.deepEqual(await accepted(first, second), [true, true]);
  await webhook("end-old", "ops");
  assert.deepEqual(await accepted(first, second), [false, true]);
  const { secret: third } = await webhook("rotate", "ops", "--old-ends", "now");
  assert.deepEqual(await accepted(first, second, third), [false, false, true]);
});
