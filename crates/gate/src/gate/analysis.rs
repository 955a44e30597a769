//! Questions about the policy that read the log and write nothing: judging a sample call, replaying a candidate,
//! suggesting rules, reviewing a day. A caller may send any policy, so each analysis has limits, and one runs at a time.

use super::EmbeddedGate;
use crate::{
    CallReader, CallSelection, GateFailure, ReadLimits,
    view::{ReviewedDay, view_day, view_verdict, view_warning},
};
use countersign_api::{self as api, GateError};
use countersign_events::{Json, Sha256};
use countersign_policy::{JudgedCall, Policy, PolicyText};
use countersign_replay::{
    Call, MAX_LISTED_CALLS, PolicyReplay, ReplayReport, RuleSuggester, RuleSuggestion, SuggestionOptions,
    daily::{DayReviewer, DaySpan},
};
use std::{sync::Arc, time::Duration};

/// The time limit of an analysis. Then it answers with what it has, and says so.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The additional time for the call that is being judged when the time is over. After it, conditions fail.
const EXTRA_TIME: Duration = Duration::from_secs(5);

/// The days whose decisions are evidence for a day's rules, or against them. The reviewed day is the last of them.
const EVIDENCE_DAYS: i64 = 30;

/// The most bytes of arguments in a replay's lists.
const MAX_LISTED_BYTES: usize = 1024 * 1024;

/// Takes one call. The second argument returns true when its time is over.
type TakeCall<T> = fn(&mut T, &Call, &dyn Fn() -> bool);

impl EmbeddedGate {
    /// Judges a sample call by the request's policy, or by the active policy, and writes nothing. Fails with `invalid`
    /// if the policy cannot be read. Of the request's policy, it also returns the warnings.
    pub async fn check_call(
        &self,
        request: &api::PolicyCheckRequest,
    ) -> Result<api::PolicyVerdict, GateError> {
        let policy = self.candidate(request.policy.as_ref()).await?;
        request.arguments.admit().map_err(|why| GateFailure::invalid("arguments", &why))?;
        let impact = request.impact.as_ref().map(Json::encode).transpose();
        let impact = impact.map_err(|why| GateFailure::invalid("impact", &why))?;
        let (sample, definition) = (request.clone(), request.definition.clone().map(Into::into));
        let judge = move |policy: &Policy, late: &dyn Fn() -> bool| {
            let subject = JudgedCall {
                thread: &sample.thread_id,
                principal: &sample.principal,
                tool: &sample.name,
                place: None,
                arguments: &sample.arguments,
                redacted: &[],
                annotations: sample.annotations.as_ref(),
                impact: impact.as_ref(),
                definition: definition.as_ref(),
            };
            policy.judge(&subject, late)
        };
        let judged = self.service.judge.judge(&policy, Sha256::ZERO, judge).await;
        let mut verdict = view_verdict(&judged.judgement);
        if request.policy.is_some() {
            let warnings = tokio::task::spawn_blocking(move || policy.find_warnings()).await;
            let warnings = warnings.map_err(|why| GateFailure::invalid("policy", &why))?;
            verdict.warnings = warnings.into_iter().map(view_warning).collect();
        }
        Ok(verdict)
    }

    /// Judges logged calls by the request's policy, or by the active policy, and writes nothing. Fails with `invalid`
    /// if the policy cannot be read.
    pub async fn replay_policy(
        &self,
        request: &api::PolicyReplayRequest,
    ) -> Result<(ReplayReport, api::AnalysisExtent), GateError> {
        let api::PolicyReplayRequest { since, until, after, limit, .. } = *request;
        if !(1..=MAX_LISTED_CALLS).contains(&limit) {
            let why = format!("it must be from 1 to {MAX_LISTED_CALLS}");
            return Err(GateFailure::invalid("limit", &why).into());
        }
        let selection = CallSelection { since, until, thread_id: request.thread_id.clone() };
        let policy = self.candidate(request.policy.as_ref()).await?;
        let replay = PolicyReplay::new((*policy).clone());
        let (replay, extent) = self.analyse(selection, replay, PolicyReplay::replay_call).await?;
        let mut report = replay.report();
        report.shorten_lists(after, limit, MAX_LISTED_BYTES);
        Ok((report, extent))
    }

    /// Suggests rules that extend the active policy.
    pub async fn suggest_rules(
        &self,
        options: SuggestionOptions,
        selection: CallSelection,
    ) -> Result<(RuleSuggestion, api::AnalysisExtent), GateError> {
        let policy = self.policy_in_force()?;
        let suggester = RuleSuggester::new((*policy).clone(), options);
        let take: TakeCall<RuleSuggester> = |suggester, call, _| suggester.add_call(call);
        let (suggester, extent) = self.analyse(selection, suggester, take).await?;
        let suggestion = tokio::task::spawn_blocking(move || suggester.suggestion()).await;
        Ok((suggestion.map_err(|why| GateFailure::invalid("since", &why))?, extent))
    }

