//! The signing secrets of one webhook: the current one, and for a time the one before it.

use crate::SigningSecret;
use countersign_events::Timestamp;

/// The secrets with which the messages of one webhook are signed. `{:?}` omits them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SigningSecrets {
    pub(crate) current: SigningSecret,
    /// The secret before it, and the time until which it signs, too.
    pub(crate) old: Option<(SigningSecret, Timestamp)>,
}

impl SigningSecrets {
    /// The `webhook-signature` header value: a signature of each secret that signs now, the current one first. Standard
    /// Webhooks separates them with spaces, and a receiver accepts the message if one of them is valid.
    pub(crate) fn sign(&self, id: &str, now: Timestamp, body: &str) -> String {
        let timestamp = seconds_of(now);
        let old = self.old.as_ref().filter(|(_, until)| *until > now).map(|(old, _)| old);
        let secrets = [Some(&self.current), old].into_iter().flatten();
        secrets.map(|secret| secret.sign(id, timestamp, body)).collect::<Vec<_>>().join(" ")
    }
}

/// The `webhook-timestamp` header value.
pub(crate) const fn seconds_of(now: Timestamp) -> i64 {
    now.as_millis() / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_secret_signs_until_its_end() {
        let [old, current] = [0, 1].map(|_| SigningSecret::random().expect("randomness"));
        let (before, end) = (Timestamp::from_millis(59_999), Timestamp::from_millis(60_000));
        let secrets = SigningSecrets { current: current.clone(), old: Some((old.clone(), end)) };
        let both = format!("{} {}", current.sign("m", 59, "{}"), old.sign("m", 59, "{}"));
        assert_eq!(secrets.sign("m", before, "{}"), both);
        assert_eq!(secrets.sign("m", end, "{}"), current.sign("m", 60, "{}"));
    }
}
