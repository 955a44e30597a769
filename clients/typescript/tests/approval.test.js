// `withApproval`: the function runs once, with the approved arguments, and never without approval.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CancelledCallError, DeniedError, ExactNumber, ExpiredError, FailedBeforeError, StillPendingError, UnusableArgumentsError,
  withApproval, withCallContext,
} from "@countersign/client";
import { onlyCall, useServer } from "./support/people.js";
import { requireTool } from "./support/tools.js";

const people = useServer();
const mustNotRun = () => assert.fail("the call must not run");

test("approved call runs and its result is recorded", async (t) => {
  const { gate, decideNext } = people(t);
  const deploy = withApproval(gate, "deploy_service", ({ service, replicas = 3 }) => ({ service, replicas }), {
    description: ({ service }) => `deploy ${service}`,
    impact: { message: "deploys", riskLevel: "high" },
  });
  const [value] = await Promise.all([deploy({ service: "shop" }), decideNext("allow_once")]);
  assert.deepEqual(value, { service: "shop", replicas: 3 });
  const call = await onlyCall(gate);
  assert.equal(call.name, "deploy_service");
  assert.deepEqual(call.arguments, { service: "shop" });
  assert.equal(call.description, "deploy shop");
  assert.equal(call.state, "finished");
  assert.deepEqual(call.result.content, { service: "shop", replicas: 3 });
});

test("edit runs the edited arguments", async (t) => {
  const { gate, decideNext } = people(t);
  const pay = withApproval(gate, "pay", ({ to, amount }) => `${to}: ${amount}`);
  const edited = { to: "bob", amount: new ExactNumber("12345678901234567890.05") };
  const [text] = await Promise.all([pay({ to: "eve", amount: 1.1 }), decideNext("allow_once", { arguments: edited })]);
  assert.equal(text, "bob: 12345678901234567890.05");
});

test("denial throws the text for the model", async (t) => {
  const { gate, decideNext } = people(t);
  const deploy = withApproval(gate, "deploy", mustNotRun);
  const [caught] = await Promise.all([
    deploy({ service: "shop" }).catch((error) => error),
    decideNext("deny", { comment: "use staging first" }),
  ]);
  assert.ok(caught instanceof DeniedError);
  assert.match(caught.text, /use staging first/);
  assert.equal(caught.call.state, "denied");
});

test("denial returns the text on request", async (t) => {
  const { gate, decideNext } = people(t);
  const deploy = withApproval(gate, "deploy", mustNotRun, { onDenial: "return" });
  const [text] = await Promise.all([deploy({}), decideNext("deny", { comment: "use staging first" })]);
  assert.match(text, /use staging first/);
});

test("blocked call never runs", async (t) => {
  const { gate } = people(t);
  await assert.rejects(withApproval(gate, "wipe_disk", mustNotRun)(), { name: "DeniedError", message: /wiping is forbidden/ });
});

test("further parameters and the receiver are passed through", async (t) => {
  const { gate } = people(t);
  class Shop {
    name = "corner";
    readPrice = withApproval(gate, "read_price", function ({ item }, connection) {
      return `${this.name} ${item} ${connection.constructor.name}`;
    });
  }
  assert.equal(await new Shop().readPrice({ item: "tea" }, new Map()), "corner tea Map");
  assert.deepEqual((await onlyCall(gate)).arguments, { item: "tea" });
});

test("argument changed during the wait has no effect", async (t) => {
  const { gate, decideNext } = people(t);
  const args = { names: ["shop"] };
  const deploy = withApproval(gate, "deploy", ({ names }) => names, {
    description: () => { args.names.push("bank"); return "deploy"; },
  });
  const running = deploy(args);
  args.names.push("mail");
  const [value] = await Promise.all([running, decideNext("allow_once")]);
  assert.deepEqual(value, ["shop"]);
  assert.deepEqual((await onlyCall(gate)).arguments, { names: ["shop"] });
});

