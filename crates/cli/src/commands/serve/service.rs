//! What a service does beside serving: it obeys signals, reads its policy again, and tells the service
//! manager how it stands.

use crate::{args::Args, exit::Exit};
use countersign_gate::{Clock, EmbeddedGate};
use sd_notify::NotifyState;
use std::{
    io::{self, IsTerminal},
    path::PathBuf,
};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Obeys signals from now on. The first SIGTERM or SIGINT ends streams and waits and lets what is under way
/// finish; the second ends at once. SIGHUP reads the policy again.
pub(super) fn obey_signals(args: &Args, gate: &EmbeddedGate, stop: &CancellationToken) -> anyhow::Result<()> {
    let (terminate, interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(stop_on(terminate, interrupt, stop.clone()));
    let policy = PolicyFile { path: args.settings.policy_path(), gate: gate.clone() };
    tokio::spawn(policy.read_again_on(signal(SignalKind::hangup())?, stop.clone()));
    Ok(())
}

async fn stop_on(mut terminate: Signal, mut interrupt: Signal, stop: CancellationToken) {
    for last in [false, true] {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if last {
            std::process::exit(i32::from(Exit::INTERRUPTED.0));
        }
        tracing::info!("stopping");
        tell(&[NotifyState::Stopping]);
        stop.cancel();
    }
}

/// The policy in force, and where it comes from.
struct PolicyFile {
    path: Option<PathBuf>,
    gate: EmbeddedGate,
}

impl PolicyFile {
    async fn read_again_on(self, mut hangup: Signal, stop: CancellationToken) {
        let on_terminal = io::stderr().is_terminal();
        while hangup.recv().await.is_some() {
            // The same signal says that the terminal is gone, and with it whoever could stop the server.
            if on_terminal && !io::stderr().is_terminal() {
                stop.cancel();
                return;
            }
            let mut reloading = vec![NotifyState::Reloading];
            reloading.extend(NotifyState::monotonic_usec_now());
            tell(&reloading);
            self.read_again();
            tell(&[NotifyState::Ready]);
        }
    }

    /// A policy that is broken leaves the one before in force: the gate logs it, and `/readyz` tells.
    fn read_again(&self) {
        let Some(path) = &self.path else {
            tracing::info!("there is no policy file to read again");
            return;
        };
        match crate::settings::read_policy(path) {
            Ok(policy) => self.gate.set_policy(policy),
            Err(error) => self.gate.policy_failed(error.to_string()),
        }
    }
}

/// Tells the service manager, if there is one, that connections are taken, and from now on that the process
/// lives, as often as it asks for.
pub(super) fn ready() {
    tell(&[NotifyState::Ready]);
    let Some(span) = sd_notify::watchdog_enabled() else { return };
    tokio::spawn(async move {
        loop {
            tell(&[NotifyState::Watchdog]);
            Clock::System.sleep(span / 2).await;
        }
    });
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!(%error, "the service manager does not listen");
    }
}
