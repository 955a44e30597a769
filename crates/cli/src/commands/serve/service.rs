//! Signals, policy reloads and the service manager.

use crate::{context::CommandContext, exit::CommandExit, settings::effective::read_policy};
use countersign_gate::{Clock, EmbeddedGate};
use sd_notify::NotifyState;
use std::{
    io::{self, IsTerminal},
    path::PathBuf,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Handles signals. The first SIGTERM or SIGINT ends streams and waits and lets requests finish; the second exits at
/// once. SIGHUP reloads the policy.
pub(crate) fn handle_signals(
    context: &CommandContext,
    gate: &EmbeddedGate,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let (terminate, interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(stop_on(terminate, interrupt, stop.clone()));
    let policy = PolicyFile { path: context.settings.policy_path(), gate: gate.clone() };
    tokio::spawn(policy.reload_on(signal(SignalKind::hangup())?, stop.clone()));
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

/// The policy file of the gate.
struct PolicyFile {
    path: Option<PathBuf>,
    gate: EmbeddedGate,
}

impl PolicyFile {
    async fn reload_on(self, mut hangup: Signal, stop: CancellationToken) {
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
            self.reload();
            notify_manager(&[NotifyState::Ready]);
        }
    }

    /// Reloads the policy. An invalid policy changes nothing: the gate logs it, and `/readyz` reports it.
    fn reload(&self) {
        let Some(path) = &self.path else {
            tracing::info!("there is no policy file to reload");
            return;
        };
        match read_policy(path) {
            Ok(policy) => self.gate.set_policy(policy),
            Err(error) => self.gate.policy_failed(error.to_string()),
        }
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
