//! A question that a client shows to its user, as a call, and the answer that its agent reads.

use super::{
    frame::encode,
    proposed_tool::{ProposedTool, new_request},
};
use crate::{AgentApprovalTerms, ApprovalOutcome, EditSupport, seek_approval};
use countersign_api::{
    GateError, Json, ProposeRequest, ProposedDefinition, ResultRequest, SharedCallGate, ThreadId, random_id,
};
use countersign_events::{
    QuestionForm, Status,
    json::JsonTree,
    question::{CODEX_QUESTION, ELICITATION},
};
use serde_json::{Value, json};

/// A question for the client's user, as a call.
#[derive(Debug, Clone)]
pub struct UserPrompt {
    pub(super) thread: ThreadId,
    pub(super) turn: Option<String>,
    pub(super) request: ProposeRequest,
    reply: ReplyForm,
}

/// How the agent reads an answer.
#[derive(Debug, Clone, Copy)]
enum ReplyForm {
    /// `{answers}`, as Codex does.
    Answers,
    /// `{action, content}`, as MCP does.
    Form,
}

impl ReplyForm {
    /// The agent's result for the arguments that hold the answer; `None` if they hold none.
    fn accept(self, arguments: &Json) -> Option<Json> {
        let tree = JsonTree::parse(arguments)?;
        let result = match self {
            Self::Answers => JsonTree::object([("answers", tree.get("answers")?.clone())]),
            Self::Form => {
                JsonTree::object([("action", "accept".into()), ("content", tree.get("content")?.clone())])
            }
        };
        Some(result.to_json())
    }

    fn decline(self) -> Json {
        match self {
            Self::Answers => encode(&json!({"answers": {}})),
            Self::Form => encode(&json!({"action": "decline"})),
        }
    }
}

impl UserPrompt {
    /// The questions that Codex asks its user. `None` if people cannot answer them in the inbox.
    pub(super) fn of_codex(params: &Value) -> Result<Option<Self>, GateError> {
        let arguments = json!({"questions": params["questions"]});
        let item = params["itemId"].as_str().unwrap_or_default();
        Self::new(CODEX_QUESTION, item, arguments, params, ReplyForm::Answers)
    }

    /// A form of an MCP server or of the agent itself. `None` if it is no form, but an address.
    pub(super) fn of_form(params: &Value) -> Result<Option<Self>, GateError> {
        if params["mode"].as_str().is_some_and(|mode| mode != "form") {
            return Ok(None);
        }
        let mut arguments =
            json!({"message": params["message"], "requestedSchema": params["requestedSchema"]});
        if params["serverName"].is_string() {
            arguments["server"] = params["serverName"].clone();
        }
        Self::new(ELICITATION, &random_id("form_"), arguments, params, ReplyForm::Form)
    }

    fn new(
        name: &str,
        id: &str,
        arguments: Value,
        params: &Value,
        reply: ReplyForm,
    ) -> Result<Option<Self>, GateError> {
        let thread = params["threadId"].as_str().or(params["sessionId"].as_str());
        let description = Some("the agent's client asks its user, too; the first answer counts".to_owned());
        let tool = ProposedTool { name, arguments, description, folder: None };
        let mut request = new_request(id, tool)?;
        let (Some(thread), Some(_)) = (thread, QuestionForm::read(&request.name, &request.arguments)) else {
            return Ok(None);
        };
        request.definition =
            Some(ProposedDefinition { description: None, input_schema: None, needs_approval: Some(true) });
        let turn = params["turnId"].as_str().map(str::to_owned);
        Ok(Some(Self { thread: countersign_api::parse_thread_id(thread)?, turn, request, reply }))
    }
}

/// Asks people. Returns the agent's result, or `None` if they leave the question to the client.
pub(super) async fn ask_people(
    gate: &SharedCallGate,
    prompt: &UserPrompt,
    executor: &str,
    lease_seconds: u32,
) -> Result<Option<Json>, GateError> {
    let terms = AgentApprovalTerms { executor, wait: None, lease_seconds, edits: EditSupport::Replaces };
    let call = match seek_approval(&**gate, &prompt.thread, &prompt.request, terms).await? {
        ApprovalOutcome::Claimed(claimed) => claimed.call,
        ApprovalOutcome::Refused(_) => return Ok(Some(prompt.reply.decline())),
        ApprovalOutcome::Pending(_) => return Ok(None),
    };
    let answer = prompt.reply.accept(&call.arguments);
    let (status, said) = match answer {
        Some(_) => (Status::Success, "the agent got the answer"),
        None => (Status::Cancelled, "people gave no answer, so the agent's client asks its user"),
    };
    let (content, executor) = (Json::string(said), Some(executor.to_owned()));
    let result = ResultRequest { status, content, executor, ran_arguments: None };
    gate.finish(&prompt.thread, &call.id, &result).await?;
    Ok(answer)
}
