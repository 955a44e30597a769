//! The thing that a question is about, as a protection names it: a call whose effects a protection of it would see reaches it.

use super::{fill::GoalWords, goal::ReachGoal};
use crate::{
    command_operand::CommandOperand,
    effects::GitChange,
    facts::CallFacts,
    names::NameGlobs,
    outcome::SelectorHit,
    selector::{ProtectedBranches, ProtectedCluster, ProtectedDatabase, ProtectedFiles, ProtectedThings},
};
use countersign_patterns::{
    PatternError, ProtectedPath,
    command::{CommandWords, PathAccess},
};

/// How certain it is that a call does what a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WitnessStrength {
    /// It names the thing, and it is not known what it does with it.
    MayDo,
    /// It certainly does it.
    Does,
}

/// Tells whether a call does what a question is about.
pub(crate) struct GoalMatcher {
    things: ProtectedThings,
    /// The same with every access to the file.
    any_access: Option<ProtectedThings>,
    /// The spellings of a file that is to be run. No effect says that a file is run.
    programs: Vec<String>,
}

impl GoalMatcher {
    pub(crate) fn new(goal: &ReachGoal, words: &GoalWords) -> Result<Self, PatternError> {
        let every = [PathAccess::Read, PathAccess::List, PathAccess::Write, PathAccess::Delete];
        let mut things = ProtectedThings::default();
        let (mut any_access, mut programs) = (None, Vec::new());
        match goal {
            ReachGoal::File { access, .. } => {
                // The home folder is written in two ways.
                let spellings = words.spellings().filter(|word| word.starts_with("~/")).chain([words.full()]);
                let paths =
                    spellings.map(|word| ProtectedPath::new(&escape(word))).collect::<Result<Vec<_>, _>>()?;
                let files = |accesses: &[PathAccess]| ProtectedFiles {
                    paths: paths.clone(),
                    accesses: accesses.to_vec(),
                    outside_project: false,
                    ignores_folders: true,
                };
                // To run a file is none of these, so a use with one of them is no run.
                things.files =
                    Some(access.access().map_or_else(|| files(&every[..3]), |access| files(&[access])));
                any_access =
                    Some(ProtectedThings { files: Some(files(&every)), ..ProtectedThings::default() });
                if access.access().is_none() {
                    programs = words.spellings().map(str::to_owned).collect();
                }
            }
            ReachGoal::Host(host) => things.hosts = Some(globs(host)?),
            ReachGoal::Branch { change, name } => {
                // Whoever moves a branch by force moves it.
                let changes = match change {
                    GitChange::Update => vec![GitChange::Update, GitChange::Force],
                    other => vec![*other],
                };
                things.git = Some(ProtectedBranches { branches: globs(name)?, changes, has_default: false });
            }
            ReachGoal::Cluster(goal) => {
                let names = |name: &Option<String>| name.as_deref().map(globs).transpose();
                things.kubernetes = Some(ProtectedCluster {
                    context: names(&goal.context)?,
                    namespace: names(&goal.namespace)?,
                    kind: names(&goal.kind)?,
                    name: names(&goal.name)?,
                    verbs: vec![goal.verb.clone()],
                    except: Vec::new(),
                });
            }
            ReachGoal::Table { kind, table, database } => {
                things.sql = Some(ProtectedDatabase {
                    database: database.as_deref().map(|name| globs(&name.to_lowercase())).transpose()?,
                    table: Some(globs(&table.to_lowercase())?),
                    statements: vec![*kind],
                });
            }
        }
        Ok(Self { things, any_access, programs })
    }

    /// Whether the call does it; `None` if it does not, as far as it shows.
    pub(crate) fn classify(&self, facts: &CallFacts<'_>) -> Option<WitnessStrength> {
        let is_certain = |hit: &SelectorHit| matches!(hit, SelectorHit::Yes(_));
        let hit = facts.match_protected(&self.things);
        if self.programs.is_empty() && is_certain(&hit) || self.starts_program(facts) {
            return Some(WitnessStrength::Does);
        }
        let may_do = matches!(hit, SelectorHit::Unclear(_))
            && match &self.any_access {
                // Words that merely look like the file do not count.
                Some(any) => is_certain(&facts.match_protected(any)),
                // A call that does not show what it does is no answer to a question about one thing, and to name a host is
                // not to connect to it.
                None => facts.effects().unread.is_none() && self.things.hosts.is_none(),
            };
        may_do.then_some(WitnessStrength::MayDo)
    }

    /// Whether a command of the call starts the file as a program.
    fn starts_program(&self, facts: &CallFacts<'_>) -> bool {
        let starts = |words: CommandWords<'_>| {
            let program = words.texts().next().unwrap_or_default();
            self.programs.iter().any(|known| known == program)
        };
        let mut scripts = facts.commands().found.iter().flat_map(CommandOperand::scripts);
        !self.programs.is_empty() && scripts.any(|script| script.command_words().next().is_some_and(starts))
    }
}

fn globs(name: &str) -> Result<NameGlobs, PatternError> {
    NameGlobs::new(vec![name.to_owned()])
}

/// The path as a pattern that matches it alone.
fn escape(path: &str) -> String {
    let mut pattern = String::new();
    for c in path.chars() {
        if "[]{}*?\\".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}
