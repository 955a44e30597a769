//! The policy file of `serve`: put active at the start, and again whenever it changes.

use super::watched_files::{SETTLE, folder_of, watch_folder_of};
use countersign_api::{
    ApprovalGate, ErrorCode, EventType, GateError, LogFilter, PolicyRequest, SendOperation, operations,
};
use countersign_console::{CliError, CommandExit, Settings, keep_managed_layer, read_policy};
use countersign_events::{PolicySet, Sha256};
use countersign_gate::EmbeddedGate;
use countersign_policy::PolicyText;
use countersign_store::Clock;
use futures_util::StreamExt;
use notify::RecommendedWatcher;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The policy file of a server.
pub(super) struct PolicyFile {
    path: PathBuf,
    gate: EmbeddedGate,
    changed: Arc<Notify>,
    /// Ends with this value.
    watcher: Option<RecommendedWatcher>,
    /// The hash of the last content read.
    last_read: Option<Sha256>,
}

impl PolicyFile {
    /// The policy file of the settings; `None` if they name none.
    pub(super) fn from_settings(settings: &Settings, gate: EmbeddedGate) -> Option<Self> {
        let changed = Arc::new(Notify::new());
        let path = settings.policy_path()?;
        let mut file = Self { path, gate, changed, watcher: None, last_read: None };
        file.watch_folder();
        Some(file)
    }

    /// Wakes the file's reader.
    pub(super) fn changed(&self) -> Arc<Notify> {
        Arc::clone(&self.changed)
    }

    /// Watches the file's folder and its layer folder.
    fn watch_folder(&mut self) {
        // The layer folder may appear later; a change in its parent folder leads here again.
        let layers = folder_of(&self.path).join("policy.d");
        match watch_folder_of(&self.path, &[layers], &self.changed) {
            Ok(started) => self.watcher = Some(started),
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "the policy file cannot be watched; send SIGHUP after a change");
            }
        }
    }

    /// Makes the file the active policy. Fails if it cannot be read, or if the principal may not change the policy.
    pub(super) async fn apply(&mut self) -> anyhow::Result<()> {
        let policy = read_policy(&self.path)?;
        self.last_read = Some(policy.hash());
        loop {
            let in_force = self.gate.send(operations::ShowPolicy {}).await?;
            let text = keep_managed_layer(policy.text().clone(), &in_force);
            if in_force.hash == text.hash() {
                self.gate.report_policy_trouble(None);
                return Ok(());
            }
            match self
                .gate
                .send(operations::ApplyPolicy { body: request(text, &self.path, in_force.hash) })
                .await
            {
                Ok(_) => return Ok(()),
                // Another process changed the policy meanwhile.
                Err(error) if error.code == ErrorCode::PolicyChanged => {}
                Err(error) if error.code == ErrorCode::NotAnApprover => return Err(self.refuse_agent(&error)),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn refuse_agent(&self, error: &GateError) -> anyhow::Error {
        let path = self.path.display();
        let message = format!(
            "{path} cannot be applied: {error}; start serve as a person (--as user:NAME), or leave --policy out"
        );
        CliError { exit: CommandExit::REFUSED, code: "not_an_approver", message }.into()
    }

    /// Makes the file the active policy whenever it changes, until `stop` is cancelled. Reports in `/readyz` if it
    /// cannot, and if another policy becomes active.
    pub(super) async fn follow(mut self, stop: CancellationToken) {
        let filter = LogFilter { types: vec![EventType::PolicySet], ..LogFilter::default() };
        let tip = self.gate.tip(None).await.unwrap_or(0);
        let mut policies = self.gate.follow(filter, tip);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.changed.notified() => self.read_again().await,
                Some(Ok(event)) = policies.next() => {
                    if let Ok(set) = event.data.read::<PolicySet>() {
                        self.compare(&set, event.principal.as_str());
                    }
                }
            }
        }
    }

    async fn read_again(&mut self) {
        Clock::System.sleep(SETTLE).await;
        self.watch_folder();
        match read_policy(&self.path) {
            // Other files of the folder change too.
            Ok(policy) if self.last_read == Some(policy.hash()) => {}
            Ok(_) => {
                if let Err(error) = self.apply().await {
                    self.gate.report_policy_trouble(Some(error.to_string()));
                }
            }
            Err(error) => {
                self.last_read = None;
                self.gate.report_policy_trouble(Some(error.to_string()));
            }
        }
    }

    /// Reports if the active policy is not the one in the file.
    fn compare(&self, set: &PolicySet, by: &str) {
        let files = PolicyText::from(set).without_managed_layer();
        let differs = self.last_read.is_some_and(|hash| hash != files.hash());
        let trouble = differs.then(|| {
            format!(
                "{} is not the active policy: {by} applied another one, from {}",
                self.path.display(),
                set.source
            )
        });
        if self.last_read.is_some() {
            self.gate.report_policy_trouble(trouble);
        }
    }
}

fn request(text: PolicyText, path: &Path, replaces: Sha256) -> PolicyRequest {
    let source = path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string();
    PolicyRequest { text: text.text, layers: text.layers, source, replaces }
}
