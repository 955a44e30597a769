//! Asks an advisor once, within its time limit.

use crate::{
    AdviceAnswer, AdviceFault, AdviceQuestion, AdvisorAccess,
    chat::{ChatModel, ask_chat},
    facts::{judge_facts, read_facts},
    own_protocol::{ask_program, ask_service},
    service::ServiceTarget,
};
use countersign_api::{self as api, CallGate};
use countersign_approvals::decide::AdviceCommand;
use countersign_events::{AdviceFailure, AdviceVerdict, AdvisorProtocol, Sha256};
use countersign_policy::{AdvisorSettings, AdvisorTarget, Policy};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The outcome of asking an advisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdviceOutcome {
    /// The answer, or the reason why there is none.
    pub answer: Result<AdviceAnswer, AdviceFault>,
    /// The time that it took.
    pub elapsed: Duration,
    /// Whether the answer to an earlier equal question was used.
    pub is_cached: bool,
}

impl AdviceOutcome {
    /// The advice. Without an answer, people decide.
    #[must_use]
    pub fn advice(&self) -> AdviceVerdict {
        self.answer.as_ref().map_or(AdviceVerdict::Ask, |answer| answer.advice)
    }

    /// The command that records the outcome. `arguments` is the hash of the arguments in the question.
    #[must_use]
    pub fn to_command(&self, advisor: &AdvisorSettings, arguments: Sha256) -> AdviceCommand {
        let answer = self.answer.as_ref().ok();
        let fault = self.answer.as_ref().err();
        let reason =
            answer.map_or_else(|| fault.map(|fault| fault.detail.clone()), |answer| answer.reason.clone());
        AdviceCommand {
            advisor: advisor.name.clone(),
            configuration: advisor.configuration,
            advice: self.advice(),
            reason,
            confidence: answer.and_then(|answer| answer.confidence.clone()),
            labels: answer.map(|answer| answer.labels.clone()).unwrap_or_default(),
            failure: fault.map(|fault| fault.failure),
            elapsed_millis: u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
            tokens: answer.and_then(|answer| answer.tokens),
            cached: self.is_cached,
            arguments_hash: arguments,
        }
    }

    /// The answer as one word, for metrics: the advice, or the failure.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match &self.answer {
            Ok(answer) => answer.advice.as_str(),
            Err(fault) => fault.failure.as_str(),
        }
    }

    /// The outcome of an unasked question.
    #[must_use]
    pub fn not_asked(fault: AdviceFault) -> Self {
        Self { answer: Err(fault), elapsed: Duration::ZERO, is_cached: false }
    }
}

impl AdviceQuestion {
    /// Adds the facts that the log has about the call, if the advisor judges by them.
    pub async fn with_facts(
        self,
        advisor: &AdvisorSettings,
        policy: &Policy,
        gate: &dyn CallGate,
        call: &api::Call,
    ) -> Result<Self, AdviceFault> {
        match advisor.protocol {
            AdvisorProtocol::Facts => Ok(self.knowing(read_facts(policy, gate, call).await?)),
            _ => Ok(self),
        }
    }
}

/// Asks an advisor once, without a cache and without a limit on concurrent questions.
pub async fn ask_advisor(
    access: &AdvisorAccess,
    advisor: &AdvisorSettings,
    question: &AdviceQuestion,
) -> AdviceOutcome {
    let begun = Instant::now();
    let answer = match timeout(advisor.timeout, ask_target(access, advisor, question)).await {
        Ok(answer) => answer,
        Err(_) => Err(AdviceFault::new(
            AdviceFailure::Timeout,
            format!("no answer within {} seconds", advisor.timeout.as_secs_f64()),
        )),
    };
    AdviceOutcome { answer, elapsed: begun.elapsed(), is_cached: false }
}

async fn ask_target(
    access: &AdvisorAccess,
    advisor: &AdvisorSettings,
    question: &AdviceQuestion,
) -> Result<AdviceAnswer, AdviceFault> {
    match &advisor.target {
        AdvisorTarget::Service { url, key, allow_private } => {
            let service = ServiceTarget { url, allow_private: *allow_private, key: key.as_deref() };
            match advisor.protocol {
                AdvisorProtocol::Countersign => ask_service(access, service, question).await,
                AdvisorProtocol::Opa | AdvisorProtocol::Cedar => Err(AdviceFault::retired(advisor.protocol)),
                AdvisorProtocol::Chat | AdvisorProtocol::Facts | AdvisorProtocol::Other => {
                    let detail = "this version does not know the protocol of the advisor";
                    Err(AdviceFault::new(AdviceFailure::BadConfiguration, detail))
                }
            }
        }
        AdvisorTarget::Facts => question.facts().map(judge_facts),
        AdvisorTarget::Command(words) => ask_program(access, words, question).await,
        AdvisorTarget::Chat { url, model, prompt, key, allow_private } => {
            let service = ServiceTarget { url, allow_private: *allow_private, key: key.as_deref() };
            ask_chat(access, service, &ChatModel { model, prompt }, question).await
        }
        AdvisorTarget::Cedar { .. } => Err(AdviceFault::retired(AdvisorProtocol::Cedar)),
    }
}
