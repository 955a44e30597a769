// A story for each runtime: environment settings, call contexts, an abort, a stream and exact numbers. The
// arguments are the approver's address and token. It prints "fine" at its end.
import { Gate, StillPendingError, withApproval, withCallContext } from "@countersign/client";

const [approverServer, approverToken] = process.argv.slice(2);
const gate = new Gate();
const approver = new Gate({ server: approverServer, token: approverToken });

const check = (isTrue, what) => {
  if (!isTrue) {
    throw new Error(what);
  }
};

const pay = withApproval(gate, "pay", ({ amount }, currency) => `${amount} ${currency}`);
const big = 2n ** 70n;
const running = withCallContext({ callId: "call_1" }, () => pay({ amount: big }, "EUR"));
for await (const event of approver.stream({ types: ["TOOL_APPROVAL_REQUEST"] })) {
  if (event.threadId === gate.thread) {
    const call = await approver.get(event.data.toolCallId, { thread: gate.thread });
    check(call.id === "call_1" && call.arguments.amount === big, "the approver sees the call");
    await approver.decide(call, "allow_once");
    break;
  }
}
check((await running) === `${big} EUR`, "the call returns its value");

const controller = new AbortController();
const waiting = gate.wait(await gate.propose("deploy", {}), { signal: controller.signal });
setTimeout(() => controller.abort(new Error("enough")), 50);
check((await waiting.catch((error) => error.message)) === "enough", "an aborted wait ends with the reason");

const late = await withApproval(gate, "deploy", () => 1, { timeoutMs: 50 })({ late: true }).catch((error) => error);
check(late instanceof StillPendingError, "a wait ends with its time-out");

const away = await new Gate({ server: "http://127.0.0.1:1" }).ready().catch((error) => error);
check(away.code === "unreachable", "a server that is away is unreachable");
console.log("fine");
