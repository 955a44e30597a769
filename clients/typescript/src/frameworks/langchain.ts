// LangChain (package `langchain`) and LangGraph: a middleware for agents, and tools for graphs.
import { ToolMessage } from "@langchain/core/messages";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { CountersignError, NotRunError } from "../errors.js";
import type { Gate } from "../gate.js";
import type { ProposedDefinition } from "../types.js";
import {
  contentText, makeCall, notRun, textWithNote, threadOf, type WrapperOptions, type FrameworkCall,
} from "./framework_call.js";
import { findMistake, isStandardSchema, parseWith } from "./standard_schema.js";

/** The run configuration fields that the wrapper reads. */
export interface ToolRun {
  configurable?: Record<string, unknown> | undefined;
  context?: unknown;
  signal?: AbortSignal | undefined;
}

/** Wrapper options. A run's conversation is its `thread_id`. */
export type ToolApprovalOptions = WrapperOptions<ToolRun>;

interface ToolCall {
  id?: string | undefined;
  name: string;
  args: unknown;
}

interface CallableTool {
  name: string;
  description?: string | undefined;
  schema?: unknown;
  invoke(input: unknown, config?: ToolRun): Promise<unknown>;
}

/** The request of `wrapToolCall`. */
interface ToolCallRequest {
  toolCall: ToolCall;
  tool?: unknown;
  runtime: ToolRun;
}

/** A middleware for `createAgent`. */
export interface ApprovalMiddleware {
  readonly name: "CountersignApproval";
  wrapToolCall<Request extends ToolCallRequest, Result>(
    request: Request, handler: (request: Request) => Result | Promise<Result>,
  ): Promise<Result>;
}

// The mark by which LangChain knows a middleware.
const MIDDLEWARE_BRAND = Symbol.for("AgentMiddleware");

/**
 * A middleware for `createAgent`: each tool call is proposed, waits until it is decided, runs with exactly the approved
 * arguments, and its result is recorded.
 */
export function approvalMiddleware(gate: Gate, options: ToolApprovalOptions = {}): ApprovalMiddleware {
  const wrapToolCall: ApprovalMiddleware["wrapToolCall"] = async (request, handler) => {
    const { toolCall, runtime } = request;
    const tool = request.tool as CallableTool | undefined;
    const run = (args: unknown) => handler({ ...request, toolCall: { ...toolCall, args } });
    try {
      return await callTool(gate, planCall(toolCall, tool, runtime, options, run), tool?.schema, options) as never;
    } catch (error) {
      return errorMessage(toolCall, error, runtime) as never;
    }
  };
  return { [MIDDLEWARE_BRAND]: true, name: "CountersignApproval", wrapToolCall } as ApprovalMiddleware;
}

/** Wraps tools, for a graph's `ToolNode` and for other code that invokes tools. */
export function approveTools<Tools extends readonly object[]>(
  gate: Gate, tools: Tools, options: ToolApprovalOptions = {},
): Tools {
  return tools.map((tool) => approveTool(gate, tool as CallableTool, options)) as unknown as Tools;
}

function approveTool(gate: Gate, tool: CallableTool, options: ToolApprovalOptions): CallableTool {
  const invoke = async (input: unknown, config: ToolRun = {}): Promise<unknown> => {
    const toolCall = isToolCall(input) ? input : { name: tool.name, args: input };
    const run = (args: unknown) => tool.invoke(isToolCall(input) ? { ...input, args } : args, config);
    return callTool(gate, planCall(toolCall, tool, config, options, run), tool.schema, options);
  };
  // The copy keeps the tool's class, name and schema. `call` is the older name of `invoke`.
  return Object.create(tool, { invoke: { value: invoke }, call: { value: invoke } }) as CallableTool;
}

function isToolCall(input: unknown): input is ToolCall {
  return typeof input === "object" && input !== null && "type" in input && input.type === "tool_call";
}

