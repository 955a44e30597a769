//! Selectors. All selectors of a rule must match. An unknown value never makes a verdict less strict.

mod argument;
mod impact;
mod inside;
mod miss;
mod operand;
mod place;
mod predicate;
mod protected;
mod protected_operations;

pub(crate) use impact::ClaimedImpact;
pub(crate) use inside::InsideSelector;
pub(crate) use miss::SelectorMiss;
pub(crate) use operand::{PathSelector, PathZone, format_patterns};
pub(crate) use place::PlaceSelector;
pub(crate) use predicate::{ArgumentPredicate, find_contradiction};
pub(crate) use protected::{
    ProtectedBranches, ProtectedCluster, ProtectedDatabase, ProtectedFiles, ProtectedThings,
};
pub(crate) use protected_operations::{ProtectedCloud, ProtectedPackages, ProtectedProcesses};

use crate::{
    JudgedCall, RuleEffect,
    annotation::ExpectedHint,
    beside::NamedArguments,
    command_operand::CommandMatch,
    condition::CompiledCondition,
    facts::CallFacts,
    harmless::ToolKind,
    names::NameGlobs,
    outcome::SelectorHit,
    tools::{OperandKind, folder_pointers},
    value::JsonPointer,
};
use countersign_events::fold_spelling;
use countersign_patterns::{
    CommandPattern, PathPattern, UrlPattern,
    command::{FileCover, PathAccess},
};

/// Rule selectors.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleSelectors {
    pub(crate) tools: Option<NameGlobs>,
    pub(crate) threads: Option<NameGlobs>,
    pub(crate) principals: Option<NameGlobs>,
    pub(crate) kinds: Vec<ToolKind>,
    pub(crate) place: Option<PlaceSelector>,
    pub(crate) annotations: Vec<ExpectedHint>,
    pub(crate) impact: Option<ClaimedImpact>,
    pub(crate) operations: Vec<String>,
    pub(crate) zone: Option<PathZone>,
    pub(crate) inside: Option<InsideSelector>,
    pub(crate) args: Vec<(JsonPointer, Vec<ArgumentPredicate>)>,
    pub(crate) commands: Vec<CommandPattern>,
    pub(crate) urls: Vec<UrlPattern>,
    pub(crate) paths: Vec<PathPattern>,
    /// What a call may do with the paths, for a rule that restricts: one of these, or something unknown.
    pub(crate) accesses: Vec<PathAccess>,
    pub(crate) when: Option<CompiledCondition>,
    /// What a protection names.
    pub(crate) protected: Option<ProtectedThings>,
}

impl RuleSelectors {
    /// Matches all selectors with a call. The cheap ones come first, because one that does not match ends the test.
    pub(crate) fn match_call(&self, effect: RuleEffect, facts: &CallFacts<'_>) -> SelectorHit {
        let hit = self.match_selectors(effect, facts, &self.commands);
        self.check_beside(hit, effect, facts)
    }

    /// Matches all selectors other than the commands with a call.
    pub(crate) fn match_besides_commands(&self, effect: RuleEffect, facts: &CallFacts<'_>) -> SelectorHit {
        let hit = self.match_selectors(effect, facts, &[]);
        self.check_beside(hit, effect, facts)
    }

    /// Nothing is allowed with an argument that may have an effect and that the selectors do not name.
    fn check_beside(&self, hit: SelectorHit, effect: RuleEffect, facts: &CallFacts<'_>) -> SelectorHit {
        let hindrance = match (&hit, effect) {
            (SelectorHit::Yes(_), RuleEffect::Widen) => self.describe_unnamed(facts),
            _ => None,
        };
        let is_hindered = hindrance.is_some();
        facts.set_hindrance(hindrance);
        if is_hindered { SelectorHit::No } else { hit }
    }

    /// The arguments that may have an effect and that the selectors do not name; `None` if there are none.
    fn describe_unnamed(&self, facts: &CallFacts<'_>) -> Option<String> {
        if !self.looks_at_operands() {
            return None;
        }
        let named = self.find_named_arguments(facts);
        let unnamed = facts.unnamed_arguments(&named);
        let shown: Vec<_> = unnamed.iter().take(3).map(|unnamed| format!("`{}`", unnamed.pointer)).collect();
        (!shown.is_empty()).then(|| shown.join(", "))
    }

