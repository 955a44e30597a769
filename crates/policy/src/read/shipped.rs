//! The rules of the profiles, whose options were weighed when they were written.

use super::{
    MergedPolicy, PolicyFault, files::PolicyFiles, protection, read_files, rule, settings,
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
    let mut keys = merged.table.keys("a policy")?;
    let (_, tables) = settings::read_settings(&mut keys, merged, files)?;
    let protections = protection::read_protections(&mut keys, &tables)?;
    let rules = rule::read_rules(&mut keys, protections, &tables, files)?;
    Ok(rules.into_iter().map(|(rule, at)| (rule.name, at.selectors)).collect())
}
