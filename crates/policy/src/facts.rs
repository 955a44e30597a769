//! The facts about one call that rules match. Each fact is computed when a rule first needs it, and then cached.

use crate::{
    JudgedCall,
    annotation::{ExpectedHint, ToolHint, ToolHints},
    command_operand::{self, CommandOperand},
    condition::{self, CompiledCondition, ConditionContext, ConditionInput},
    effects::{CallEffects, EffectSource, ToolNameWords, read_effects},
    harmless::takes_literal_paths,
    operands::{CallOperands, OperandSources, read_path, read_url},
    outcome::SelectorHit,
    patch::{PATCH_KEYS, applies_patches, find_changed_files},
    settings::PolicySettings,
    tools::{OperandKind, OperandMapping},
    value::{JsonPointer, OrderedValue},
};
use countersign_events::{Json, Verdict};
use countersign_patterns::{ParsedPath, ParsedUrl, command::WordPath};
use countersign_redaction::Redactor;
use std::cell::{Cell, OnceCell};

/// The facts about one call.
pub(crate) struct CallFacts<'a> {
    pub(crate) subject: JudgedCall<'a>,
    pub(crate) settings: &'a PolicySettings,
    is_late: &'a dyn Fn() -> bool,
    masked: Vec<JsonPointer>,
    args: OnceCell<Option<OrderedValue>>,
    impact: OnceCell<Option<OrderedValue>>,
    hints: OnceCell<ToolHints>,
    mappings: OnceCell<Vec<&'a OperandMapping>>,
    /// The pointers to the operands of each kind, and true if the policy names them.
    pointers: [OnceCell<(Vec<JsonPointer>, bool)>; OperandKind::ALL.len()],
    /// The same, with the arguments that belong to one of the call's programs.
    operand_pointers: [OnceCell<Vec<JsonPointer>>; OperandKind::ALL.len()],
    /// Whether each argument has no effect, for each set of operand kinds.
    harmless_beside: [OnceCell<Vec<bool>>; 1 << OperandKind::ALL.len()],
    commands: OnceCell<CallOperands<CommandOperand>>,
    /// The paths in each of the commands.
    word_paths: OnceCell<Vec<Vec<WordPath>>>,
    urls: OnceCell<CallOperands<ParsedUrl>>,
    paths: OnceCell<CallOperands<ParsedPath>>,
    input: OnceCell<Result<ConditionContext, String>>,
    input_with_effects: OnceCell<Result<ConditionContext, String>>,
    effects: OnceCell<CallEffects>,
    /// The arguments that alone kept the selectors that were matched last from allowing the call.
    hindrance: Cell<Option<String>>,
    /// Why the first rule that would otherwise allow the call does not.
    first_hindrance: OnceCell<String>,
}

