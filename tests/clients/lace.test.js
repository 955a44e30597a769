// Lace's web client: its recovery of pending calls, its stream of events and its decisions.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { EventSource } from "eventsource";
import { load } from "./bundle.js";
import { Agent, openWorld } from "./support.js";

// The client and its renderer are one bundle, because hooks work with one copy of React alone.
const RENDERER = `export { createElement, useMemo } from "react"; export { create } from "react-test-renderer";`;
const clone = process.env.CLONE_lace;
const skip = clone ? false : "no clone";
const realFetch = globalThis.fetch;

before(() => { globalThis.IS_REACT_ACT_ENVIRONMENT = false; });
after(() => { globalThis.fetch = realFetch; });

// The client's requests are relative to its page, whose origin and credential they get.
function becomePageOf({ url, person }) {
  const send = (path, init = {}) =>
    realFetch(new URL(path, url), { ...init, headers: { ...init.headers, authorization: `Bearer ${person}` } });
  globalThis.fetch = send;
  globalThis.EventSource = class extends EventSource {
    constructor(path) { super(new URL(path, url), { fetch: send }); }
  };
}

// Renders what `use` returns in each render, inside of a provider, and waits for states of it.
function render(t, { create, createElement }, wrap, use) {
  const waiting = new Set();
  let last;
  const Probe = () => {
    last = use();
    for (const check of waiting) check();
    return null;
  };
  const root = create(wrap(createElement(Probe)));
  t.after(() => root.unmount());
  const until = (isWanted) => new Promise((resolve) => {
    const check = () => isWanted(last) && (waiting.delete(check), resolve(last));
    waiting.add(check);
    check();
  });
  return { until, get state() { return last; } };
}

test("24 July 2025 (0a7bab1ac): the hook of a session", { skip, timeout: 20_000 }, async (t) => {
  const client = await load(clone, "0a7bab1ac", {
    paths: ["packages/web/hooks", "packages/web/types", "packages/web/lib", "src/threads/types.ts"],
    folders: [["@/", "packages/web"], ["~/", "src"]],
    entry: `${RENDERER} export { useSessionEvents } from "./packages/web/hooks/useSessionEvents";`,
  });
  const world = await openWorld(t);
  becomePageOf(world);
  const agent = new Agent(world, "lace_1");
  await agent.propose("call_1");
  const hook = render(t, client, (probe) => probe, () => client.useSessionEvents("lace_1", "lace_1"));
  // This version listens to requests twice, and lists a new one twice.
  const listed = (state) => [...new Set(state?.pendingApprovals.map((one) => one.toolCallId))].join();
  const has = (ids) => (state) => listed(state) === ids.join();
  const { pendingApprovals: [recovered] } = await hook.until(has(["call_1"]));
  assert.deepEqual([recovered.toolCall.name, recovered.requestData.input], ["delete_customer", { customer_id: "call_1" }]);
  await hook.until((state) => state.connected);
  await agent.propose("call_2");
  const { pendingApprovals: [, asked] } = await hook.until(has(["call_1", "call_2"]));
  assert.equal(asked.requestData.toolName, "delete_customer");
  // The page's component sends this.
  const decision = { method: "POST", headers: { "content-type": "application/json" }, body: `{"decision":"allow_once"}` };
  assert.ok((await fetch("/api/threads/lace_1/approvals/call_1", decision)).ok);
  await hook.until(has(["call_2"]));
  await agent.run("call_1");
  await hook.until((state) => state.allEvents.some((event) => event.type === "TOOL_RESULT"));
});

// The provider of approvals with the hook of the stream, as the client's page connects them.
async function openProvider(t, commit, { web, alias, provider, stream }) {
  const client = await load(clone, commit, {
    paths: [web, ...(commit === "3d58cd87e" ? ["src/threads"] : ["packages/core/src/threads"])],
    folders: alias,
    entry: `${RENDERER} export { ToolApprovalProvider, useToolApprovalContext } from "./${web}/components/providers/ToolApprovalProvider";
            export { useEventStream } from "./${web}/hooks/useEventStream";`,
  });
  const world = await openWorld(t);
  becomePageOf(world);
  const wrap = (probe) => client.createElement(client.ToolApprovalProvider, provider, probe);
  const open = () => render(t, client, wrap, () => {
    const approvals = client.useToolApprovalContext();
    const { handleApprovalRequest, handleApprovalResponse } = approvals;
    const options = client.useMemo(
      () => ({ ...stream, onApprovalRequest: handleApprovalRequest, onApprovalResponse: handleApprovalResponse }),
      [handleApprovalRequest, handleApprovalResponse],
    );
    return { ...approvals, connection: client.useEventStream(options).connection };
  });
  return { world, open };
}

const ids = (state) => state?.pendingApprovals.map((one) => one.toolCallId).join();

async function followStory({ world, open }, thread) {
  const agent = new Agent(world, thread);
  await agent.propose("call_1");
  const page = open();
  const { pendingApprovals: [recovered] } = await page.until((state) => ids(state) === "call_1");
  assert.ok(recovered.requestedAt instanceof Date);
  assert.deepEqual(recovered.requestData.input, { customer_id: "call_1" });
  await page.until((state) => state.connection.connected);
  await agent.propose("call_2");
  await page.until((state) => ids(state) === "call_1,call_2");
  await page.state.handleApprovalDecision("call_1", "allow_once");
  await page.until((state) => ids(state) === "call_2");
  await agent.run("call_1");
  await page.state.handleApprovalDecision("call_2", "deny");
  assert.equal((await agent.decided("call_2")).state, "denied");
}

test("17 August 2025 (3d58cd87e): the provider of a thread", { skip, timeout: 20_000 }, async (t) => {
  const page = await openProvider(t, "3d58cd87e", {
    web: "packages/web",
    alias: [["@/", "packages/web"], ["~/", "src"]],
    provider: { agentId: "lace_1" },
    stream: { sessionId: "lace_1", threadIds: ["lace_1"] },
  });
  await followStory(page, "lace_1");
});

test("26 October 2025 (9c107979d): the provider of a session", { skip, timeout: 20_000 }, async (t) => {
  const page = await openProvider(t, "9c107979d", {
    web: "packages/web",
    alias: [["@lace/web/", "packages/web"], ["@lace/core/", "packages/core/src"], ["@/", "packages/web"]],
    provider: { sessionId: "lace_1" },
    stream: { sessionId: "lace_1", threadIds: ["lace_1.2"] },
  });
  await followStory(page, "lace_1.2");
});
