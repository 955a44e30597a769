//! Protected packages, processes and resources of clouds.

use crate::{
    effects::{CloudChange, CloudUse, PackageChange, PackageUse, ProcessChange, ProcessUse},
    names::NameGlobs,
};
use countersign_patterns::MatchAnswer;

/// Protected packages. Each selector that is present must match.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtectedPackages {
    pub(crate) ecosystem: Option<NameGlobs>,
    pub(crate) name: Option<NameGlobs>,
    pub(crate) changes: Vec<PackageChange>,
}

/// Protected processes. Each selector that is present must match.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtectedProcesses {
    pub(crate) kind: Option<NameGlobs>,
    pub(crate) name: Option<NameGlobs>,
    pub(crate) changes: Vec<ProcessChange>,
}

/// Protected resources of clouds. Each selector that is present must match.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProtectedCloud {
    pub(crate) provider: Option<NameGlobs>,
    pub(crate) account: Option<NameGlobs>,
    pub(crate) service: Option<NameGlobs>,
    pub(crate) resource: Option<NameGlobs>,
    pub(crate) verb: Option<NameGlobs>,
    pub(crate) except: Option<NameGlobs>,
    pub(crate) changes: Vec<CloudChange>,
}

impl ProtectedPackages {
    pub(super) fn match_use(&self, used: &PackageUse) -> MatchAnswer {
        all_of([
            match_name(self.ecosystem.as_ref(), Some(used.ecosystem)),
            match_name(self.name.as_ref(), used.name.as_deref()),
            match_member(&self.changes, used.change),
        ])
        .unclear_if(!used.is_certain)
    }
}

impl ProtectedProcesses {
    pub(super) fn match_use(&self, used: &ProcessUse) -> MatchAnswer {
        let change = used
            .change
            .map_or(MatchAnswer::Unclear, |change| MatchAnswer::from_bool(change.is_one_of(&self.changes)));
        // A machine has no name, and everything on it stops with it.
        if used.kind == "machine" {
            let stops = change.unclear_if(self.name.is_some());
            return if self.name.is_some() {
                stops
            } else {
                all_of([match_name(self.kind.as_ref(), Some("machine")), stops])
            };
        }
        all_of([match_name(self.kind.as_ref(), Some(used.kind)), self.match_name_of(used), change])
    }

    /// `pkill post` also ends `postgres`.
    fn match_name_of(&self, used: &ProcessUse) -> MatchAnswer {
        match (&self.name, &used.name) {
            (Some(globs), Some(part)) if used.is_part && !globs.is_match(part) => {
                let may_contain =
                    !globs.is_literal() || globs.literals().any(|name| name.contains(part.as_str()));
                if may_contain { MatchAnswer::Unclear } else { MatchAnswer::No }
            }
            (globs, name) => match_name(globs.as_ref(), name.as_deref()),
        }
    }
}

impl ProtectedCloud {
    pub(super) fn match_use(&self, used: &CloudUse) -> MatchAnswer {
        let is_excepted = |verb: &str| self.except.as_ref().is_some_and(|except| except.is_match(verb));
        if used.verb.as_deref().is_some_and(is_excepted) {
            return MatchAnswer::No;
        }
        all_of([
            match_name(self.provider.as_ref(), Some(used.provider)),
            match_name(self.account.as_ref(), used.account.as_deref()),
            match_name(self.service.as_ref(), used.service.as_deref()),
            match_name(self.resource.as_ref(), used.resource.as_deref()),
            match_name(self.verb.as_ref(), used.verb.as_deref()),
            match_member(&self.changes, used.change),
        ])
    }
}

/// Yes if all are; no if one is not.
pub(super) fn all_of<const N: usize>(answers: [MatchAnswer; N]) -> MatchAnswer {
    if answers.contains(&MatchAnswer::No) {
        MatchAnswer::No
    } else if answers.contains(&MatchAnswer::Unclear) {
        MatchAnswer::Unclear
    } else {
        MatchAnswer::Yes
    }
}

pub(super) fn match_name(globs: Option<&NameGlobs>, name: Option<&str>) -> MatchAnswer {
    match (globs, name) {
        (None, _) => MatchAnswer::Yes,
        (Some(globs), Some(name)) => MatchAnswer::from_bool(globs.is_match(name)),
        (Some(_), None) => MatchAnswer::Unclear,
    }
}

pub(super) fn match_member<T: PartialEq>(members: &[T], found: Option<T>) -> MatchAnswer {
    found.map_or(MatchAnswer::Unclear, |found| MatchAnswer::from_bool(members.contains(&found)))
}
