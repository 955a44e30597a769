//! A server, asked from outside.

use super::{Findings, failed};
use crate::args::Args;
use countersign_api::ApprovalGate;
use countersign_client::HttpGate;

pub(super) async fn look(args: &Args, url: &str, findings: &mut Findings) {
    let ready = match HttpGate::connect(url) {
        Ok(gate) => gate.ready().await,
        Err(error) => Err(error),
    };
    let ready = match ready {
        Ok(ready) => ready,
        Err(error) => return failed(findings, "server", &error, error.code()),
    };
    findings.ok(
        "server",
        format!("{url} is {}: {} events, {} open requests", ready.status, ready.events, ready.open),
    );
    let own = env!("CARGO_PKG_VERSION");
    if ready.version == own {
        findings.ok("version", format!("{own}, as here"));
    } else {
        let found = format!("the server is {}, this command is {own}", ready.version);
        findings.warn("version", found, "use the same on both sides");
    }
    match &ready.policy_trouble {
        Some(trouble) => findings.fail(
            "its policy",
            format!("the server keeps an older one: {trouble}"),
            "mend the file and send the server SIGHUP",
        ),
        None => findings.ok("its policy", format!("{} rules, sha256 {}", ready.rules, ready.policy)),
    }
    if args.settings.policy_path().is_some() {
        findings.warn(
            "policy",
            "one is set here, and has no say over a server",
            "the server's own policy judges",
        );
    }
}
