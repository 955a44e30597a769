//! Signals and the service manager.

use countersign_console::CommandExit;
use countersign_store::Clock;
use sd_notify::NotifyState;
use std::{
    io::{self, IsTerminal},
    sync::Arc,
};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::Notify,
};
use tokio_util::sync::CancellationToken;

/// Handles signals. The first SIGTERM or SIGINT ends streams and waits and lets requests finish; the second exits at
/// once. SIGHUP wakes the readers of files.
pub(crate) fn handle_signals(readers: Vec<Arc<Notify>>, stop: &CancellationToken) -> anyhow::Result<()> {
    let (terminate, interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(stop_on(terminate, interrupt, stop.clone()));
    tokio::spawn(reload_on(signal(SignalKind::hangup())?, readers, stop.clone()));
    Ok(())
}

async fn stop_on(mut terminate: Signal, mut interrupt: Signal, stop: CancellationToken) {
    for last in [false, true] {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if last {
            std::process::exit(i32::from(CommandExit::INTERRUPTED.0));
        }
        tracing::info!("stopping");
        notify_manager(&[NotifyState::Stopping]);
        stop.cancel();
    }
}

/// Handles SIGHUP: the policy file and the certificate are read again.
async fn reload_on(mut hangup: Signal, readers: Vec<Arc<Notify>>, stop: CancellationToken) {
    let on_terminal = io::stderr().is_terminal();
    while hangup.recv().await.is_some() {
        // A closed terminal sends SIGHUP too. Stop then, because no one could stop the server later.
        if on_terminal && !io::stderr().is_terminal() {
            stop.cancel();
            return;
        }
        let mut reloading = vec![NotifyState::Reloading];
        reloading.extend(NotifyState::monotonic_usec_now());
        notify_manager(&reloading);
        for reader in &readers {
            reader.notify_one();
        }
        if readers.is_empty() {
            tracing::info!("nothing is reloaded, because the server has no policy file and no certificate");
        }
        notify_manager(&[NotifyState::Ready]);
    }
}

/// Tells the service manager that the server accepts connections, and then that it is alive, at the interval that the
/// service manager asks for.
pub(crate) fn notify_ready() {
    notify_manager(&[NotifyState::Ready]);
    let Some(span) = sd_notify::watchdog_enabled() else { return };
    tokio::spawn(async move {
        loop {
            notify_manager(&[NotifyState::Watchdog]);
            Clock::System.sleep(span / 2).await;
        }
    });
}

fn notify_manager(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!(%error, "the service manager cannot be notified");
    }
}
