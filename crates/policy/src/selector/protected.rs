//! Matches the effects of a call with the things that a protection names.

use super::protected_operations::{
    ProtectedCloud, ProtectedPackages, ProtectedProcesses, all_of, match_member, match_name,
};
use crate::{
    effects::{CallEffects, GitChange, GitUse, HostUse, KubernetesUse, SqlKind, SqlUse, describe_file},
    facts::CallFacts,
    names::NameGlobs,
    outcome::SelectorHit,
};
use countersign_patterns::{FileUse, MatchAnswer, ProtectedPath, command::PathAccess};
use std::fmt::Display;

/// The things that a protection names. A call that has an effect on any of them matches.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtectedThings {
    pub(crate) files: Option<ProtectedFiles>,
    pub(crate) hosts: Option<NameGlobs>,
    pub(crate) git: Option<ProtectedBranches>,
    pub(crate) kubernetes: Option<ProtectedCluster>,
    pub(crate) sql: Option<ProtectedDatabase>,
    pub(crate) packages: Option<ProtectedPackages>,
    pub(crate) processes: Option<ProtectedProcesses>,
    pub(crate) cloud: Option<ProtectedCloud>,
}

/// Protected files.
#[derive(Debug, Clone)]
pub(crate) struct ProtectedFiles {
    pub(crate) paths: Vec<ProtectedPath>,
    /// The accesses from which they are protected.
    pub(crate) accesses: Vec<PathAccess>,
    /// Whether files in the call's project are no part of them.
    pub(crate) outside_project: bool,
    /// Whether a use of a folder that may contain them is no use of them.
    pub(crate) ignores_folders: bool,
}

/// Protected branches.
#[derive(Debug, Clone)]
pub(crate) struct ProtectedBranches {
    pub(crate) branches: NameGlobs,
    /// Whether the repository's default branch is one of them, as far as the call's place names it.
    pub(crate) has_default: bool,
    pub(crate) changes: Vec<GitChange>,
}

/// Protected objects in clusters. Each selector that is present must match.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtectedCluster {
    pub(crate) context: Option<NameGlobs>,
    pub(crate) namespace: Option<NameGlobs>,
    pub(crate) kind: Option<NameGlobs>,
    pub(crate) name: Option<NameGlobs>,
    /// The verbs from which they are protected. Empty: all but the exceptions.
    pub(crate) verbs: Vec<String>,
    pub(crate) except: Vec<String>,
}

/// Protected tables. Each selector that is present must match.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtectedDatabase {
    pub(crate) database: Option<NameGlobs>,
    pub(crate) table: Option<NameGlobs>,
    pub(crate) statements: Vec<SqlKind>,
}

/// The strongest answer of a protection so far, with what the call does.
#[derive(Default)]
struct StrongestUse {
    certain: Option<String>,
    unclear: Option<String>,
}

impl StrongestUse {
    fn keep(&mut self, answer: MatchAnswer, words: impl FnOnce() -> String) {
        match answer {
            MatchAnswer::Yes if self.certain.is_none() => self.certain = Some(words()),
            MatchAnswer::Unclear if self.unclear.is_none() => self.unclear = Some(words()),
            _ => {}
        }
    }

    /// Keeps the answers of one kind of things to the uses of that kind.
    fn keep_all<T, U: Display>(
        &mut self,
        thing: Option<&T>,
        uses: &[U],
        answer: impl Fn(&T, &U) -> MatchAnswer,
    ) {
        for used in uses {
            if let Some(thing) = thing {
                self.keep(answer(thing, used), || used.to_string());
            }
        }
    }
}

impl ProtectedThings {
    /// Whether it names nothing.
    pub(crate) fn is_empty(&self) -> bool {
        let is_simple = self.files.is_none() && self.hosts.is_none() && self.git.is_none();
        let is_remote = self.kubernetes.is_none() && self.sql.is_none() && self.cloud.is_none();
        is_simple && is_remote && self.packages.is_none() && self.processes.is_none()
    }

    fn find_strongest(
        &self,
        effects: &CallEffects,
        project: &[String],
        default_branch: Option<&str>,
    ) -> StrongestUse {
        let mut found = StrongestUse::default();
        for used in self.files.iter().flat_map(|_| &effects.files) {
            let answer = self.files.as_ref().map_or(MatchAnswer::No, |files| files.match_use(used, project));
            found.keep(answer, || describe_file(used));
        }
        found.keep_all(self.hosts.as_ref(), &effects.hosts, match_host);
        found.keep_all(self.git.as_ref(), &effects.git, |git, used| git.match_use(used, default_branch));
        found.keep_all(self.kubernetes.as_ref(), &effects.kubernetes, ProtectedCluster::match_use);
        found.keep_all(self.sql.as_ref(), &effects.sql, ProtectedDatabase::match_use);
        found.keep_all(self.packages.as_ref(), &effects.packages, ProtectedPackages::match_use);
        found.keep_all(self.processes.as_ref(), &effects.processes, ProtectedProcesses::match_use);
        found.keep_all(self.cloud.as_ref(), &effects.cloud, ProtectedCloud::match_use);
        found
    }
}

