//! What is certain about the files that a call reaches, for an advisor that judges by facts.

use crate::{
    JudgedCall, Policy, RuleEffect, facts::CallFacts, harmless::ToolKind, outcome::SelectorHit,
    rule::PolicyRule, selector::InsideSelector,
};

/// The files that a call reaches, as far as it is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallReach {
    /// The call names no file, command or address.
    NoFiles,
    /// It only reads or edits files of its project. Git brings back what it changes, if it was committed.
    ProjectFiles,
    /// All its paths are in its project, also those in its commands. Its commands may do more than change files.
    Project,
    /// It may reach other files, an address, something protected, or files of Git itself.
    Elsewhere,
}

impl Policy {
    /// Determines the files that a call reaches. A masked or unclear operand may be anywhere.
    #[must_use]
    pub fn find_reach(&self, subject: &JudgedCall<'_>) -> CallReach {
        let facts = CallFacts::new(&self.settings, subject, &|| false);
        let (commands, urls, paths) = (facts.commands(), facts.urls(), facts.paths());
        let has_gap = commands.gap.is_some() || urls.gap.is_some() || paths.gap.is_some();
        if has_gap || !urls.found.is_empty() {
            return CallReach::Elsewhere;
        }
        if commands.found.is_empty() && paths.found.is_empty() {
            return CallReach::NoFiles;
        }
        let is_guarded = |rule: &PolicyRule| rule.is_protection() && rule.answer(&facts).is_some();
        if self.rules.iter().any(is_guarded) {
            return CallReach::Elsewhere;
        }
        let inside = InsideSelector { project: true, folders: Vec::new() };
        if !matches!(facts.match_inside(&inside).0, SelectorHit::Yes(_)) {
            return CallReach::Elsewhere;
        }
        let is_git = |path: &str| path.split('/').any(|part| part.eq_ignore_ascii_case(".git"));
        if paths.found.iter().any(|path| is_git(path.as_str())) {
            return CallReach::Elsewhere;
        }
        let is_of = |kind: ToolKind| kind.includes(subject.tool.as_str(), RuleEffect::Widen);
        if commands.found.is_empty() && (is_of(ToolKind::Read) || is_of(ToolKind::Edit)) {
            CallReach::ProjectFiles
        } else {
            CallReach::Project
        }
    }
}
