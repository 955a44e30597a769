//! The rules of the profiles, whose options were weighed when they were written.

use super::{
    PolicyFault,
    files::PolicyFiles,
    merge::MergedPolicy,
    parts::{PolicyParts, read_files},
    source::SourcePosition,
};
use crate::{PolicyProfile, PolicyText, rule::PolicyRule};
use std::{collections::HashSet, sync::LazyLock};

/// The name and the selectors of each rule of a profile.
static SHIPPED_RULES: LazyLock<HashSet<(String, String)>> = LazyLock::new(|| {
    let texts = PolicyProfile::ALL.map(PolicyProfile::text);
    let rules = texts.iter().filter_map(|text| read_files(&PolicyText::from(text.as_str()), list_rules).ok());
    rules.flatten().collect()
});

/// Whether the rule is one of a profile, as the profile has it.
pub(super) fn is_shipped_rule(rule: &PolicyRule, at: &SourcePosition<'_>) -> bool {
    SHIPPED_RULES.contains(&(rule.name.clone(), at.selectors.clone()))
}

fn list_rules(merged: &MergedPolicy, files: &PolicyFiles<'_>) -> Result<Vec<(String, String)>, PolicyFault> {
    let parts = PolicyParts::read(merged, files)?;
    let names = parts.rules.into_iter().map(|rule| rule.name);
    Ok(names.zip(parts.positions.into_iter().map(|at| at.selectors)).collect())
}
