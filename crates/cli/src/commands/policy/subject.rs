//! A call that nobody proposes: only the policy is asked about it.

use super::text_of;
use crate::exit::Said;
use countersign_api as api;
use countersign_gate::{
    Json, Policy, Principal, ThreadId, ToolName,
    event::Definition,
    policy::{Judgement, Subject},
};
use serde::Deserialize;
use std::path::Path;

/// A call, whole.
#[derive(Debug)]
pub(super) struct Imagined {
    pub(super) thread: ThreadId,
    pub(super) principal: Principal,
    pub(super) tool: ToolName,
    pub(super) arguments: Json,
    pub(super) annotations: Option<Json>,
    pub(super) impact: Option<Json>,
    pub(super) definition: Option<Definition>,
}

/// A call as it is proposed over HTTP. What the policy does not look at may be in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Proposed {
    name: ToolName,
    arguments: Json,
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

impl Imagined {
    pub(super) fn new(thread: ThreadId, principal: Principal, tool: ToolName, arguments: Json) -> Self {
        Self { thread, principal, tool, arguments, annotations: None, impact: None, definition: None }
    }

    /// Of a file, or of stdin.
    pub(super) fn read(path: &Path, thread: ThreadId, principal: Principal) -> anyhow::Result<Self> {
        let text = text_of(path)?;
        let wrong = |why: String| Said::usage(format!("{}: {why}", path.display()));
        let call: Proposed = serde_json::from_str(&text).map_err(|why| wrong(why.to_string()))?;
        call.arguments.admit().map_err(|why| wrong(format!("arguments: {why}")))?;
        let Proposed { name, arguments, annotations, impact, definition, .. } = call;
        let (impact, definition) = (as_kept(impact.as_ref())?, definition.map(Into::into));
        Ok(Self { annotations, impact, definition, ..Self::new(thread, principal, name, arguments) })
    }

    pub(super) fn judged(&self, policy: &Policy) -> Judgement {
        let subject = Subject {
            thread: &self.thread,
            principal: &self.principal,
            tool: &self.tool,
            arguments: &self.arguments,
            redacted: &[],
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: self.definition.as_ref(),
        };
        policy.judge(&subject, &|| false)
    }
}

/// What an agent says of its call, as the log has it.
pub(super) fn as_kept(impact: Option<&api::ProposedImpact>) -> serde_json::Result<Option<Json>> {
    impact.map(Json::of).transpose()
}

/// The arguments of a tool that runs a command line.
pub(super) fn command_line(command: &str) -> serde_json::Result<Json> {
    Json::of(&serde_json::json!({ "command": command }))
}
