// Client rules without a server: retries, lost answers and streams, with requests answered by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AlreadyClaimedError, CountersignError, readJson, UnreachableError } from "@countersign/client";
import { EventReader, StreamPosition } from "../dist/event_reader.js";
import { runWithLease } from "../dist/lease.js";
import { ServerOperations } from "../dist/operations.js";
import { makeError, readReply, replyError } from "../dist/replies.js";
import { idPrefix } from "../dist/resumption.js";
import { requestedPause } from "../dist/retry.js";

const PLACE = { thread: "t", id: "c" };
const CALL = { threadId: "t", id: "c", state: "running", arguments: {}, argumentsHash: "0".repeat(64) };
const LOST = makeError("unreachable", "the connection broke");

const reply = (status, body, headers = {}) => ({
  status, headers: new Headers(headers), body: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
});
const problem = (status, code, facts = {}) => reply(status, { title: "", status, code, detail: code, ...facts });

// A connection whose answers and clock the test controls.
class FakeConnection {
  sent = [];
  paused = 0;
  #now = 0;
  #answers;

  constructor(answers) {
    this.#answers = [...answers];
  }

  now() {
    return this.#now;
  }

  async pause(ms, signal) {
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    this.paused += ms;
    this.#now += ms;
  }

  async send(request) {
    this.sent.push(request);
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  }
}

function operationsWith(...answers) {
  const connection = new FakeConnection(answers);
  return { connection, operations: new ServerOperations(connection) };
}

const claimAs = (operations, executor) => operations.claim(PLACE, { executor }, undefined, undefined);

test("lost answer to a claim counts as claimed", async () => {
  const own = problem(409, "already_claimed", { execution: { executor: "me", seq: 4 } });
  const { connection, operations } = operationsWith(LOST, own, reply(200, CALL));
  assert.equal((await claimAs(operations, "me")).state, "running");
  assert.deepEqual(connection.sent.map((request) => request.method), ["POST", "POST", "GET"]);
});

test("claim of another executor is refused", async () => {
  const other = problem(409, "already_claimed", { execution: { executor: "other", seq: 4 } });
  const { operations } = operationsWith(LOST, other);
  await assert.rejects(claimAs(operations, "me"), (error) =>
    error instanceof AlreadyClaimedError && error.execution.executor === "other");
});

test("first refusal of an own claim is an error", async () => {
  const own = problem(409, "already_claimed", { execution: { executor: "me", seq: 4 } });
  await assert.rejects(claimAs(operationsWith(own).operations, "me"), AlreadyClaimedError);
});

test("proposal is repeated with the same bytes", async () => {
  const busy = problem(503, "database_unavailable", { reason: "busy" });
  const { connection, operations } = operationsWith(LOST, busy, reply(502, "<html>"), reply(201, CALL));
  const call = await operations.propose("t", { id: "c", name: "n" }, '{"a":1}', undefined);
  assert.equal(call.id, "c");
  assert.equal(connection.sent.length, 4);
  assert.deepEqual([...new Set(connection.sent.map((request) => request.body))], ['{"id":"c","name":"n","arguments":{"a":1}}']);
});

for (const code of ["call_differs", "blocked", "too_many_pending", "invalid"]) {
  test(`refusal ${code} is not repeated`, async () => {
    const { connection, operations } = operationsWith(problem(409, code));
    await assert.rejects(operations.propose("t", {}, "{}", undefined), { code });
    assert.equal(connection.sent.length, 1);
  });
}

test("retry ends with its budget", async () => {
  const budgets = [
    [5000, (operations) => operations.cancel(PLACE, undefined, undefined)],
    [5000, (operations) => operations.readCall(PLACE, undefined)],
    [30_000, (operations) => operations.propose("t", {}, "{}", undefined)],
    [120_000, (operations) => claimAs(operations, "me")],
    [120_000, (operations) => operations.finish(PLACE, {}, "null", undefined)],
  ];
  for (const [budget, start] of budgets) {
    const { connection, operations } = operationsWith(LOST);
    await assert.rejects(start(operations), UnreachableError);
    assert.ok(Math.abs(connection.paused - budget) < 1, `${connection.paused} ms of ${budget}`);
  }
});

test("readiness is not repeated", async () => {
  const { connection, operations } = operationsWith(LOST);
  await assert.rejects(operations.ready(undefined), UnreachableError);
  assert.equal(connection.sent.length, 1);
});

