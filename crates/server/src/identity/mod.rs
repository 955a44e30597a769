//! Caller identity: from a token, a browser session, a trusted proxy's header, or, on a server in solo mode, from the
//! absence of all three. Nothing in a body or in any other header says who the caller is.

mod caller_identity;
mod cookie;
mod credential;
mod identify;
mod proxy_header;

pub(crate) use caller_identity::{CallerIdentity, IdentifiedRequest};
pub(crate) use cookie::{ACCOUNT_COOKIE, SESSION_COOKIE, SIGN_IN_COOKIE, SIGN_OUT_COOKIE, session_cookie};
pub(crate) use credential::{PAGE_KEY, parse_token};
pub(crate) use identify::identify_caller;
pub use proxy_header::IdentityHeader;

use countersign_gate::SessionSpans;
use std::time::Duration;

/// How long browser sessions last.
pub(crate) const SESSION_SPANS: SessionSpans =
    SessionSpans { idle: Duration::from_hours(12), longest: Duration::from_hours(7 * 24) };

/// The same for a person who signed in at an identity provider. The rights come from the claims at that time, so a
/// change at the provider takes effect within this time.
pub(crate) const ACCOUNT_SESSION_SPANS: SessionSpans =
    SessionSpans { longest: Duration::from_hours(24), ..SESSION_SPANS };
