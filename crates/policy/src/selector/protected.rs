//! Matches the effects of a call with the things that a protection names.

use crate::{
    effects::{GitChange, SqlKind, describe_file},
    facts::CallFacts,
    names::NameGlobs,
    outcome::SelectorHit,
};
use countersign_patterns::{FileUse, MatchAnswer, ProtectedPath, command::PathAccess};

/// The things that a protection names. A call that has an effect on any of them matches.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtectedThings {
    pub(crate) files: Option<ProtectedFiles>,
    pub(crate) hosts: Option<NameGlobs>,
    pub(crate) git: Option<ProtectedBranches>,
    pub(crate) kubernetes: Option<ProtectedCluster>,
    pub(crate) sql: Option<ProtectedDatabase>,
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

impl CallFacts<'_> {
    /// Matches if the call has an effect on one of the things.
    pub(crate) fn match_protected(&self, things: &ProtectedThings) -> SelectorHit {
        let effects = self.effects();
        let mut best = SelectorHit::No;
        let mut keep = |answer: MatchAnswer, words: &dyn Fn() -> String| match answer {
            MatchAnswer::Yes if !matches!(best, SelectorHit::Yes(_)) => {
                best = SelectorHit::Yes(self.redact_and_shorten(&words()));
            }
            MatchAnswer::Unclear if best == SelectorHit::No => {
                best = SelectorHit::Unclear(format!("it may do this: {}", self.redact_and_shorten(&words())));
            }
            _ => {}
        };
        if let Some(files) = &things.files {
            let roots = self.project_roots();
            for used in &effects.files {
                keep(files.match_use(used, &roots), &|| describe_file(used));
            }
        }
        for used in effects.hosts.iter().filter(|_| things.hosts.is_some()) {
            let is_match = |hosts: &NameGlobs| {
                used.host.as_deref().map_or(MatchAnswer::Unclear, |host| {
                    MatchAnswer::from_bool(hosts.is_match(host)).unclear_if(!used.is_certain)
                })
            };
            keep(things.hosts.as_ref().map_or(MatchAnswer::No, is_match), &|| used.to_string());
        }
        for used in &effects.git {
            let answer = things.git.as_ref().map(|git| {
                all_of([
                    match_name(Some(&git.branches), used.branch.as_deref()),
                    match_member(&git.changes, used.change),
                ])
            });
            keep(answer.unwrap_or(MatchAnswer::No), &|| used.to_string());
        }
        for used in &effects.kubernetes {
            let answer = things.kubernetes.as_ref().map(|cluster| {
                all_of([
                    cluster.match_verb(used.verb.as_deref()),
                    match_name(cluster.context.as_ref(), used.context.as_deref()),
                    match_name(cluster.namespace.as_ref(), used.namespace.as_deref()),
                    match_name(cluster.kind.as_ref(), used.kind.as_deref()),
                    match_name(cluster.name.as_ref(), used.name.as_deref()),
                ])
            });
            keep(answer.unwrap_or(MatchAnswer::No), &|| used.to_string());
        }
        for used in &effects.sql {
            let answer = things.sql.as_ref().map(|database| {
                all_of([
                    match_member(&database.statements, used.kind),
                    match_any_name(database.database.as_ref(), &used.databases),
                    match_any_name(database.table.as_ref().filter(|_| used.kind.is_some()), &used.tables)
                        .unclear_if(used.kind.is_none()),
                ])
            });
            keep(answer.unwrap_or(MatchAnswer::No), &|| used.to_string());
        }
        match (best, &effects.unread) {
            (SelectorHit::No, Some(why)) => {
                SelectorHit::Unclear(format!("what it does is not shown: {}", self.redact_and_shorten(why)))
            }
            (best, _) => best,
        }
    }

    /// The folders of the call's project.
    fn project_roots(&self) -> Vec<String> {
        let project = self.subject.place.and_then(|place| place.project.clone());
        project.into_iter().chain(self.settings.project_folders.iter().cloned()).collect()
    }
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

impl ProtectedCluster {
    fn match_verb(&self, verb: Option<&str>) -> MatchAnswer {
        let Some(verb) = verb else { return MatchAnswer::Unclear };
        let is_named = self.verbs.is_empty() || self.verbs.iter().any(|known| known == verb);
        MatchAnswer::from_bool(is_named && !self.except.iter().any(|known| known == verb))
    }
}

/// Yes if all are; no if one is not.
fn all_of<const N: usize>(answers: [MatchAnswer; N]) -> MatchAnswer {
    if answers.contains(&MatchAnswer::No) {
        MatchAnswer::No
    } else if answers.contains(&MatchAnswer::Unclear) {
        MatchAnswer::Unclear
    } else {
        MatchAnswer::Yes
    }
}

fn match_name(globs: Option<&NameGlobs>, name: Option<&str>) -> MatchAnswer {
    match (globs, name) {
        (None, _) => MatchAnswer::Yes,
        (Some(globs), Some(name)) => MatchAnswer::from_bool(globs.is_match(name)),
        (Some(_), None) => MatchAnswer::Unclear,
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

fn match_member<T: PartialEq>(members: &[T], found: Option<T>) -> MatchAnswer {
    found.map_or(MatchAnswer::Unclear, |found| MatchAnswer::from_bool(members.contains(&found)))
}
