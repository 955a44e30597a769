//! The reasons why a sign-in fails.

/// The reason why a sign-in fails. Its text is for the person who signs in, and has no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignInError {
    /// The provider does not answer, or not as OpenID Connect requires.
    #[error("{0}")]
    Unavailable(String),
    /// This browser did not start the sign-in, or not recently, or the provider's answer is not accepted.
    #[error("{0}")]
    Failed(String),
    /// The account gives no rights here.
    #[error("{0}")]
    Refused(String),
}

impl SignInError {
    pub(crate) fn unavailable(issuer: &str, why: &str) -> Self {
        Self::Unavailable(format!(
            "{issuer} {why}; try again later, or sign in with a link or a token; `countersign doctor` checks the provider"
        ))
    }

    pub(crate) fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }
}
