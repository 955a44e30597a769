//! The place of a rule in its file, and the names that the file defines.

use super::node::TomlNode;
use crate::{approvers::ApproverDirectory, rule::PolicyRule};
use std::{collections::HashMap, time::Duration};

/// Where a rule comes from, for what is looked at after all are read.
#[derive(Clone)]
pub(crate) struct SourcePosition<'a> {
    pub(crate) at: usize,
    /// What it says of itself that it matches, and does not.
    pub(crate) examples: Option<&'a TomlNode>,
    /// The same text for selectors that mean the same.
    pub(crate) selectors: String,
}

/// A rule, and where it comes from.
pub(crate) type ParsedRule<'a> = (PolicyRule, SourcePosition<'a>);

/// What the tables of the file say that rules refer to.
pub(crate) struct PolicyTables {
    /// Groups of tools, by name.
    pub(crate) groups: HashMap<String, Vec<String>>,
    pub(crate) approvers: ApproverDirectory,
    /// The root of each zone.
    pub(crate) zones: HashMap<String, countersign_patterns::ParsedPath>,
    pub(crate) expires: Option<Duration>,
    /// What [tools] says that tools do, and where.
    pub(crate) operations: Vec<(usize, String)>,
}
