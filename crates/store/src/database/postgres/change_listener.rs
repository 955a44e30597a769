//! The bell on PostgreSQL: LISTEN on a connection of its own, which is made again whenever it is lost. What
//! it says is a hint; below it the end of the log is looked at now and then.

use super::session::SessionFactory;
use crate::{
    PostgresAddress,
    clock::{with_timeout, machine_sleep},
    database,
};
use sqlx::{
    Executor, PgPool,
    postgres::{PgListener, PgPoolOptions},
};
use std::time::Duration;
use tokio::{sync::watch, task::JoinHandle};

/// How long to wait for a notification of our own, and how often to look whether the connection is alive.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(5);

/// How many polls are left out while the bell is heard.
const POLLS_PER_READ: u32 = 20;

/// What the bell's task has heard.
#[derive(Debug, Clone, Copy, Default)]
struct ListenerSignal {
    /// The `seq` that was rung for last.
    tip: i64,
    /// How often the bell was rung. Anybody may ring it, for what there is not and never will be, so each
    /// time is worth one look and no more.
    rings: u64,
    /// Whether the bell can be heard at all just now.
    listening: bool,
    /// How often that has changed: after each time something may have been missed.
    changes: u64,
}

pub(crate) struct PostgresChangeListener {
    heard: watch::Receiver<ListenerSignal>,
    changes: u64,
    rings: u64,
    poll: Duration,
    /// None where nothing could be heard.
    listener: Option<JoinHandle<()>>,
}

impl PostgresChangeListener {
    /// Behind a pooler nobody listens, unless there is a way round it: the pooler would hand the connection
    /// that listens to somebody else, who is told what they did not ask for.
    pub(super) fn new(
        address: &PostgresAddress,
        sessions: &SessionFactory,
        channel: String,
        poll: Duration,
    ) -> Self {
        let (sender, heard) = watch::channel(ListenerSignal::default());
        let can_listen = !sessions.pooled || address.listen.is_some();
        let listener = can_listen
            .then(|| tokio::spawn(listen(NotificationBell::new(address, sessions, channel), sender)));
        if listener.is_none() {
            tracing::info!("no way round the pooler is named; events of other instances arrive by the poll");
        }
        Self { heard, changes: 0, rings: 0, poll, listener }
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
            let heard = *self.heard.borrow_and_update();
            let rung = heard.rings != self.rings && heard.tip > tip();
            if heard.changes != self.changes || rung {
                (self.changes, self.rings) = (heard.changes, heard.rings);
                return;
            }
            let pause = if heard.listening { self.poll * POLLS_PER_READ } else { self.poll };
            tokio::select! {
                changed = self.heard.changed() => if changed.is_err() {
                    // Nobody listens, because nothing could be heard or the store is being closed.
                    return machine_sleep(pause).await;
                },
                () = machine_sleep(pause) => return,
            }
        }
    }
}

/// Where to listen, and where to ring in order to hear whether that works.
pub(super) struct NotificationBell {
    listen_pool: PgPool,
    notify_pool: PgPool,
    channel: String,
}

async fn listen(channel_listener: NotificationBell, heard: watch::Sender<ListenerSignal>) {
    let mut warned = false;
    loop {
        let error = channel_listener.listen_until_error(&heard, &mut warned).await;
        heard.send_if_modified(|heard| {
            let was = std::mem::take(&mut heard.listening);
            heard.changes += u64::from(was);
            was
        });
        if !std::mem::replace(&mut warned, true) {
            tracing::warn!(%error, "the database's notifications cannot be heard; events of other instances arrive by the poll");
        }
        machine_sleep(LISTEN_TIMEOUT).await;
    }
}

impl NotificationBell {
    pub(super) fn new(address: &PostgresAddress, sessions: &SessionFactory, channel: String) -> Self {
        let one = || PgPoolOptions::new().max_connections(1).acquire_timeout(LISTEN_TIMEOUT);
        let listen_pool = address.listen.clone().unwrap_or_else(|| sessions.connect.clone());
        let notify_pool = one().connect_lazy_with(sessions.connect.clone());
        Self { listen_pool: one().connect_lazy_with(listen_pool), notify_pool, channel }
    }

    /// Listens, rings, and fails if that is not heard.
    pub(super) async fn test_delivery(&self) -> Result<(), sqlx::Error> {
        self.connect_listener().await.map(|_| ())
    }

    /// A listener that hears.
    async fn connect_listener(&self) -> Result<PgListener, sqlx::Error> {
        let mut listener = with_timeout(LISTEN_TIMEOUT, PgListener::connect_with(&self.listen_pool)).await?;
        with_timeout(LISTEN_TIMEOUT, listener.listen(&self.channel)).await?;
        // A pooler takes the LISTEN and hands the connection to somebody else. Only hearing tells.
        with_timeout(LISTEN_TIMEOUT, self.send_test_notification()).await?;
        with_timeout(LISTEN_TIMEOUT, listener.try_recv()).await?.ok_or(sqlx::Error::WorkerCrashed)?;
        Ok(listener)
    }

    /// Listens until that fails.
    async fn listen_until_error(&self, heard: &watch::Sender<ListenerSignal>, warned: &mut bool) -> sqlx::Error {
        match self.forward_notifications(heard, warned).await {
            Err(error) => error,
            Ok(()) => sqlx::Error::WorkerCrashed,
        }
    }

    async fn forward_notifications(
        &self,
        heard: &watch::Sender<ListenerSignal>,
        warned: &mut bool,
    ) -> Result<(), sqlx::Error> {
        let mut listener = self.connect_listener().await?;
        heard.send_modify(|heard| {
            heard.listening = true;
            heard.changes += 1;
        });
        if std::mem::take(warned) {
            tracing::info!("the database's notifications are heard again");
        }
        loop {
            tokio::select! {
                notification = listener.try_recv() => {
                    // None says that the connection was lost; what was rung meanwhile nobody heard.
                    let notification = notification?.ok_or(sqlx::Error::WorkerCrashed)?;
                    heard.send_modify(|heard| {
                        heard.tip = notification.payload().parse().unwrap_or(0);
                        heard.rings += 1;
                    });
                }
                () = machine_sleep(LISTEN_TIMEOUT) => {
                    with_timeout(LISTEN_TIMEOUT, listener.execute("SELECT 1")).await?;
                }
            }
        }
    }

    /// Rings for nothing.
    async fn send_test_notification(&self) -> Result<(), sqlx::Error> {
        let mut conn = self.notify_pool.acquire().await?;
        let text = format!("SELECT pg_notify('{}', '0')", self.channel);
        (&mut *conn).execute(sqlx::raw_sql(sqlx::AssertSqlSafe(text))).await?;
        conn.close().await
    }
}
