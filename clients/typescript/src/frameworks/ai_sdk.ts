// The AI SDK (package `ai`), versions 6 and 7: tools that ask before they run.
import type { Gate } from "../gate.js";
import { parseInput, readDefinition, wrappedTools, type SdkTool, type ToolExecution } from "./ai_sdk_tool.js";
import {
  makeCall, notRun, plainJson, proposeOptions, threadOf, type WrapperOptions, type FrameworkCall,
} from "./framework_call.js";
import { modelOutput, notRunOutput, outputWithNote } from "./tool_output.js";

export { answerApprovals } from "./ai_sdk_messages.js";
export { askGate } from "./ai_sdk_decisions.js";
export type { ToolExecution } from "./ai_sdk_tool.js";
export { isNotRunOutput, type NotRunOutput } from "./tool_output.js";

/** Options of `approveTools`. */
export interface ToolApprovalOptions extends WrapperOptions<ToolExecution> {
  /**
   * Whether to end the run while a call waits, with the AI SDK's approval requests, instead of waiting inside the tool.
   * `answerApprovals` makes the message that continues the conversation.
   */
  pause?: boolean | undefined;
}

/**
 * Wraps tools: each call is proposed, waits until it is decided, runs with exactly the approved arguments, and its result is
 * recorded. Tools without `execute`, which run elsewhere, stay as they are.
 */
export function approveTools<Tools extends object>(gate: Gate, tools: Tools, options: ToolApprovalOptions = {}): Tools {
  const wrapped = Object.entries(tools).map(([name, tool]) => [name, approveTool(gate, name, tool as SdkTool, options)]);
  return Object.fromEntries(wrapped) as Tools;
}

function approveTool(gate: Gate, name: string, tool: SdkTool, options: ToolApprovalOptions): SdkTool {
  const { execute } = tool;
  if (!execute) {
    return tool;
  }
  const planCall = async (input: unknown, execution: ToolExecution): Promise<FrameworkCall<unknown>> => ({
    name,
    input,
    callId: execution.toolCallId,
    thread: threadOf(options, execution),
    definition: await readDefinition(tool, input, execution),
    signal: execution.abortSignal,
    parse: (changed) => parseInput(tool.inputSchema, changed),
    run: (approved) => lastOutput(execute.call(tool, approved, execution)),
  });
  const wrapped: SdkTool = {
    ...tool,
    needsApproval: options.pause
      ? async (input: unknown, execution: ToolExecution) => asksPeople(gate, await planCall(input, execution), options)
      : undefined,
    execute: async (input, execution) => runTool(gate, await planCall(input, execution), options),
    toModelOutput: (result) => {
      const convert = tool.toModelOutput?.bind(tool);
      return modelOutput(result.output, convert && ((output) => convert({ ...result, output })));
    },
  };
  wrappedTools.add(wrapped);
  return wrapped;
}

async function runTool(gate: Gate, call: FrameworkCall<unknown>, options: ToolApprovalOptions): Promise<unknown> {
  try {
    const { produced, content, note } = await makeCall(gate, call, options);
    return outputWithNote(produced ? produced.value : content, note);
  } catch (error) {
    return notRunOutput(notRun(error, options));
  }
}

async function asksPeople(gate: Gate, call: FrameworkCall<unknown>, options: ToolApprovalOptions): Promise<boolean> {
  const proposed = await gate.propose(call.name, plainJson(call.input), proposeOptions(gate, call, options));
  return Boolean(proposed.request);
}

// A tool may return its outputs one after the other. The last one is its result.
async function lastOutput(output: unknown): Promise<unknown> {
  if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) {
    return output;
  }
  let last: unknown;
  for await (const one of output as AsyncIterable<unknown>) {
    last = one;
  }
  return last;
}

