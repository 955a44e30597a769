// A chat that decides: Slack is played on this machine, a person links an account on the page, and a click decides.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { checkPage, startBrowser } from "./support/browser.js";
import { Agent, openInbox } from "./support/inbox.js";
import { createToken, newLog, readEvents, startServer, verifyLog } from "./support/server.js";

const limit = { timeout: 120_000 };

const policy = `
[[rule]]
name = "deployments"
tool = "deploy"
verdict = "ask"
decideIn = ["chat"]
`;

const secret = "8f742231b10e8888abcd99yyyzzz85a5";

// A Slack that accepts every message.
class Slack {
  static async start(t) {
    const slack = new Slack();
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      const received = { path: request.url, body: JSON.parse(body) };
      const at = slack.waiting.findIndex(({ path }) => path === received.path);
      if (at < 0) slack.received.push(received);
      else slack.waiting.splice(at, 1)[0].resolve(received.body);
      response.setHeader("content-type", "application/json").end(JSON.stringify({ ok: true, channel: "C1", ts: "17.1" }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => new Promise((resolve) => server.close(resolve)));
    slack.url = `http://127.0.0.1:${server.address().port}`;
    return slack;
  }

  received = [];
  waiting = [];

  /** The next message at a path. */
  next(path) {
    const at = this.received.findIndex((received) => received.path === path);
    if (at >= 0) return Promise.resolve(this.received.splice(at, 1)[0].body);
    return new Promise((resolve) => this.waiting.push({ path, resolve }));
  }

  /** Presses a button of a message, as the person with this account. */
  async press(server, message, label) {
    const action = message.blocks.at(-1).elements.find(({ text }) => text.text === label);
    const payload = {
      type: "block_actions", team: { id: "T1" }, user: { id: "U2", username: "ada.l", team_id: "T1" },
      container: { type: "message", message_ts: "17.1", channel_id: "C1" }, channel: { id: "C1" },
      message: { ts: "17.1", text: message.text, blocks: message.blocks }, response_url: `${this.url}/answer`, actions: [action],
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const time = String(Math.floor(Date.now() / 1_000));
    const signature = `v0=${createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex")}`;
    const headers = {
      "content-type": "application/x-www-form-urlencoded", "x-slack-request-timestamp": time, "x-slack-signature": signature,
    };
    const answer = await fetch(`${server.url}/chats/ops`, { method: "POST", headers, body });
    assert.equal(answer.status, 200, await answer.text());
  }
}

test("a person links a chat account, decides with a click, and unlinks it", limit, async (t) => {
  const log = await newLog(t);
  const policyFile = join(log.folder, "policy.toml");
  await writeFile(policyFile, policy);
  const server = await startServer(log, ["--policy", policyFile]);
  const slack = await Slack.start(t);
  const root = (await createToken(log, "root", "admin")).secret;
  const address = `${slack.url}/api/chat.postMessage?channel=C1#xoxb-token:${secret}`;
  const added = await fetch(`${server.url}/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${root}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "ops", url: address, format: "slack-app", allowPrivate: true, arguments: true, topics: ["opened", "decided"] }),
  });
  assert.equal(added.status, 201, await added.text());
  const browser = await startBrowser(t);
  const page = await openInbox(browser, server, "ada", "approver");
  const agent = new Agent(server, (await createToken(log, "bot", "agent")).secret);
  await agent.propose("t", "a", "deploy", { cluster: "prod" });
  const message = await slack.next("/api/chat.postMessage");
  await slack.press(server, message, "Allow");
  const told = await slack.next("/answer");
  const link = /<(.*\/settings\?chat=.*)>/.exec(told.text)[1];
  await page.goto(server.pages + new URL(link).pathname + new URL(link).search);
  const chats = page.locator("chat-section");
  await chats.getByText("Link the chat account ada.l to you?").waitFor();
  await chats.getByText("slack:T1/U2").waitFor();
  await checkPage(page);
  await chats.getByRole("button", { name: "Link this account" }).click();
  await chats.getByRole("listitem").filter({ hasText: "ada.l" }).getByText(/^ops, slack:T1\/U2, since /).waitFor();
  assert.equal(new URL(page.url()).search, "", "the code is gone from the address");
  await slack.press(server, message, "Allow");
  assert.match(JSON.stringify(await slack.next("/api/chat.update")), /Allowed: deploy.*user:ada/);
  await page.goto(`${server.pages}/history`);
  await page.getByText("deploy").first().waitFor();
  await page.goto(`${server.pages}/settings?chat=broken`);
  await chats.getByText("This link from a chat is not whole.").waitFor();
  await chats.getByRole("button", { name: "Unlink ada.l" }).click();
  await chats.getByRole("button", { name: "Unlink ada.l now" }).click();
  await chats.getByRole("listitem").waitFor({ state: "detached" });
  assert.equal((await readEvents(log, "CHAT_ACCOUNT_UNLINKED")).length, 1);
  await verifyLog(log);
});
