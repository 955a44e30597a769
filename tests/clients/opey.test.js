// The portal's chat client of Opey: its service, controller and state, from a message to the result of a call.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./bundle.js";
import { Agent, openWorld, until } from "./support.js";

const PORTAL = { folder: "src/lib", clone: process.env.CLONE_portal, alias: "$lib/" };
const FRONTEND = { folder: "packages/shared/src/lib", clone: process.env.CLONE_frontend, alias: "$shared/" };

const VERSIONS = [
  { name: "15 August 2025", commit: "8a46df5", from: PORTAL, isFirst: true },
  { name: "9 September 2025", commit: "871874a", from: PORTAL },
  { name: "13 October 2025", commit: "92d6212", from: PORTAL },
  { name: "20 October 2025", commit: "cd2ab97", from: PORTAL, isChat: true },
  { name: "30 April 2026", commit: "948f4ff", from: FRONTEND, isChat: true },
];

async function openClient(t, { commit, from: { folder, clone, alias } }) {
  const parts = { RestChatService: "services", ChatController: "controllers", ChatState: "state" };
  const lines = Object.entries(parts).map(([name, part]) => `export { ${name} } from "./${folder}/opey/${part}/${name}";`);
  const client = await load(clone, commit, { paths: [folder], folders: [[alias, folder]], entry: lines.join("\n") });
  const world = await openWorld(t);
  const state = new client.ChatState("chat-1");
  const headers = { authorization: `Bearer ${world.person}` };
  const service = new client.RestChatService(world.url, { getHeaders: async () => headers });
  const errors = [];
  const controller = new client.ChatController(service, state);
  // The controller of 2026 shows the error in the chat; its own listener still hears of it.
  const show = service.errorCallback;
  service.onError((error) => { errors.push(error.message); show?.(error); });
  const watch = (report) => state.subscribe(({ messages }) => report(messages));
  return { world, agent: new Agent(world, "chat-1"), controller, errors, headers, watch };
}

const isAsked = (id) => (message) =>
  message.toolCallId === id && (message.role === "approval_request" || message.waitingForApproval === true);

const isEnded = (id) => (message) => message.role === "tool" && message.toolCallId === id && message.toolOutput !== undefined;

// The person says something, the agent asks about these calls, and the client shows all of them.
async function ask({ agent, controller, watch }, ids, text) {
  const shown = until(watch, (messages) => ids.every((id) => messages.some(isAsked(id))));
  const sent = controller.send(text);
  for (const id of ids) await agent.propose(id);
  await Promise.all([shown, sent]);
}

for (const version of VERSIONS) {
  const skip = version.from.clone ? false : "no clone";

  test(`${version.name} (${version.commit}): approve`, { skip, timeout: 20_000 }, async (t) => {
    const client = await openClient(t, version);
    const { agent, controller, errors, watch } = client;
    await ask(client, ["call_1"], "Delete the customer");
    const ended = until(watch, (messages) => messages.some(isEnded("call_1")));
    const approved = controller.approveToolCall("call_1");
    await agent.run("call_1");
    const message = (await ended).find(isEnded("call_1"));
    assert.equal(message.toolOutput, "deleted");
    // The first version keeps the status in `error`.
    assert.equal(version.isFirst ? message.error : message.status ?? message.error, "success");
    if (version.isChat) {
      const said = until(watch, (messages) => messages.some((one) => one.role === "assistant" && one.message === "It is gone."));
      await agent.say("It is gone.");
      await said;
    }
    await approved;
    assert.deepEqual(errors, []);
  });

  test(`${version.name} (${version.commit}): deny`, { skip, timeout: 20_000 }, async (t) => {
    const client = await openClient(t, version);
    await ask(client, ["call_1"], "Delete the customer");
    const denied = client.controller.denyToolCall("call_1");
    assert.equal((await client.agent.decided("call_1")).state, "denied");
    if (version.isChat) await client.agent.say("I leave it.");
    await denied;
    assert.deepEqual(client.errors, []);
  });

  test(`${version.name} (${version.commit}): a lost race is shown`, { skip, timeout: 20_000 }, async (t) => {
    const client = await openClient(t, version);
    await ask(client, ["call_1"], "Delete the customer");
    const path = `${client.world.url}/v1/threads/chat-1/approvals/call_1`;
    const headers = { ...client.headers, "content-type": "application/json" };
    await fetch(path, { method: "POST", headers, body: JSON.stringify({ decision: "deny" }) });
    await client.controller.approveToolCall("call_1").catch(() => {});
    assert.equal(client.errors.length, 1);
    assert.match(client.errors[0], version.isFirst ? /Conflict/ : /^decided already: deny by user:ada/);
  });

  test(`${version.name} (${version.commit}): a batch`, { skip: skip || (!version.isChat && "no batches"), timeout: 20_000 }, async (t) => {
    const client = await openClient(t, version);
    const { agent, controller, errors, watch } = client;
    await agent.propose("call_1");
    await agent.propose("call_2");
    const shown = until(watch, (messages) => ["call_1", "call_2"].every((id) => messages.some(isAsked(id))));
    const sent = controller.send("What is open?");
    await shown;
    const ended = until(watch, (messages) => messages.some(isEnded("call_1")));
    const decisions = [["call_1", { approved: true, level: "once" }], ["call_2", { approved: false, level: "once" }]];
    const submitted = controller.submitBatchApproval(new Map(decisions));
    await agent.run("call_1");
    await ended;
    assert.equal((await agent.decided("call_2")).state, "denied");
    await agent.say("One is gone.");
    await Promise.all([submitted, sent]);
    assert.deepEqual(errors, []);
  });
}
