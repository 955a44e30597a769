//! For whom a device gets notifications now, or a chat account decides, and why not any more.

use super::{PushDeviceRecord, Right, SOLO_MARK, TokenDirectory, TokenHolder, TokenRecord, TokenRejection};
use countersign_events::{Principal, Timestamp, TokenKind};
use std::sync::Arc;

/// The reason why a device gets no notifications any more, or a chat account decides no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DeviceRejection {
    /// The session under which it was set up is over.
    #[error("the session of its person is over")]
    SessionOver,
    /// The person has signed out, or the credential behind the session was revoked.
    #[error("its person has signed out, or the credential was revoked")]
    SignedOut,
    /// The person may not decide any more.
    #[error("its person may not decide any more")]
    Demoted,
    /// It was set up without a credential, and the server asks for one.
    #[error("it was set up on a server in solo mode")]
    WithoutCredential,
}

impl TokenDirectory {
    /// Returns the holder for whom a device gets notifications now. A device outlives the idle time of its session, and not the
    /// session's latest end, a sign-out or a revoked credential. `is_solo` is true on a server that asks for no credential.
    pub fn check_device(
        &self,
        device: &PushDeviceRecord,
        is_solo: bool,
        now: Timestamp,
    ) -> Result<Arc<TokenHolder>, DeviceRejection> {
        self.check_standing(&device.person, device.set.token.as_deref(), is_solo, now)
    }

    /// Returns the holder that stands behind what this person set up under a token or session, as long as that lasts.
    pub(super) fn check_standing(
        &self,
        person: &Principal,
        token: Option<&str>,
        is_solo: bool,
        now: Timestamp,
    ) -> Result<Arc<TokenHolder>, DeviceRejection> {
        let Some(token) = token else {
            let name = person.actor_name().strip_suffix(SOLO_MARK);
            let name = name.filter(|_| is_solo).ok_or(DeviceRejection::WithoutCredential)?;
            return Ok(Arc::new(TokenHolder::solo(name)));
        };
        let record = self.find(token).ok_or(DeviceRejection::SessionOver)?;
        if record.holder.principal(Right::Decide) != *person {
            return Err(DeviceRejection::SignedOut);
        }
        if record.created.ends_at.or(record.created.expires_at).is_some_and(|end| end <= now) {
            return Err(DeviceRejection::SessionOver);
        }
        let is_revoked = |record: &TokenRecord| self.check(record, now) == Err(TokenRejection::Revoked);
        // A session that continues the device's one may be the one that has signed out.
        let start = self.start_of_session(record);
        let continues = |other: &&TokenRecord| {
            start.is_some()
                && self.start_of_session(other).map(|first| first.seq) == start.map(|first| first.seq)
        };
        let has_ended =
            self.is_expired_for_good(record, now) || self.records().filter(continues).any(is_revoked);
        if is_revoked(record) || has_ended {
            return Err(DeviceRejection::SignedOut);
        }
        if !record.holder.may(Right::Decide) || self.is_demoted(record) {
            return Err(DeviceRejection::Demoted);
        }
        Ok(Arc::clone(&record.holder))
    }

    /// Returns true for a token that has expired. A session that expired only idles: a later one may continue it.
    fn is_expired_for_good(&self, record: &TokenRecord, now: Timestamp) -> bool {
        record.created.kind != TokenKind::Session && self.check(record, now).is_err()
    }

    /// Returns true if the account of a session has signed in later with a role that may not decide.
    fn is_demoted(&self, record: &TokenRecord) -> bool {
        let Some(account) = &record.created.account else { return false };
        let later = self.records().filter(|other| other.created.account.as_ref() == Some(account));
        later.max_by_key(|other| other.seq).is_some_and(|last| !last.holder.may(Right::Decide))
    }
}
