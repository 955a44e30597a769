//! Drift: how often people contradict the policy's advisors, read from the log, and the fall-back that follows.

use super::EmbeddedService;
use crate::{GateFailure, view::view_advisor};
use countersign_api as api;
use countersign_approvals::advisor_directory::AdvisorDirectory;
use countersign_events::{AdvisorMode, Principal};
use countersign_policy::AdvisorSettings;
use countersign_replay::measure::{AdvisorDrift, DRIFT_WINDOW, DriftTally};

/// The most pages of answers that are read for one advisor. Answers on waiting or cancelled calls are left out, so one
/// page may not fill the window.
const MAX_PAGES: usize = 5;

impl EmbeddedService {
    pub(crate) async fn advisors(&self) -> Result<api::AdvisorList, GateFailure> {
        let directory = self.read_advisors().await?;
        let policy = self.policy.policy()?;
        let mut advisors = Vec::new();
        for settings in policy.advisors() {
            let drift = self.read_drift(settings, &directory).await?;
            advisors.push(view_advisor(settings, &directory, drift));
        }
        Ok(api::AdvisorList { policy: policy.hash(), advisors })
    }

    /// Returns true if an advisor answers requests now.
    pub(crate) async fn has_deciding_advisors(&self) -> Result<bool, GateFailure> {
        // A policy that this version cannot read lets no advisor answer.
        let Ok(policy) = self.policy.policy() else { return Ok(false) };
        let directory = self.read_advisors().await?;
        Ok(policy.advisors().iter().any(|settings| decides(&directory, settings)))
    }

    /// Lets each advisor that decides, and that people contradict more often than the policy accepts, only advise from
    /// now on.
    pub(crate) async fn check_advisor_drift(&self) -> Result<(), GateFailure> {
        self.policy.reload(&self.store).await?;
        let Ok(policy) = self.policy.policy() else { return Ok(()) };
        let directory = self.read_advisors().await?;
        for settings in policy.advisors().iter().filter(|settings| decides(&directory, settings)) {
            let drift = self.read_drift(settings, &directory).await?;
            if drift.exceeds(&settings.thresholds) {
                self.let_advisor_fall_back(settings, drift).await?;
            }
        }
        Ok(())
    }

    async fn let_advisor_fall_back(
        &self,
        settings: &AdvisorSettings,
        drift: AdvisorDrift,
    ) -> Result<(), GateFailure> {
        let AdvisorDrift { answered, overruled, complaints } = drift;
        let reason = format!(
            "of its last {answered} answers, people overruled {overruled} and complained of {complaints}, more than \
             maxOverruled = {} accepts",
            settings.thresholds.max_overruled()
        );
        let request = api::AdvisorModeRequest {
            configuration: settings.configuration,
            mode: AdvisorMode::Advise,
            reason: Some(reason),
            statement: None,
        };
        self.set_advisor_mode(&Principal::system("drift").into(), &settings.name, &request).await
    }

    /// Reads the recent answers of an advisor from the log. Answers before its mode was last set are left out.
    async fn read_drift(
        &self,
        settings: &AdvisorSettings,
        directory: &AdvisorDirectory,
    ) -> Result<AdvisorDrift, GateFailure> {
        let (name, configuration) = (settings.name.as_str(), settings.configuration);
        let mode = directory.get(name, configuration).and_then(|record| record.mode.as_ref());
        let after = mode.map_or(0, |mode| mode.seq);
        let mut tally = DriftTally::new(name, configuration, after);
        let mut before = i64::MAX;
        for _ in 0..MAX_PAGES {
            let page =
                self.store.answered_by_advisor(name, configuration, after, before, DRIFT_WINDOW).await?;
            for call in &page.items {
                tally.add_call(call);
            }
            match page.next {
                Some(next) if !tally.is_full() => before = next,
                _ => break,
            }
        }
        Ok(tally.drift())
    }
}

fn decides(directory: &AdvisorDirectory, settings: &AdvisorSettings) -> bool {
    directory.effective_mode(settings).mode == AdvisorMode::Decide
}
