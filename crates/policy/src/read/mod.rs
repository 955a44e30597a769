//! Reads a policy from TOML. An unknown key or value is an error, which names its line and suggests a
//! correction.

mod advisor;
mod advisor_configuration;
mod bad_policy;
mod example;
mod files;
mod known_words;
mod managed_layer;
mod merge;
mod never;
mod node;
mod parts;
mod position;
mod predicate;
mod protected_operations;
mod protection;
mod rule;
mod selector;
mod settings;
mod shipped;
mod source;
mod verdict;
mod warn;
mod zone;

pub use bad_policy::BadPolicy;
pub(crate) use node::{PolicyFault, TomlNode};
pub use parts::MAX_POLICY_BYTES;
pub(crate) use selector::read_patterns;

use crate::{Policy, PolicyText, PolicyWarning, policy::RuleIndex};
use files::PolicyFiles;
use merge::MergedPolicy;
use parts::{PolicyParts, read_files};
use std::sync::Arc;

impl Policy {
    /// The policy that applies if the operator does not write one.
    pub const SHIPPED: &str = include_str!("../shipped.toml");

    /// Reads a policy from TOML. [`BadPolicy`] names the line and column of an error.
    pub fn read(text: &str) -> Result<Self, BadPolicy> {
        Self::read_text(PolicyText::from(text))
    }

    /// Reads a policy from the content of its files. The strictest rule in all files wins.
    pub fn read_text(text: PolicyText) -> Result<Self, BadPolicy> {
        let policy = read_policy(&text)?;
        Ok(Self { hash: text.hash(), text: Arc::new(text), ..policy })
    }

    /// Finds rules that are valid and probably mistakes. It reads the text again, because only people who write a policy ask.
    #[must_use]
    pub fn find_warnings(&self) -> Vec<PolicyWarning> {
        let find = |merged: &MergedPolicy, files: &PolicyFiles<'_>| {
            Ok(warn::find_warnings(&PolicyParts::read(merged, files)?, files))
        };
        read_files(&self.text, find).unwrap_or_default()
    }

    /// The policy in [`SHIPPED`](Self::SHIPPED).
    #[must_use]
    pub fn shipped() -> Self {
        // A test proves that it can be read. If it could not, asking always would be the safe fallback.
        Self::read(Self::SHIPPED).unwrap_or_else(|_| Self::ask_always())
    }
}

fn read_policy(text: &PolicyText) -> Result<Policy, BadPolicy> {
    read_files(text, build_policy)
}

fn build_policy(merged: &MergedPolicy, files: &PolicyFiles<'_>) -> Result<Policy, PolicyFault> {
    let PolicyParts { settings, advisors, rules, positions, .. } = PolicyParts::read(merged, files)?;
    let policy = Policy {
        settings,
        index: RuleIndex::new(&rules),
        zones: zone::ask_about_other_operations(&rules),
        rules,
        advisors: advisors.into_iter().map(|(advisor, _)| advisor).collect(),
        ..Policy::ask_always()
    };
    for (rule, position) in policy.rules.iter().zip(&positions) {
        example::check_examples(&policy, rule, position)?;
    }
    Ok(policy)
}
