//! Random ids.

/// The digits of Crockford's base 32, which omits letters that people confuse with digits.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Returns `prefix` and twelve random letters and digits (60 bits). The id is short enough to read aloud, and its first
/// characters usually identify it. If the system has no randomness, all characters are `0`, and the ids collide
/// visibly.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the only source of randomness")]
pub fn random_id(prefix: &str) -> String {
    let mut bytes = [0_u8; 12];
    let _ = getrandom::fill(&mut bytes);
    let letters = bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)]));
    prefix.chars().chain(letters).collect()
}

/// Fills `bytes` with randomness of the system. Fails if the system has none.
#[expect(clippy::disallowed_methods, reason = "this is the only source of randomness")]
pub fn fill_random(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    getrandom::fill(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_alike() {
        let ids: std::collections::HashSet<_> = (0..1_000).map(|_| random_id("call_")).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 17 && id.starts_with("call_")));
    }
}
