//! The tokens of the log, as this process has read them.

use arc_swap::ArcSwap;
use countersign_approvals::access::{TokenDirectory, TokenRecord, TokenRejection, TokenSecret};
use countersign_events::{Body, Timestamp, event::TokenKind};
use countersign_store::{Clock, EventWaiter, Store, StoreError};
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

/// The most events that are read at once.
const PAGE: usize = 1_000;

/// The pause after a failure of the store.
const RETRY: Duration = Duration::from_secs(2);

/// The tokens of the log, as this process has read them. Another process may have created or revoked one in the last
/// milliseconds; an unknown token makes this one read again.
pub(crate) struct ActiveTokens {
    current: ArcSwap<LoadedTokens>,
    /// Held while events are read, so that they are applied once and in order.
    reading: Mutex<()>,
    /// Changes when tokens change, so that open streams check their own.
    changes: watch::Sender<i64>,
    /// The first uses that are being recorded.
    pub(crate) recording: std::sync::Mutex<HashSet<(String, String)>>,
}

#[derive(Clone, Default)]
struct LoadedTokens {
    directory: TokenDirectory,
    /// The `seq` of the last event that was read.
    seq: i64,
}

impl ActiveTokens {
    /// Reads the tokens of the log. The waiter wakes after each event since then.
    pub(crate) async fn read(store: &Store) -> Result<(Self, EventWaiter), StoreError> {
        let waiter = store.watch_whole_log();
        let tokens = Self {
            current: ArcSwap::default(),
            reading: Mutex::default(),
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
                self.reload(store).await?;
                Ok(find())
            }
            found => Ok(found),
        }
    }

    /// A receiver that changes when tokens change.
    pub(crate) fn watch(&self) -> watch::Receiver<i64> {
        self.changes.subscribe()
    }
}
