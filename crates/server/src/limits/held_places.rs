//! The number of streams, or of waiting requests, that each caller has.

use super::CallerKey;
use crate::{
    connected_clients::{OpenUse, UseKind},
    identity::CallerIdentity,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The number of slots that each caller holds. Callers without a slot are not listed.
#[derive(Debug, Default)]
pub(super) struct CallerPlaces(Arc<Mutex<HashMap<CallerKey, u32>>>);

/// A slot that a caller holds until this is dropped.
#[derive(Debug)]
pub struct HeldPlace {
    caller: CallerKey,
    places: Arc<Mutex<HashMap<CallerKey, u32>>>,
    /// The same use, as the list of connected programs shows it.
    shown: Option<OpenUse>,
}

impl CallerPlaces {
    /// Takes a slot; `None` if the caller holds `most`.
    pub(super) fn hold(&self, caller: &CallerIdentity, kind: UseKind, most: u32) -> Option<HeldPlace> {
        let mut place = self.hold_for(CallerKey::of_identity(caller), most)?;
        place.shown = caller.client.as_ref().map(|client| client.begin(kind));
        Some(place)
    }

    fn hold_for(&self, caller: CallerKey, most: u32) -> Option<HeldPlace> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.get(&caller).copied().unwrap_or(0) >= most {
            return None;
        }
        *places.entry(caller).or_default() += 1;
        Some(HeldPlace { caller, places: Arc::clone(&self.0), shown: None })
    }
}

impl Drop for HeldPlace {
    fn drop(&mut self) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = places.get_mut(&self.caller) {
            *held -= 1;
            if *held == 0 {
                places.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_per_caller_and_returned() {
        let (places, [ada, bob]) = (CallerPlaces::default(), [1, 2].map(CallerKey::numbered));
        let held = [places.hold_for(ada, 2), places.hold_for(ada, 2)];
        assert!(held.iter().all(Option::is_some));
        assert!(places.hold_for(ada, 2).is_none());
        assert!(places.hold_for(bob, 2).is_some());
        drop(held);
        assert!(places.hold_for(ada, 2).is_some());
        assert!(places.0.lock().expect("no panic").is_empty());
    }
}
