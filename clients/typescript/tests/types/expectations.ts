// The package types. The compiler checks this file; it does not run.
import {
  AlreadyDecidedError, CountersignError, ExactNumber, Gate, NotRunError, readJson, withApproval, withCallContext, writeJson,
  type ApprovalResponse, type Call, type CallOutcome, type Event, type JsonValue,
} from "@countersign/client";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const expectType = <A, B>(isEqual: Equal<A, B>): void => void isEqual;

const gate = new Gate({ server: "http://127.0.0.1:7878", token: "t", timeoutMs: 1000, fetch: globalThis.fetch });
new Gate();
// @ts-expect-error An option with this name does not exist.
new Gate({ url: "http://127.0.0.1:7878" });

interface DeployArguments {
  service: string;
  replicas?: number;
}

const deploy = withApproval(gate, "deploy", async ({ service, replicas = 3 }: DeployArguments) => `${service}: ${replicas}`, {
  description: ({ service }) => `deploy ${service.toUpperCase()}`,
  impact: ({ service }) => ({ message: service, riskLevel: "high" }),
  callId: (args) => args.service,
  parse: (approved) => approved as DeployArguments,
});
expectType<ReturnType<typeof deploy>, Promise<string>>(true);
expectType<Parameters<typeof deploy>, [args: DeployArguments]>(true);
void deploy({ service: "shop" });
void deploy.with({ callId: "call_1", signal: AbortSignal.timeout(1000) })({ service: "shop" });
// @ts-expect-error The argument is missing.
void deploy();
// @ts-expect-error A member has another type.
void deploy({ service: 1 });
// @ts-expect-error The context has no such member.
void deploy.with({ id: "call_1" });

const returning = withApproval(gate, "count", ({ n }: { n: bigint }, connection: Map<string, number>) => connection.size + Number(n), {
  onDenial: "return",
});
expectType<ReturnType<typeof returning>, Promise<string | number>>(true);
expectType<Parameters<typeof returning>, [args: { n: bigint }, connection: Map<string, number>]>(true);

const throwing = withApproval(gate, "count", () => 1, { onDenial: "throw", timeoutMs: 1 });
expectType<ReturnType<typeof throwing>, Promise<number>>(true);
void throwing();
// @ts-expect-error The function has no parameters.
void throwing({});
// @ts-expect-error The first parameter must be an object.
withApproval(gate, "deploy", (service: string) => service);
// @ts-expect-error A denial is thrown or returned.
withApproval(gate, "deploy", () => 1, { onDenial: "ignore" });
// @ts-expect-error The level of risk does not exist.
withApproval(gate, "deploy", () => 1, { impact: { riskLevel: "huge" } });

export async function useOperations(): Promise<void> {
  const call = await gate.propose("deploy", { service: "shop" }, { definition: { inputSchema: { type: "object" } } });
  expectType<typeof call, Call>(true);
  expectType<Call["arguments"], JsonValue>(true);
  expectType<Call["state"], "pending" | "allowed" | "denied" | "running" | "finished" | "unknown" | "cancelled">(true);
  await gate.decide(call, "allow_once", { arguments: { service: "bank" }, comment: "fine" });
  await gate.decide({ threadId: "t", id: "c" }, "deny");
  // @ts-expect-error The decision does not exist.
  await gate.decide(call, "maybe");
  // @ts-expect-error A claim needs the arguments hash, which an id does not include.
  await gate.claim("call_1");
  for await (const event of gate.stream({ types: ["TOOL_CALL"], after: "4-ffff" })) {
    expectType<typeof event, Event>(true);
    expectType<typeof event.seq, number>(true);
  }
  const outcome = await gate.callTool("deploy", { service: "shop" }, (approved, { call: running, signal }) => {
    expectType<typeof approved, { service: string }>(true);
    expectType<typeof running, Call>(true);
    expectType<typeof signal, AbortSignal | undefined>(true);
    return Promise.resolve(approved.service.length);
  });
  expectType<typeof outcome, CallOutcome<number>>(true);
  const page = await gate.calls({ state: "pending", limit: 5 });
  expectType<(typeof page.calls)[number], Call>(true);
  expectType<string, Awaited<ReturnType<typeof inContext>>>(true);
}

const inContext = () => withCallContext({ thread: "t", callId: "c" }, () => deploy({ service: "shop" }));

export function useErrors(error: unknown): string | undefined {
  if (error instanceof AlreadyDecidedError) {
    expectType<typeof error.response, ApprovalResponse | undefined>(true);
    return error.response?.principal;
  }
  if (error instanceof CountersignError) {
    expectType<typeof error.code, string>(true);
    expectType<typeof error.retryAfterMs, number | undefined>(true);
    // @ts-expect-error Error facts cannot be changed.
    error.code = "other";
    return error.detail;
  }
  return error instanceof NotRunError ? `${error.text} ${error.call.id}` : undefined;
}

const value = readJson("[1]");
expectType<typeof value, JsonValue>(true);
expectType<string, ReturnType<typeof writeJson>>(true);
writeJson({ price: new ExactNumber("1.10"), big: 2n ** 70n });
