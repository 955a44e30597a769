// The operations against the real server.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test } from "node:test";
import {
  AlreadyClaimedError, AlreadyDecidedError, BadCursorError, BadUrlError, CallDiffersError, Gate, NotPermittedError,
  UnauthenticatedError, UnknownCallError,
} from "@countersign/client";
import { useServer } from "./support/people.js";

const people = useServer();

test("call lives from its proposal to its result", async (t) => {
  const { gate, approver, thread } = people(t);
  const impact = { message: "deploys", riskLevel: "high" };
  const call = await gate.propose("deploy", { n: 2n ** 80n }, { callId: "call_0", impact });
  assert.equal(call.state, "pending");
  assert.deepEqual((await approver.pending({ thread })).pending[0].arguments, { n: 2n ** 80n });
  await approver.decide(call, "allow_once", { comment: "fine" });
  const claimed = await gate.claim(await gate.wait(call));
  assert.deepEqual(claimed.arguments, { n: 2n ** 80n });
  assert.equal((await gate.finish(await gate.renew(claimed), { ok: true })).state, "finished");
  assert.equal((await gate.get("call_0")).result.content.ok, true);
});

test("errors have the class of their code", async (t) => {
  const { gate, approver } = people(t);
  const call = await gate.propose("deploy", {}, { callId: "call_0" });
  await assert.rejects(gate.propose("deploy", { other: 1 }, { callId: "call_0" }), CallDiffersError);
  await assert.rejects(gate.decide(call, "allow_once"), NotPermittedError);
  await approver.decide(call, "allow_once");
  await assert.rejects(approver.decide(call, "deny"), (error) =>
    error instanceof AlreadyDecidedError && error.response.principal === "user:ada");
  await gate.claim(call, { executor: "first" });
  await assert.rejects(gate.claim(call, { executor: "first" }), (error) =>
    error instanceof AlreadyClaimedError && error.status === 409 && error.requestId !== undefined);
  await assert.rejects(gate.get("missing"), UnknownCallError);
});

test("call that is not claimed cannot be finished", async (t) => {
  const { gate } = people(t);
  const call = await gate.propose("read_it", {});
  await assert.rejects(gate.finish(call, null), { code: "not_claimed", message: /use the call that `claim` returns/ });
});

test("decision on a call applies to the arguments that it shows", async (t) => {
  const { gate, approver } = people(t);
  const call = await gate.propose("deploy", { n: 1 });
  const other = { ...call, argumentsHash: "0".repeat(64) };
  await assert.rejects(approver.decide(other, "allow_once"), { code: "arguments_changed" });
  assert.equal((await approver.decide({ threadId: call.threadId, id: call.id }, "deny")).state, "denied");
});

test("ids are encoded in paths", async (t) => {
  const { gate } = people(t);
  const call = await gate.propose("read_it", {}, { callId: "a/b?c#d%2F e" });
  assert.equal((await gate.get("a/b?c#d%2F e")).id, call.id);
});

test("bad settings are refused", async (t) => {
  const { server } = people(t);
  const refused = (options, type) => assert.throws(() => new Gate(options), (error) =>
    error instanceof type && !error.message.includes("secret"));
  for (const address of ["ftp://user:secret@host", "http://user:secret@host", "host", "http://", "http://host/?a=secret"]) {
    refused({ server: address }, BadUrlError);
  }
  refused({ server: server.url, token: "two secret words" }, UnauthenticatedError);
  refused({ server: server.url, token: "secret\u00e9" }, UnauthenticatedError);
  refused({ server: server.url, tokenFile: "/missing/file" }, UnauthenticatedError);
  refused({ server: "https://localhost", tlsCa: "/missing/file" }, BadUrlError);
  refused({ server: "https://localhost", tlsCa: import.meta.filename ?? process.argv[1] }, BadUrlError);
  assert.throws(() => new Gate({ timeoutMs: 0 }), RangeError);
  await assert.rejects(new Gate({ server: server.url, token: "csgn_wrong" }).caller(), UnauthenticatedError);
});

