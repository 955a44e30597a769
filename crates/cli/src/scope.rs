//! The scope of a remembered decision, as options.

use crate::exit::CliError;
use countersign_gate::Json;
use std::collections::BTreeMap;

/// The later calls of the tool in the thread that the decision answers too.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Scope: remember the decision in the thread")]
pub(crate) struct ScopeArgs {
    /// For calls with exactly these arguments
    #[arg(long)]
    exact: bool,
    /// For every call of the tool
    #[arg(long)]
    tool: bool,
    /// For commands such as 'git status **'
    #[arg(long, value_name = "PATTERN")]
    command: Option<String>,
    /// For URLs such as 'https://*.example.com/*'
    #[arg(long, value_name = "PATTERN")]
    url: Option<String>,
    /// For paths such as '/srv/shop/**'
    #[arg(long, value_name = "PATTERN")]
    path: Option<String>,
    /// For a scope in JSON, such as '{"command": "git status **"}'
    #[arg(long, value_name = "JSON")]
    scope: Option<String>,
}

impl ScopeArgs {
    /// The scope as JSON, or `None` if the decision is for one call.
    pub(crate) fn to_json(&self) -> anyhow::Result<Option<Json>> {
        let kinds = [("command", &self.command), ("url", &self.url), ("path", &self.path)];
        for (kind, pattern) in kinds {
            if let Some(pattern) = pattern {
                return Ok(Some(Json::encode(&BTreeMap::from([(kind, pattern)]))?));
            }
        }
        if let Some(text) = &self.scope {
            let scope = Json::parse(text).map_err(|error| CliError::usage(format!("--scope: {error}")))?;
            return Ok(Some(scope));
        }
        let word = if self.exact { Some("exact") } else { self.tool.then_some("tool") };
        Ok(word.map(Json::string))
    }
}
