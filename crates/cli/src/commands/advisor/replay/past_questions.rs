//! Asks an advisor about the past calls of a log.

use super::{
    answer_file::{AnswerFile, ReplayRun},
    question_rate::{QuestionPacer, QuestionRate},
};
use countersign_advisors::{AdviceOutcome, AdviceQuestion, AdvisorAccess, RECENT_CALLS, ask_advisor};
use countersign_api::{self as api, GateError, LogFilter, SharedGate};
use countersign_console::{CliError, CommandContext, CommandExit};
use countersign_events::{AdviceFailure, ThreadId};
use countersign_gate::view_call;
use countersign_policy::{AdvisorSettings, Policy};
use countersign_replay::{
    Call, CallCourse, CallStanding,
    measure::{AdvisorMeasurement, AdvisorTally, HumanDecision, MeasuredAnswer},
};
use std::sync::Arc;
use tokio::task::JoinSet;

/// After so many failures to reach the advisor in a row, the replay stops.
const MAX_UNREACHABLE: u32 = 20;

/// The questions about past calls, and the way in which they are asked.
pub(super) struct PastQuestions {
    pub(super) gate: SharedGate,
    pub(super) advisor: Arc<AdvisorSettings>,
    pub(super) policy: Arc<Policy>,
    pub(super) access: Arc<AdvisorAccess>,
    pub(super) concurrency: u32,
    pub(super) rate: QuestionRate,
}

/// The answers to all questions.
pub(super) struct ReplayedAnswers {
    pub(super) measured: AdvisorMeasurement,
    /// The calls that could not be asked about, because their content was erased or archived.
    pub(super) skipped: u64,
    /// The calls that could not be read.
    pub(super) damaged: u64,
    /// The position before the first call.
    pub(super) first: i64,
    /// The thread, if only its calls were asked about.
    pub(super) thread: Option<ThreadId>,
}

/// A question that is being asked.
type MeasuredCall = Result<(Call, MeasuredAnswer), GateError>;

/// The replay state.
struct ReplayProgress {
    tally: AdvisorTally,
    file: Option<AnswerFile>,
    unreachable: u32,
    done: i64,
}

impl PastQuestions {
    /// Asks about each call of the run that a person decided, except for those that the file has the answers to.
    pub(super) async fn ask_all(
        &self,
        context: &CommandContext,
        run: &ReplayRun,
        file: Option<AnswerFile>,
    ) -> anyhow::Result<ReplayedAnswers> {
        let (total, skipped) = self.count_cases(run).await?;
        let mut line = context.progress("calls").for_slow_work();
        let mut state = ReplayProgress { tally: AdvisorTally::default(), file, unreachable: 0, done: 0 };
        let mut pacer = QuestionPacer::new(self.rate);
        let mut asking: JoinSet<MeasuredCall> = JoinSet::new();
        let mut reader = run.calls.open_reader(&self.gate).await?;
        while let Some(calls) = reader.next_calls().await? {
            for call in calls {
                if !self.is_case(&call, run) || !has_texts(&call) {
                    continue;
                }
                let seq = call.proposal.seq;
                if let Some(answer) = state.file.as_ref().and_then(|file| file.get(seq)) {
                    state.tally.add_answer(&call, answer);
                    state.done += 1;
                    continue;
                }
                while asking.len() >= usize::try_from(self.concurrency).unwrap_or(usize::MAX) {
                    state.take_answer(asking.join_next().await)?;
                    line.update(state.done, total);
                }
                pacer.wait().await;
                asking.spawn(self.question(call).ask());
            }
        }
        while !asking.is_empty() {
            state.take_answer(asking.join_next().await)?;
            line.update(state.done, total);
        }
        line.clear();
        if let Some(file) = &mut state.file {
            file.sync()?;
        }
        Ok(ReplayedAnswers {
            measured: state.tally.measurement(),
            skipped,
            damaged: reader.damaged_count(),
            first: reader.first(),
            thread: run.calls.thread.clone(),
        })
    }

    /// Counts the calls in the run, and those of them without content.
    async fn count_cases(&self, run: &ReplayRun) -> anyhow::Result<(i64, u64)> {
        let (mut total, mut skipped) = (0, 0);
        let mut reader = run.calls.open_reader(&self.gate).await?;
        while let Some(calls) = reader.next_calls().await? {
            for call in calls.iter().filter(|call| self.is_case(call, run)) {
                if has_texts(call) {
                    total += 1;
                } else {
                    skipped += 1;
                }
            }
        }
        Ok((total, skipped))
    }

