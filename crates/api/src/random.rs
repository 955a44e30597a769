//! Random ids.

/// Crockford's base 32, which leaves out what people mistake for something else.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// `prefix` and twelve random letters and digits (60 bits): short enough to read out, and the first
/// few tell one from another. All `0` if the system has no randomness, which then shows as a clash.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place that asks for chance")]
pub fn random_id(prefix: &str) -> String {
    let mut bytes = [0_u8; 12];
    let _ = getrandom::fill(&mut bytes);
    let letters = bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)]));
    prefix.chars().chain(letters).collect()
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
