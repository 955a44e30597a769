//! The state of a sign-in or a sign-out between its two requests, which the browser keeps in a sealed cookie.

use countersign_events::Timestamp;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The time in which a sign-in or a sign-out is completed.
pub(crate) const LOGIN_SPAN: Duration = Duration::from_mins(10);

/// Sign-in state.
#[derive(Serialize, Deserialize)]
pub(crate) struct LoginState {
    /// `state` of the request to the provider, which its answer repeats.
    pub(crate) state: String,
    /// The nonce, which the ID token repeats.
    pub(crate) nonce: String,
    /// The secret of PKCE (RFC 7636).
    pub(crate) verifier: String,
    /// The address to which the provider sends the browser back.
    pub(crate) redirect_uri: String,
    /// When the sign-in started, in milliseconds.
    pub(crate) began_at: i64,
}

/// Sign-out state.
#[derive(Serialize, Deserialize)]
pub(crate) struct LogoutState {
    /// `state` of the request to the provider, which sends the browser back with it.
    pub(crate) state: String,
    /// When the sign-out started, in milliseconds.
    pub(crate) began_at: i64,
}

/// Returns true if what began at this moment may still be completed.
pub(crate) fn is_recent(began_at: i64, now: Timestamp) -> bool {
    now < Timestamp::from_millis(began_at).after(LOGIN_SPAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_lasts_ten_minutes() {
        let now = Timestamp::from_millis(0);
        assert!(is_recent(0, now) && !is_recent(0, now.after(LOGIN_SPAN)));
    }
}
