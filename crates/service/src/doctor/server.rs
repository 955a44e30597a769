//! Checks of a Countersign server.

use crate::doctor::{certificate::check_reported_certificate, results::CheckResults, version::check_version};
use countersign_api::ApprovalGate;
use countersign_client::HttpGate;
use countersign_console::{CommandContext, count_words};

const CHECKPOINTS: &str =
    "run `countersign verify` on the log; see the guide to auditing for what a lost checkpoint means";
/// The remedy for parked messages.
pub(super) const REMEDY: &str =
    "`countersign webhook list` shows the reasons, and `countersign webhook retry` sends them again";

pub(crate) async fn check_server(context: &CommandContext, url: &str, results: &mut CheckResults) {
    let authorities = context.settings.tls_authorities();
    let ready = match HttpGate::connect_trusting(url, authorities.as_deref()) {
        Ok(gate) => gate.ready().await,
        Err(error) => Err(error),
    };
    let ready = match ready {
        Ok(ready) => ready,
        Err(error) => return results.fail_with("server", &error, error.code()),
    };
    results.ok(
        "server",
        format!(
            "{url} is {}: {}, {}",
            ready.status,
            count_words(ready.events.unsigned_abs(), "event"),
            count_words(ready.open.unsigned_abs(), "open request")
        ),
    );
    check_version(env!("CARGO_PKG_VERSION"), &ready.version, results);
    match &ready.policy_trouble {
        Some(trouble) => results.fail(
            "its policy",
            format!("the server still uses an older policy: {trouble}"),
            "correct the file and send SIGHUP to the server",
        ),
        None => results.ok("its policy", format!("{} rules, sha256 {}", ready.rules, ready.policy)),
    }
    match &ready.webhook_trouble {
        Some(trouble) => results.warn("webhooks", trouble, REMEDY),
        None => results.ok("webhooks", "every message is delivered or waits for its next attempt"),
    }
    check_reported_certificate(&ready, context.now(), results);
    match (&ready.checkpoint_trouble, ready.checkpoint_at) {
        (Some(trouble), _) => results.fail("checkpoints", trouble.clone(), CHECKPOINTS),
        (None, Some(at)) => results.ok("checkpoints", format!("the last at {at}")),
        (None, None) => {}
    }
    if context.settings.policy_path().is_some() {
        results.warn(
            "policy",
            "a policy is set here, but a server uses its own",
            "remove the setting, or set the policy of the server",
        );
    }
}
