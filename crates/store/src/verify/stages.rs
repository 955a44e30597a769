//! The checks of a verification, each in a thread of its own: while one page is read, the chain of the page before is checked,
//! and the rules of the page before that.

use super::findings::InadmissibleFindings;
use countersign_approvals::{PinnedKeys, admissibility::AdmissibilityCheck};
use countersign_events::{
    Event,
    chain::{ChainBreak, ChainVerifier},
};
use std::panic;
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::{JoinHandle, spawn_blocking},
};

/// The pages that wait for each check. It bounds the memory.
const WAITING_PAGES: usize = 2;

/// The running checks.
pub(super) struct CheckStages {
    chain: JoinHandle<ChainFindings>,
    rules: JoinHandle<RuleFindings>,
}

struct ChainFindings {
    verifier: ChainVerifier,
    broken: Option<ChainBreak>,
}

struct RuleFindings {
    rules: AdmissibilityCheck,
    found: InadmissibleFindings,
    otherwise: InadmissibleFindings,
}

/// What the checks found in all pages up to a break of the chain.
pub(super) struct StageFindings {
    pub(super) verifier: ChainVerifier,
    pub(super) broken: Option<ChainBreak>,
    pub(super) rules: AdmissibilityCheck,
    pub(super) found: InadmissibleFindings,
    /// The proposals that this version judges otherwise.
    pub(super) otherwise: InadmissibleFindings,
}

impl CheckStages {
    /// Starts the checks. They take the pages in `seq` order, until the sender is dropped or the chain breaks.
    pub(super) fn start(pinned: Option<PinnedKeys>) -> (Self, Sender<Vec<Event>>) {
        let (pages, read) = channel(WAITING_PAGES);
        let (linked, verified) = channel(WAITING_PAGES);
        let chain = spawn_blocking(move || check_chain(read, &linked));
        let rules = spawn_blocking(move || check_rules(pinned, verified));
        (Self { chain, rules }, pages)
    }

    /// Waits for the checks of all pages.
    pub(super) async fn finish(self) -> StageFindings {
        let ChainFindings { verifier, broken } = join(self.chain).await;
        let RuleFindings { mut rules, mut found, mut otherwise } = join(self.rules).await;
        // If the chain breaks, the last rows may belong to a command whose other rows follow the break. The final check
        // would report those rows as missing.
        if broken.is_none() {
            found.add(rules.finish());
            otherwise.add(rules.take_judged_otherwise());
        }
        StageFindings { verifier, broken, rules, found, otherwise }
    }
}

async fn join<T>(task: JoinHandle<T>) -> T {
    task.await.unwrap_or_else(|error| panic::resume_unwind(error.into_panic()))
}

/// Checks the chain, and passes on the events before a break.
fn check_chain(mut pages: Receiver<Vec<Event>>, linked: &Sender<Vec<Event>>) -> ChainFindings {
    let mut verifier = ChainVerifier::default();
    while let Some(mut page) = pages.blocking_recv() {
        let fault = page.iter().enumerate().find_map(|(at, event)| Some((at, verifier.check(event).err()?)));
        if let Some((at, _)) = fault {
            page.truncate(at);
        }
        let is_taken = linked.blocking_send(page).is_ok();
        if let Some((_, broken)) = fault {
            return ChainFindings { verifier, broken: Some(broken) };
        }
        if !is_taken {
            break;
        }
    }
    ChainFindings { verifier, broken: None }
}

/// Checks the structure and the rules.
fn check_rules(pinned: Option<PinnedKeys>, mut pages: Receiver<Vec<Event>>) -> RuleFindings {
    let mut rules = pinned.map(AdmissibilityCheck::with_pinned_keys).unwrap_or_default();
    let (mut found, mut otherwise) = (InadmissibleFindings::default(), InadmissibleFindings::default());
    while let Some(page) = pages.blocking_recv() {
        for event in page {
            found.add_malformed(&event);
            found.add(rules.check(event));
        }
        otherwise.add(rules.take_judged_otherwise());
    }
    RuleFindings { rules, found, otherwise }
}
