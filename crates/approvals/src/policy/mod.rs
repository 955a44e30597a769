//! Policy: rules that turn a tool call into a verdict. The strictest rule that matches wins, in
//! whatever order they stand; what no rule matches is the default's.

mod read;

pub use read::{BadPolicy, parse_span};

use crate::{Principal, Sha256, ToolName};
use globset::GlobSet;
use std::time::Duration;

/// What the policy says of a call, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It may run, and nobody is asked.
    Allow,
    /// People decide.
    Ask,
    /// It may not run, and nobody can lift that.
    Block,
}

/// A policy that has been read and checked.
#[derive(Debug, Clone)]
pub struct Policy {
    default: Verdict,
    expires: Option<Duration>,
    rules: Vec<Rule>,
    hash: Sha256,
}

#[derive(Debug, Clone)]
struct Rule {
    name: String,
    tools: GlobSet,
    verdict: Verdict,
    reason: Option<String>,
    expires: Option<Duration>,
}

/// What a policy says of one call, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The rule it comes from; none if it is the default.
    pub rule: Option<&'a str>,
    /// Why, in words.
    pub reason: &'a str,
    /// How long people may take, if they are asked.
    pub expires: Option<Duration>,
}

impl Judgement<'_> {
    /// The rule, as the one who caused what follows from it.
    #[must_use]
    pub fn principal(&self) -> Principal {
        Principal::policy(self.rule.unwrap_or("default"))
    }
}

impl Policy {
    /// Reads a policy from TOML. [`BadPolicy`] says where it is wrong.
    pub fn read(text: &str) -> Result<Self, BadPolicy> {
        read::read(text)
    }

    /// The policy of somebody who wrote none: everything is asked.
    #[must_use]
    pub fn ask_always() -> Self {
        let text = "default = \"ask\"\n";
        Self { default: Verdict::Ask, expires: None, rules: Vec::new(), hash: Sha256::of(text.as_bytes()) }
    }

    /// SHA-256 of the policy's text, which stands on every request and response it led to.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        self.hash
    }

    /// How many rules it has.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.rules.len()
    }

    /// Judges a call of that tool. Of rules that are equally strict the first names the reason, and
    /// the shortest expiry of them holds, so that their order loosens nothing.
    #[must_use]
    pub fn judge(&self, tool: &ToolName) -> Judgement<'_> {
        let matching = || self.rules.iter().filter(|rule| rule.tools.is_match(tool.as_str()));
        let Some(verdict) = matching().map(|rule| rule.verdict).max() else {
            return Judgement {
                verdict: self.default,
                rule: None,
                reason: "no rule matches this tool",
                expires: self.expires,
            };
        };
        let strictest = || matching().filter(|rule| rule.verdict == verdict);
        let first = strictest().next();
        Judgement {
            verdict,
            rule: first.map(|rule| rule.name.as_str()),
            reason: first.and_then(|rule| rule.reason.as_deref()).unwrap_or("the rule says so"),
            expires: strictest().filter_map(|rule| rule.expires).min().or(self.expires),
        }
    }
}

#[cfg(test)]
mod tests;
