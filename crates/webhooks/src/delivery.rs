//! Delivers the messages of all webhooks: one task for each, so that a target that hangs delays no other.

use crate::{delivery_worker::DeliveryWorker, http_webhooks::HttpWebhooks};
use countersign_api::random_id;
use countersign_approvals::webhook_directory::WebhookRecord;
use countersign_gate::EmbeddedGate;
use countersign_store::Clock;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// The pause after a database failure.
const PAUSE: Duration = Duration::from_secs(2);

/// The tasks that deliver, by webhook.
struct DeliveryTasks {
    gate: EmbeddedGate,
    sender: Arc<HttpWebhooks>,
    holder: String,
    stop: CancellationToken,
    running: HashMap<i64, (watch::Sender<WebhookRecord>, CancellationToken)>,
    tasks: JoinSet<()>,
}

/// Delivers the messages of all webhooks in the log until `stop` is cancelled, and then writes its progress. Several
/// servers may call this for one log: each webhook is served by one of them at a time.
pub async fn deliver_webhooks(gate: EmbeddedGate, sender: Arc<HttpWebhooks>, stop: CancellationToken) {
    if gate.is_read_only() {
        return;
    }
    let mut follower = gate.follow_webhooks();
    let mut tasks = DeliveryTasks {
        holder: random_id("server-"),
        stop: stop.clone(),
        running: HashMap::new(),
        tasks: JoinSet::new(),
        gate,
        sender,
    };
    while !stop.is_cancelled() {
        let pause = match follower.read().await {
            Ok(directory) => {
                tasks.follow(directory.records());
                None
            }
            Err(error) => {
                tracing::warn!(%error, "the webhooks cannot be read; trying again");
                Some(PAUSE)
            }
        };
        let wake = async {
            match pause {
                Some(pause) => Clock::System.sleep(pause).await,
                None => follower.changed().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = wake => {}
        }
    }
    // The tasks have the same signal.
    while tasks.tasks.join_next().await.is_some() {}
}

impl DeliveryTasks {
    /// Starts tasks for new webhooks, informs the others of changes, and ends those of removed webhooks.
    fn follow<'a>(&mut self, records: impl Iterator<Item = &'a WebhookRecord>) {
        while self.tasks.try_join_next().is_some() {}
        let mut removed = std::mem::take(&mut self.running);
        for record in records {
            let running = match removed.remove(&record.id()) {
                Some((sender, stop)) => {
                    sender.send_if_modified(|known| {
                        let is_changed = known != record;
                        if is_changed {
                            known.clone_from(record);
                        }
                        is_changed
                    });
                    (sender, stop)
                }
                None => self.start(record),
            };
            self.running.insert(record.id(), running);
        }
        for (_, stop) in removed.values() {
            stop.cancel();
        }
    }

    fn start(&mut self, record: &WebhookRecord) -> (watch::Sender<WebhookRecord>, CancellationToken) {
        let (sender, receiver) = watch::channel(record.clone());
        let stop = self.stop.child_token();
        let worker =
            DeliveryWorker::new(self.gate.clone(), Arc::clone(&self.sender), self.holder.clone(), receiver);
        self.tasks.spawn(worker.run(stop.clone()));
        (sender, stop)
    }
}
