//! The states that clients return in a further round of a request (`requestState`, MCP 2026-07-28).
//!
//! A state is a random text, and the table knows what it stands for: the request content, and a time limit. So a client
//! can neither make one nor change one, a state belongs to one content, and it is used up when it is returned. The table lives
//! as long as the process. A client that returns a state to another process is told to repeat the call without it, and
//! then gets the decision from the log.

use countersign_api::random_id;
use countersign_events::{Sha256, Timestamp};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The beginning of each state.
const PREFIX: &str = "countersign-state-";

/// The time for which a state can be returned.
pub(crate) const STATE_LIFE: Duration = Duration::from_mins(15);

/// The most states that wait to be returned. The oldest one goes first.
const MAX_STATES: usize = 10_000;

struct IssuedState<T> {
    content: Sha256,
    until: Timestamp,
    meaning: T,
}

struct StateTable<T> {
    issued: HashMap<String, IssuedState<T>>,
    order: VecDeque<String>,
}

/// The states that were issued and not returned, with a meaning of type `T`.
pub(crate) struct RequestStates<T>(Mutex<StateTable<T>>);

/// What a state that a client returned means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RedeemedState<T> {
    /// It was issued for this content, and was not used before.
    Valid(T),
    /// It was used before, is too old, is for another content, or another process issued it.
    Refused,
    /// The gateway did not issue it: it belongs to the server.
    OfServer,
}

impl<T> Default for RequestStates<T> {
    fn default() -> Self {
        Self(Mutex::new(StateTable { issued: HashMap::new(), order: VecDeque::new() }))
    }
}

impl<T> RequestStates<T> {
    fn table(&self) -> MutexGuard<'_, StateTable<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Issues a state for requests with this content.
    pub(crate) fn issue(&self, content: Sha256, now: Timestamp, meaning: T) -> String {
        // 120 random bits cannot be guessed.
        let state = random_id(&random_id(PREFIX));
        let mut table = self.table();
        while table.issued.len() >= MAX_STATES {
            let Some(oldest) = table.order.pop_front() else { break };
            table.issued.remove(&oldest);
        }
        table.order.push_back(state.clone());
        table.issued.insert(state.clone(), IssuedState { content, until: now.after(STATE_LIFE), meaning });
        state
    }

    /// Uses a state up. One for another content stays as it is.
    pub(crate) fn redeem(&self, state: &str, content: Sha256, now: Timestamp) -> RedeemedState<T> {
        if !state.starts_with(PREFIX) {
            return RedeemedState::OfServer;
        }
        let mut table = self.table();
        if table.issued.get(state).is_none_or(|issued| issued.content != content) {
            return RedeemedState::Refused;
        }
        match table.remove(state) {
            Some(issued) if issued.until > now => RedeemedState::Valid(issued.meaning),
            _ => RedeemedState::Refused,
        }
    }

    /// Takes a state back that no client returned.
    pub(crate) fn withdraw(&self, state: &str) -> Option<T> {
        self.table().remove(state).map(|issued| issued.meaning)
    }
}

impl<T> StateTable<T> {
    fn remove(&mut self, state: &str) -> Option<IssuedState<T>> {
        let issued = self.issued.remove(state)?;
        self.order.retain(|other| other != state);
        Some(issued)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Sha256 {
        Sha256::digest(text.as_bytes())
    }

    fn noon() -> Timestamp {
        "2026-01-31T12:00:00.000Z".parse().expect("a time")
    }

    #[test]
    fn state_serves_one_use_and_one_content() {
        let states = RequestStates::default();
        let state = states.issue(content("a"), noon(), 7);
        assert_eq!(states.redeem(&state, content("b"), noon()), RedeemedState::Refused);
        assert_eq!(states.redeem(&format!("{state}x"), content("a"), noon()), RedeemedState::Refused);
        assert_eq!(states.redeem(&state, content("a"), noon()), RedeemedState::Valid(7));
        assert_eq!(states.redeem(&state, content("a"), noon()), RedeemedState::Refused);
        assert_eq!(states.redeem("state of the server", content("a"), noon()), RedeemedState::OfServer);
    }

    #[test]
    fn state_expires() {
        let states = RequestStates::default();
        let state = states.issue(content("a"), noon(), ());
        assert_eq!(states.redeem(&state, content("a"), noon().after(STATE_LIFE)), RedeemedState::Refused);
    }

    #[test]
    fn oldest_state_goes_when_the_table_is_full() {
        let states = RequestStates::default();
        let first = states.issue(content("a"), noon(), ());
        let second = states.issue(content("a"), noon(), ());
        for _ in 1..MAX_STATES {
            states.issue(content("a"), noon(), ());
        }
        assert_eq!(states.redeem(&first, content("a"), noon()), RedeemedState::Refused);
        assert_eq!(states.redeem(&second, content("a"), noon()), RedeemedState::Valid(()));
        let table = states.table();
        assert_eq!(table.order.len(), table.issued.len());
    }
}
