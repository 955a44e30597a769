// MCP: a client (package `@modelcontextprotocol/sdk`, or `@modelcontextprotocol/client`) whose tool calls ask before they run.
import type { Gate } from "../gate.js";
import type { ProposedDefinition } from "../types.js";
import {
  contentText, makeCall, notRun, threadOf, type FrameworkCall, type WrapperOptions,
} from "./framework_call.js";

/** Tool call parameters. */
export interface ToolCallParameters {
  name: string;
  arguments?: Record<string, unknown> | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** Options of `approveClient`. */
export interface ClientApprovalOptions extends WrapperOptions<ToolCallParameters> {
  /** Whether the server is trusted, so that the policy may use the hints that it gives about its tools. */
  trustAnnotations?: boolean | undefined;
}

/** The client methods that the wrapper reads or replaces. */
interface McpClient {
  callTool(parameters: ToolCallParameters, ...rest: unknown[]): Promise<unknown>;
  listTools(...parameters: unknown[]): Promise<unknown>;
}

interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema?: unknown;
  annotations?: Record<string, unknown> | undefined;
}

interface ToolResult {
  content: { type: string; text?: string }[];
  isError?: boolean | undefined;
}

const CALL_ID = "countersign/callId";
const THREAD_ID = "countersign/threadId";

/**
 * Returns the client with a `callTool` that asks: the call is proposed, waits until it is decided, runs with exactly the approved
 * arguments, and its result is recorded. Everything else is done by the given client.
 *
 * `_meta["countersign/callId"]` of the parameters is the id that the model chose, and `_meta["countersign/threadId"]` the thread.
 * The server does not get these members.
 */
export function approveClient<Client extends object>(gate: Gate, client: Client, options: ClientApprovalOptions = {}): Client {
  const original = client as Client & McpClient;
  const tools = new Map<string, ListedTool>();
  const listTools = async (...parameters: unknown[]): Promise<unknown> => {
    const listed = await original.listTools(...parameters);
    for (const tool of (listed as { tools: ListedTool[] }).tools) {
      tools.set(tool.name, tool);
    }
    return listed;
  };
  const callTool = async (parameters: ToolCallParameters, ...rest: unknown[]): Promise<unknown> => {
    const call = planCall(original, parameters, rest, tools.get(parameters.name), options);
    return runTool(gate, call, options);
  };
  return new Proxy(original, {
    get: (target, name) => {
      if (name === "callTool") {
        return callTool;
      }
      if (name === "listTools") {
        return listTools;
      }
      // The client has private members, so its methods must run on itself.
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) as unknown : value;
    },
  });
}

function planCall(
  client: McpClient, parameters: ToolCallParameters, rest: unknown[], tool: ListedTool | undefined,
  options: ClientApprovalOptions,
): FrameworkCall<ToolResult> {
  const { [CALL_ID]: callId, [THREAD_ID]: thread, ...meta } = parameters._meta ?? {};
  const passedOn = { ...parameters, _meta: Object.keys(meta).length > 0 ? meta : undefined };
  return {
    name: parameters.name,
    input: parameters.arguments ?? {},
    callId: textOrNothing(callId),
    thread: textOrNothing(thread) ?? threadOf(options, parameters),
    definition: tool && readDefinition(tool),
    annotations: options.trustAnnotations ? tool?.annotations : undefined,
    signal: readSignal(rest),
    run: async (approved) => {
      const changed = { ...passedOn, arguments: approved as Record<string, unknown> };
      return failOnError(await client.callTool(changed, ...rest) as ToolResult);
    },
  };
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function readDefinition({ description, inputSchema }: ListedTool): ProposedDefinition {
  return { description, inputSchema } as ProposedDefinition;
}

// The request options are the last parameter in both generations of the SDK.
function readSignal(rest: unknown[]): AbortSignal | undefined {
  const options = rest.at(-1);
  const isOptions = typeof options === "object" && options !== null && "signal" in options;
  return isOptions && options.signal instanceof AbortSignal ? options.signal : undefined;
}

/** A tool answered with an error. */
class FailedResult extends Error {
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    super(resultText(result));
    this.result = result;
  }
}

function failOnError(result: ToolResult): ToolResult {
  if (result.isError) {
    throw new FailedResult(result);
  }
  return result;
}

function resultText(result: ToolResult): string {
  return result.content.map((part) => part.text ?? contentText(part)).join("\n");
}

async function runTool(gate: Gate, call: FrameworkCall<ToolResult>, options: ClientApprovalOptions): Promise<ToolResult> {
  try {
    const { produced, content, note } = await makeCall(gate, call, options);
    const result = produced ? produced.value : (content as ToolResult);
    return note === undefined ? result : { ...result, content: [{ type: "text", text: note }, ...result.content] };
  } catch (error) {
    return error instanceof FailedResult ? error.result : notRunResult(notRun(error, options));
  }
}

function notRunResult({ text, call }: ReturnType<typeof notRun>): ToolResult {
  const _meta = { [THREAD_ID]: call.threadId, [CALL_ID]: call.id, "countersign/state": call.state };
  return { content: [{ type: "text", text }], isError: true, _meta } as ToolResult;
}
