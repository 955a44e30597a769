// The OpenAI Agents SDK (package `@openai/agents`): function tools that ask before they run.
import type { Gate } from "../gate.js";
import type { ProposedDefinition } from "../types.js";
import {
  contentText, makeCall, notRun, textWithNote, threadOf, type WrapperOptions, type FrameworkCall,
} from "./framework_call.js";
import { findMistake, isStandardSchema, parseWith } from "./standard_schema.js";

/** The function tool members that the wrapper reads or replaces. */
interface SdkTool {
  type: string;
  name: string;
  description?: string;
  parameters?: unknown;
  needsApproval?: (runContext: never, input: never, callId?: string) => Promise<boolean>;
  invoke(runContext: unknown, input: string, details?: ToolDetails): Promise<unknown>;
}

interface ToolDetails {
  toolCall?: { callId: string } | undefined;
  signal?: AbortSignal | undefined;
}

/** The run that calls a tool. `context` is the value that `run` was given. */
export interface ToolRun {
  context: unknown;
}

/** Wrapper options. */
export type ToolApprovalOptions = WrapperOptions<ToolRun>;

// The SDK turns a tool error into a string before `invoke` returns. This member of the details carries the error around it.
const FAILURE = Symbol("countersign.failure");
type DetailsWithFailure = ToolDetails & { [FAILURE]?: { error?: unknown } };

/** The `tool` options that the wrapper reads or replaces. */
interface ToolDescription {
  parameters?: unknown;
  execute: (input: unknown, runContext: unknown, details?: DetailsWithFailure) => unknown;
}

/**
 * Returns the SDK's function `tool`, for tools that ask: `const approvedTool = wrapTool(gate, tool)`. Each call of such a
 * tool is proposed, waits until it is decided, runs with exactly the approved arguments, and its result is recorded.
 */
export function wrapTool<CreateTool extends (description: never) => object>(
  gate: Gate, createTool: CreateTool, options: ToolApprovalOptions = {},
): CreateTool {
  const create = createTool as unknown as (description: ToolDescription) => SdkTool;
  const createApproved = (description: ToolDescription): SdkTool => {
    const created = create({ ...description, execute: noteFailures(description.execute) });
    return approveTool(gate, created, options, description.parameters);
  };
  return createApproved as unknown as CreateTool;
}

function noteFailures(execute: ToolDescription["execute"]): ToolDescription["execute"] {
  return async (input, runContext, details) => {
    try {
      return await execute(input, runContext, details);
    } catch (error) {
      const failure = details?.[FAILURE];
      if (failure) {
        failure.error = error;
      }
      throw error;
    }
  };
}

/**
 * Wraps tools that exist already, such as tools from `agent.asTool()` and from MCP servers. The SDK hides their errors from the
 * wrapper, so the log has the text that the model gets. Tools that OpenAI runs stay as they are.
 */
export function approveTools<Tools extends readonly object[]>(
  gate: Gate, tools: Tools, options: ToolApprovalOptions = {},
): Tools {
  return tools.map((tool) => (isFunctionTool(tool) ? approveTool(gate, tool, options) : tool)) as unknown as Tools;
}

function isFunctionTool(tool: object): tool is SdkTool {
  return "type" in tool && tool.type === "function" && "invoke" in tool;
}

function approveTool(gate: Gate, tool: SdkTool, options: ToolApprovalOptions, schema?: unknown): SdkTool {
  return {
    ...tool,
    // The gate asks people, so the SDK does not. The tool's time-out starts when the tool starts.
    needsApproval: async () => false,
    ...{ timeoutMs: undefined },
    invoke: async (runContext, input, details) => {
      const parsed = readInput(input);
      if (!parsed) {
        return tool.invoke(runContext, input, details); // It runs nothing, and explains the mistake to the model.
      }
      const mistake = await findMistake(schema, parsed.input);
      if (mistake !== undefined) {
        return mistake;
      }
      return invokeTool(gate, await planCall(tool, parsed.input, runContext as ToolRun, details, options, schema), options);
    },
  };
}

function readInput(text: string): { input: unknown } | undefined {
  try {
    return { input: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

async function planCall(
  tool: SdkTool, input: unknown, run: ToolRun, details: ToolDetails | undefined, options: ToolApprovalOptions, schema: unknown,
): Promise<FrameworkCall<unknown>> {
  return {
    name: tool.name,
    input,
    callId: details?.toolCall?.callId,
    thread: threadOf(options, run),
    definition: await readDefinition(tool, input, run, details),
    signal: details?.signal,
    parse: async (changed) => {
      if (isStandardSchema(schema)) {
        await parseWith(schema, changed);
      }
      return changed; // The tool parses the text that it gets.
    },
    run: async (approved) => {
      const failure: { error?: unknown } = {};
      const text = await tool.invoke(run, JSON.stringify(approved), { ...details, [FAILURE]: failure } as ToolDetails);
      if ("error" in failure) {
        throw new ReportedFailure(failure.error, text);
      }
      return text;
    },
  };
}

async function readDefinition(
  tool: SdkTool, input: unknown, run: ToolRun, details: ToolDetails | undefined,
): Promise<ProposedDefinition> {
  const asks = await tool.needsApproval?.(run as never, input as never, details?.toolCall?.callId);
  return { description: tool.description, inputSchema: tool.parameters, needsApproval: asks } as ProposedDefinition;
}

/** A tool failed, and the SDK has a message for the model. The log gets the error. */
class ReportedFailure extends Error {
  readonly answer: unknown;

  constructor(cause: unknown, answer: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = cause instanceof Error ? cause.name : "Error";
    this.answer = answer;
  }
}

async function invokeTool(gate: Gate, call: FrameworkCall<unknown>, options: ToolApprovalOptions): Promise<unknown> {
  try {
    const { produced, content, note } = await makeCall(gate, call, options);
    return answerWithNote(produced ? produced.value : content, note);
  } catch (error) {
    return error instanceof ReportedFailure ? error.answer : notRun(error, options).text;
  }
}

// Images and files that a tool returns are objects with a type, or lists of them.
function answerWithNote(answer: unknown, note: string | undefined): unknown {
  if (note === undefined) {
    return answer;
  }
  const parts: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  const isStructured = parts.length > 0 && parts.every((part) => typeof part === "object" && part !== null && "type" in part);
  return isStructured ? [{ type: "text", text: note }, ...parts] : textWithNote(contentText(answer), note);
}
