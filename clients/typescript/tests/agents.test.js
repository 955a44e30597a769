// Agents that are killed and start again, and calls that are aborted.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import {
  AlreadyRunningError, CancelledCallError, Gate, OutcomeUnknownError, StillPendingError, withApproval, withCallContext,
} from "@countersign/client";
import { decideNext, onlyCall, useServer } from "./support/people.js";
import { startHostileServer, startProxy } from "./support/proxy.js";

const people = useServer();
const script = fileURLToPath(new URL("support/waiting_agent.js", import.meta.url));
const mustNotRun = () => assert.fail("the call must not run");

function startAgent({ server, thread }, ...words) {
  const env = { ...server.env, COUNTERSIGN_SERVER: server.url, COUNTERSIGN_TOKEN: server.agent, COUNTERSIGN_THREAD: thread };
  const child = spawn(process.execPath, [script, ...words], { env, stdio: ["ignore", "pipe", "inherit"] });
  return { child, output: text(child.stdout), ended: once(child, "exit") };
}

// The next request for a decision in the thread.
async function nextRequest(approver) {
  for await (const event of approver.stream({ types: ["TOOL_APPROVAL_REQUEST"] })) {
    if (event.threadId === approver.thread) {
      return event.data.toolCallId;
    }
  }
}

for (const callId of ["", "call_7"]) {
  test(`killed agent ${callId ? "with" : "without"} an id resumes its own call`, async (t) => {
    const world = people(t);
    const first = startAgent(world, callId);
    const id = await nextRequest(world.approver);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = startAgent(world, callId);
    await world.approver.decide(await world.approver.get(id), "allow_once");
    assert.equal(await second.output, "ran shop\n");
    assert.equal((await onlyCall(world.approver)).id, id);
  });
}

test("crash after the claim shows as unknown", async (t) => {
  const world = people(t);
  const { gate, approver, thread } = world;
  const crashing = startAgent(world, "call_7", "crash");
  await nextRequest(approver);
  await approver.decide(await approver.get("call_7"), "allow_once");
  assert.equal(await crashing.output, "ran shop\n");
  assert.deepEqual(await crashing.ended, [null, "SIGKILL"]);
  // This program replaces the one that crashed.
  const { place } = await approver.get("call_7");
  const deploy = withApproval(gate, "deploy", mustNotRun, { callId: "call_7", place });
  await assert.rejects(deploy({ service: "shop" }), (error) =>
    error instanceof AlreadyRunningError || error instanceof OutcomeUnknownError);
  // The log gets no event when a lease ends: the state depends on the reader's clock.
  while ((await approver.get("call_7", { thread })).state === "running") {}
  await assert.rejects(deploy({ service: "shop" }), (error) =>
    error instanceof OutcomeUnknownError && error.text.includes("countersign release call_7"));
});

