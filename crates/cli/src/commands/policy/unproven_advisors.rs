//! The advisors that a policy lets decide, and that nothing proves yet.

use crate::pages::read_pages;
use countersign_api::{LogFilter, SharedGate};
use countersign_approvals::advisor_directory::AdvisorDirectory;
use countersign_console::escape_text;
use countersign_events::{AdvisorMode, Body, EventType};
use countersign_policy::Policy;
use serde::Serialize;

/// An advisor with the mode `decide` that only advises.
#[derive(Debug, Clone, Serialize)]
pub(super) struct UnprovenAdvisor {
    advisor: String,
    why: String,
}

impl UnprovenAdvisor {
    /// The warning. `prefix` starts a command line that reaches the log.
    pub(super) fn describe(&self, prefix: &str) -> String {
        let (name, why) = (escape_text(&self.advisor), escape_text(&self.why));
        format!(
            "advisor {name} has the mode \"decide\", but only advises until it is proven: {why}. To measure it: {prefix} advisor \
             replay {name}"
        )
    }
}

/// Finds the advisors that the policy lets decide, and that would only advise in this log.
pub(super) async fn find_unproven_advisors(
    gate: &SharedGate,
    policy: &Policy,
) -> anyhow::Result<Vec<UnprovenAdvisor>> {
    if policy.advisors().iter().all(|advisor| advisor.mode != AdvisorMode::Decide) {
        return Ok(Vec::new());
    }
    let directory = read_advisor_directory(gate).await?;
    let deciding = policy.advisors().iter().filter(|advisor| advisor.mode == AdvisorMode::Decide);
    let effective = deciding.map(|advisor| (advisor, directory.effective_mode(advisor)));
    let unproven = effective.filter(|(_, effective)| effective.mode != AdvisorMode::Decide);
    Ok(unproven
        .map(|(advisor, effective)| UnprovenAdvisor {
            advisor: advisor.name.clone(),
            why: effective.reason.to_string(),
        })
        .collect())
}

/// Reads the reports on advisors and their modes.
async fn read_advisor_directory(gate: &SharedGate) -> anyhow::Result<AdvisorDirectory> {
    let mut directory = AdvisorDirectory::default();
    let types = vec![EventType::AdvisorReported, EventType::AdvisorModeSet];
    let filter = LogFilter { types, ..LogFilter::default() };
    read_pages(0, async |page| {
        let found = gate.events(&filter, page).await?;
        for event in &found.events {
            // A row that cannot be read proves nothing. `verify` names it.
            if let Ok(body) = Body::read(event.seq, event.kind, &event.data) {
                directory.evolve(event, &body);
            }
        }
        Ok(found.next)
    })
    .await?;
    Ok(directory)
}
