//! The evidence of one call in one file: what was proposed, by which policy it was judged, who decided and how they proved it,
//! and what ran. Its events carry what their hashes cover, so `docs/verify_export.py` checks them without the log.

use super::{
    log::proof::ProofTrail,
    policy::recorded_policy::{RecordedPolicy, find_judging_policies, read_policy_of},
};
use crate::pages::read_pages;
use countersign_api::{self as api, LogFilter, PageQuery, SharedGate};
use countersign_console::{
    CliError, CommandContext, CommandExit, ValueDetail, create_private, describe_call, format_json_line,
    print_json, print_line,
};
use countersign_events::{Event, EventType};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::ErrorKind,
    path::Path,
    sync::Arc,
};

/// The form of the file.
const KIND: &str = "countersign-evidence-1";

/// The events of a call, in order.
type CallEvidence = BTreeMap<i64, Arc<Event>>;

/// Writes the evidence of a call to a new file that only its owner can read, or to stdout for `-`.
pub(super) async fn write_evidence(
    context: &CommandContext,
    gate: &SharedGate,
    call: &api::Call,
    file: &Path,
) -> anyhow::Result<CommandExit> {
    let mut policies = Vec::new();
    for (seq, _) in find_judging_policies(gate, call).await? {
        policies.push(read_policy_of(gate, seq).await?);
    }
    let events = collect_events(gate, call, &policies).await?;
    let mut trail = ProofTrail::default();
    let mut lines = Vec::new();
    for event in events.values() {
        lines.push(trail.format_line(gate, event).await?);
    }
    let trailer = trail.format_trailer(gate).await?;
    let proof: Value = serde_json::from_str(&trailer)?;
    let proof = proof.get("proof").cloned().unwrap_or_default();
    let shown = describe_call(call, context.now(), ValueDetail::Full);
    let parts = [
        ("kind", format_json_line(&KIND)?),
        ("madeAt", format_json_line(&context.now())?),
        ("text", format_json_line(&shown.lines().collect::<Vec<_>>())?),
        ("call", format_json_line(call)?),
        ("policies", format_json_line(&policies)?),
        ("events", format!("[\n    {}\n  ]", lines.join(",\n    "))),
        ("proof", proof.to_string()),
    ];
    let members: Vec<_> = parts.iter().map(|(name, text)| format!("  \"{name}\": {text}")).collect();
    save(context, file, &format!("{{\n{}\n}}\n", members.join(",\n")), &proof)
}

/// The events about the call, the policies that judged it, the decision of a grant that answered it, and the keys of proofs.
async fn collect_events(
    gate: &SharedGate,
    call: &api::Call,
    policies: &[RecordedPolicy],
) -> anyhow::Result<CallEvidence> {
    let mut events = CallEvidence::new();
    add_events_of(gate, call, call.id.as_str(), call.proposal.seq - 1, &mut events).await?;
    let grant = call.response.as_ref().and_then(|response| response.grant);
    let alone = policies.iter().map(|policy| policy.seq).chain(grant);
    for seq in alone {
        events.extend(read_event(gate, seq).await?.map(|event| (seq, event)));
    }
    let origin = grant.and_then(|seq| events.get(&seq)).and_then(|event| text_at(event, &["toolCallId"]));
    if let Some(id) = origin.filter(|id| id != call.id.as_str()) {
        let mut given = CallEvidence::new();
        add_events_of(gate, call, &id, 0, &mut given).await?;
        events.extend(given);
    }
    let keys: BTreeSet<_> = events.values().filter_map(|event| text_at(event, &["proof", "key"])).collect();
    if !keys.is_empty() {
        let added = LogFilter { types: vec![EventType::ApproverKeyAdded], ..LogFilter::default() };
        for_each_event(gate, &added, 0, |event| {
            if text_at(&event, &["id"]).is_some_and(|id| keys.contains(&id)) {
                events.insert(event.seq, event);
            }
        })
        .await?;
    }
    Ok(events)
}

/// Adds the events of a call of this thread, and the one that moved the thread to an archive.
async fn add_events_of(
    gate: &SharedGate,
    call: &api::Call,
    id: &str,
    after: i64,
    events: &mut CallEvidence,
) -> anyhow::Result<()> {
    for_each_event(gate, &LogFilter::of_thread(&call.thread_id), after, |event| {
        // A proposal has its own id.
        let named = text_at(&event, &["toolCallId"]).or_else(|| text_at(&event, &["id"]));
        if event.kind == EventType::ThreadArchived || named.as_deref() == Some(id) {
            events.insert(event.seq, event);
        }
    })
    .await
}

async fn for_each_event(
    gate: &SharedGate,
    filter: &LogFilter,
    after: i64,
    mut take: impl FnMut(Arc<Event>),
) -> anyhow::Result<()> {
    read_pages(after, async |page| {
        let found = gate.events(filter, page).await?;
        found.events.into_iter().for_each(&mut take);
        Ok(found.next)
    })
    .await
}

async fn read_event(gate: &SharedGate, seq: i64) -> anyhow::Result<Option<Arc<Event>>> {
    let found = gate.events(&LogFilter::default(), PageQuery { after: seq - 1, limit: 1 }).await?;
    Ok(found.events.into_iter().find(|event| event.seq == seq))
}

/// The text at this path in the event's data.
fn text_at(event: &Event, path: &[&str]) -> Option<String> {
    let data: Value = serde_json::from_str(event.data.as_str()).ok()?;
    let found = path.iter().try_fold(&data, |value, name| value.get(name))?;
    found.as_str().map(str::to_owned)
}

fn save(context: &CommandContext, file: &Path, text: &str, proof: &Value) -> anyhow::Result<CommandExit> {
    if file.as_os_str() == "-" {
        print_line(text.trim_end());
        return Ok(CommandExit::DONE);
    }
    create_private(file, text).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::AlreadyExists => "it exists; name a new file".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("{} cannot be written: {why}", file.display());
        CliError { exit: CommandExit::FAILED, code: "output", message }
    })?;
    let (events, tip) = (&proof["events"], proof["tip"].as_str().unwrap_or_default());
    if context.json {
        print_json(&json!({"file": file, "events": events, "tip": tip}))?;
    } else {
        print_line(&format!(
            "{} has the evidence: {events} events, of the log with the tip {tip}. docs/verify_export.py checks it.",
            file.display()
        ));
    }
    Ok(CommandExit::DONE)
}