test("argument without JSON is refused before the call", async (t) => {
  const { gate } = people(t);
  const read = withApproval(gate, "read_object", mustNotRun);
  await assert.rejects(read({ what: new Date() }), { code: "invalid", message: /a value of the type Date is not JSON .at \/what./ });
  await assert.rejects(read({ text: "\ud800" }), { code: "invalid", message: /not valid Unicode.* .at \/text./ });
});

test("edit that does not fit is an error result", async (t) => {
  const { gate, decideNext } = people(t);
  const parse = (approved) => {
    assert.equal(typeof approved.service, "string", "service is missing");
    return approved;
  };
  const deploy = withApproval(gate, "deploy", mustNotRun, { parse });
  const [caught] = await Promise.all([
    deploy({ service: "shop" }).catch((error) => error),
    decideNext("allow_once", { arguments: { servce: "shop" } }),
  ]);
  assert.ok(caught instanceof UnusableArgumentsError);
  assert.match(caught.text, /service is missing/);
  assert.equal((await onlyCall(gate)).result.status, "error");
});

test("schema of Zod checks the approved arguments", async (t) => {
  const { gate, decideNext } = people(t);
  const { z } = requireTool("zod");
  const schema = z.object({ service: z.string(), replicas: z.number().max(5).default(3) });
  const deploy = withApproval(gate, "deploy", (args) => args, { parse: (approved) => schema.parseAsync(approved) });
  const [value] = await Promise.all([deploy({ service: "shop" }), decideNext("allow_once")]);
  assert.deepEqual(value, { service: "shop", replicas: 3 });
  const edited = { arguments: { service: "shop", replicas: 500 } };
  const [caught] = await Promise.all([
    deploy({ service: "bank" }).catch((error) => error), decideNext("allow_once", edited),
  ]);
  assert.ok(caught instanceof UnusableArgumentsError);
  assert.match(caught.text, /replicas/);
});

test("edit to a list does not reach the function", async (t) => {
  const { gate, decideNext } = people(t);
  const [caught] = await Promise.all([
    withApproval(gate, "deploy", mustNotRun)({}).catch((error) => error),
    decideNext("allow_once", { arguments: ["shop"] }),
  ]);
  assert.ok(caught instanceof UnusableArgumentsError);
});

test("error of the function is recorded and thrown", async (t) => {
  const { gate } = people(t);
  const read = withApproval(gate, "read_file", ({ path }) => { throw new RangeError(path); }, {
    callId: ({ path }) => `read-${path}`,
  });
  await assert.rejects(read({ path: "a" }), RangeError);
  await assert.rejects(read({ path: "a" }), (error) => error instanceof FailedBeforeError && error.text === "RangeError: a");
});

test("same id returns the recorded result", async (t) => {
  const { gate } = people(t);
  const runs = [];
  const read = withApproval(gate, "read_file", ({ path }) => { runs.push(path); return 2n ** 70n; });
  for (let time = 0; time < 3; time += 1) {
    assert.equal(await withCallContext({ callId: "call_from_the_model" }, () => read({ path: "a" })), 2n ** 70n);
  }
  assert.equal(await read.with({ callId: "call_from_the_model" })({ path: "a" }), 2n ** 70n);
  assert.deepEqual(runs, ["a"]);
});

test("call inside a call has an id of its own", async (t) => {
  const { gate } = people(t);
  const inner = withApproval(gate, "read_inner", ({ n }) => n + 1);
  const outer = withApproval(gate, "read_outer", async ({ n }) => (await inner({ n })) + 1);
  const thread = `${gate.thread} in context`;
  assert.equal(await withCallContext({ thread, callId: "outer" }, () => outer({ n: 1 })), 3);
  const { calls } = await gate.calls({ thread });
  assert.deepEqual(calls.map((call) => call.name), ["read_inner", "read_outer"]);
});

test("secret argument runs unmasked", async (t) => {
  const { gate, decideNext } = people(t);
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2)}`;
  const login = withApproval(gate, "login", ({ token }) => token === secret);
  const [value] = await Promise.all([login({ token: secret }), decideNext("allow_once")]);
  assert.equal(value, true);
  assert.ok(!JSON.stringify(await onlyCall(gate)).includes(secret));
});

test("edit of a masked call runs the edit", async (t) => {
  const { gate, decideNext } = people(t);
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2)}`;
  const login = withApproval(gate, "login", (args) => args);
  const [value] = await Promise.all([
    login({ token: secret, user: "eve" }), decideNext("allow_once", { arguments: { user: "bob" } }),
  ]);
  assert.deepEqual(value, { user: "bob" });
});