    /// The operands that the selectors match, and the arguments that they name.
    fn find_named_arguments<'a>(&'a self, facts: &'a CallFacts<'_>) -> NamedArguments<'a> {
        let mut named = NamedArguments::of_operands(self.accounted_kinds(facts), facts);
        named.add(self.args.iter().map(|(pointer, _)| pointer.steps()));
        if self.inside.is_some() {
            named.add(folder_pointers().iter().map(JsonPointer::steps));
        }
        // A condition on the whole `args` names none of them.
        let paths = self.when.iter().flat_map(CompiledCondition::argument_paths);
        named.add(paths.filter(|path| !path.is_empty()).map(Vec::as_slice));
        named
    }

    /// The kinds of operands that the selectors look at.
    pub(crate) fn operand_kinds(&self) -> Vec<OperandKind> {
        let has = |kind: &OperandKind| match kind {
            OperandKind::Command => !self.commands.is_empty() || self.inside.is_some(),
            OperandKind::Url => !self.urls.is_empty(),
            OperandKind::Path => !self.paths.is_empty() || self.zone.is_some() || self.inside.is_some(),
        };
        OperandKind::ALL.into_iter().filter(has).collect()
    }

    /// The kinds of operands beside which arguments must be harmless. `inside` looks at whatever operands the call has, and a
    /// tool without any works in its folder.
    fn accounted_kinds(&self, facts: &CallFacts<'_>) -> Vec<OperandKind> {
        let mut kinds = self.operand_kinds();
        if self.inside.is_some() {
            let has_command = !self.commands.is_empty() || !facts.commands().found.is_empty();
            let has_path = !self.paths.is_empty() || !facts.paths().found.is_empty() || !has_command;
            kinds.retain(|kind| match kind {
                OperandKind::Command => has_command,
                OperandKind::Path => has_path,
                OperandKind::Url => true,
            });
        }
        kinds
    }

    /// What shows the files of a command's redirections.
    pub(crate) fn file_cover(&self) -> FileCover {
        if self.inside.is_some() && self.accesses.is_empty() {
            FileCover::PathTest
        } else {
            FileCover::Patterns
        }
    }

    fn path_selector(&self) -> PathSelector<'_> {
        PathSelector { patterns: &self.paths, accesses: &self.accesses }
    }

    fn command_match(&self, effect: RuleEffect) -> CommandMatch {
        CommandMatch { effect, files: self.file_cover() }
    }

    /// Whether the selectors look at a command, an address or a path.
    pub(crate) fn looks_at_operands(&self) -> bool {
        !self.operand_kinds().is_empty()
    }

    fn match_selectors(
        &self,
        effect: RuleEffect,
        facts: &CallFacts<'_>,
        commands: &[CommandPattern],
    ) -> SelectorHit {
        let names_tools = self.tools.is_some() || !self.kinds.is_empty();
        let names_tools_or_paths = names_tools || self.zone.is_some() || !self.paths.is_empty();
        let subject = facts.subject;
        let name_selectors = [
            ("tool", self.tools.as_ref(), subject.tool.as_str()),
            ("thread", self.threads.as_ref(), subject.thread.as_str()),
            ("principal", self.principals.as_ref(), subject.principal.as_str()),
        ];
        let name_selectors =
            name_selectors.iter().filter_map(|(what, names, name)| Some((what, (*names)?, name)));
        // A rule that restricts must not be avoided with another spelling of the name.
        let is_match = |what: &str, names: &NameGlobs, name: &str| {
            let folds = what == "principal" && effect == RuleEffect::Restrict;
            names.is_match(name) || folds && names.is_match(&fold_spelling(name))
        };
        if name_selectors.clone().any(|(what, names, name)| !is_match(what, names, name)) {
            return SelectorHit::No;
        }
        let is_of_kind = |kind: &ToolKind| kind.includes(subject.tool.as_str(), effect);
        if !self.kinds.is_empty() && !self.kinds.iter().any(is_of_kind) {
            return SelectorHit::No;
        }
        let mut all = CombinedHit { effect, hit: SelectorHit::Yes(String::new()) };
        let settled = self.place.as_ref().is_some_and(|place| all.and(place.match_place(subject.place)))
            || self.annotations.iter().any(|wanted| all.and(facts.match_annotation(*wanted, effect)))
            || self.impact.as_ref().is_some_and(|impact| all.and(facts.match_impact(impact)))
            || (!self.operations.is_empty()
                && all.and(facts.match_operation(&self.operations, effect, names_tools_or_paths)))
            || self.zone.as_ref().is_some_and(|zone| all.and(facts.match_zone(zone, effect, names_tools)))
            || self.args.iter().any(|(at, predicates)| all.and(facts.match_argument(at, predicates)))
            || (!self.paths.is_empty()
                && all.and(facts.match_paths(self.path_selector(), effect, names_tools)))
            || (!self.urls.is_empty() && all.and(facts.match_urls(&self.urls, effect, names_tools)))
            || (!commands.is_empty()
                && all.and(facts.match_commands(commands, self.command_match(effect), names_tools)))
            || self.inside.as_ref().is_some_and(|inside| all.and(facts.match_inside(inside).0))
            || self.when.as_ref().is_some_and(|when| all.and(facts.match_condition(when)))
            || self.protected.as_ref().is_some_and(|things| all.and(facts.match_protected(things)));
        match all.hit {
            _ if settled => SelectorHit::No,
            // Build the text only for a match, because most rules do not match the call.
            SelectorHit::Yes(why) => {
                let shown = name_selectors.map(|(what, _, name)| format!("{what} `{name}` matches"));
                SelectorHit::Yes(shown.chain((!why.is_empty()).then_some(why)).collect::<Vec<_>>().join(", "))
            }
            hit => hit,
        }
    }

    /// Returns true if tool, thread and proposer match, as far as the rule names them.
    pub(crate) fn matches_names(&self, subject: &JudgedCall<'_>) -> bool {
        let is_match =
            |names: &Option<NameGlobs>, name| names.as_ref().is_none_or(|names| names.is_match(name));
        is_match(&self.tools, subject.tool.as_str())
            && is_match(&self.threads, subject.thread.as_str())
            && is_match(&self.principals, subject.principal.as_str())
            && (self.kinds.is_empty()
                || self.kinds.iter().any(|kind| kind.includes(subject.tool.as_str(), RuleEffect::Restrict)))
    }

    /// Returns true if the rule looks at more than names and hints: two calls of one tool may have different verdicts.
    pub(crate) fn looks_at_call(&self) -> bool {
        let looks_at_arguments = !self.args.is_empty() || !self.operations.is_empty();
        let looks_at_place = self.place.is_some();
        self.looks_at_operands()
            || looks_at_arguments
            || looks_at_place
            || self.impact.is_some()
            || self.when.is_some()
            || self.protected.is_some()
    }

    /// Returns true if there are no selectors.
    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_none() && self.only_tools()
    }

    /// Returns true if there are no selectors besides the tool.
    pub(crate) fn only_tools(&self) -> bool {
        self.threads.is_none()
            && self.principals.is_none()
            && self.kinds.is_empty()
            && self.place.is_none()
            && self.annotations.is_empty()
            && self.impact.is_none()
            && self.operations.is_empty()
            && self.zone.is_none()
            && self.inside.is_none()
            && self.args.is_empty()
            && self.commands.is_empty()
            && self.urls.is_empty()
            && self.paths.is_empty()
            && self.when.is_none()
            && self.protected.is_none()
    }
}

/// The combined result of the selectors so far.
struct CombinedHit {
    effect: RuleEffect,
    hit: SelectorHit,
}

impl CombinedHit {
    /// Adds one selector's result. Returns true if the rule can no longer match.
    fn and(&mut self, next: SelectorHit) -> bool {
        let so_far = std::mem::replace(&mut self.hit, SelectorHit::No);
        self.hit = match (so_far, next) {
            (SelectorHit::No, _) | (_, SelectorHit::No) => SelectorHit::No,
            (SelectorHit::Unclear(why), _) | (_, SelectorHit::Unclear(why)) => SelectorHit::Unclear(why),
            (SelectorHit::Failed(why), _) | (_, SelectorHit::Failed(why)) => SelectorHit::Failed(why),
            (SelectorHit::Yes(before), SelectorHit::Yes(why)) if before.is_empty() => SelectorHit::Yes(why),
            (SelectorHit::Yes(before), SelectorHit::Yes(why)) => SelectorHit::Yes(format!("{before}, {why}")),
        };
        if self.effect == RuleEffect::Widen && !matches!(self.hit, SelectorHit::Yes(_)) {
            self.hit = SelectorHit::No;
        }
        self.hit == SelectorHit::No
    }
}