impl<'a> CallFacts<'a> {
    pub(crate) fn new(
        settings: &'a PolicySettings,
        subject: &JudgedCall<'a>,
        is_late: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            subject: *subject,
            settings,
            is_late,
            masked: subject.redacted.iter().filter_map(|pointer| JsonPointer::read(pointer).ok()).collect(),
            args: OnceCell::new(),
            impact: OnceCell::new(),
            hints: OnceCell::new(),
            mappings: OnceCell::new(),
            pointers: [const { OnceCell::new() }; OperandKind::ALL.len()],
            operand_pointers: [const { OnceCell::new() }; OperandKind::ALL.len()],
            harmless_beside: [const { OnceCell::new() }; 1 << OperandKind::ALL.len()],
            commands: OnceCell::new(),
            word_paths: OnceCell::new(),
            urls: OnceCell::new(),
            paths: OnceCell::new(),
            input: OnceCell::new(),
            input_with_effects: OnceCell::new(),
            effects: OnceCell::new(),
            hindrance: Cell::new(None),
            first_hindrance: OnceCell::new(),
        }
    }

    /// The redactor that removes secrets from reasons.
    pub(crate) fn redactor(&self) -> &Redactor {
        &self.settings.redactor
    }

    /// The policy verdict for a call that no rule matches.
    pub(crate) fn default_verdict(&self) -> Verdict {
        self.settings.default
    }

    /// The arguments, or `None` if they cannot be read.
    pub(crate) fn args(&self) -> Option<&OrderedValue> {
        self.args.get_or_init(|| OrderedValue::read(self.subject.arguments.as_str())).as_ref()
    }

    /// The impact that the agent claims.
    pub(crate) fn impact(&self) -> Option<&OrderedValue> {
        self.impact
            .get_or_init(|| self.subject.impact.map(Json::as_str).and_then(OrderedValue::read))
            .as_ref()
    }

    pub(crate) fn hints(&self) -> ToolHints {
        *self.hints.get_or_init(|| ToolHints::parse(self.subject.annotations, self.is_trusted()))
    }

    /// Returns true if something read the tool hints, and they may allow a call.
    pub(crate) fn has_trusted_hints(&self) -> bool {
        self.hints.get().is_some() && self.is_trusted()
    }

    /// Returns true if the tool hints may allow a call.
    pub(crate) fn is_trusted(&self) -> bool {
        self.settings.trust.covers(&self.subject)
    }

    pub(crate) fn is_masked(&self, pointer: &JsonPointer) -> bool {
        self.masked.iter().any(|masked| masked.touches(pointer))
    }

    /// The entries of `[tools]` that apply to the tool.
    pub(crate) fn mappings(&self) -> &[&'a OperandMapping] {
        let settings = self.settings;
        let tool = self.subject.tool.as_str();
        self.mappings.get_or_init(|| settings.tools.iter().filter(|m| m.tools.is_match(tool)).collect())
    }

    /// The pointers to the operands of one kind, and true if the policy names them.
    pub(crate) fn pointers(&self, kind: OperandKind) -> &(Vec<JsonPointer>, bool) {
        self.pointers[kind as usize].get_or_init(|| self.find_pointers(kind))
    }

    fn find_pointers(&self, kind: OperandKind) -> (Vec<JsonPointer>, bool) {
        let mapped: Vec<_> =
            self.mappings().iter().flat_map(|mapping| mapping.pointers(kind)).cloned().collect();
        let replaces_usual =
            |mapping: &&OperandMapping| !mapping.is_layer && !mapping.pointers(kind).is_empty();
        if self.mappings().iter().any(replaces_usual) {
            return (mapped, true);
        }
        let is_new = |pointer: &&JsonPointer| mapped.iter().all(|known| known.as_str() != pointer.as_str());
        let usual: Vec<_> = kind.usual().iter().filter(is_new).cloned().collect();
        let is_mapped = !mapped.is_empty();
        (mapped.into_iter().chain(usual).collect(), is_mapped)
    }

    /// The pointers to the operands of one kind, including the arguments that belong to one of the call's programs.
    pub(crate) fn operand_pointers(&self, kind: OperandKind) -> &[JsonPointer] {
        self.operand_pointers[kind as usize].get_or_init(|| self.find_operand_pointers(kind))
    }

    fn find_operand_pointers(&self, kind: OperandKind) -> Vec<JsonPointer> {
        let mut pointers = self.pointers(kind).0.clone();
        if kind == OperandKind::Path && applies_patches(self.subject.tool.as_str()) {
            pointers.extend(PATCH_KEYS.iter().filter_map(|key| JsonPointer::read(&format!("/{key}")).ok()));
        }
        if let (OperandKind::Command, Some(args)) = (kind, self.args()) {
            pointers.extend(command_operand::argument_pointers(&pointers, args));
        }
        pointers
    }

    /// Whether each of the arguments has no effect beside operands of these kinds.
    pub(crate) fn harmless_beside(&self, kinds: &[OperandKind]) -> &[bool] {
        let set = kinds.iter().fold(0, |set, kind| set | 1 << *kind as usize);
        self.harmless_beside[set].get_or_init(|| self.find_harmless(kinds))
    }

    pub(crate) fn commands(&self) -> &CallOperands<CommandOperand> {
        self.commands.get_or_init(|| {
            // Codex gives a patch in `command`.
            if applies_patches(self.subject.tool.as_str()) {
                return CallOperands { found: Vec::new(), gap: None, mapped: false };
            }
            let is_argv = |says: bool| self.mappings().iter().any(|mapping| mapping.argv == Some(says));
            let argv = is_argv(true) && !is_argv(false);
            CallOperands::find(self.operand_sources(OperandKind::Command), OperandKind::Command, |found| {
                CommandOperand::read(found, self.subject.tool.as_str(), argv)
            })
        })
    }

    /// The paths in each of the [commands](Self::commands).
    pub(crate) fn word_paths(&self) -> &[Vec<WordPath>] {
        let folder = self.subject.place.and_then(|place| place.folder.as_deref());
        let paths_of = |command: &CommandOperand| {
            command.scripts().flat_map(|script| script.word_paths(folder)).collect()
        };
        self.word_paths.get_or_init(|| self.commands().found.iter().map(paths_of).collect())
    }

    pub(crate) fn urls(&self) -> &CallOperands<ParsedUrl> {
        self.urls.get_or_init(|| {
            CallOperands::find(self.operand_sources(OperandKind::Url), OperandKind::Url, read_url)
        })
    }

    pub(crate) fn paths(&self) -> &CallOperands<ParsedPath> {
        self.paths.get_or_init(|| {
            let takes_brackets = takes_literal_paths(self.subject.tool.as_str());
            let sources = self.operand_sources(OperandKind::Path);
            let mut paths =
                CallOperands::find(sources, OperandKind::Path, |found| read_path(found, takes_brackets));
            if applies_patches(self.subject.tool.as_str()) {
                self.add_patched_files(&mut paths);
            }
            paths
        })
    }

    /// Adds the files that the call's patches change.
    fn add_patched_files(&self, paths: &mut CallOperands<ParsedPath>) {
        let texts = PATCH_KEYS.iter().filter_map(|key| self.args()?.get(key)?.text());
        for patch in texts {
            match find_changed_files(patch) {
                Ok(files) => paths.found.extend(files.into_iter().map(ParsedPath::parse_literal)),
                Err(why) => paths.gap = Some(SelectorHit::Unclear(why)),
            }
        }
    }

    /// What the call does to things outside of the agent.
    pub(crate) fn effects(&self) -> &CallEffects {
        self.effects.get_or_init(|| {
            let harmless: Vec<_> =
                self.mappings().iter().flat_map(|mapping| &mapping.harmless).cloned().collect();
            read_effects(EffectSource {
                subject: self.subject,
                name: &ToolNameWords::read(self.subject.tool.as_str()),
                args: self.args(),
                commands: self.commands(),
                command_pointers: self.operand_pointers(OperandKind::Command),
                harmless: &harmless,
                has_paths: !self.paths().found.is_empty(),
                says_it_changes: self.hints().declares_change(),
            })
        })
    }

    /// The tool's operations, as named by the policy or implied by a trusted hint.
    pub(crate) fn operations(&self) -> Vec<&str> {
        let mapped: Vec<_> =
            self.mappings().iter().filter_map(|mapping| mapping.operation.as_deref()).collect();
        let only_reads = ExpectedHint { hint: ToolHint::ReadOnly, value: true };
        if mapped.is_empty() && self.hints().is_known(only_reads) { vec!["read"] } else { mapped }
    }

    pub(crate) fn set_hindrance(&self, arguments: Option<String>) {
        self.hindrance.set(arguments);
    }

    /// The arguments that alone kept the selectors that were matched last from allowing the call, as text.
    pub(crate) fn take_hindrance(&self) -> Option<String> {
        self.hindrance.take()
    }

    /// Keeps the arguments that alone keep the rule of this name from allowing the call.
    pub(crate) fn keep_hindrance(&self, rule: &str, arguments: &str) {
        self.first_hindrance.get_or_init(|| {
            format!(
                "rule {rule:?} does not allow it with {arguments}, which may change what runs; it can name the argument in `args`"
            )
        });
    }

    /// Why the first rule that would otherwise allow the call does not.
    pub(crate) fn first_hindrance(&self) -> Option<&str> {
        self.first_hindrance.get().map(String::as_str)
    }

    /// Returns true if the time limit for conditions is over.
    pub(crate) fn is_late(&self) -> bool {
        (self.is_late)()
    }

    /// The variables for a condition, or the reason why every condition fails.
    pub(crate) fn condition_input(&self, condition: &CompiledCondition) -> &Result<ConditionContext, String> {
        let effects = (!condition.effects.is_empty()).then(|| self.effects());
        let input = if effects.is_some() { &self.input_with_effects } else { &self.input };
        input.get_or_init(|| {
            condition::build_context(&ConditionInput {
                subject: self.subject,
                args: self.args(),
                hints: self.hints(),
                impact: self.impact(),
                effects,
            })
        })
    }

    pub(crate) fn masked(&self) -> &[JsonPointer] {
        &self.masked
    }

    fn operand_sources(&self, kind: OperandKind) -> OperandSources<'_> {
        let (pointers, mapped) = self.pointers(kind);
        OperandSources { args: self.args(), masked: &self.masked, pointers, mapped: *mapped }
    }
}
