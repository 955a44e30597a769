//! Reading a policy from TOML, strictly: what is not understood is an error, never passed over, and says
//! where it stands and what may have been meant.

mod bad_policy;
mod example;
mod node;
mod place;
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
    rule::PolicyRule,
};
use countersign_events::Sha256;
use node::PolicyFault;
use place::place;
use source::SourcePosition;
use toml::de::DeTable;

impl Policy {
    /// The policy that is in force where nobody wrote one.
    pub const SHIPPED: &str = include_str!("../shipped.toml");

    /// Reads a policy from TOML. [`BadPolicy`] says where it is wrong.
    pub fn read(text: &str) -> Result<Self, BadPolicy> {
        read(text)
    }

    /// [`SHIPPED`](Self::SHIPPED), read.
    #[must_use]
    pub fn shipped() -> Self {
        // A test reads it; were it broken all the same, asking always is the safe thing to do.
        Self::read(Self::SHIPPED).unwrap_or_else(|_| Self::ask_always())
    }
}

fn read(text: &str) -> Result<Policy, BadPolicy> {
    let table = DeTable::parse(text).map_err(|e| BadPolicy::Unreadable(e.to_string()))?;
    policy(&TomlNode::of_toml(&table), text).map_err(|fault| {
        let (line, column) = place(text, fault.at);
        BadPolicy::Wrong { line, column, why: fault.why }
    })
}

fn policy(file: &TomlNode, text: &str) -> Result<Policy, PolicyFault> {
    let mut keys = file.keys("a policy")?;
    let (settings, book) = settings::settings(&mut keys)?;
    let mut policy = Policy { settings, hash: Sha256::digest(text.as_bytes()), ..Policy::ask_always() };
    let read = rule::rules(&mut keys, &book)?;
    keys.done()?;
    let (rules, places): (Vec<PolicyRule>, Vec<SourcePosition<'_>>) = read.into_iter().unzip();
    policy.index = RuleIndex::new(&rules);
    policy.rules = rules;
    for (rule, place) in policy.rules.iter().zip(&places) {
        example::check(&policy, rule, place)?;
    }
    policy.warnings = warn::warnings(&policy.rules, &places, &book, text);
    Ok(policy)
}
