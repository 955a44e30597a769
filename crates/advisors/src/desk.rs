//! Asks the policy's advisors, with a cache and a limit on concurrent questions for each advisor.

use crate::{
    AdviceFault, AdviceOutcome, AdviceQuestion, AdvisorAccess, advice_cache::AdviceCache, ask_advisor,
};
use countersign_events::{AdviceFailure, Sha256};
use countersign_policy::AdvisorSettings;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most questions that wait for one advisor. Further ones are left to people at once.
const MAX_WAITING: usize = 1_000;

/// Asks advisors. An advisor that is slow or full delays no other.
pub struct AdvisorDesk {
    access: AdvisorAccess,
    cache: AdviceCache,
    /// Each advisor's slots, by its configuration and its number of slots.
    places: Mutex<HashMap<(Sha256, u32), AdvisorPlaces>>,
}

/// Advisor slots: for open questions, and for open and waiting questions together.
#[derive(Clone)]
struct AdvisorPlaces {
    asking: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// The right to ask an advisor now. It ends when it is dropped.
pub struct AdvisorPlace {
    _asking: OwnedSemaphorePermit,
    _waiting: OwnedSemaphorePermit,
}

impl AdvisorDesk {
    /// Creates a desk with these permissions.
    #[must_use]
    pub fn new(access: AdvisorAccess) -> Self {
        Self { access, cache: AdviceCache::default(), places: Mutex::default() }
    }

    /// Fails if no question to the advisor can succeed.
    pub(crate) fn check_advisor(&self, advisor: &AdvisorSettings) -> Result<(), AdviceFault> {
        self.access.check_advisor(advisor)
    }

    /// Waits for a free advisor slot. Fails if too many questions wait for it.
    pub async fn enter(&self, advisor: &AdvisorSettings) -> Result<AdvisorPlace, AdviceFault> {
        let places = self.places_of(advisor);
        let overloaded =
            || AdviceFault::new(AdviceFailure::Overloaded, "too many questions wait for the advisor");
        let waiting = places.waiting.try_acquire_owned().map_err(|_| overloaded())?;
        let asking = places.asking.acquire_owned().await.map_err(|_| overloaded())?;
        Ok(AdvisorPlace { _asking: asking, _waiting: waiting })
    }

    /// Asks an advisor, unless it has answered the same question within the time that the policy sets.
    pub async fn ask(
        &self,
        _place: &AdvisorPlace,
        advisor: &AdvisorSettings,
        question: &AdviceQuestion,
    ) -> AdviceOutcome {
        let key = match question.canonical_hash() {
            Ok(hash) => (advisor.configuration, hash),
            Err(fault) => return AdviceOutcome::not_asked(fault),
        };
        let begun = Instant::now();
        if let Some(answer) = self.cache.find(&key, advisor.cache, begun) {
            return AdviceOutcome { answer: Ok(answer), elapsed: begun.elapsed(), is_cached: true };
        }
        let outcome = ask_advisor(&self.access, advisor, question).await;
        if let Ok(answer) = &outcome.answer
            && advisor.cache > Duration::ZERO
        {
            self.cache.keep(key, answer.clone(), Instant::now());
        }
        outcome
    }