    /// Reviews one day, at the request's offset from UTC.
    pub async fn review_day(&self, query: &api::DailyQuery) -> Result<api::DailyReview, GateError> {
        let clock = self.service.store.clock().clone();
        let offset = query.days_at;
        let day = query.day.unwrap_or_else(|| offset.day_of(clock.now()) - 1);
        let span = DaySpan { since: offset.start_of_day(day), until: offset.start_of_day(day + 1) };
        let since = offset.start_of_day(day - EVIDENCE_DAYS + 1);
        let policy = self.policy_in_force()?;
        let reviewer = DayReviewer::new((*policy).clone(), span);
        let take: TakeCall<DayReviewer> = |reviewer, call, _| reviewer.add_call(call);
        let selection = CallSelection { since: Some(since), ..CallSelection::default() };
        let (reviewer, mut log) = self.analyse(selection, reviewer, take).await?;
        let end = clock.now().after(TIME_LIMIT);
        let review = tokio::task::spawn_blocking(move || reviewer.review(&|| clock.now() >= end)).await;
        let review = review.map_err(|why| GateFailure::invalid("date", &why))?;
        log.complete &= review.is_complete;
        let date = api::UtcOffset::format_day(day);
        Ok(view_day(review, ReviewedDay { log, date, since, policy: policy.hash() }))
    }

    /// Lists the active policy's rules, and the reason why this process's policy file is not active.
    pub fn list_rules(&self) -> Result<api::PolicyRuleList, GateFailure> {
        let policy = self.policy_in_force()?;
        let rules = policy.list_rules().map(|rule| api::ListedRule {
            rule: rule.name.to_owned(),
            file: rule.file.map(str::to_owned),
            line: rule.line,
            verdict: rule.verdict,
            advisor: rule.advisor.map(str::to_owned),
            reason: rule.reason.map(str::to_owned),
            shadow: rule.shadow,
            zone: rule.is_zone,
            managed: rule.is_managed,
        });
        Ok(api::PolicyRuleList {
            policy: policy.hash(),
            default: policy.default_verdict(),
            rules: rules.collect(),
            warnings: policy.find_warnings().iter().map(ToString::to_string).collect(),
            trouble: self.service.policy.file_trouble(),
        })
    }

    /// The request's policy, or the active one.
    async fn candidate(&self, source: Option<&api::CandidatePolicy>) -> Result<Arc<Policy>, GateFailure> {
        let Some(source) = source else { return self.policy_in_force() };
        let text = PolicyText { text: source.text.clone(), layers: source.layers.clone() };
        let read = tokio::task::spawn_blocking(move || Policy::read_text(text)).await;
        match read {
            Ok(Ok(policy)) => Ok(Arc::new(policy)),
            Ok(Err(why)) => Err(GateFailure::invalid("policy", &why.to_string().trim_end())),
            Err(why) => Err(GateFailure::invalid("policy", &why)),
        }
    }

    /// Passes the selected calls to `take`, within the analysis limits.
    async fn analyse<T: Send + 'static>(
        &self,
        selection: CallSelection,
        mut state: T,
        take: TakeCall<T>,
    ) -> Result<(T, api::AnalysisExtent), GateError> {
        // The semaphore is never closed.
        let _permit = self.service.analyses.acquire().await;
        let clock = self.service.store.clock().clone();
        let end = clock.now().after(TIME_LIMIT);
        let mut reader = CallReader::open(self, selection).await?.limited(ReadLimits::ANALYSIS);
        let mut is_late = false;
        while let Some(calls) = reader.next_calls().await? {
            let clock = clock.clone();
            let work = move || {
                let judged = calls.iter().take_while(|_| clock.now() < end);
                let judged =
                    judged.map(|call| take(&mut state, call, &|| clock.now() >= end.after(EXTRA_TIME)));
                let is_over = judged.count() < calls.len();
                (state, is_over)
            };
            let worked = tokio::task::spawn_blocking(work).await;
            let is_over;
            (state, is_over) = worked.map_err(|why| GateFailure::invalid("policy", &why))?;
            if is_over {
                is_late = true;
                break;
            }
        }
        let extent = api::AnalysisExtent {
            complete: !is_late && !reader.is_cut(),
            from_seq: reader.first() + 1,
            through_seq: reader.position(),
            unreadable: reader.damaged_count(),
        };
        Ok((state, extent))
    }
}
