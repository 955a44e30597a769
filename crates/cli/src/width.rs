//! How wide a decision is remembered, as options.

use crate::exit::Said;
use countersign_gate::Json;
use std::collections::BTreeMap;

/// Which later calls of the tool in the thread a decision answers as well.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Remember it in the thread")]
pub(crate) struct Width {
    /// For calls with just these arguments
    #[arg(long)]
    exact: bool,
    /// For every call of the tool
    #[arg(long)]
    tool: bool,
    /// For commands such as 'git status **'
    #[arg(long, value_name = "PATTERN")]
    command: Option<String>,
    /// For addresses such as 'https://*.example.com/*'
    #[arg(long, value_name = "PATTERN")]
    url: Option<String>,
    /// For paths such as '/srv/shop/**'
    #[arg(long, value_name = "PATTERN")]
    path: Option<String>,
    /// For a pattern in JSON, such as '{"command": "git status **"}'
    #[arg(long = "match", value_name = "JSON")]
    pattern: Option<String>,
}

impl Width {
    /// As the gate takes it; nothing if nothing was said.
    pub(crate) fn json(&self) -> anyhow::Result<Option<Json>> {
        let kinds = [("command", &self.command), ("url", &self.url), ("path", &self.path)];
        for (kind, pattern) in kinds {
            if let Some(pattern) = pattern {
                return Ok(Some(Json::of(&BTreeMap::from([(kind, pattern)]))?));
            }
        }
        if let Some(text) = &self.pattern {
            let read = Json::parse(text).map_err(|why| Said::usage(format!("--match: {why}")))?;
            return Ok(Some(read));
        }
        let word = if self.exact { Some("exact") } else { self.tool.then_some("tool") };
        Ok(word.map(Json::string))
    }
}
