//! Reads a policy from TOML. An unknown key or value is an error, which names its line and suggests a
//! correction.

mod bad_policy;
mod example;
mod node;
mod position;
mod predicate;
mod rule;
mod selector;
mod settings;
mod source;
mod verdict;
mod warn;
mod zone;

pub use bad_policy::BadPolicy;
pub(crate) use node::TomlNode;
pub(crate) use selector::read_patterns;

use crate::{
    policy::{Policy, RuleIndex},
    policy_text::PolicyText,
    rule::PolicyRule,
};
use node::PolicyFault;
use position::line_and_column;
use source::SourcePosition;
use std::sync::Arc;
use toml::de::DeTable;

impl Policy {
    /// The policy that applies if the operator does not write one.
    pub const SHIPPED: &str = include_str!("../shipped.toml");

    /// Reads a policy from TOML. [`BadPolicy`] names the line and column of an error.
    pub fn read(text: &str) -> Result<Self, BadPolicy> {
        Self::read_text(PolicyText::from(text))
    }

    /// Reads a policy from the texts of its files.
    pub fn read_text(text: PolicyText) -> Result<Self, BadPolicy> {
        if let Some(layer) = text.layers.first() {
            return Err(BadPolicy::Unreadable(format!("{} cannot be merged", layer.name)));
        }
        let policy = read_policy(&text.text)?;
        Ok(Self { hash: text.hash(), text: Arc::new(text), ..policy })
    }

    /// The policy in [`SHIPPED`](Self::SHIPPED).
    #[must_use]
    pub fn shipped() -> Self {
        // A test proves that it can be read. If it could not, asking always would be the safe fallback.
        Self::read(Self::SHIPPED).unwrap_or_else(|_| Self::ask_always())
    }
}

/// The longest policy, in bytes.
const MAX_POLICY_BYTES: usize = 512 * 1024;

fn read_policy(text: &str) -> Result<Policy, BadPolicy> {
    if text.len() > MAX_POLICY_BYTES {
        let bytes = text.len();
        return Err(BadPolicy::Unreadable(format!("it has {bytes} bytes; the limit is {MAX_POLICY_BYTES}")));
    }
    let table = DeTable::parse(text).map_err(|e| BadPolicy::Unreadable(e.to_string()))?;
    build_policy(&TomlNode::from_toml(&table), text).map_err(|fault| {
        let (line, column) = line_and_column(text, fault.at);
        BadPolicy::Wrong { line, column, why: fault.why }
    })
}

fn build_policy(file: &TomlNode, text: &str) -> Result<Policy, PolicyFault> {
    let mut keys = file.keys("a policy")?;
    let (settings, tables) = settings::read_settings(&mut keys)?;
    let mut policy = Policy { settings, ..Policy::ask_always() };
    let parsed = rule::read_rules(&mut keys, &tables)?;
    keys.reject_unknown()?;
    let (rules, positions): (Vec<PolicyRule>, Vec<SourcePosition<'_>>) = parsed.into_iter().unzip();
    policy.index = RuleIndex::new(&rules);
    policy.rules = rules;
    for (rule, position) in policy.rules.iter().zip(&positions) {
        example::check_examples(&policy, rule, position)?;
    }
    policy.warnings = warn::find_warnings(&policy.rules, &positions, &tables, text);
    Ok(policy)
}
