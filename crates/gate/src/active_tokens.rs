//! The log's tokens, as this process has read them.

use arc_swap::ArcSwap;
use countersign_approvals::access::{TokenDirectory, TokenRecord, TokenRejection, TokenSecret};
use countersign_events::{Body, Timestamp, TokenKind};
use countersign_store::{Clock, EventWaiter, Store, StoreError};
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

/// The most events in one read.
const PAGE: usize = 1_000;

/// The pause after a store failure.
const RETRY: Duration = Duration::from_secs(2);

/// The shortest time between two reads because of unknown tokens.
const UNKNOWN_PAUSE: Duration = Duration::from_millis(50);

/// The log's tokens, as this process has read them. Another process may have created or revoked one in the last
/// milliseconds; an unknown token makes this one read again, at most every 50 milliseconds.
pub(crate) struct ActiveTokens {
    current: ArcSwap<LoadedTokens>,
    /// Held while events are read, so that they are applied once and in order.
    reading: Mutex<()>,
    unknown: UnknownTokenReads,
    /// Changes when tokens change, so that open streams check their own.
    changes: watch::Sender<i64>,
    /// The first uses that are being recorded.
    pub(crate) recording: std::sync::Mutex<HashSet<(String, String)>>,
}

/// The reads because of unknown tokens. Requests share them, and they are rare, so that a flood of made-up tokens does
/// not occupy the database.
#[derive(Default)]
struct UnknownTokenReads {
    /// How many have begun.
    begun: AtomicU64,
    /// Held from the pause before a read to its end.
    last: Mutex<UnknownTokenRead>,
}

/// The last read because of an unknown token.
#[derive(Default)]
struct UnknownTokenRead {
    /// When it started.
    at: Option<Timestamp>,
    /// The number of the last read that succeeded.
    succeeded: u64,
}

#[derive(Clone, Default)]
struct LoadedTokens {
    directory: TokenDirectory,
    /// The last `seq` that was read.
    seq: i64,
}

impl ActiveTokens {
    /// Reads the log's tokens. The waiter wakes after each event since then.
    pub(crate) async fn read(store: &Store) -> Result<(Self, EventWaiter), StoreError> {
        let waiter = store.watch_whole_log();
        let tokens = Self {
            current: ArcSwap::default(),
            reading: Mutex::default(),
            unknown: UnknownTokenReads::default(),
            changes: watch::Sender::new(0),
            recording: std::sync::Mutex::default(),
        };
        tokens.reload(store).await?;
        Ok((tokens, waiter))
    }

    /// Reads the events since the last read.
    pub(crate) async fn reload(&self, store: &Store) -> Result<(), StoreError> {
        let _reading = self.reading.lock().await;
        let mut loaded: Option<LoadedTokens> = None;
        loop {
            let after = loaded.as_ref().map_or_else(|| self.current.load().seq, |loaded| loaded.seq);
            let events = store.token_events(after, PAGE).await?;
            let is_last = events.len() < PAGE;
            for event in events {
                let loaded = loaded.get_or_insert_with(|| LoadedTokens::clone(&self.current.load()));
                // A row that cannot be read gives no rights. `verify` names it.
                if let Ok(body) = Body::read(event.seq, event.kind, &event.data) {
                    loaded.directory.evolve(&event, &body);
                }
                loaded.seq = event.seq;
            }
            if is_last {
                break;
            }
        }
        if let Some(loaded) = loaded {
            let seq = loaded.seq;
            self.current.store(Arc::new(loaded));
            self.changes.send_replace(seq);
        }
        Ok(())
    }

    /// Follows the tokens until `stop` is cancelled.
    pub(crate) async fn follow(
        self: Arc<Self>,
        store: Store,
        mut waiter: EventWaiter,
        stop: CancellationToken,
    ) {
        let work = async {
            // A command that ends at once reads the tokens only when it opens the log.
            loop {
                waiter.woken().await;
                while let Err(error) = self.reload(&store).await {
                    tracing::warn!(%error, "the tokens cannot be followed; trying again");
                    Clock::System.sleep(RETRY).await;
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = work => {}
        }
    }

    /// Runs a function on the directory.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&TokenDirectory) -> T) -> T {
        read(&self.current.load().directory)
    }

    /// Returns the token with this secret if it is accepted now.
    pub(crate) async fn authenticate(
        &self,
        store: &Store,
        secret: &TokenSecret,
        kind: TokenKind,
        now: Timestamp,
    ) -> Result<Result<Arc<TokenRecord>, TokenRejection>, StoreError> {
        let find = || self.with(|directory| directory.authenticate(secret, kind, now).cloned());
        match find() {
            // Another process may have created it a moment ago.
            Err(TokenRejection::Unknown) => {
                self.reload_for_unknown(store).await?;
                Ok(find())
            }
            found => Ok(found),
        }
    }

    /// Reads the events since the last read, or shares a read that starts after this call.
    async fn reload_for_unknown(&self, store: &Store) -> Result<(), StoreError> {
        let arrived = self.unknown.begun.load(Ordering::SeqCst);
        let mut last = self.unknown.last.lock().await;
        if last.succeeded > arrived {
            return Ok(());
        }
        if let Some(at) = last.at {
            let since = Clock::System.now().since(at);
            Clock::System.sleep(UNKNOWN_PAUSE.saturating_sub(since)).await;
        }
        last.at = Some(Clock::System.now());
        let number = self.unknown.begun.fetch_add(1, Ordering::SeqCst) + 1;
        self.reload(store).await?;
        last.succeeded = number;
        Ok(())
    }

    /// A receiver that changes when tokens change.
    pub(crate) fn watch(&self) -> watch::Receiver<i64> {
        self.changes.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_store::{DatabaseUrl, StoreOptions};
    use futures_util::future::join_all;

    #[tokio::test]
    async fn unknown_tokens_share_a_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let address = DatabaseUrl::File(folder.path().join("log.db"));
        let store = Store::open(address, StoreOptions::default()).await.expect("a new log");
        let (tokens, _waiter) = ActiveTokens::read(&store).await.expect("readable");
        let secret = TokenSecret::from_random(&[7; TokenSecret::RANDOM_BYTES]);
        let now = store.clock().now();
        let attempts = (0..1_000).map(|_| tokens.authenticate(&store, &secret, TokenKind::Token, now));
        for attempt in join_all(attempts).await {
            assert_eq!(attempt.expect("readable").err(), Some(TokenRejection::Unknown));
        }
        // The first request starts a read at once. The others arrive during it, and share the next one.
        assert_eq!(tokens.unknown.begun.load(Ordering::SeqCst), 2);
        store.close().await;
    }
}
