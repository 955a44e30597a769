//! A remembered decision's scope, as options.

use clap::ValueEnum as _;
use countersign_api as api;
use countersign_console::{CliError, escape_text};
use countersign_events::Json;
use std::collections::BTreeMap;

/// The later calls of the tool in the thread that the decision answers too.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
#[command(next_help_heading = "Scope: remember the decision in the thread")]
pub(crate) struct ScopeArgs {
    /// For later calls of the tool as this word says: exact (x), pattern (p) or tool (t) [without a word: exact]
    #[arg(long, value_name = "SCOPE", num_args = 0..=1, default_missing_value = "exact")]
    session: Option<String>,
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
    /// For a scope as the API names it: exact, pattern, tool, or JSON such as '{"command": "git status **"}'
    #[arg(long, value_name = "SCOPE")]
    scope: Option<String>,
}

/// A scope in one word. `watch` has the same words and letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScopeWord {
    /// Calls with exactly these arguments
    #[value(alias = "x")]
    Exact,
    /// Calls that match the pattern which the request offers
    #[value(alias = "p")]
    Pattern,
    /// Every call of the tool
    #[value(alias = "t")]
    Tool,
}

impl ScopeArgs {
    /// Returns true if the decision is remembered.
    pub(crate) fn is_given(&self) -> bool {
        let patterns = [&self.command, &self.url, &self.path, &self.scope];
        self.exact || self.tool || self.session.is_some() || patterns.iter().any(|given| given.is_some())
    }

    /// The calls that are named: `--session` without a word takes the id that follows it.
    pub(crate) fn calls_among(&self, ids: &[String]) -> Result<Vec<String>, CliError> {
        match &self.session {
            Some(word) if ScopeWord::from_str(word, false).is_err() && ids.is_empty() => {
                Ok(vec![word.clone()])
            }
            _ if ids.is_empty() => {
                Err(CliError::usage("name the call by its id, or the beginning of its id"))
            }
            _ => Ok(ids.to_vec()),
        }
    }

    /// Checks the scope as far as that needs no call.
    pub(crate) fn check(&self, ids: &[String]) -> Result<(), CliError> {
        if let Some(word) = self.session.as_ref().filter(|_| !ids.is_empty())
            && ScopeWord::from_str(word, false).is_err()
        {
            let why = format!(
                "--session {word}: without a word, the scope is exact; otherwise use one of exact, x, pattern, p, tool, t"
            );
            return Err(CliError::usage(why));
        }
        match &self.scope {
            Some(text) if ScopeWord::from_str(text.trim(), false).is_err() => parse_scope(text).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// The decision scope for this call as JSON, or `None` if the decision is for one call.
    pub(crate) fn to_json(&self, call: &api::Call) -> anyhow::Result<Option<Json>> {
        let kinds = [("command", &self.command), ("url", &self.url), ("path", &self.path)];
        for (kind, pattern) in kinds {
            if let Some(pattern) = pattern {
                return Ok(Some(Json::encode(&BTreeMap::from([(kind, pattern)]))?));
            }
        }
        let word = match &self.scope {
            Some(text) => match ScopeWord::from_str(text.trim(), false) {
                Ok(word) => Some(word),
                Err(_) => return Ok(Some(parse_scope(text)?)),
            },
            // Without a word, it is for exactly this call.
            None => {
                self.session.as_ref().map(|word| ScopeWord::from_str(word, false).unwrap_or(ScopeWord::Exact))
            }
        };
        match word {
            Some(ScopeWord::Pattern) => offered_pattern(call).map(Some),
            Some(ScopeWord::Exact) => Ok(Some(Json::string("exact"))),
            Some(ScopeWord::Tool) => Ok(Some(Json::string("tool"))),
            None if self.exact => Ok(Some(Json::string("exact"))),
            None => Ok(self.tool.then(|| Json::string("tool"))),
        }
    }
}

fn parse_scope(text: &str) -> Result<Json, CliError> {
    Json::parse(text).map_err(|error| {
        CliError::usage(format!("--scope: it is neither exact, pattern or tool, nor JSON: {error}"))
    })
}

/// The first pattern that the request offers.
fn offered_pattern(call: &api::Call) -> anyhow::Result<Json> {
    let offered = call.request.iter().flat_map(|request| &request.scopes).map(|offered| &offered.scope);
    let pattern = offered.into_iter().find(|scope| scope.as_str().trim_start().starts_with('{'));
    let id = escape_text(call.id.as_str());
    let none =
        || CliError::usage(format!("{id} offers no pattern; use exact or tool, or name one with --command"));
    Ok(pattern.cloned().ok_or_else(none)?)
}
