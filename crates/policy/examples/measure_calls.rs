//! Judges recorded tool calls by a policy, and prints which share is asked or blocked, and which calls those are.
//!
//! `cargo run --release -p countersign-policy --example measure_calls -- POLICY CALLS` where POLICY is a profile or a policy
//! file, and each line of CALLS is `{"task", "agent", "tool", "arguments", "cwd", "at", "project"}`: `cwd` is the folder in
//! which the agent was started, `at` that of the call, and `project` the project, if they are others.

use anyhow::{Context, Result, bail};
use countersign_events::{Json, Place, Principal, ThreadId, ToolName, Verdict};
use countersign_policy::{JudgedCall, Policy, PolicyProfile};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    fs,
    io::{Write, stdout},
};

#[derive(Deserialize)]
struct RecordedCall {
    agent: String,
    tool: String,
    arguments: Json,
    cwd: Option<String>,
    at: Option<String>,
    project: Option<String>,
}

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [policy, calls] = arguments.as_slice() else { bail!("usage: measure_calls POLICY CALLS") };
    let policy = match policy.parse::<PolicyProfile>() {
        Ok(profile) => Policy::read(&profile.text())?,
        Err(_) => Policy::read(&fs::read_to_string(policy)?)?,
    };
    let (mut counts, mut out) = (BTreeMap::<_, usize>::new(), stdout().lock());
    for line in fs::read_to_string(calls)?.lines() {
        let call: RecordedCall = serde_json::from_str(line).context("a line is no call")?;
        let (verdict, reason) = judge(&policy, &call)?;
        *counts.entry(verdict.as_str()).or_default() += 1;
        if verdict != Verdict::Allow {
            writeln!(
                out,
                "{}\t{}\t{}\t{}\t{reason}",
                verdict.as_str(),
                call.agent,
                call.tool,
                call.arguments.as_str()
            )?;
        }
    }
    let all: usize = counts.values().sum();
    for (verdict, count) in counts {
        writeln!(out, "{verdict}: {count} of {all}, {} in 10,000", count * 10_000 / all.max(1))?;
    }
    Ok(())
}

fn judge(policy: &Policy, call: &RecordedCall) -> Result<(Verdict, String)> {
    let place = call.cwd.as_ref().map(|cwd| Place {
        folder: Some(call.at.clone().unwrap_or_else(|| cwd.clone())),
        project: call.project.clone().or_else(|| Some(cwd.clone())),
        ..Place::default()
    });
    let judgement = policy.judge(
        &JudgedCall {
            thread: &ThreadId::new("t")?,
            principal: &Principal::agent(&call.agent),
            tool: &ToolName::new(call.tool.lines().next().unwrap_or_default())?,
            place: place.as_ref(),
            arguments: &call.arguments,
            redacted: &[],
            annotations: None,
            impact: None,
            definition: None,
        },
        &|| false,
    );
    Ok((judgement.verdict, judgement.reason))
}
