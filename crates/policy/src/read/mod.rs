//! Reading a policy from TOML, strictly: what is not understood is an error, never passed over, and says
//! where it stands and what may have been meant.

mod example;
mod hint;
mod node;
mod rule;
mod selector;
mod settings;
mod zone;

pub(super) use hint::{did_you_mean, last_line};
pub(super) use node::{Fault, Item, Keys, Node};
pub(super) use rule::Place;
pub(super) use selector::read_patterns;
pub(super) use settings::{REMEMBER, dangerous};

use super::{Approvers, Index, Policy, Rule, warn};
use countersign_events::Sha256;
use globset::{GlobBuilder, GlobSetBuilder};
use std::{collections::HashMap, time::Duration};
use toml::de::DeTable;

/// What is wrong with a policy, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPolicy {
    /// Not TOML. The text shows the line.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    /// It reads, and something in it makes no sense.
    #[error("the policy is wrong at line {line}, column {column}: {why}")]
    Wrong {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// What is wrong, and what to do.
        why: String,
    },
}

/// What the tables of the file say that rules refer to.
pub(super) struct Book {
    /// Groups of tools, by name.
    pub(super) groups: HashMap<String, Vec<String>>,
    pub(super) approvers: Approvers,
    /// The root of each zone.
    pub(super) zones: HashMap<String, countersign_patterns::Place>,
    pub(super) expires: Option<Duration>,
    /// What [tools] says that tools do, and where.
    pub(super) operations: Vec<(usize, String)>,
}

pub(super) fn read(text: &str) -> Result<Policy, BadPolicy> {
    let table = DeTable::parse(text).map_err(|e| BadPolicy::Unreadable(e.to_string()))?;
    policy(&Node::of_toml(&table), text).map_err(|fault| {
        let (line, column) = place(text, fault.at);
        BadPolicy::Wrong { line, column, why: fault.why }
    })
}

fn policy(file: &Node, text: &str) -> Result<Policy, Fault> {
    let mut keys = file.keys("a policy")?;
    let (mut policy, book) = settings::settings(&mut keys, Sha256::of(text.as_bytes()))?;
    let read = rule::rules(&mut keys, &book)?;
    keys.done()?;
    let (rules, places): (Vec<Rule>, Vec<Place<'_>>) = read.into_iter().unzip();
    policy.index = index(&rules).map_err(|e| file.fault(e.to_string()))?;
    policy.rules = rules;
    for (rule, place) in policy.rules.iter().zip(&places) {
        example::check(&policy, rule, place)?;
    }
    policy.warnings = warn::warnings(&policy.rules, &places, &book, text);
    Ok(policy)
}

fn index(rules: &[Rule]) -> Result<Index, globset::Error> {
    let mut index = Index::default();
    let mut globs = GlobSetBuilder::new();
    for (at, rule) in rules.iter().enumerate() {
        let Some(tools) = &rule.matching.tools else {
            index.others.push(at);
            continue;
        };
        for pattern in &tools.patterns {
            globs.add(GlobBuilder::new(pattern).build()?);
            index.owners.push(at);
        }
    }
    index.globs = globs.build()?;
    Ok(index)
}

/// The line and the column, from 1 on and in characters, of a byte of the text.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    (line, before.rsplit('\n').next().unwrap_or_default().chars().count() + 1)
}

/// A whole number of seconds, minutes, hours or days: `90s`, `15m`, `2h`, `1d`. `None` for anything
/// else, and for a span of zero.
#[must_use]
pub fn parse_span(text: &str) -> Option<Duration> {
    let unit = text.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let count = text.strip_suffix(unit)?;
    let digits = count.bytes().all(|byte| byte.is_ascii_digit());
    let count: u32 = count.parse().ok().filter(|_| digits)?;
    (count > 0).then(|| Duration::from_secs(u64::from(count) * seconds))
}