impl CallFacts<'_> {
    /// Matches if the call has an effect on one of the things.
    pub(crate) fn match_protected(&self, things: &ProtectedThings) -> SelectorHit {
        let effects = self.effects();
        let default_branch = self.subject.place.and_then(|place| place.default_branch.as_deref());
        let StrongestUse { certain, unclear } =
            things.find_strongest(effects, &self.project_roots(), default_branch);
        let shown = |words: &str| self.redact_and_shorten(words);
        match (certain, unclear, &effects.unread) {
            (Some(words), ..) => SelectorHit::Yes(shown(&words)),
            (None, Some(words), _) => SelectorHit::Unclear(format!("it may do this: {}", shown(&words))),
            (None, None, Some(why)) => {
                SelectorHit::Unclear(format!("what it does is not shown: {}", shown(why)))
            }
            (None, None, None) => SelectorHit::No,
        }
    }

    /// The folders of the call's project.
    fn project_roots(&self) -> Vec<String> {
        let project = self.subject.place.and_then(|place| place.project.clone());
        project.into_iter().chain(self.settings.project_folders.iter().cloned()).collect()
    }
}

fn match_host(hosts: &NameGlobs, used: &HostUse) -> MatchAnswer {
    used.host.as_deref().map_or(MatchAnswer::Unclear, |host| {
        MatchAnswer::from_bool(hosts.is_match(host)).unclear_if(!used.is_certain)
    })
}

impl ProtectedFiles {
    fn match_use(&self, used: &FileUse, project: &[String]) -> MatchAnswer {
        let has_access = used.access == PathAccess::Unknown || self.accesses.contains(&used.access);
        if !has_access || self.outside_project && used.is_within(project) {
            return MatchAnswer::No;
        }
        let is_doubtful = used.access == PathAccess::Unknown && self.accesses.len() < 4;
        let mut answer = MatchAnswer::No;
        for path in &self.paths {
            match path.match_use(used, self.ignores_folders) {
                MatchAnswer::Yes => return MatchAnswer::Yes.unclear_if(is_doubtful),
                MatchAnswer::Unclear => answer = MatchAnswer::Unclear,
                MatchAnswer::No => {}
            }
        }
        answer
    }
}

impl ProtectedBranches {
    fn match_use(&self, used: &GitUse, default: Option<&str>) -> MatchAnswer {
        let is_default = self.has_default && used.branch.is_some() && used.branch.as_deref() == default;
        let branch = match_name(Some(&self.branches), used.branch.as_deref());
        let branch = if is_default { MatchAnswer::Yes } else { branch };
        all_of([branch, match_member(&self.changes, used.change)])
    }
}

impl ProtectedCluster {
    fn match_use(&self, used: &KubernetesUse) -> MatchAnswer {
        all_of([
            self.match_verb(used.verb.as_deref()),
            match_name(self.context.as_ref(), used.context.as_deref()),
            match_name(self.namespace.as_ref(), used.namespace.as_deref()),
            match_name(self.kind.as_ref(), used.kind.as_deref()),
            match_name(self.name.as_ref(), used.name.as_deref()),
        ])
    }

    fn match_verb(&self, verb: Option<&str>) -> MatchAnswer {
        let Some(verb) = verb else { return MatchAnswer::Unclear };
        let is_named = self.verbs.is_empty() || self.verbs.iter().any(|known| known == verb);
        MatchAnswer::from_bool(is_named && !self.except.iter().any(|known| known == verb))
    }
}

impl ProtectedDatabase {
    fn match_use(&self, used: &SqlUse) -> MatchAnswer {
        all_of([
            match_member(&self.statements, used.kind),
            match_any_name(self.database.as_ref(), &used.databases),
            match_any_name(self.table.as_ref().filter(|_| used.has_all_tables), &used.tables)
                .unclear_if(used.kind.is_none()),
        ])
    }
}

/// Whether one of the names matches. Without any, it is unclear.
fn match_any_name(globs: Option<&NameGlobs>, names: &[String]) -> MatchAnswer {
    match globs {
        None => MatchAnswer::Yes,
        Some(_) if names.is_empty() => MatchAnswer::Unclear,
        Some(globs) => MatchAnswer::from_bool(names.iter().any(|name| globs.is_match(name))),
    }
}