test("wait goes on while the server is away", async () => {
  const pending = { ...CALL, state: "pending" };
  const allowed = reply(200, { ...CALL, state: "allowed" });
  const { connection, operations } = operationsWith(reply(200, pending), ...Array(500).fill(LOST), allowed);
  assert.equal((await operations.wait(PLACE, Infinity, undefined)).state, "allowed");
  assert.deepEqual([...new Set(connection.sent.map((request) => request.headers.prefer))], ["wait=25"]);
  assert.ok(connection.paused > 120_000);
});

test("wait ends with its time-out", async () => {
  const { connection, operations } = operationsWith(reply(200, { ...CALL, state: "pending" }));
  assert.equal((await operations.wait(PLACE, 300, undefined)).state, "pending");
  assert.equal(connection.paused, 300);
  assert.deepEqual(connection.sent.map((request) => request.headers.prefer), ["wait=0", "wait=0"]);
});

test("server is not asked sooner than it wants", () => {
  const pauseOf = (code, seconds) => requestedPause(makeError(code, "", { status: 503, retryAfterMs: seconds * 1000 }));
  assert.equal(pauseOf("too_many_requests", 7), 7000);
  assert.equal(pauseOf("not_ready", 10_000), 30_000);
  assert.equal(pauseOf("shutting_down", 7), 0);
});

test("requested pause of an answer is kept", async () => {
  const answer = reply(429, { status: 429, code: "too_many_requests", detail: "" }, { "retry-after": "3" });
  const { connection, operations } = operationsWith(answer, reply(200, CALL));
  await operations.readCall(PLACE, undefined);
  assert.equal(connection.paused, 3000);
});

test("requested pause is a number or a date", () => {
  const date = "Sat, 31 Jan 2026 12:00:00 GMT";
  const pauseOf = (text, headers = { date }) =>
    replyError(reply(503, { status: 503, code: "not_ready", detail: "" }, { "retry-after": text, ...headers })).retryAfterMs;
  assert.equal(pauseOf("7"), 7000);
  for (const later of ["Sat, 31 Jan 2026 12:01:30 GMT", "Saturday, 31-Jan-26 12:01:30 GMT", "Sat Jan 31 12:01:30 2026"]) {
    assert.equal(pauseOf(later), 90_000, later);
  }
  assert.equal(pauseOf("Sat, 31 Jan 2026 11:00:00 GMT"), 0);
  assert.ok(pauseOf(date, {}) >= 0, "without a date in the answer, the own clock counts");
  assert.deepEqual(["", "-1", "1.5", "soon", "Sat, 99 Jan 2026 12:00:00 GMT"].map((text) => pauseOf(text)), Array(5).fill(undefined));
});

test("answer that is not JSON is strange", () => {
  const invalid = { status: 200, headers: new Headers(), body: Uint8Array.of(0x22, 0xff, 0x22) };
  const twice = reply(200, '{"id":"a","id":"b"}');
  for (const strange of [reply(200, "<html>"), reply(404, "not found"), reply(302, ""), reply(200, ""), invalid, twice]) {
    assert.throws(() => readReply(strange), (error) => error.code === "strange_server" && !error.isTransient);
  }
});

test("unknown code keeps its text", () => {
  assert.throws(() => readReply(problem(409, "from_the_future", { requestId: "r1" })), (error) =>
    error.constructor === CountersignError && error.code === "from_the_future" && error.requestId === "r1");
});

test("facts of another type than documented are absent", () => {
  const error = makeError("invalid", "", { problem: { reason: 7, tip: "x", execution: "me", response: null } });
  assert.deepEqual([error.reason, error.tip, error.execution, error.response], Array(4).fill(undefined));
});

// Runs a tool whose lease is renewed with these answers, until the predicate on the requests holds.
async function runWithAnswers(answers, isEnough) {
  const { connection, operations } = operationsWith(...answers);
  const lease = { operations, place: PLACE, executor: "me", leaseSeconds: 30 };
  const value = await runWithLease(lease, async () => {
    while (!isEnough(connection)) {
      await new Promise(setImmediate);
    }
    return 7;
  });
  assert.equal(value, 7);
  return connection;
}

