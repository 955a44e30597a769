//! A call that is judged by a policy but not proposed.

use crate::commands::policy::source::read_text;
use countersign_api as api;
use countersign_console::CliError;
use countersign_events::{Json, Principal, ThreadId, ToolDefinition, ToolName};
use countersign_policy::{JudgedCall, Judgement, Policy};
use serde::Deserialize;
use std::path::Path;

/// A sample call.
#[derive(Debug)]
pub(crate) struct SampleCall {
    pub(crate) thread: ThreadId,
    pub(crate) principal: Principal,
    pub(crate) tool: ToolName,
    pub(crate) arguments: Json,
    pub(crate) place: Option<api::Place>,
    pub(crate) annotations: Option<Json>,
    pub(crate) impact: Option<Json>,
    pub(crate) definition: Option<ToolDefinition>,
}

/// A call as proposed over HTTP. Fields that the policy does not use are accepted.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ProposedCall {
    name: ToolName,
    arguments: Json,
    #[serde(default)]
    place: Option<api::Place>,
    #[serde(default)]
    annotations: Option<Json>,
    #[serde(default)]
    impact: Option<api::ProposedImpact>,
    #[serde(default)]
    definition: Option<api::ProposedDefinition>,
    #[serde(default, rename = "id")]
    _id: Option<Json>,
    #[serde(default, rename = "description")]
    _description: Option<Json>,
    #[serde(default, rename = "expiresInSeconds")]
    _expires_in_seconds: Option<Json>,
}

impl SampleCall {
    pub(crate) fn new(thread: ThreadId, principal: Principal, tool: ToolName, arguments: Json) -> Self {
        Self {
            thread,
            principal,
            tool,
            arguments,
            place: None,
            annotations: None,
            impact: None,
            definition: None,
        }
    }

    /// Reads a call from a file, or from stdin.
    pub(crate) fn read(path: &Path, thread: ThreadId, principal: Principal) -> anyhow::Result<Self> {
        let text = read_text(path)?;
        let wrong = |why: String| CliError::usage(format!("{}: {why}", path.display()));
        let call: ProposedCall = serde_json::from_str(&text).map_err(|why| wrong(why.to_string()))?;
        call.arguments.admit().map_err(|why| wrong(format!("arguments: {why}")))?;
        let ProposedCall { name, arguments, place, annotations, impact, definition, .. } = call;
        let (impact, definition) = (as_kept(impact.as_ref())?, definition.map(Into::into));
        Ok(Self { place, annotations, impact, definition, ..Self::new(thread, principal, name, arguments) })
    }

    pub(crate) fn judged(&self, policy: &Policy) -> Judgement {
        policy.judge(&self.subject(), &|| false)
    }

    /// The call in the form that a policy judges.
    pub(crate) fn subject(&self) -> JudgedCall<'_> {
        JudgedCall {
            thread: &self.thread,
            principal: &self.principal,
            tool: &self.tool,
            place: self.place.as_ref(),
            arguments: &self.arguments,
            redacted: &[],
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: self.definition.as_ref(),
        }
    }
}

/// The impact in the log's format.
pub(crate) fn as_kept(impact: Option<&api::ProposedImpact>) -> serde_json::Result<Option<Json>> {
    impact.map(Json::encode).transpose()
}

/// A command line's arguments.
pub(crate) fn command_line(command: &str) -> serde_json::Result<Json> {
    Json::encode(&serde_json::json!({ "command": command }))
}
