//! The messages of programs other than the known agents: a format of Countersign's own.

use super::{agent::HookEvent, failure::HookFailure};
use countersign_api::Json;
use serde::Deserialize;

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
    pub(super) fn read(text: &str) -> Result<Self, HookFailure> {
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
