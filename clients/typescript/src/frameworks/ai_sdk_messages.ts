// The AI SDK, versions 6 and 7: the message that answers its approval requests with the gate's decisions.
import type { Gate } from "../gate.js";
import { mayStart, refusal } from "../refusal.js";
import type { Call } from "../types.js";

/** The message with the answers. */
export interface ApprovalAnswers {
  role: "tool";
  content: { type: "tool-approval-response"; approvalId: string; approved: boolean; reason?: string }[];
}

/** Options of `answerApprovals`. */
export interface AnswerOptions {
  thread?: string | undefined;
  /** `false` to return `undefined` at once while a call waits; otherwise the function waits for the decisions. */
  wait?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

interface MessagePart {
  type: string;
  approvalId?: string;
  toolCallId?: string;
  isAutomatic?: boolean | undefined;
}

interface SdkMessage {
  role: string;
  content: unknown;
}

/**
 * Returns the message that answers the open approval requests after `approveTools` with `pause`: add it to the
 * messages, and run again. `undefined` if there is no open request, or with `wait: false` while people have not decided.
 */
export async function answerApprovals(
  gate: Gate, messages: readonly SdkMessage[], options: AnswerOptions = {},
): Promise<ApprovalAnswers | undefined> {
  const requests = openRequests(messages);
  const { thread, signal } = options;
  const read = (id: string): Promise<Call> =>
    options.wait === false ? gate.get(id, { thread, signal }) : gate.wait(id, { thread, signal });
  const calls = await Promise.all(requests.map(({ toolCallId }) => read(toolCallId)));
  if (requests.length === 0 || calls.some((call) => call.state === "pending")) {
    return undefined;
  }
  const content = requests.map(({ approvalId }, index) => answer(approvalId, calls[index] as Call));
  return { role: "tool", content };
}

function openRequests(messages: readonly SdkMessage[]): { approvalId: string; toolCallId: string }[] {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as MessagePart[]) : []));
  const answered = new Set(parts.filter(({ type }) => type === "tool-approval-response").map(({ approvalId }) => approvalId));
  return parts.flatMap(({ type, approvalId, toolCallId, isAutomatic }) => {
    const isOpen = type === "tool-approval-request" && !isAutomatic && !answered.has(approvalId);
    return isOpen && approvalId !== undefined && toolCallId !== undefined ? [{ approvalId, toolCallId }] : [];
  });
}

function answer(approvalId: string, call: Call): ApprovalAnswers["content"][number] {
  const part = { type: "tool-approval-response" as const, approvalId };
  // The tool gives the recorded result of a call that has started. What a later version calls otherwise allows nothing.
  if (mayStart(call) || call.state === "running" || call.state === "finished") {
    return { ...part, approved: true };
  }
  const reason = call.result?.content ?? refusal(call).text;
  return typeof reason === "string" ? { ...part, approved: false, reason } : { ...part, approved: false };
}
