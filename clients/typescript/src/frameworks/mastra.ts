// Mastra (package `@mastra/core`): tools that ask before they run.
import type { Gate } from "../gate.js";
import type { ProposedDefinition } from "../types.js";
import { makeCall, notRun, threadOf, type FrameworkCall, type WrapperOptions } from "./framework_call.js";
import { isStandardSchema, parseWith, standardJsonSchema } from "./standard_schema.js";
import { modelOutput, notRunOutput, outputWithNote } from "./tool_output.js";

export { isNotRunOutput, type NotRunOutput } from "./tool_output.js";

/** The tool execution context fields that the wrapper reads. */
export interface ToolRun {
  agent?: AgentRun | undefined;
  abortSignal?: AbortSignal | undefined;
}

interface AgentRun {
  toolCallId?: string | undefined;
  threadId?: string | undefined;
  suspend?: ((payload: unknown, options?: unknown) => unknown) | undefined;
}

/** Options of `approveTools`. A run's conversation is the thread in the agent's memory. */
export type ToolApprovalOptions = WrapperOptions<ToolRun>;

/** The tool members that the wrapper reads or replaces. */
interface MastraTool {
  description?: string;
  inputSchema?: unknown;
  requireApproval?: unknown;
  needsApprovalFn?: unknown;
  mcp?: { annotations?: Record<string, unknown> };
  toModelOutput?: (output: unknown) => unknown;
  execute?: (input: unknown, run: ToolRun) => Promise<unknown>;
}

/**
 * Wraps an agent's tools: each call is proposed, waits until it is decided, runs with exactly the approved arguments, and its
 * result is recorded.
 */
export function approveTools<Tools extends object>(gate: Gate, tools: Tools, options: ToolApprovalOptions = {}): Tools {
  const wrapped = Object.entries(tools).map(([name, tool]) => [name, approveTool(gate, name, tool as MastraTool, options)]);
  return Object.fromEntries(wrapped) as Tools;
}

function approveTool(gate: Gate, name: string, tool: MastraTool, options: ToolApprovalOptions): MastraTool {
  const { execute } = tool;
  if (!execute) {
    return tool;
  }
  const toModelOutput = tool.toModelOutput?.bind(tool);
  // The copy keeps the tool's class. The gate asks people, so Mastra does not.
  return Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as MastraTool, tool, {
    requireApproval: false,
    needsApprovalFn: undefined,
    execute: async (input: unknown, run: ToolRun = {}) => {
      const definition = await readDefinition(tool, input, run);
      return runTool(gate, planCall(name, tool, input, run, definition, options), options);
    },
    toModelOutput: (output: unknown) => modelOutput(output, toModelOutput),
  });
}

function planCall(
  name: string, tool: MastraTool, input: unknown, run: ToolRun, definition: ProposedDefinition, options: ToolApprovalOptions,
): FrameworkCall<unknown> {
  return {
    name,
    input,
    callId: run.agent?.toolCallId || undefined,
    thread: threadOf(options, run),
    conversation: run.agent?.threadId,
    definition,
    annotations: tool.mcp?.annotations,
    signal: run.abortSignal,
    parse: (changed) => (isStandardSchema(tool.inputSchema) ? parseWith(tool.inputSchema, changed) : changed),
    run: (approved) => runOriginal(tool, approved, run),
    isInterruption: (error) => error instanceof Suspended,
  };
}

/** The tool called `suspend`, so Mastra runs it again later with data to resume. */
class Suspended extends Error {}

// Copy the context: Mastra marks the original as already validated, but a person may have changed the input.
async function runOriginal(tool: MastraTool, input: unknown, run: ToolRun): Promise<unknown> {
  let isSuspended = false;
  const suspend = run.agent?.suspend;
  const agent = suspend && {
    ...run.agent,
    suspend: (payload: unknown, options?: unknown) => {
      isSuspended = true;
      return suspend(payload, options);
    },
  };
  const output = await tool.execute?.(input, agent ? { ...run, agent } : { ...run });
  if (output === undefined && isSuspended) {
    throw new Suspended();
  }
  return failOnValidationError(output);
}

/** Mastra found an input or an output that does not fit its schema. It returns such errors to the model. */
class FailedValidation extends Error {
  readonly answer: unknown;

  constructor(answer: { message: unknown }) {
    super(String(answer.message));
    this.answer = answer;
  }
}

function failOnValidationError(output: unknown): unknown {
  const isError = typeof output === "object" && output !== null && "error" in output && output.error === true;
  if (isError && "message" in output && "validationErrors" in output) {
    throw new FailedValidation(output);
  }
  return output;
}

async function readDefinition(tool: MastraTool, input: unknown, run: ToolRun): Promise<ProposedDefinition> {
  const predicate = tool.needsApprovalFn ?? tool.requireApproval;
  const asks: unknown = typeof predicate === "function" ? await predicate(input, run) : predicate;
  return { description: tool.description, inputSchema: standardJsonSchema(tool.inputSchema), needsApproval: Boolean(asks) } as
    ProposedDefinition;
}

async function runTool(gate: Gate, call: FrameworkCall<unknown>, options: ToolApprovalOptions): Promise<unknown> {
  try {
    const { produced, content, note } = await makeCall(gate, call, options);
    return outputWithNote(produced ? produced.value : content, note);
  } catch (error) {
    if (error instanceof Suspended) {
      return undefined;
    }
    return error instanceof FailedValidation ? error.answer : notRunOutput(notRun(error, options));
  }
}