test("server that is away is named with a remedy", async () => {
  const gate = new Gate({ server: "http://127.0.0.1:1", token: "x" });
  await assert.rejects(gate.ready(), (error) => error.code === "unreachable" && /countersign serve/.test(error.message));
});

test("token is not shown", (t) => {
  const { server, gate } = people(t);
  assert.ok(!inspect(gate, { depth: 10, showHidden: true }).includes(server.agent));
  assert.ok(!JSON.stringify(gate).includes(server.agent));
});

test("operations return what the server says", async (t) => {
  const { gate, approver, thread } = people(t);
  assert.equal((await gate.ready()).status, "ready");
  assert.match((await gate.caller()).agent, /builder/);
  const [first, second] = [await gate.propose("deploy", { n: 1 }), await gate.propose("deploy", { n: 2 })];
  assert.equal((await gate.heartbeat(first)).state, "pending");
  assert.equal((await gate.cancel(first, { reason: "no need" })).state, "cancelled");
  assert.deepEqual((await gate.calls({ thread, state: "pending" })).calls.map((call) => call.id), [second.id]);
  assert.deepEqual((await gate.calls({ thread, limit: 1 })).calls.map((call) => call.id), [second.id]);
  const { events } = await gate.events({ thread, types: ["TOOL_CALL", "TOOL_RESULT"] });
  assert.deepEqual(events.map((event) => event.type), ["TOOL_CALL", "TOOL_CALL", "TOOL_RESULT"]);
  assert.deepEqual((await approver.pending({ thread, tool: "deploy", limit: 1 })).pending.map((call) => call.id), [second.id]);
});

test("gate in another thread shares the settings", async (t) => {
  const { gate, thread } = people(t);
  const other = gate.inThread(`${thread} 2`);
  assert.equal((await other.propose("read_it", {})).threadId, `${thread} 2`);
  assert.equal(gate.thread, thread);
});

test("decisions are made together", async (t) => {
  const { gate, approver, thread } = people(t);
  const calls = [await gate.propose("deploy", { n: 0 }), await gate.propose("deploy", { n: 1 })];
  const items = calls.map(({ threadId, id }) => ({ threadId, id, decision: "deny" }));
  const { results } = await approver.decideAll([...items, { threadId: thread, id: "missing", decision: "deny" }]);
  assert.deepEqual(results.map((result) => result.call?.state), ["denied", "denied", undefined]);
});

test("stream begins at a saved cursor", async (t) => {
  const { gate, thread } = people(t);
  for (const n of [0, 1, 2]) {
    await gate.propose("read_it", { n }, { callId: `call_${n}` });
  }
  const events = gate.stream({ thread, types: ["TOOL_CALL"] });
  assert.deepEqual((await events.next()).value.data.arguments, { n: 0 });
  const saved = events.cursor;
  await events.return();
  assert.match(saved, /^\d+-/);
  assert.deepEqual(await events.next(), { done: true, value: undefined });
  const resumed = gate.stream({ thread, types: ["TOOL_CALL"], after: saved });
  assert.deepEqual((await resumed.next()).value.data.arguments, { n: 1 });
  await resumed.return();
});

test("cursor of another log is refused", async (t) => {
  const { gate } = people(t);
  const events = gate.stream({ after: "1-0000000000000000" });
  await assert.rejects(events.next(), (error) => error instanceof BadCursorError && error.tip !== undefined);
});

test("stream that waits ends by return and by the signal", async (t) => {
  const { gate, thread } = people(t);
  await gate.propose("read_it", {});
  const tip = (await gate.events({ thread, limit: 100 })).events.at(-1).seq;
  const closed = gate.stream({ after: tip, thread });
  const waiting = closed.next();
  await closed.return();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  const controller = new AbortController();
  const aborted = gate.stream({ after: tip, thread, signal: controller.signal });
  const next = aborted.next();
  controller.abort(new Error("enough"));
  await assert.rejects(next, /enough/);
  await assert.rejects(gate.stream({ signal: AbortSignal.abort(new Error("before")) }).next(), /before/);
});

