// Servers of other versions: what a newer one adds is passed on and allows nothing, and what an older one lacks is not needed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CountersignError, DeniedError, Gate, UnknownAnswerError, withApproval } from "@countersign/client";
import { answerApprovals } from "@countersign/client/ai-sdk";
import { startOtherVersion } from "./support/other_version.js";
import { useServer } from "./support/people.js";

const people = useServer();
const mustNotRun = () => assert.fail("the call must not run");
const deploy = ({ service }) => `deployed ${service}`;

// The agent's client of the same server in another version.
async function asVersion(t, ...words) {
  const { server, thread, ...others } = people(t);
  const future = new Gate({ server: await startOtherVersion(t, server.url, ...words), token: server.agent, thread });
  return { ...others, thread, future };
}

for (const version of ["newer", "older"]) {
  test(`whole call works with the ${version} server`, async (t) => {
    const { future, decideNext } = await asVersion(t, version);
    const [outcome] = await Promise.all([
      future.callTool("deploy", { service: "shop" }, deploy), decideNext("allow_once", { comment: "go ahead" }),
    ]);
    assert.deepEqual([outcome.value, outcome.ranNow, outcome.call.state], ["deployed shop", true, "finished"]);
    assert.equal("fromTheFuture" in outcome.call, version === "newer");
    const again = await future.callTool("deploy", { service: "shop" }, mustNotRun, { callId: outcome.call.id });
    assert.deepEqual([again.value, again.ranNow], ["deployed shop", false]);
  });

  test(`single operations work with the ${version} server`, async (t) => {
    const { future, approver, thread } = await asVersion(t, version);
    const proposed = await future.propose("deploy", { service: "shop" }, { callId: "call_1" });
    assert.deepEqual((await future.pending({ thread })).pending.map(({ id }) => id), ["call_1"]);
    await approver.decide(await approver.get("call_1"), "allow_once");
    const claimed = await future.claim(await future.wait(proposed));
    await future.renew(claimed);
    assert.equal((await future.finish(claimed, "done")).state, "finished");
    assert.deepEqual((await future.calls({ thread })).calls.map(({ id }) => id), ["call_1"]);
    assert.deepEqual((await future.caller()).roles, ["agent"]);
    await future.ready();
  });

  test(`denial and refusal are read from the ${version} server`, async (t) => {
    const { future, decideNext } = await asVersion(t, version);
    const [caught] = await Promise.all([
      withApproval(future, "deploy", mustNotRun)({ service: "shop" }).catch((error) => error),
      decideNext("deny", { comment: "not today" }),
    ]);
    assert.ok(caught instanceof DeniedError);
    assert.match(caught.text, /not today/);
    await assert.rejects(future.get("call_none"), { code: "unknown_call" });
  });
}

test("lists and streams pass future words and event types on", async (t) => {
  const { future, gate, thread } = await asVersion(t, "newer", "--words", "all");
  for (const callId of ["call_1", "call_2"]) {
    await gate.propose("deploy", { service: "shop" }, { callId, impact: { riskLevel: "high" } });
  }
  const { calls } = await future.calls({ thread });
  assert.deepEqual(calls.map(({ state, impact }) => [state, impact.riskLevel]), Array(2).fill(["future_word", "future_word"]));
  assert.deepEqual((await future.pending({ thread })).pending.map(({ id }) => id), ["call_1", "call_2"]);
  const { events } = await future.events({ thread });
  assert.deepEqual([...new Set(events.map(({ type }) => type))], ["FUTURE_EVENT"]);
  assert.ok(events.every((event) => "fromTheFuture" in event && "fromTheFuture" in event.data));
  const streamed = [];
  const stream = future.stream({ thread });
  for await (const event of stream) {
    streamed.push(event);
    if (streamed.length === events.length) {
      break;
    }
  }
  assert.deepEqual(streamed, events);
  await gate.propose("deploy", { service: "bank" }, { callId: "call_3" });
  for await (const event of future.stream({ thread, after: stream.cursor })) {
    assert.ok(event.seq > events.at(-1).seq);
    break;
  }
});

for (const words of [["state", "--keep", "pending"], ["decision"], ["all", "--keep", "pending"]]) {
  test(`waiting executor takes a future word for a refusal: ${words.join(" ")}`, async (t) => {
    const { future, gate, decideNext } = await asVersion(t, "newer", "--words", ...words);
    const [caught] = await Promise.all([
      future.callTool("deploy", { service: "shop" }, mustNotRun).catch((error) => error), decideNext("allow_once"),
    ]);
    assert.ok(caught instanceof UnknownAnswerError, String(caught));
    assert.match(caught.text, /`future_word`, which this version of the client does not know/);
    // The call was never claimed, so a client that knows the word can still run it.
    const { id } = caught.call;
    assert.equal((await gate.get(id)).state, "allowed");
    await assert.rejects(future.begin("deploy", { service: "shop" }, { callId: id }), UnknownAnswerError);
  });
}

test("approval request of the AI SDK is not approved by a future state", async (t) => {
  const { future, gate, approver, thread } = await asVersion(t, "newer", "--words", "state");
  await gate.propose("deploy", { service: "shop" }, { callId: "call_1" });
  const request = { type: "tool-approval-request", approvalId: "a1", toolCallId: "call_1" };
  const messages = [{ role: "assistant", content: [request] }];
  await approver.decide(await approver.get("call_1"), "allow_once");
  const { content } = await answerApprovals(future, messages, { thread });
  assert.equal(content[0].approved, false);
  assert.match(content[0].reason, /`future_word`/);
  assert.equal((await answerApprovals(gate, messages, { thread })).content[0].approved, true);
});

test("future error code is an error of the base class", async (t) => {
  const { future } = await asVersion(t, "newer", "--words", "code");
  const caught = await future.get("call_none").catch((error) => error);
  assert.deepEqual([caught.constructor, caught.code, caught.status], [CountersignError, "future_word", 404]);
});