test("renewal goes on after passing errors", async () => {
  const away = Array(200).fill(LOST);
  const connection = await runWithAnswers([...away, reply(200, CALL)], ({ sent }) => sent.length > 210);
  assert.equal(connection.sent[0].path, "/v1/threads/t/tool-calls/c/claim/renew");
  assert.equal(connection.sent[0].body, '{"executor":"me","leaseSeconds":30}');
});

test("renewal ends with a lost claim while the tool runs on", async (t) => {
  const warned = t.mock.method(console, "warn", () => undefined);
  const connection = await runWithAnswers([problem(409, "not_claimed")], () => warned.mock.callCount() > 0);
  assert.equal(connection.sent.length, 1);
  assert.equal(connection.paused, 10_000);
  assert.match(warned.mock.calls[0].arguments[0], /the lease of the call c cannot be renewed: not_claimed/);
});

const event = (seq, data = {}) => ({ seq, threadId: "t", type: "TOOL_CALL", timestamp: "", principal: "", data });

test("stream reads events across any chunks", () => {
  const texts = ['{"text":"a\u2028b\u0085c😀"}', '{"n":12345678901234567890}'].map((data, at) =>
    JSON.stringify(event(at + 1)).replace("{}", data));
  const lines = texts.map((text, at) => `id: ${at + 1}-abc\r\nevent: TOOL_CALL\r\ndata: ${text}\r\n\r\n`);
  const data = new TextEncoder().encode(`: hello\n\n${lines.join("")}`);
  for (const size of [1, 7, data.length]) {
    const reader = new EventReader();
    const read = [];
    for (let at = 0; at < data.length; at += size) {
      read.push(...reader.feed(data.subarray(at, at + size)));
    }
    assert.deepEqual(read.map((message) => message.cursor), ["1-abc", "2-abc"]);
    assert.deepEqual(read.map((message) => message.event), texts.map(readJson));
  }
});

test("stream without events of Countersign is strange", () => {
  for (const text of ["data: {}\n\n", "data: <html>\n\n", 'data: {"seq":"1"}\n\n', "data: null\n\n"]) {
    assert.throws(() => [...new EventReader().feed(new TextEncoder().encode(text))], { code: "strange_server" });
  }
  assert.throws(() => [...new EventReader().feed(Uint8Array.of(0xff, 10))], { code: "strange_server" });
});

test("error event ends the stream with its error", () => {
  const text = `event: error\ndata: ${JSON.stringify({ code: "shutting_down", status: 503, detail: "" })}\n\n`;
  assert.throws(() => [...new EventReader().feed(new TextEncoder().encode(text))], { code: "shutting_down", isTransient: true });
});

test("stream resumes after the last delivered event", () => {
  const position = new StreamPosition(undefined, [], "4-ffff", Infinity);
  assert.deepEqual(position.request().query, [["after", "4-ffff"]]);
  position.opened();
  assert.equal(position.deliver({ cursor: "5-aaaa", event: event(5) }), true);
  assert.equal(position.deliver({ cursor: "5-aaaa", event: event(5) }), false);
  assert.ok(position.pauseAfter(LOST, 0) > 0);
  const request = position.request();
  assert.equal(request.headers["last-event-id"], "5-aaaa");
  assert.deepEqual(request.query, []);
});

test("stream ends with an error that stays", () => {
  const position = new StreamPosition(undefined, [], 0, Infinity);
  const stays = makeError("bad_cursor", "bad_cursor", { status: 409 });
  assert.throws(() => position.pauseAfter(stays, 0), { code: "bad_cursor" });
});

test("silent stream gives up after its limit", () => {
  const position = new StreamPosition(undefined, [], 0, 120_000);
  position.pauseAfter(LOST, 100);
  position.pauseAfter(LOST, 119_000);
  assert.throws(() => position.pauseAfter(LOST, 120_100), UnreachableError);
});

test("id begins with the hash that Python computes", async () => {
  // clients/python: id_prefix({…}, "deploy", {…}), with the members in another order.
  const args = readJson('{"z":[1,{"b":null,"a":"é\\u0001"}],"10":9007199254740993,"9":true,"\\uffff":0.5,"😀":"x"}');
  const place = { program: "a.py", folder: "/srv", host: undefined };
  assert.equal(await idPrefix(place, "deploy", args), "call_2bedf906fc8241c658b0012a_");
});
