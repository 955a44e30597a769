//! A conversation of each format.

use super::*;

/// A conversation in each format: a question, a pending call, and a person's answer.
pub(super) fn conversations() -> Vec<(MessageFormat, Value)> {
    [of_model_apis(), of_openai_items(), of_ai_sdk(), of_langchain(), of_others()].concat()
}

fn arguments() -> Value {
    json!({"command": "ls", "n": 1})
}

fn langchain_resumed(resume: &Value) -> Value {
    let call = json!({"id": "c1", "name": "bash", "args": arguments(), "type": "tool_call"});
    json!([
        {"type": "human", "content": "Go."},
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"resume": resume}
    ])
}

fn of_model_apis() -> Vec<(MessageFormat, Value)> {
    let arguments = arguments();
    let function = json!({"name": "bash", "arguments": arguments.to_string()});
    vec![
        (
            MessageFormat::OpenAi,
            json!([
                {"role": "user", "content": "Go.", "name": "ada"},
                {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
                {"role": "tool", "tool_call_id": "approval_c1", "content": "{\"decision\":\"approve\",\"scope\":\"once\"}"}
            ]),
        ),
        (
            MessageFormat::Anthropic,
            json!([
                {"role": "user", "content": "Go."},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "tool_use", "id": "c1", "name": "bash", "input": arguments}
                ]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "approval_c1", "content": "approve_once"}]}
            ]),
        ),
        (
            MessageFormat::Google,
            json!([
                {"role": "user", "parts": [{"text": "Go."}]},
                {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "bash", "args": arguments}, "thoughtSignature": "s"}]},
                {"role": "user", "parts": [{"functionResponse": {"id": "approval_c1", "name": "client.requestApproval",
                    "response": {"decision": "approve_once"}}}]}
            ]),
        ),
    ]
}

fn of_openai_items() -> Vec<(MessageFormat, Value)> {
    let arguments = arguments();
    vec![
        (
            MessageFormat::OpenAiResponses,
            json!([
                {"role": "user", "content": "Go."},
                {"type": "reasoning", "id": "r1", "summary": []},
                {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": arguments.to_string()},
                {"type": "mcp_approval_response", "approval_request_id": "approval_c1", "approve": true}
            ]),
        ),
        (
            MessageFormat::OpenAiAgents,
            json!([
                {"type": "message", "role": "user", "content": "Go."},
                {"type": "function_call", "callId": "c1", "name": "bash", "status": "completed", "arguments": arguments.to_string()},
                {"type": "tool_approval_response", "callId": "c1", "approve": true}
            ]),
        ),
    ]
}

fn of_ai_sdk() -> Vec<(MessageFormat, Value)> {
    let arguments = arguments();
    vec![
        (
            MessageFormat::AiSdkUi,
            json!([
                {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Go."}]},
                {"id": "m2", "role": "assistant", "parts": [
                    {"type": "step-start"},
                    {"type": "tool-bash", "toolCallId": "c1", "state": "approval-responded", "input": arguments,
                        "approval": {"id": "approval_c1", "approved": true, "signature": "A".repeat(43)}}
                ]}
            ]),
        ),
        (
            MessageFormat::AiSdk,
            json!([
                {"role": "user", "content": "Go."},
                {"role": "assistant", "content": [
                    {"type": "tool-call", "toolCallId": "c1", "toolName": "bash", "input": arguments},
                    {"type": "tool-approval-request", "approvalId": "a7", "toolCallId": "c1"}
                ]},
                {"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "a7", "approved": true}]}
            ]),
        ),
    ]
}

fn of_langchain() -> Vec<(MessageFormat, Value)> {
    vec![
        (MessageFormat::LangChain, langchain_resumed(&json!({"decisions": [{"type": "approve"}]}))),
        (MessageFormat::LangChainPerCall, langchain_resumed(&json!({"approval_c1": {"type": "approve"}}))),
        (MessageFormat::AgentInbox, langchain_resumed(&json!([{"type": "accept", "args": null}]))),
    ]
}

fn of_others() -> Vec<(MessageFormat, Value)> {
    let arguments = arguments();
    let function = json!({"name": "bash", "arguments": arguments.to_string()});
    vec![
        (
            MessageFormat::AgUi,
            json!([
                {"id": "m1", "role": "user", "content": "Go."},
                {"id": "m2", "role": "assistant", "toolCalls": [{"id": "c1", "type": "function", "function": function}]},
                {"resume": [{"interruptId": "approval_c1", "status": "resolved", "payload": {"approved": true}}]}
            ]),
        ),
        (
            MessageFormat::HumanLayer,
            json!([
                {"run_id": "r", "call_id": "c1", "spec": {"fn": "bash", "kwargs": arguments},
                    "status": {"requested_at": "2026-01-31T12:00:00.000Z", "approved": true}}
            ]),
        ),
    ]
}