    fn places_of(&self, advisor: &AdvisorSettings) -> AdvisorPlaces {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (advisor.configuration, advisor.concurrency);
        // The entries of earlier policies that no question uses any more.
        places.retain(|known, places| *known == key || Arc::strong_count(&places.waiting) > 1);
        let count = usize::try_from(advisor.concurrency.max(1)).unwrap_or(1);
        let fresh = || AdvisorPlaces {
            asking: Arc::new(Semaphore::new(count)),
            waiting: Arc::new(Semaphore::new(count.saturating_add(MAX_WAITING))),
        };
        places.entry(key).or_insert_with(fresh).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::question;
    use countersign_policy::Policy;
    use serde_json::json;
    use std::{fs, path::Path};
    use tokio::task::yield_now;

    /// An advisor that is a shell script.
    fn advisor(script: &str, more: &str) -> AdvisorSettings {
        let command = json!(["/bin/sh", "-c", script]);
        let text = format!("[[advisor]]\nname = \"a\"\ncommand = {command}\n{more}\n");
        Policy::read(&text).expect("a policy").advisor("a").expect("an advisor").clone()
    }

    fn desk() -> AdvisorDesk {
        AdvisorDesk::new(AdvisorAccess::new(true))
    }

    async fn ask(desk: &AdvisorDesk, advisor: &AdvisorSettings, command: &str) -> AdviceOutcome {
        let place = desk.enter(advisor).await.expect("a place");
        desk.ask(&place, advisor, &question(&json!({"command": command}))).await
    }

    /// A script that notes that it ran, and then continues.
    fn counted(folder: &Path, then: &str) -> String {
        format!("echo x >>{}/runs; {then}", folder.display())
    }

    fn runs(folder: &Path) -> usize {
        fs::read_to_string(folder.join("runs")).map_or(0, |text| text.lines().count())
    }

    #[tokio::test]
    async fn equal_question_is_asked_once() {
        let (folder, desk) = (tempfile::tempdir().expect("a folder"), desk());
        let script = counted(folder.path(), "echo '{\"advice\":\"deny\"}'");
        let cached = advisor(&script, "cache = \"10m\"");
        let (first, second) = (ask(&desk, &cached, "ls").await, ask(&desk, &cached, "ls").await);
        assert_eq!((first.word(), first.is_cached), ("deny", false));
        assert_eq!((second.word(), second.is_cached), ("deny", true));
        ask(&desk, &cached, "pwd").await;
        assert_eq!(runs(folder.path()), 2);
        let uncached = advisor(&script, "cache = \"0s\"");
        assert!(!ask(&desk, &uncached, "ls").await.is_cached);
        assert_eq!(runs(folder.path()), 3);
    }

    #[tokio::test]
    async fn failure_is_not_kept() {
        let (folder, desk) = (tempfile::tempdir().expect("a folder"), desk());
        let failing = advisor(&counted(folder.path(), "exit 1"), "");
        for _ in 0..2 {
            assert_eq!(ask(&desk, &failing, "ls").await.word(), "failed");
        }
        assert_eq!(runs(folder.path()), 2);
    }

    #[tokio::test]
    async fn slow_advisor_times_out() {
        let slow = advisor("sleep 1000", "timeout = \"1s\"");
        let outcome = ask(&desk(), &slow, "ls").await;
        assert_eq!((outcome.word(), outcome.advice().as_str()), ("timeout", "ask"));
    }

    #[tokio::test]
    async fn questions_wait_for_a_place() {
        let (desk, one) = (desk(), advisor("true", "concurrency = 1"));
        let first = desk.enter(&one).await.expect("a place");
        let mut waiting: Vec<_> = (0..MAX_WAITING).map(|_| Box::pin(desk.enter(&one))).collect();
        for second in &mut waiting {
            tokio::select! {
                biased;
                _ = second => panic!("one place is taken"),
                () = yield_now() => {}
            }
        }
        let fault = desk.enter(&one).await.err().expect("too many wait");
        assert_eq!(fault.failure, AdviceFailure::Overloaded);
        let other = advisor("echo", "concurrency = 1");
        desk.enter(&other).await.expect("another advisor has places of its own");
        drop(first);
        assert!(waiting.remove(0).await.is_ok());
        drop(waiting);
        assert!(desk.enter(&one).await.is_ok());
    }

    #[tokio::test]
    async fn program_is_not_started_without_permission() {
        let folder = tempfile::tempdir().expect("a folder");
        let desk = AdvisorDesk::new(AdvisorAccess::default());
        let outcome = ask(&desk, &advisor(&counted(folder.path(), "true"), ""), "ls").await;
        assert_eq!((outcome.word(), runs(folder.path())), ("not_permitted", 0));
    }
}
