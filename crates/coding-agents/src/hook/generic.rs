//! The messages of programs other than the known agents: a format of Countersign's own.

use super::{
    answer::HookAnswer, event::HookEvent, failure::HookFailure, message::HookMessage, program::HookProgram,
};
use countersign_api::Json;
use serde::{Deserialize, Serialize};

/// Any program, in messages that Countersign defines.
#[derive(Debug)]
pub(crate) struct AnyProgram;

/// What a message is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GenericEvent {
    /// The program asks if it may run a call.
    #[default]
    Before,
    /// It has run the call.
    After,
    /// It did not run the call, although it was allowed.
    NotRun,
    /// The thread ends: calls without a report did not run.
    End,
}

/// A message. Other than those of agents, it is refused if it has an unknown field.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GenericMessage {
    #[serde(default)]
    event: GenericEvent,
    pub(super) thread: String,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) tool: Option<String>,
    #[serde(default)]
    pub(super) arguments: Option<Json>,
    #[serde(default)]
    pub(super) folder: Option<String>,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) result: Option<Json>,
    #[serde(default)]
    pub(super) error: Option<String>,
}

impl GenericMessage {
    fn read(text: &str) -> Result<Self, HookFailure> {
        let bad = |why| HookFailure::BadMessage(format!("stdin is not a message of `hook generic`: {why}"));
        let message: Self = serde_json::from_str(text).map_err(bad)?;
        if message.event() != HookEvent::SessionEnd && (message.tool.is_none() || message.arguments.is_none())
        {
            return Err(HookFailure::BadMessage("the message needs tool and arguments".to_owned()));
        }
        Ok(message)
    }

    pub(super) const fn event(&self) -> HookEvent {
        match self.event {
            GenericEvent::Before => HookEvent::BeforeTool,
            GenericEvent::After if self.error.is_some() => HookEvent::AfterToolFailure,
            GenericEvent::After => HookEvent::AfterTool,
            GenericEvent::NotRun => HookEvent::RefusedByAgent,
            GenericEvent::End => HookEvent::SessionEnd,
        }
    }
}

/// The answer to a program other than the known agents.
#[derive(Serialize)]
struct GenericAnswer<'a> {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl HookProgram for AnyProgram {
    fn name(&self) -> &'static str {
        "generic"
    }

    fn parse_message(&self, text: &str) -> Result<HookMessage, HookFailure> {
        GenericMessage::read(text).map(HookMessage::from)
    }

    /// Writes the answer. An allowed call runs with these arguments and no others.
    fn encode_answer(&self, answer: &HookAnswer, _: HookEvent) -> Result<String, serde_json::Error> {
        let (verdict, arguments, reason) = match answer {
            HookAnswer::Allow { reason, arguments, note, .. } => {
                ("allow", arguments.as_ref(), Some(note.as_ref().unwrap_or(reason).as_str()))
            }
            // A program without rules of its own is never left to them.
            HookAnswer::NoDecision { arguments } => ("allow", arguments.as_ref(), None),
            HookAnswer::Deny { reason } => ("deny", None, Some(reason.as_str())),
            HookAnswer::Defer { reason } => ("pending", None, Some(reason.as_str())),
            HookAnswer::Stop { reason } => ("stop", None, Some(reason.as_str())),
            HookAnswer::Content { .. } | HookAnswer::Silent => return Ok(String::new()),
        };
        serde_json::to_string(&GenericAnswer { verdict, arguments, reason })
    }

    fn has_own_rules(&self) -> bool {
        false
    }

    fn kind(&self) -> Option<&'static str> {
        None
    }
}

impl From<GenericMessage> for HookMessage {
    fn from(message: GenericMessage) -> Self {
        Self {
            event: message.event(),
            session_id: message.thread,
            tool_name: message.tool.unwrap_or_default(),
            tool_input: message.arguments.unwrap_or_else(Json::null),
            tool_use_id: message.id,
            tool_response: message.result,
            error: message.error,
            is_planning: false,
            refuses_unlisted: false,
            description: message.description,
            sub_agent: None,
            cwd: message.folder,
        }
    }
}
