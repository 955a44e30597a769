//! The doorbell on PostgreSQL: LISTEN on a separate connection, which is reopened when it is lost. A notification is a
//! hint; a slow poll finds events whose notification was lost.

use super::session::SessionFactory;
use crate::{
    PostgresAddress,
    clock::{machine_sleep, with_timeout},
    database,
};
use sqlx::{
    Executor, PgPool,
    postgres::{PgListener, PgPoolOptions},
};
use std::time::Duration;
use tokio::{sync::watch, task::JoinHandle};

/// The longest wait for a test notification, and the interval between checks of the connection.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of poll intervals between two reads while notifications arrive.
const POLLS_PER_READ: u32 = 20;

/// The notifications that the listening task has received.
#[derive(Debug, Clone, Copy, Default)]
struct ListenerSignal {
    /// The `seq` in the last notification.
    tip: i64,
    /// The number of notifications. Any user may send one with a false `seq`, so each causes at most one read.
    rings: u64,
    /// Whether notifications arrive now.
    listening: bool,
    /// The number of changes of `listening`. After each, a notification may have been lost.
    changes: u64,
}

pub(crate) struct PostgresChangeListener {
    signal: watch::Receiver<ListenerSignal>,
    changes: u64,
    rings: u64,
    poll: Duration,
    /// `None` if the only way to the database is a pooler.
    listener: Option<JoinHandle<()>>,
}

impl PostgresChangeListener {
    /// Creates a listener. It does not listen through a pooler, which would lend the listening connection to another
    /// client, and that client would receive the notifications. The address can name a direct connection instead.
    pub(super) fn new(
        address: &PostgresAddress,
        sessions: &SessionFactory,
        channel: String,
        poll: Duration,
    ) -> Self {
        let (sender, signal) = watch::channel(ListenerSignal::default());
        let can_listen = !sessions.pooled || address.listen.is_some();
        let listener = can_listen
            .then(|| tokio::spawn(listen(NotificationBell::new(address, sessions, channel), sender)));
        if listener.is_none() {
            tracing::info!(
                "the address names no direct connection to listen on (listen_host); events of other instances arrive by the poll"
            );
        }
        Self { signal, changes: 0, rings: 0, poll, listener }
    }
}

impl Drop for PostgresChangeListener {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}

impl database::ChangeListener for PostgresChangeListener {
    async fn wait_for_change(&mut self, tip: &(impl Fn() -> i64 + Sync)) {
        loop {
            let signal = *self.signal.borrow_and_update();
            let rung = signal.rings != self.rings && signal.tip > tip();
            if signal.changes != self.changes || rung {
                (self.changes, self.rings) = (signal.changes, signal.rings);
                return;
            }
            let pause = if signal.listening { self.poll * POLLS_PER_READ } else { self.poll };
            tokio::select! {
                changed = self.signal.changed() => if changed.is_err() {
                    // There is no listening task, or it has ended because the store is being closed.
                    return machine_sleep(pause).await;
                },
                () = machine_sleep(pause) => return,
            }
        }
    }
}

/// The connection that listens, and the one that sends a test notification.
pub(super) struct NotificationBell {
    listen_pool: PgPool,
    notify_pool: PgPool,
    channel: String,
}

/// Listens, and reconnects after each error.
async fn listen(bell: NotificationBell, signal: watch::Sender<ListenerSignal>) {
    let mut warned = false;
    loop {
        let error = bell.listen_until_error(&signal, &mut warned).await;
        signal.send_if_modified(|signal| {
            let was = std::mem::take(&mut signal.listening);
            signal.changes += u64::from(was);
            was
        });
        if !std::mem::replace(&mut warned, true) {
            tracing::warn!(%error, "notifications of the database do not arrive; events of other instances arrive by the poll");
        }
        machine_sleep(LISTEN_TIMEOUT).await;
    }
}

impl NotificationBell {
    pub(super) fn new(address: &PostgresAddress, sessions: &SessionFactory, channel: String) -> Self {
        let single = || PgPoolOptions::new().max_connections(1).acquire_timeout(LISTEN_TIMEOUT);
        let listen_options = address.listen.clone().unwrap_or_else(|| sessions.connect.clone());
        let notify_pool = single().connect_lazy_with(sessions.connect.clone());
        Self { listen_pool: single().connect_lazy_with(listen_options), notify_pool, channel }
    }

    /// Sends a test notification, and fails if it does not arrive.
    pub(super) async fn test_delivery(&self) -> Result<(), sqlx::Error> {
        self.connect_listener().await.map(|_| ())
    }

    /// Opens a listener and checks that a test notification reaches it.
    async fn connect_listener(&self) -> Result<PgListener, sqlx::Error> {
        let mut listener = with_timeout(LISTEN_TIMEOUT, PgListener::connect_with(&self.listen_pool)).await?;
        with_timeout(LISTEN_TIMEOUT, listener.listen(&self.channel)).await?;
        // Who migrates the log finds this mark (`log_users.sql`). Its key is "CSGU" and the table.
        let mark = "SELECT pg_advisory_lock_shared(x'43534755'::int, 'events'::regclass::oid::int)";
        with_timeout(LISTEN_TIMEOUT, listener.execute(mark)).await?;
        // A pooler accepts the LISTEN and lends the connection to another client. Only a test reveals that.
        with_timeout(LISTEN_TIMEOUT, self.send_test_notification()).await?;
        with_timeout(LISTEN_TIMEOUT, listener.try_recv()).await?.ok_or(sqlx::Error::WorkerCrashed)?;
        Ok(listener)
    }

    /// Listens until an error occurs, and returns the error.
    async fn listen_until_error(
        &self,
        signal: &watch::Sender<ListenerSignal>,
        warned: &mut bool,
    ) -> sqlx::Error {
        match self.forward_notifications(signal, warned).await {
            Err(error) => error,
            Ok(()) => sqlx::Error::WorkerCrashed,
        }
    }

    async fn forward_notifications(
        &self,
        signal: &watch::Sender<ListenerSignal>,
        warned: &mut bool,
    ) -> Result<(), sqlx::Error> {
        let mut listener = self.connect_listener().await?;
        signal.send_modify(|signal| {
            signal.listening = true;
            signal.changes += 1;
        });
        if std::mem::take(warned) {
            tracing::info!("notifications of the database arrive again");
        }
        loop {
            tokio::select! {
                notification = listener.try_recv() => {
                    // None means that the connection was lost, and notifications with it.
                    let notification = notification?.ok_or(sqlx::Error::WorkerCrashed)?;
                    signal.send_modify(|signal| {
                        signal.tip = notification.payload().parse().unwrap_or(0);
                        signal.rings += 1;
                    });
                }
                () = machine_sleep(LISTEN_TIMEOUT) => {
                    with_timeout(LISTEN_TIMEOUT, listener.execute("SELECT 1")).await?;
                }
            }
        }
    }

    /// Sends a notification for event 0, which causes no read.
    async fn send_test_notification(&self) -> Result<(), sqlx::Error> {
        let mut conn = self.notify_pool.acquire().await?;
        let text = format!("SELECT pg_notify('{}', '0')", self.channel);
        (&mut *conn).execute(sqlx::raw_sql(sqlx::AssertSqlSafe(text))).await?;
        conn.close().await
    }
}
