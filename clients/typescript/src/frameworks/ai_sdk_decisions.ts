// The AI SDK, version 7: the settings that let the gate decide on tools that are not wrapped.
import { NotRunError } from "../errors.js";
import type { Gate } from "../gate.js";
import { asksItself, readDefinition } from "./ai_sdk_tool.js";
import { notRun, threadOf, type WrapperOptions } from "./framework_call.js";
import { HeldCalls } from "./held_calls.js";

/** The `toolApproval` options that the wrapper reads. */
export interface ApprovalQuestion {
  toolCall: { toolCallId: string; toolName: string; input: unknown; providerExecuted?: boolean | undefined };
  tools?: object | undefined;
  runtimeContext?: unknown;
}

/** The answer of `toolApproval`. */
export type ApprovalAnswer = "not-applicable" | { type: "approved" | "denied"; reason?: string };

/** The `onToolExecutionEnd` event fields that the wrapper reads. */
export interface ExecutionEnd {
  toolCall: { toolCallId: string };
  toolOutput: { type: string; output?: unknown; error?: unknown };
}

/** Settings for `generateText`, `streamText` and `ToolLoopAgent`. */
export interface GateSettings {
  toolApproval(question: ApprovalQuestion): Promise<ApprovalAnswer>;
  onToolExecutionEnd(end: ExecutionEnd): Promise<void>;
}

/**
 * Settings by which the gate decides before the AI SDK runs a tool: `generateText({ …, ...askGate(gate) })`. They record the
 * results too. Tools of `approveTools` ask by themselves.
 */
export function askGate(gate: Gate, options: WrapperOptions<ApprovalQuestion> = {}): GateSettings {
  const held = new HeldCalls(gate, options);
  return {
    toolApproval: (question) => decide(held, question, options),
    onToolExecutionEnd: async ({ toolCall, toolOutput }) => {
      const failed = toolOutput.type === "tool-error";
      const content = failed ? namedError(toolOutput.error) : toolOutput.output;
      await held.finish(toolCall.toolCallId, failed ? "error" : "success", content);
    },
  };
}

async function decide(
  held: HeldCalls, question: ApprovalQuestion, options: WrapperOptions<ApprovalQuestion>,
): Promise<ApprovalAnswer> {
  const { toolCall, tools } = question;
  const found = findTool(tools, toolCall.toolName);
  if (asksItself(found)) {
    return "not-applicable";
  }
  const execution = { toolCallId: toolCall.toolCallId };
  const hookCall = {
    name: toolCall.toolName,
    input: toolCall.input,
    callId: toolCall.toolCallId,
    thread: threadOf(options, question),
    definition: found && await readDefinition(found, toolCall.input, execution),
  };
  try {
    const { call } = await held.decide(hookCall, false);
    const comment = call.response?.comment;
    return comment ? { type: "approved", reason: comment } : { type: "approved" };
  } catch (error) {
    return { type: "denied", reason: error instanceof NotRunError ? notRun(error, options).text : unavailable(error) };
  }
}

// The model chooses the name, which must not find a member that all objects have.
function findTool(tools: object | undefined, name: string): object | undefined {
  return tools && Object.hasOwn(tools, name) ? (tools as Record<string, object>)[name] : undefined;
}

// An error here would end the whole run. The call must not run, and the model may try another way.
function unavailable(error: unknown): string {
  return `This call was not run: the approval service gave no decision: ${namedError(error)}`;
}

function namedError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
