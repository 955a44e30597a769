//! What happens to a call: its proposal, the question to people and the answer, its execution, and its erasure.

mod advice;
mod approval;
mod effect;
mod erasure;
mod execution;
mod proposal;

pub use advice::{ApprovalAdvice, CallFlagged, Confidence, InvalidConfidence};
pub use approval::{
    AnswerSetting, ApprovalEscalation, ApprovalReminder, ApprovalRequest, ApprovalResponse,
    ApprovalTakenBack, ApprovalVote, ChangedDefinition, PolicyChange, SameCall, SuggestedScope,
};
pub use effect::{EffectPattern, InvalidEffectPattern, RecordedEffect};
pub(super) use erasure::with_placeholders;
pub use erasure::{CallErased, ErasedRow, ErasedTexts};
pub use execution::{
    ExecutionMismatch, ExecutionReleased, ExecutionRenewed, ExecutionStarted, ExecutionTakenOver, ToolResult,
};
pub use proposal::{ShadowVerdict, ToolCall, ToolDefinition};

macro_rules! call_events {
    ([$next:ident $(, $rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest),*] $($rows)* Call {
            /// An agent proposes a call.
            ToolCall(ToolCall) = "TOOL_CALL" {
                call: id,
                once_per: ["id"],
                content: ["arguments", "impact", "description", "effects"],
            },
            /// The policy asks people.
            ApprovalRequest(ApprovalRequest) = "TOOL_APPROVAL_REQUEST" {
                call: tool_call_id,
                once_per: ["toolCallId"],
                content: ["suggestedScopes"],
            },
            /// One of several approvers voted.
            ApprovalVote(ApprovalVote) = "TOOL_APPROVAL_VOTE" {
                call: tool_call_id,
                once_per: ["toolCallId", "round", "principal"],
                content: ["comment", "scope", "arguments"],
            },
            /// The request is still open, and people are reminded.
            ApprovalReminder(ApprovalReminder) = "TOOL_APPROVAL_REMINDER" {
                call: tool_call_id,
                once_per: ["toolCallId"],
            },
            /// The request is still open, and now needs a higher level.
            ApprovalEscalated(ApprovalEscalation) = "TOOL_APPROVAL_ESCALATED" {
                call: tool_call_id,
                once_per: ["toolCallId"],
            },
            /// An advisor answered, or failed to answer, a question about the call.
            ApprovalAdvice(ApprovalAdvice) = "TOOL_APPROVAL_ADVICE" {
                call: tool_call_id,
                once_per: ["toolCallId", "advisor"],
                content: ["reason", "labels"],
            },
            /// The decision, which is final.
            ApprovalResponse(ApprovalResponse) = "TOOL_APPROVAL_RESPONSE" {
                call: tool_call_id,
                once_per: ["toolCallId"],
                content: ["comment", "arguments", "changes", "scope"],
            },
            /// A person takes an approval back that no executor has used.
            ApprovalTakenBack(ApprovalTakenBack) = "TOOL_APPROVAL_TAKEN_BACK" {
                call: tool_call_id,
                once_per: ["toolCallId"],
                content: ["comment"],
            },
            /// An executor starts the call.
            ExecutionStarted(ExecutionStarted) = "TOOL_EXECUTION_STARTED" {
                call: tool_call_id,
                once_per: ["toolCallId"],
            },
            /// The executor still runs the call, and its lease ends later.
            ExecutionRenewed(ExecutionRenewed) = "TOOL_EXECUTION_RENEWED" {
                call: tool_call_id,
                once_per: ["toolCallId", "leaseExpiresAt"],
            },
            /// A person lets another executor take over a call whose outcome is unknown.
            ExecutionReleased(ExecutionReleased) = "TOOL_EXECUTION_RELEASED" {
                call: tool_call_id,
                once_per: ["toolCallId", "claim"],
                content: ["comment"],
            },
            /// Another executor starts a call whose first executor was lost.
            ExecutionTakenOver(ExecutionTakenOver) = "TOOL_EXECUTION_TAKEN_OVER" {
                call: started.tool_call_id,
                once_per: ["toolCallId", "claim"],
            },
            /// Other arguments ran than were approved.
            ExecutionMismatch(ExecutionMismatch) = "TOOL_EXECUTION_MISMATCH" {
                call: tool_call_id,
                once_per: ["toolCallId"],
                content: ["arguments"],
            },
            /// How the call ended.
            ToolResult(ToolResult) = "TOOL_RESULT" {
                call: tool_call_id,
                once_per: ["toolCallId"],
                content: ["content"],
            },
            /// A person complains that the call was allowed.
            CallFlagged(CallFlagged) = "CALL_FLAGGED" {
                call: tool_call_id,
                once_per: ["toolCallId", "principal"],
                content: ["comment"],
            },
            /// The call's content was erased.
            CallErased(CallErased) = "CALL_ERASED" {
                call: tool_call_id,
                once_per: ["toolCallId"],
            },
        } }
    };
}
pub(super) use call_events;
