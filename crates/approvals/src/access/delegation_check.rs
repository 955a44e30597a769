//! Who may decide in whose place now.

use super::{Right, TokenDirectory, TokenHolder};
use countersign_events::{Principal, ThreadId, Timestamp, TokenKind};

impl TokenDirectory {
    /// Returns true if `to` may decide in this thread in the place of `from`: `from` has handed over their queue, and has not lost the
    /// right to decide there since.
    #[must_use]
    pub fn is_delegated(&self, from: &Principal, to: &Principal, thread: &ThreadId, now: Timestamp) -> bool {
        self.delegations().is_delegated(from, to, now) && self.still_decides(from, thread, now)
    }

    /// The people in whose place `to` may decide in this thread.
    pub(crate) fn delegators_to<'a>(
        &'a self,
        to: &'a Principal,
        thread: &'a ThreadId,
        now: Timestamp,
    ) -> impl Iterator<Item = &'a Principal> {
        let received = self.delegations().active(now).filter(move |record| record.set.to == *to);
        received.map(|record| &record.from).filter(move |from| self.still_decides(from, thread, now))
    }

    /// Returns false for a person whose tokens to decide were all revoked, have expired, or do not show the thread. A person without
    /// such a token signs in elsewhere, and an ended session is no loss: people on leave are not signed in.
    fn still_decides(&self, person: &Principal, thread: &ThreadId, now: Timestamp) -> bool {
        let decides =
            |holder: &TokenHolder| holder.may(Right::Decide) && holder.principal(Right::Decide) == *person;
        let mut tokens = self
            .records()
            .filter(|token| token.created.kind == TokenKind::Token && decides(&token.holder))
            .peekable();
        tokens.peek().is_none()
            || tokens.any(|token| self.check(token, now).is_ok() && token.holder.threads.admits(thread))
    }
}