function planCall(
  toolCall: ToolCall, tool: CallableTool | undefined, run: ToolRun, options: ToolApprovalOptions,
  invoke: (args: unknown) => unknown,
): FrameworkCall<unknown> {
  return {
    name: toolCall.name,
    input: toolCall.args,
    callId: toolCall.id,
    thread: threadOf(options, run),
    conversation: textOrNothing(run.configurable?.["thread_id"]),
    definition: tool && readDefinition(tool),
    signal: run.signal,
    parse: async (changed) => {
      if (isStandardSchema(tool?.schema)) {
        await parseWith(tool.schema, changed);
      }
      return changed; // The tool parses the arguments that it gets.
    },
    run: async (args) => failOnError(await invoke(args)),
    content: (value) => (isToolMessage(value) ? value.content : value),
    isInterruption: (error) => isBubbleUp(error),
  };
}

function textOrNothing(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value as string);
}

function readDefinition(tool: CallableTool): ProposedDefinition {
  const inputSchema = tool.schema === undefined ? undefined : toJsonSchema(tool.schema);
  return { description: tool.description, inputSchema } as ProposedDefinition;
}

/** A tool answered with an error. */
class FailedAnswer extends Error {
  readonly answer: ToolMessage;

  constructor(answer: ToolMessage) {
    super(contentText(answer.content));
    this.answer = answer;
  }
}

function failOnError(value: unknown): unknown {
  if (isToolMessage(value) && value.status === "error") {
    throw new FailedAnswer(value);
  }
  return value;
}

function isToolMessage(value: unknown): value is ToolMessage {
  return ToolMessage.isInstance(value);
}

async function callTool(
  gate: Gate, call: FrameworkCall<unknown>, schema: unknown, options: ToolApprovalOptions,
): Promise<unknown> {
  const mistake = await findMistake(schema, call.input);
  if (mistake !== undefined) {
    return toolMessage(call, mistake, "error");
  }
  try {
    const { produced, content, note } = await makeCall(gate, call, options);
    return withNote(produced ? produced.value : toolMessage(call, contentText(content)), note);
  } catch (error) {
    return error instanceof FailedAnswer ? error.answer : toolMessage(call, notRun(error, options).text, "error");
  }
}

function toolMessage(call: FrameworkCall<unknown>, content: string, status?: "error"): unknown {
  // A caller that gave no id expects the tool's return value.
  if (call.callId === undefined) {
    return content;
  }
  return new ToolMessage({ content, name: call.name, tool_call_id: call.callId, ...(status && { status }) });
}

function withNote(value: unknown, note: string | undefined): unknown {
  if (note === undefined) {
    return value;
  }
  if (typeof value === "string") {
    return textWithNote(value, note);
  }
  if (!isToolMessage(value)) {
    return value; // A `Command` changes the graph's state.
  }
  const content = typeof value.content === "string"
    ? textWithNote(value.content, note)
    : [{ type: "text", text: note }, ...value.content];
  const { name, tool_call_id, artifact, status } = value;
  return new ToolMessage({ content, name, tool_call_id, artifact, status } as ConstructorParameters<typeof ToolMessage>[0]);
}

// LangChain ends the run on a tool error if any middleware has a wrapper. Without one, the model gets this message.
function errorMessage(toolCall: ToolCall, error: unknown, run: ToolRun): unknown {
  const isFatal = isBubbleUp(error) || run.signal?.aborted || toolCall.id === undefined || !isToolError(error);
  if (isFatal) {
    throw error;
  }
  const content = `${String(error)}\n Please fix your mistakes.`;
  return new ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? "", status: "error" });
}

// Gate errors end the run: the call must not seem to have failed. LangChain itself explains arguments that do not fit.
function isToolError(error: unknown): boolean {
  const isInvocationError = error instanceof Error && "~brand" in error && error["~brand"] === "ToolInvocationError";
  return !(error instanceof NotRunError) && !(error instanceof CountersignError) && !isInvocationError;
}

// An interrupt of LangGraph, or a command to a parent graph.
function isBubbleUp(error: unknown): boolean {
  return typeof error === "object" && error !== null && "is_bubble_up" in error && error.is_bubble_up === true;
}
