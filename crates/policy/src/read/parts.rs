//! The parts of a policy, as they are read from its files.

use super::{
    BadPolicy, PolicyFault, TomlNode,
    advisor::{self, ParsedAdvisor},
    files::PolicyFiles,
    managed_layer::check_managed_layer,
    merge::{self, MergedPolicy},
    protection, rule, settings,
    source::{PolicyTables, SourcePosition},
};
use crate::{
    MANAGED_LAYER, PolicyText, policy_text::is_attachment, rule::PolicyRule, settings::PolicySettings,
};
use toml::de::DeTable;

/// The longest policy, in bytes. It applies to the sum of its files.
pub const MAX_POLICY_BYTES: usize = 512 * 1024;

/// Reads the files of a policy, and builds something of them.
pub(super) fn read_files<T>(
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
pub(super) struct PolicyParts<'a> {
    pub(super) settings: PolicySettings,
    pub(super) tables: PolicyTables,
    pub(super) advisors: Vec<ParsedAdvisor>,
    pub(super) rules: Vec<PolicyRule>,
    /// Each rule's source.
    pub(super) positions: Vec<SourcePosition<'a>>,
}

impl<'a> PolicyParts<'a> {
    pub(super) fn read(merged: &'a MergedPolicy, files: &PolicyFiles<'_>) -> Result<Self, PolicyFault> {
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