    /// Returns true if a person decided the call within the run, and the policy asks the advisor about such calls.
    fn is_case(&self, call: &Call, run: &ReplayRun) -> bool {
        let is_within = call.response().is_some_and(|response| response.seq <= run.calls.up_to);
        if !is_within || HumanDecision::from_call(call).is_none() {
            return false;
        }
        let proposed = &call.proposal.what;
        let subject = call.subject_with(&proposed.arguments, &proposed.redacted);
        // Without content, it cannot be said whether the advisor applies. Such calls are counted as not asked.
        !has_texts(call)
            || self.policy.advisors_of(&subject).iter().any(|known| known.name == self.advisor.name)
    }

    fn question(&self, call: Call) -> PastQuestion {
        PastQuestion {
            gate: self.gate.clone(),
            advisor: Arc::clone(&self.advisor),
            policy: Arc::clone(&self.policy),
            access: Arc::clone(&self.access),
            call,
        }
    }
}

impl ReplayProgress {
    /// Takes the answer to a finished question. Fails if further questions have no chance.
    fn take_answer(
        &mut self,
        ended: Option<Result<MeasuredCall, tokio::task::JoinError>>,
    ) -> anyhow::Result<()> {
        let Some(ended) = ended else { return Ok(()) };
        let (call, answer) = match ended {
            Ok(asked) => asked?,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        };
        let fails_always =
            [AdviceFailure::NotPermitted, AdviceFailure::NotBuilt, AdviceFailure::BadConfiguration];
        if let Some(failure) = answer.failure.filter(|failure| fails_always.contains(failure)) {
            return Err(stop(failure, answer.reason.as_deref().unwrap_or_default()));
        }
        if answer.failure == Some(AdviceFailure::Unreachable) {
            self.unreachable += 1;
        } else {
            self.unreachable = 0;
        }
        if self.unreachable >= MAX_UNREACHABLE {
            return Err(stop(AdviceFailure::Unreachable, "it could not be reached many times in a row"));
        }
        self.tally.add_answer(&call, &answer);
        self.done += 1;
        if let Some(file) = &mut self.file {
            file.add_answer(call.proposal.seq, &answer)?;
        }
        Ok(())
    }
}

/// The error for an advisor that cannot be measured.
fn stop(failure: AdviceFailure, why: &str) -> anyhow::Error {
    let message = format!("the advisor cannot be measured: {why}. Nothing was recorded");
    CliError { exit: CommandExit::FAILED, code: failure.as_str(), message }.into()
}

/// Returns true if the call's arguments were neither erased nor moved to an archive.
fn has_texts(call: &Call) -> bool {
    call.proposal.what.erased.is_empty()
}

/// The question about one past call.
struct PastQuestion {
    gate: SharedGate,
    advisor: Arc<AdvisorSettings>,
    policy: Arc<Policy>,
    access: Arc<AdvisorAccess>,
    call: Call,
}

impl PastQuestion {
    async fn ask(self) -> MeasuredCall {
        let filter = LogFilter::of_thread(&self.call.thread_id);
        let page = api::PageQuery { after: self.call.proposal.seq, limit: RECENT_CALLS };
        let earlier = self.gate.calls(&filter, None, page).await?.calls;
        let pending = view_pending(&self.call);
        let question = match AdviceQuestion::from_call(&pending, &earlier, self.policy.redactor()) {
            Ok(question) => question.with_facts(&self.advisor, &self.policy, &*self.gate, &pending).await,
            Err(fault) => Err(fault),
        };
        let outcome = match question {
            Ok(question) => ask_advisor(&self.access, &self.advisor, &question).await,
            Err(fault) => AdviceOutcome::not_asked(fault),
        };
        let outcome = outcome.to_command(&self.advisor, pending.arguments_hash);
        let answer = MeasuredAnswer {
            advice: outcome.advice,
            failure: outcome.failure,
            reason: outcome.reason,
            elapsed_millis: outcome.elapsed_millis,
            tokens: outcome.tokens,
            cached: false,
        };
        Ok((self.call, answer))
    }
}

/// The call as it was when people were asked: with the proposed arguments, and without what followed.
fn view_pending(call: &Call) -> api::Call {
    let pending = Call {
        thread_id: call.thread_id.clone(),
        proposal: call.proposal.clone(),
        standing: call
            .request()
            .map_or(CallStanding::Proposed, |request| CallStanding::Pending { request: request.clone() }),
        course: CallCourse::default(),
    };
    view_call(&pending, call.proposal.at)
}