test("call names program, folder and host, or the given place", async (t) => {
  const { gate } = people(t);
  const { place } = await gate.propose("read_it", {});
  assert.equal(place.folder, process.cwd());
  assert(place.host && place.program.endsWith("gate.test.js"), JSON.stringify(place));
  const other = await gate.propose("read_it", {}, { place: { program: "other.js" } });
  assert.deepEqual(other.place, { program: "other.js" });
});

test("same call of another program is another call", async (t) => {
  const { gate, approver, thread } = people(t);
  const [staging, production] = ["staging.js", "production.js"].map((program) =>
    ({ place: { program }, timeoutMs: 10 }));
  const ran = [];
  const deploy = (options) => gate.callTool("deploy", { service: "shop" }, () => ran.push(options.place.program), options);
  await assert.rejects(deploy(staging), { name: "StillPendingError" });
  const [{ id }] = (await approver.pending({ thread })).pending;
  await approver.decide({ threadId: thread, id }, "allow_once");
  await assert.rejects(deploy(production), { name: "StillPendingError" });
  await deploy(staging);
  assert.deepEqual(ran, ["staging.js"]);
});

test("thread without a name belongs to the program", () => {
  const [one, other] = ["a.js", "b.js"].map((program) => new Gate({ server: "http://127.0.0.1:1", place: { program } }).thread);
  assert.notEqual(one, other);
  assert.match(one, /^a-js-[0-9a-f]{12}$/);
});

test("begun call ends once, and reports what ran", async (t) => {
  const { gate } = people(t);
  const started = await gate.begin("read_it", { path: "a" }, { callId: "call_0" });
  assert.deepEqual(started.arguments, { path: "a" });
  assert.equal((await gate.get("call_0")).state, "running");
  const ended = await started.finish({ rows: 2 }, { ranArguments: { path: "b" } });
  assert.deepEqual(ended.mismatch.arguments, { path: "b" });
  assert.deepEqual((await started.fail("too late")).result.content, { rows: 2 });
  const again = await gate.begin("read_it", { path: "a" }, { callId: "call_0" });
  assert.deepEqual([again.ranBefore, again.recorded], [true, { rows: 2 }]);
});

test("begun call reports failure and cancellation", async (t) => {
  const { gate } = people(t);
  const failed = await (await gate.begin("read_it", {}, { callId: "call_0" })).fail(new RangeError("no such file"));
  assert.deepEqual([failed.result.status, failed.result.content], ["error", "RangeError: no such file"]);
  const cancelled = await (await gate.begin("read_it", {}, { callId: "call_1" })).cancel("the user stopped it");
  assert.equal(cancelled.result.status, "cancelled");
});

test("waiting call is announced once, unless it is turned off", async (t) => {
  const { server, gate } = people(t);
  const lines = [];
  t.mock.method(console, "warn", (line) => lines.push(line));
  const waitInVain = (other, callId) =>
    assert.rejects(other.callTool("deploy", {}, () => null, { callId, timeoutMs: 1 }), { name: "StillPendingError" });
  const other = gate.inThread("ci/7 é");
  await waitInVain(other, "call?1");
  await waitInVain(other, "call?1");
  const { port } = new URL(gate.server);
  const link = `http://countersign.localhost:${port}/calls/ci%2F7%20%C3%A9/call%3F1`;
  assert.deepEqual(lines, [`countersign: a call waits for a decision: ${link}`]);
  const call = await other.propose("deploy", { n: 1 }, { callId: "call_2" });
  await other.wait(call, { timeoutMs: 1 });
  assert.equal(lines.length, 2);
  await other.callTool("read_it", {}, () => null, { callId: "call_3" });
  process.env.COUNTERSIGN_QUIET = "1";
  t.after(() => { delete process.env.COUNTERSIGN_QUIET; });
  await waitInVain(new Gate({ server: server.url, token: server.agent, thread: gate.thread }), "call_4");
  assert.equal(lines.length, 2, "nobody is asked, and it is turned off");
});
