//! A server whose clock stdin sets, so that its callers make a log of many days at once.

use crate::{PlayerError, print_line};
use countersign_api::ApprovalGate;
use countersign_events::Timestamp;
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_server::{BoundListener, ListenAddress, ServerOptions};
use countersign_store::{Clock, DatabaseUrl, StoreOptions};
use countersign_tests::trusting_options;
use countersign_webhooks::{HttpWebhooks, WebhookKeyFile};
use serde::Deserialize;
use serde_json::json;
use std::{path::PathBuf, sync::Arc};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio_util::sync::CancellationToken;

/// The time at which the log begins, and where its secrets are.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PastOptions {
    begins_at: Timestamp,
    key_file: PathBuf,
}

/// Serves the log on a free port, and prints the port. Each line on stdin is the next time, and is printed once the clock
/// shows it. Callers on this machine say who they are. The end of stdin stops the server.
pub(crate) async fn serve_past(database: &str, past: &PastOptions) -> Result<(), PlayerError> {
    let (clock, hands) = Clock::manual(past.begins_at);
    let options = StoreOptions { clock: clock.clone(), ..StoreOptions::default() };
    let gate = EmbeddedGate::open_with(DatabaseUrl::parse(database)?, options, Policy::shipped()).await?;
    let gate = gate.with_webhooks(Arc::new(HttpWebhooks::new(
        WebhookKeyFile::new(past.key_file.clone()),
        "https://approvals.example",
    )));
    let listener = BoundListener::bind(&ListenAddress::Tcp(([127, 0, 0, 1], 0).into()), false)?;
    print_line(&json!({"ready": true, "listening": listener.address().to_string()}));
    let stop = CancellationToken::new();
    // Whoever does not say who they are must sign in, as at a real server.
    let options = ServerOptions { solo: false, ..trusting_options(clock) };
    let server = tokio::spawn(countersign_server::serve(vec![listener], gate.clone(), options, stop.clone()));
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let now: Timestamp = line.parse()?;
        hands.set(now);
        print_line(&json!({"now": now}));
    }
    stop.cancel();
    server.await??;
    gate.shut_down().await;
    Ok(())
}
