// The Claude Agent SDK (package `@anthropic-ai/claude-agent-sdk`): options by which the gate decides before Claude Code runs a
// tool.
import { NotRunError } from "../errors.js";
import type { Gate } from "../gate.js";
import { errorText } from "../replies.js";
import { notRun, threadOf, type WrapperOptions } from "./framework_call.js";
import { HeldCalls } from "./held_calls.js";

/** The `canUseTool` options that the wrapper reads. */
export interface PermissionRequest {
  toolUseID: string;
  signal?: AbortSignal | undefined;
  description?: string | undefined;
}

/** What a function for the thread gets. */
export interface ToolUse {
  /** The session, if the hook told it. */
  sessionId: string | undefined;
  toolName: string;
  toolUseId: string;
}

/** Options of `approvalOptions`. A run's conversation is its session. */
export interface AgentApprovalOptions extends WrapperOptions<ToolUse> {
  /** `false` to ask only for the calls that Claude Code would ask about, and not for those that its own rules allow. */
  everyCall?: boolean | undefined;
}

/** The answer of `canUseTool`. */
export type PermissionAnswer =
  | { behavior: "allow"; updatedInput: Record<string, unknown> }
  | { behavior: "deny"; message: string };

/** The hook input fields that the wrapper reads. */
interface HookInput {
  hook_event_name: string;
  session_id?: string;
  tool_use_id?: unknown;
  tool_response?: unknown;
  error?: unknown;
  is_interrupt?: unknown;
}

interface HookAnswer {
  hookSpecificOutput?:
    | { hookEventName: "PreToolUse"; permissionDecision: "ask" }
    | { hookEventName: "PostToolUse" | "PostToolUseFailure"; additionalContext: string };
}

interface HookMatcher {
  hooks: ((input: HookInput) => Promise<HookAnswer>)[];
  onFailure?: "block";
}

/** Options for `query`. */
export interface AgentOptions {
  canUseTool(toolName: string, input: Record<string, unknown>, request: PermissionRequest): Promise<PermissionAnswer>;
  hooks: {
    PreToolUse: HookMatcher[];
    PostToolUse: HookMatcher[];
    PostToolUseFailure: HookMatcher[];
  };
}

/**
 * Options by which the gate decides on every tool call: `query({ prompt, options: { …, ...approvalOptions(gate) } })`. The
 * hooks record the results.
 */
export function approvalOptions(gate: Gate, options: AgentApprovalOptions = {}): AgentOptions {
  const agent = new AgentApproval(gate, options);
  const after: HookMatcher = { hooks: [(input) => agent.recordResult(input)] };
  return {
    canUseTool: (toolName, input, request) => agent.decide(toolName, input, request),
    hooks: {
      PreToolUse: [{ hooks: [(input) => agent.noteSession(input)], onFailure: "block" }],
      PostToolUse: [after],
      PostToolUseFailure: [after],
    },
  };
}

/** The calls of one agent. */
class AgentApproval {
  readonly #options: AgentApprovalOptions;
  readonly #held: HeldCalls;
  /** The sessions of calls that are not decided yet: `canUseTool` is not told. */
  readonly #sessions = new Map<string, string>();
  readonly #notes = new Map<string, string>();

  constructor(gate: Gate, options: AgentApprovalOptions) {
    this.#options = options;
    this.#held = new HeldCalls(gate, options);
  }

  /** Sends the call to `canUseTool`, which Claude Code skips for calls that its own rules allow. */
  async noteSession(input: HookInput): Promise<HookAnswer> {
    if (typeof input.tool_use_id === "string" && input.session_id !== undefined) {
      this.#sessions.set(input.tool_use_id, input.session_id);
    }
    return this.#options.everyCall === false
      ? {}
      : { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } };
  }

  async decide(toolName: string, input: Record<string, unknown>, request: PermissionRequest): Promise<PermissionAnswer> {
    const { toolUseID: toolUseId, signal } = request;
    const sessionId = this.#sessions.get(toolUseId);
    this.#sessions.delete(toolUseId);
    const thread = threadOf(this.#options, { sessionId, toolName, toolUseId });
    try {
      const call = { name: toolName, input, callId: toolUseId, thread, conversation: sessionId, signal };
      const { changed, note } = await this.#held.decide(call, true);
      if (note !== undefined) {
        this.#notes.set(toolUseId, note);
      }
      return { behavior: "allow", updatedInput: changed === undefined ? input : (changed as Record<string, unknown>) };
    } catch (error) {
      return { behavior: "deny", message: this.#refusal(error) };
    }
  }

  #refusal(error: unknown): string {
    return error instanceof NotRunError
      ? notRun(error, this.#options).text
      : `This call was not run: the approval service gave no decision: ${errorText(error)}`;
  }

  /** Records a call result, and tells the model if a person changed the arguments. */
  async recordResult(input: HookInput): Promise<HookAnswer> {
    const id = String(input.tool_use_id);
    const hookEventName = input.hook_event_name === "PostToolUseFailure" ? "PostToolUseFailure" : "PostToolUse";
    if (hookEventName === "PostToolUse") {
      await this.#held.finish(id, "success", input.tool_response);
    } else {
      await this.#held.finish(id, input.is_interrupt ? "cancelled" : "error", input.error);
    }
    const note = this.#notes.get(id);
    this.#notes.delete(id);
    return note === undefined ? {} : { hookSpecificOutput: { hookEventName, additionalContext: note } };
  }
}
