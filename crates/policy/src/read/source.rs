//! Rule positions in files, and the tables to which rules refer.

use super::node::TomlNode;
use crate::{approvers::ApproverDirectory, rule::PolicyRule};
use std::{collections::HashMap, time::Duration};

/// A rule source, for checks that follow after all rules are read.
#[derive(Clone)]
pub(crate) struct SourcePosition<'a> {
    pub(crate) at: usize,
    /// The position of the key that gives the rule its verdict. Its file is the rule's file.
    pub(crate) verdict_at: usize,
    /// The examples that the rule must match or not match.
    pub(crate) examples: Option<&'a TomlNode>,
    /// A string that is equal for selectors with the same meaning.
    pub(crate) selectors: String,
    /// Whether `unless` excepts each call that the rule matches.
    pub(crate) is_always_excepted: bool,
}

/// A rule and its source.
pub(crate) type ParsedRule<'a> = (PolicyRule, SourcePosition<'a>);

/// The file's tables to which rules refer.
pub(crate) struct PolicyTables {
    /// The tools of each group.
    pub(crate) groups: HashMap<String, Vec<String>>,
    pub(crate) approvers: ApproverDirectory,
    /// The root of each zone.
    pub(crate) zones: HashMap<String, countersign_patterns::ParsedPath>,
    pub(crate) expires: Option<Duration>,
    /// Whether a layer sets `expires`.
    pub(crate) layer_expires: bool,
    /// The position at which the layers start.
    pub(crate) layers_start: usize,
    /// The advisors' names.
    pub(crate) advisors: Vec<String>,
    /// The operations in `[tools]`, each with its position.
    pub(crate) operations: Vec<(usize, String)>,
}