test("aborted wait stops at once and leaves the call", async (t) => {
  const { gate, approver } = people(t);
  const call = await gate.propose("deploy", {});
  const controller = new AbortController();
  const waiting = gate.wait(call, { signal: controller.signal });
  controller.abort(new Error("the user left"));
  await assert.rejects(waiting, /the user left/);
  assert.equal((await approver.get(call)).state, "pending");
  await assert.rejects(gate.get(call, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(gate.wait(call, { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
});

test("aborted call is resumed by the next identical call", async (t) => {
  const { gate, approver } = people(t);
  const controller = new AbortController();
  const deploy = withApproval(gate, "deploy", ({ service }) => service);
  const running = deploy.with({ signal: controller.signal })({ service: "shop" });
  const id = await nextRequest(approver);
  controller.abort();
  await assert.rejects(running, { name: "AbortError" });
  await approver.decide(await approver.get(id), "allow_once");
  assert.equal(await deploy({ service: "shop" }), "shop");
  await onlyCall(gate);
});

test("aborted call can be withdrawn", async (t) => {
  const { gate, approver } = people(t);
  const controller = new AbortController();
  const deploy = withApproval(gate, "deploy", mustNotRun, { withdraw: true, callId: "abandoned" });
  const running = withCallContext({ signal: controller.signal }, () => deploy());
  await nextRequest(approver);
  controller.abort();
  await assert.rejects(running, { name: "AbortError" });
  assert.equal((await gate.get("abandoned")).state, "cancelled");
  await assert.rejects(deploy(), (error) => error instanceof StillPendingError || error instanceof CancelledCallError);
});

test("call that is aborted during its claim does not stay claimed", async (t) => {
  const { server, thread, approver } = people(t);
  const controller = new AbortController();
  const proxy = await startProxy(t, server.url);
  // The claim is recorded, and its answer is lost. The pause before the next attempt is aborted.
  proxy.cut("POST", /\/claim$/, 1);
  const gate = new Gate({
    server: proxy.url, token: server.agent, thread,
    fetch: (url, init) => fetch(url, init).catch((error) => {
      if (url.endsWith("/claim")) {
        controller.abort(new Error("the user left"));
      }
      throw error;
    }),
  });
  const read = withApproval(gate, "read_it", mustNotRun, { callId: "call_1" });
  await assert.rejects(read.with({ signal: controller.signal })(), /the user left/);
  const call = await approver.get("call_1");
  assert.deepEqual([call.state, call.result.status], ["finished", "cancelled"]);
});

test("tool that stops by the signal is reported as cancelled", async (t) => {
  const { gate } = people(t);
  const controller = new AbortController();
  const outcome = gate.callTool("read_slowly", {}, async (args, { call, signal }) => {
    assert.equal(call.state, "running");
    const stopped = once(signal, "abort");
    controller.abort();
    await stopped;
    signal.throwIfAborted();
  }, { signal: controller.signal });
  await assert.rejects(outcome, { name: "AbortError" });
  assert.equal((await onlyCall(gate)).result.status, "cancelled");
});

test("proposal without an answer is made again under its id", async (t) => {
  const { server, thread, gate, approver } = people(t);
  const controller = new AbortController();
  let isAway = true;
  const flaky = new Gate({
    server: server.url, token: server.agent, thread,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (isAway && url.endsWith("/tool-calls") && init.method === "POST") {
        isAway = false;
        controller.abort();
        throw new TypeError("the answer was lost");
      }
      return response;
    },
  });
  const deploy = withApproval(flaky, "deploy", ({ service }) => service);
  await assert.rejects(deploy.with({ signal: controller.signal })({ service: "shop" }), { name: "AbortError" });
  const [value] = await Promise.all([deploy({ service: "shop" }), decideNext(approver, "allow_once")]);
  assert.equal(value, "shop");
  await onlyCall(gate);
});

test("many calls share one signal without a warning", async (t) => {
  const { gate, approver } = people(t);
  const warnings = [];
  const note = (warning) => warnings.push(warning.message);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  const { signal } = new AbortController();
  const deploy = withApproval(gate, "deploy", ({ n }) => n);
  const running = Array.from({ length: 30 }, (_, n) => deploy.with({ signal })({ n }));
  let decided = 0;
  for await (const event of approver.stream({ thread: approver.thread, types: ["TOOL_APPROVAL_REQUEST"] })) {
    await approver.decide(await approver.get(event.data.toolCallId), "allow_once");
    decided += 1;
    if (decided === 30) {
      break;
    }
  }
  assert.deepEqual(await Promise.all(running), Array.from({ length: 30 }, (_, n) => n));
  assert.deepEqual(warnings, []);
});

test("abort ends a request that hangs", async (t) => {
  const controller = new AbortController();
  const server = await startHostileServer(t, () => controller.abort(new Error("enough")));
  await assert.rejects(new Gate({ server }).get("call", { signal: controller.signal }), /enough/);
});

test("abort ends the pause between attempts", async () => {
  const controller = new AbortController();
  const gate = new Gate({
    server: "http://127.0.0.1:1",
    fetch: async () => {
      queueMicrotask(() => controller.abort(new Error("enough")));
      throw new TypeError("away");
    },
  });
  await assert.rejects(gate.wait("call", { signal: controller.signal }), /enough/);
});
