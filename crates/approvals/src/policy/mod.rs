//! Policy: what becomes of a tool call before any person is asked. The strictest rule or zone that matches
//! wins, in whatever order they stand; where none matches, the tool's own word and then the default decide.
//! Errors never widen, and nothing here looks at a clock.

mod approvers;
mod condition;
mod decimal;
mod facts;
mod format;
mod grant;
mod hints;
mod judge;
mod judgement;
mod read;
mod selector;
mod value;
mod warn;

pub use crate::event::Shadow;
pub use approvers::Approvers;
pub(crate) use approvers::{AssumedLevels, Qualified};
pub use format::format;
pub use grant::{Look, Pattern};
pub use judgement::{Judgement, Matched, Terms};
pub use read::{BadPolicy, parse_span};
pub use selector::Effect;
pub use warn::Warning;

use crate::{Json, Principal, Sha256, ThreadId, ToolName, event::Definition, redact::Redactor};
use globset::GlobSet;
use hints::Trust;
use judgement::OwnTerms;
use selector::{Mapping, Selectors};
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

impl Verdict {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}

/// The call that is judged.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The thread it belongs to.
    pub thread: &'a ThreadId,
    /// Who proposes it.
    pub principal: &'a Principal,
    /// The tool.
    pub tool: &'a ToolName,
    /// What it is to be run with.
    pub arguments: &'a Json,
    /// JSON pointers of what is masked in `arguments`: of that, nothing is known.
    pub redacted: &'a [String],
    /// Hints as MCP defines them.
    pub annotations: Option<&'a Json>,
    /// What the agent says it would do.
    pub impact: Option<&'a Json>,
    /// What is known of the tool.
    pub definition: Option<&'a Definition>,
}

/// A policy that has been read and checked.
#[derive(Debug, Clone)]
pub struct Policy {
    default: Verdict,
    expires: Option<Duration>,
    lapses: Option<Duration>,
    remember: Duration,
    rules: Vec<Rule>,
    index: Index,
    approvers: Approvers,
    tools: Vec<Mapping>,
    trust: Trust,
    dangerous: Vec<String>,
    redactor: Redactor,
    warnings: Vec<Warning>,
    hash: Sha256,
    is_recorded: bool,
}

/// A rule, a pattern of the short form, or what a zone says of one operation.
#[derive(Debug, Clone)]
struct Rule {
    name: String,
    verdict: Verdict,
    reason: Option<String>,
    shadow: bool,
    is_zone: bool,
    matching: Selectors,
    unless: Option<Selectors>,
    terms: OwnTerms,
}

/// Which rules may match a tool: one look at all their globs tells.
#[derive(Debug, Clone, Default)]
struct Index {
    globs: GlobSet,
    /// The rule of each glob.
    owners: Vec<usize>,
    /// The rules that name no tool.
    others: Vec<usize>,
}

impl Policy {
    /// The policy that is in force where nobody wrote one.
    pub const SHIPPED: &str = include_str!("shipped.toml");

    /// Reads a policy from TOML. [`BadPolicy`] says where it is wrong.
    pub fn read(text: &str) -> Result<Self, BadPolicy> {
        read::read(text)
    }

    /// Everything is asked, and nothing else is said.
    #[must_use]
    pub fn ask_always() -> Self {
        Self {
            default: Verdict::Ask,
            expires: None,
            lapses: None,
            remember: read::REMEMBER,
            rules: Vec::new(),
            index: Index::default(),
            approvers: Approvers::default(),
            tools: Vec::new(),
            trust: Trust::default(),
            dangerous: read::dangerous(),
            redactor: Redactor::default(),
            warnings: Vec::new(),
            hash: Sha256::of(b"default = \"ask\"\n"),
            is_recorded: false,
        }
    }

    /// The policy of an earlier time as far as a log records it. It has no rules, so that its verdicts must come from
    /// evidence. It assumes that each tool is idempotent and that each scope matches, because a log records neither.
    pub(crate) fn recorded(
        hash: Sha256,
        lapses: Option<Duration>,
        remember: Duration,
        assumed: approvers::AssumedLevels,
    ) -> Self {
        let approvers = Approvers::assumed(assumed);
        Self { hash, lapses, remember, approvers, is_recorded: true, ..Self::ask_always() }
    }

    /// [`SHIPPED`](Self::SHIPPED), read.
    #[must_use]
    pub fn shipped() -> Self {
        // A test reads it; were it broken all the same, asking always is the safe thing to do.
        Self::read(Self::SHIPPED).unwrap_or_else(|_| Self::ask_always())
    }

    /// SHA-256 of the policy's text, which stands on every request and response it led to.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        self.hash
    }

    /// How many rules it has, those of the short form among them.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.rules.iter().filter(|rule| !rule.is_zone).count()
    }

    /// What reads well and is probably not meant.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Whether any rule has a condition, which takes time to evaluate.
    #[must_use]
    pub fn has_conditions(&self) -> bool {
        let has = |selectors: &Selectors| selectors.when.is_some();
        self.rules.iter().any(|rule| has(&rule.matching) || rule.unless.as_ref().is_some_and(has))
    }

    /// Who may decide at which level.
    #[must_use]
    pub fn approvers(&self) -> &Approvers {
        &self.approvers
    }

    /// How long an approval holds that nobody uses; for ever, if nothing is said.
    #[must_use]
    pub fn lapses(&self) -> Option<Duration> {
        self.lapses
    }

    /// How long a denial, and an approval that was not used, hold for the same call again; zero is not at all.
    #[must_use]
    pub fn remember(&self) -> Duration {
        self.remember
    }

    /// What masks secrets.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }
}

impl Index {
    /// The rules that may match a tool, in the order they stand in.
    fn candidates(&self, tool: &str) -> Vec<usize> {
        let mut found: Vec<usize> =
            self.globs.matches(tool).into_iter().map(|glob| self.owners[glob]).collect();
        found.extend(&self.others);
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests;
