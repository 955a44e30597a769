//! The text that replaces a secret.

/// The text that replaces a secret.
pub const MASK: &str = "[redacted]";
