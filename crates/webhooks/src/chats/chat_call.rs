//! A request to the API of a chat platform, and its answer.

use reqwest::{Method, header::HeaderValue};
use serde_json::Value;
use std::{fmt, time::Duration};
use url::Url;

/// A request to a platform. Its address may contain a token, which `{:?}` omits.
#[derive(Clone)]
pub(crate) struct ChatCall {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) body: Option<Value>,
}

impl ChatCall {
    /// A request with a JSON body.
    pub(crate) const fn post(url: Url, body: Value) -> Self {
        Self { method: Method::POST, url, authorization: None, body: Some(body) }
    }

    /// A request without a body.
    pub(crate) const fn get(url: Url) -> Self {
        Self { method: Method::GET, url, authorization: None, body: None }
    }

    /// The same request with another method.
    pub(crate) fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// The same request with a token: `Bearer …` or `Bot …`.
    pub(crate) fn with_token(self, scheme: &str, token: &str) -> Self {
        let mut value = HeaderValue::from_str(&format!("{scheme} {token}")).ok();
        if let Some(value) = &mut value {
            value.set_sensitive(true);
        }
        Self { authorization: value, ..self }
    }
}

impl fmt::Debug for ChatCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChatCall({} {})", self.method, self.url.host_str().unwrap_or_default())
    }
}

/// The answer of a platform.
#[derive(Debug)]
pub(crate) struct PlatformAnswer {
    pub(crate) status: u16,
    /// The body; null if it is too large or no JSON.
    pub(crate) body: Value,
    /// The pause that a header asks for.
    pub(crate) retry_after: Option<Duration>,
}

/// Why a platform did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlatformFailure {
    /// The reason for people, without text of the platform except for an error word.
    pub(crate) reason: String,
    pub(crate) retry_after: Option<Duration>,
}

/// An error word of a platform for a reason: only letters, digits, blanks and underscores, 80 at most.
pub(crate) fn error_word(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '-' | '.'))
        .take(80)
        .collect()
}
