// The requests that the tests of `crates/webhooks` accept are those that the libraries of Slack and Discord accept.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { verifyKey } from "discord-interactions";

const requests = JSON.parse(readFileSync(new URL("chat_requests.json", import.meta.url), "utf8"));
const find = (platform) => requests.find((request) => request.platform === platform);

test("the library of Slack accepts the request, and no other", () => {
  const { secret, timestamp, body, signature } = find("slack");
  const late = String(Number(timestamp) - 301);
  const tried = [
    [secret, timestamp, body, signature],
    [secret, timestamp, `${body}x`, signature],
    ["other", timestamp, body, signature],
    [secret, late, body, signature],
  ];
  const input = JSON.stringify(tried);
  const found = execFileSync(process.env.COUNTERSIGN_PYTHON, ["verify_slack.py"], { input, encoding: "utf8" });
  assert.deepEqual(JSON.parse(found), [true, false, false, false]);
});

test("the library of Discord accepts the request, and no other", async () => {
  const { secret, timestamp, body, signature } = find("discord");
  assert.equal(await verifyKey(body, signature, timestamp, secret), true);
  assert.equal(await verifyKey(`${body} `, signature, timestamp, secret), false);
  assert.equal(await verifyKey(body, signature, "1769860801", secret), false);
});
