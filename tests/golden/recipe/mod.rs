//! The recipe of a golden log: a story in which each type of event happens at least once.
//!
//! The clock of the story is manual. Random are only the secrets of tokens, the keys of proofs, and what was sealed for
//! webhooks: no program may choose these.

mod calls;
mod chats;
mod keys;
mod settings;
mod stage;
mod threads;
mod unusual;

pub(crate) use stage::{GoldenCall, GoldenStage};

/// The rules of the story's log. Each scene names the rule that it needs.
const POLICY: &str = r#"
levels = ["user", "admin", "super_admin"]
lapses = "30d"

[approvers]
"user:ada" = { level = "admin", groups = ["ops"] }
"user:bob" = { groups = ["ops"] }
"user:cyd" = { level = "super_admin", groups = ["ops"] }

[[advisor]]
name = "judge"
url = "https://judge.example"
mode = "decide"
applies = { tool = "triage" }
outcomes = ["deny", "allow"]
minCases = 1

[[rule]]
name = "looking is free"
tool = "read"
verdict = "allow"

[[rule]]
name = "disks stay"
tool = "format-disk"
verdict = "block"

[[rule]]
name = "a trial"
tool = "bash"
verdict = "block"
shadow = true

[[rule]]
name = "deploys"
tool = "deploy"
verdict = "ask"
expires = "1h"
quorum = 2
approvers = ["@ops"]
remindAfter = "5m"
escalateAfter = "10m"
escalateTo = "super_admin"

[[rule]]
name = "two people"
tool = "drop"
verdict = "ask"
quorum = 2

[[rule]]
name = "soon or never"
tool = "ping"
verdict = "ask"
expires = "1m"

[[rule]]
name = "signed"
tool = "sign"
verdict = "ask"
proof = "any"

[[rule]]
name = "triage"
tool = "triage"
verdict = "advised"
advisor = "judge"
"#;

/// Plays the whole story. The files of the log are complete when it returns.
pub(crate) async fn play_story() -> GoldenStage {
    let stage = GoldenStage::open(POLICY).await;
    settings::play_policies(&stage).await;
    settings::play_tools(&stage).await;
    calls::play_runs(&stage).await;
    calls::play_decisions(&stage).await;
    calls::play_delegations(&stage).await;
    calls::play_due_times(&stage).await;
    calls::play_repairs(&stage).await;
    settings::play_advisors(&stage).await;
    keys::play_proofs(&stage).await;
    settings::play_webhooks(&stage).await;
    keys::play_tokens(&stage).await;
    keys::play_devices(&stage).await;
    chats::play_chats(&stage).await;
    threads::play_conversations(&stage).await;
    threads::play_settings(&stage).await;
    unusual::play_decisions_by_sql(&stage).await;
    threads::play_archive(&stage).await;
    calls::leave_calls_open(&stage).await;
    stage.gate_is_closed().await;
    unusual::play_later_version(&stage).await;
    unusual::leave_rows_unsealed(&stage).await;
    stage
}