test("large result is noted and returned", async (t) => {
  const { gate } = people(t);
  const value = await withApproval(gate, "read_file", () => "x".repeat(5_000_000))();
  assert.equal(value.length, 5_000_000);
  assert.match((await onlyCall(gate)).result.content, /could not be recorded/);
});

test("arguments of one mebibyte run as they are", async (t) => {
  const { gate, decideNext } = people(t);
  // Just below the server's maximum body size, which includes the name and the id.
  const unit = "é\u2028\"\\\u0001😀";
  const text = unit.repeat(Math.floor((2 ** 20 - 1000) / Buffer.byteLength(JSON.stringify(unit))));
  const [value] = await Promise.all([
    withApproval(gate, "deploy", ({ text }) => text.length)({ text }),
    decideNext("allow_once"),
  ]);
  assert.equal(value, text.length);
});

test("expired request throws", async (t) => {
  const { gate } = people(t);
  await assert.rejects(withApproval(gate, "deploy", mustNotRun, { expiresInSeconds: 1 })(), ExpiredError);
});

test("time-out leaves the call and the next call resumes", async (t) => {
  const { gate, approver } = people(t);
  const deploy = withApproval(gate, "deploy", ({ service }) => service, { timeoutMs: 100 });
  const caught = await deploy({ service: "shop" }).catch((error) => error);
  assert.ok(caught instanceof StillPendingError);
  await approver.decide(caught.call, "allow_once");
  assert.equal(await deploy({ service: "shop" }), "shop");
  await onlyCall(gate);
});

test("time-out can withdraw the call", async (t) => {
  const { gate } = people(t);
  const deploy = withApproval(gate, "deploy", mustNotRun, { timeoutMs: 100, withdraw: true, callId: "withdrawn" });
  await assert.rejects(deploy(), StillPendingError);
  assert.equal((await gate.get("withdrawn")).state, "cancelled");
  await assert.rejects(deploy(), CancelledCallError);
});

test("identical calls in a row are separate calls", async (t) => {
  const { gate } = people(t);
  let runs = 0;
  const read = withApproval(gate, "read_clock", () => { runs += 1; return runs; });
  assert.deepEqual([await read(), await read(), await read()], [1, 2, 3]);
  assert.equal((await gate.calls({ thread: gate.thread })).calls.length, 3);
});

test("identical calls at the same time are separate calls", async (t) => {
  const { gate, approver } = people(t);
  const deploy = withApproval(gate, "deploy", ({ service }) => service.toUpperCase());
  const running = Promise.all(Array.from({ length: 8 }, () => deploy({ service: "shop" })));
  const decided = new Set();
  for await (const event of approver.stream({ thread: approver.thread, types: ["TOOL_APPROVAL_REQUEST"] })) {
    decided.add(event.data.toolCallId);
    await approver.decide(await approver.get(event.data.toolCallId), "allow_once");
    if (decided.size === 8) {
      break;
    }
  }
  assert.deepEqual(await running, Array(8).fill("SHOP"));
});

test("decision before the wait is found", async (t) => {
  const { gate, approver } = people(t);
  await approver.decide(await gate.propose("deploy", { service: "shop" }, { callId: "early" }), "allow_once");
  const deploy = withApproval(gate, "deploy", ({ service }) => service, { callId: "early" });
  assert.equal(await deploy({ service: "shop" }), "shop");
});

test("lease is renewed while the function runs", async (t) => {
  const { gate, approver } = people(t);
  const readSlowly = withApproval(gate, "read_slowly", async () => {
    for await (const event of approver.stream({ thread: approver.thread, types: ["TOOL_EXECUTION_RENEWED"] })) {
      return event.type;
    }
  }, { leaseSeconds: 3 });
  assert.equal(await readSlowly(), "TOOL_EXECUTION_RENEWED");
});
