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
    pub(crate) folders: Vec<PathPattern>,
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
        match (self.match_host(place), self.match_folder(place)) {
            (SelectorHit::No, _) | (_, SelectorHit::No) => SelectorHit::No,
            (SelectorHit::Yes(_), SelectorHit::Yes(_)) => {
                SelectorHit::Yes(format!("place `{place}` matches"))
            }
            (SelectorHit::Yes(_), unclear) | (unclear, _) => unclear,
        }
    }

    fn match_host(&self, place: &Place) -> SelectorHit {
        match (&self.host, &place.host) {
            (None, _) => SelectorHit::Yes(String::new()),
            (Some(wanted), Some(host)) if wanted.is_match(host) => SelectorHit::Yes(String::new()),
            (Some(_), Some(_)) => SelectorHit::No,
            (Some(_), None) => {
                SelectorHit::Failed("the call does not say on which machine it runs".to_owned())
            }
        }
    }

    fn match_folder(&self, place: &Place) -> SelectorHit {
        if self.folders.is_empty() {
            return SelectorHit::Yes(String::new());
        }
        let Some(folder) = &place.folder else {
            return SelectorHit::Failed("the call does not say in which folder it runs".to_owned());
        };
        let folder = ParsedPath::parse(folder);
        match any_match(self.folders.iter().map(|pattern| pattern.matches(&folder))) {
            MatchAnswer::Yes => SelectorHit::Yes(String::new()),
            MatchAnswer::No => SelectorHit::No,
            MatchAnswer::Unclear => {
                SelectorHit::Unclear("the folder of the call cannot be read with certainty".to_owned())
            }
        }
    }
}
