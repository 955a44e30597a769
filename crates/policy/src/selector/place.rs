//! The place that a rule matches.

use crate::{names::NameGlobs, outcome::SelectorHit, selector::operand::any_match};
use countersign_events::Place;
use countersign_patterns::{MatchAnswer, ParsedPath, PathPattern};

/// The place in which a rule applies. Every field that it names must match.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlaceSelector {
    pub(crate) server: Option<NameGlobs>,
    pub(crate) address: Option<NameGlobs>,
    pub(crate) program: Option<NameGlobs>,
    pub(crate) host: Option<NameGlobs>,
    pub(crate) agent: Option<NameGlobs>,
    pub(crate) folders: Vec<PathPattern>,
    pub(crate) projects: Vec<PathPattern>,
}

impl PlaceSelector {
    /// A call that names no place might run in any. One that names a place without a server, address or program runs in
    /// none of them, because a hook or a client names those that it has.
    pub(crate) fn match_place(&self, place: Option<&Place>) -> SelectorHit {
        let Some(place) = place else {
            return SelectorHit::Failed("the call does not say where it runs".to_owned());
        };
        let fields =
            [(&self.server, &place.server), (&self.address, &place.address), (&self.program, &place.program)];
        let is_elsewhere = |(wanted, named): &(&Option<NameGlobs>, &Option<String>)| {
            wanted.as_ref().is_some_and(|wanted| !named.as_ref().is_some_and(|named| wanted.is_match(named)))
        };
        if fields.iter().any(is_elsewhere) {
            return SelectorHit::No;
        }
        let hits = [
            match_name(self.host.as_ref(), place.host.as_deref(), "on which machine it runs"),
            match_name(self.agent.as_ref(), place.agent.as_deref(), "which agent makes it"),
            match_folder(&self.folders, place.folder.as_deref(), "folder"),
            match_folder(&self.projects, place.project.as_deref(), "project"),
        ];
        let (mut unclear, mut is_no) = (None, false);
        for hit in hits {
            match hit {
                SelectorHit::No => is_no = true,
                SelectorHit::Yes(_) => {}
                other => unclear = unclear.or(Some(other)),
            }
        }
        if is_no {
            return SelectorHit::No;
        }
        unclear.unwrap_or_else(|| SelectorHit::Yes(format!("place `{place}` matches")))
    }
}

/// Matches a name that every call has, although not every proposer says it.
fn match_name(wanted: Option<&NameGlobs>, named: Option<&str>, unknown: &str) -> SelectorHit {
    match (wanted, named) {
        (None, _) => SelectorHit::Yes(String::new()),
        (Some(wanted), Some(named)) if wanted.is_match(named) => SelectorHit::Yes(String::new()),
        (Some(_), Some(_)) => SelectorHit::No,
        (Some(_), None) => SelectorHit::Failed(format!("the call does not say {unknown}")),
    }
}

fn match_folder(wanted: &[PathPattern], folder: Option<&str>, called: &str) -> SelectorHit {
    if wanted.is_empty() {
        return SelectorHit::Yes(String::new());
    }
    let Some(folder) = folder else {
        return SelectorHit::Failed(format!("the call does not say in which {called} it runs"));
    };
    let folder = ParsedPath::parse(folder);
    match any_match(wanted.iter().map(|pattern| pattern.matches(&folder))) {
        MatchAnswer::Yes => SelectorHit::Yes(String::new()),
        MatchAnswer::No => SelectorHit::No,
        MatchAnswer::Unclear => {
            SelectorHit::Unclear(format!("the {called} of the call cannot be read with certainty"))
        }
    }
}
