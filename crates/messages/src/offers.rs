//! Decisions by position: they are about a thread's pending calls, in the order of their requests, as the client view
//! offers them. A position does not say which offer a person saw, so there must be only one possible offer.

/// A change to a thread's pending calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferChange {
    /// People are asked about the call.
    Asked(String),
    /// The call is decided, or has ended.
    Closed(String),
}

/// Returns true if no other set of this many calls was ever pending. `changes` are all changes in the thread, in order.
#[must_use]
pub fn is_only_offer(changes: impl IntoIterator<Item = OfferChange>, offered: &[String]) -> bool {
    let mut pending: Vec<String> = Vec::new();
    let mut is_only = true;
    for change in changes {
        match change {
            OfferChange::Asked(id) => pending.push(id),
            OfferChange::Closed(id) => pending.retain(|open| *open != id),
        }
        is_only &= pending.len() != offered.len() || pending == offered;
    }
    is_only && pending == offered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Upper-case letters ask, lower-case letters close.
    fn is_only(changes: &str, offered: &str) -> bool {
        let id = |letter: char| letter.to_ascii_lowercase().to_string();
        let change = |letter: char| {
            if letter.is_ascii_uppercase() {
                OfferChange::Asked(id(letter))
            } else {
                OfferChange::Closed(id(letter))
            }
        };
        let offered: Vec<_> = offered.chars().map(id).collect();
        is_only_offer(changes.chars().map(change), &offered)
    }

    #[test]
    fn growing_list_is_offered_once() {
        assert!(is_only("AB", "ab"));
        assert!(is_only("AaBC", "bc"), "one call was pending alone, never two others");
    }

    #[test]
    fn list_like_another_is_refused() {
        assert!(!is_only("AaB", "b"), "the first call was pending alone, too");
        assert!(!is_only("ABaC", "bc"), "two others were pending together");
        assert!(!is_only("AB", "ba"), "another order");
        assert!(!is_only("AB", "a"), "not all");
    }
}
