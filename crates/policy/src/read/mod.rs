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
pub(crate) use selector::read_patterns;

use crate::{
    MANAGED_LAYER, Policy, PolicyText, PolicyWarning, policy::RuleIndex, policy_text::is_attachment,
    rule::PolicyRule, settings::PolicySettings,
};
use advisor::ParsedAdvisor;
use files::PolicyFiles;
use managed_layer::check_managed_layer;
use merge::MergedPolicy;
use source::{PolicyTables, SourcePosition};
use std::sync::Arc;
use toml::de::DeTable;

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

/// The longest policy, in bytes. It applies to the sum of its files.
pub const MAX_POLICY_BYTES: usize = 512 * 1024;

fn read_policy(text: &PolicyText) -> Result<Policy, BadPolicy> {
    read_files(text, build_policy)
}

/// Reads the files of a policy, and builds something of them.
fn read_files<T>(
    text: &PolicyText,
    build: impl FnOnce(&MergedPolicy, &PolicyFiles<'_>) -> Result<T, PolicyFault>,
) -> Result<T, BadPolicy> {
    let bytes = text.size();
    if bytes > MAX_POLICY_BYTES {
        return Err(BadPolicy::Unreadable(format!("it has {bytes} bytes; the limit is {MAX_POLICY_BYTES}")));
    }
    text.check_layer_names().map_err(BadPolicy::Unreadable)?;
    let files = PolicyFiles::new(text);
    let toml_files = || files.iter().filter(|file| !is_attachment(file.name));
    let tables = toml_files().map(|file| {
        let table = DeTable::parse(file.text)
            .map_err(|e| BadPolicy::Unreadable(e.to_string()).in_file(files.name_at(file.start)))?;
        Ok(TomlNode::from_toml(&table).moved_by(file.start))
    });
    let tables = tables.collect::<Result<Vec<_>, BadPolicy>>()?;
    for (_, table) in toml_files().zip(&tables).filter(|(file, _)| file.name == MANAGED_LAYER) {
        check_managed_layer(table).map_err(|fault| files.bad_policy(fault))?;
    }
    let merged = merge::merge_files(tables, &files);
    merged.and_then(|merged| build(&merged, &files)).map_err(|fault| files.bad_policy(fault))
}

/// The parts of a policy, with their places in its files.
struct PolicyParts<'a> {
    settings: PolicySettings,
    tables: PolicyTables,
    advisors: Vec<ParsedAdvisor>,
    rules: Vec<PolicyRule>,
    /// The source of each rule.
    positions: Vec<SourcePosition<'a>>,
}

impl<'a> PolicyParts<'a> {
    fn read(merged: &'a MergedPolicy, files: &PolicyFiles<'_>) -> Result<Self, PolicyFault> {
        let mut keys = merged.table.keys("a policy")?;
        let (settings, mut tables) = settings::read_settings(&mut keys, merged, files)?;
        let advisors = advisor::read_advisors(&mut keys, &tables, files)?;
        tables.advisors = advisors.iter().map(|(advisor, _)| advisor.name.clone()).collect();
        let protections = protection::read_protections(&mut keys, &tables)?;
        let parsed = rule::read_rules(&mut keys, protections, &tables, files)?;
        keys.reject_unknown()?;
        let (mut rules, positions): (Vec<PolicyRule>, Vec<SourcePosition<'_>>) = parsed.into_iter().unzip();
        for (rule, position) in rules.iter_mut().zip(&positions) {
            rule.line = files.position(position.verdict_at).line;
        }
        Ok(Self { settings, tables, advisors, rules, positions })
    }
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
