//! Advisors: record their advice and reports, set their modes, and flag calls.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{
    ApprovalCommand, CallCommand, CommandCaller, CommandEnvelope, CommandEvidence, CommandTarget,
    advisor_directory::AdvisorDirectory,
    decide::{AdviceCommand, AdvisorCommand, SetAdvisorMode},
};
use countersign_events::{
    CallId, Principal, Sha256, ThreadId,
    event::{AdviceTokens, AdvisorReported},
};
use countersign_policy::Policy;
use std::sync::Arc;

impl EmbeddedService {
    pub(crate) async fn read_advisors(&self) -> Result<Arc<AdvisorDirectory>, GateFailure> {
        Ok(self.known_advisors.read(&self.store).await?)
    }

    /// Records the advice of an advisor, which may answer the request.
    pub(crate) async fn record_advice(
        &self,
        thread: &ThreadId,
        id: &CallId,
        advice: &AdviceCommand,
    ) -> Result<api::Call, GateFailure> {
        let by = Principal::advisor(&advice.advisor).into();
        self.execute_without_evidence(&by, thread, id, CallCommand::Advise(advice.clone())).await
    }

    pub(crate) async fn flag(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        flag: &api::FlagRequest,
    ) -> Result<api::Call, GateFailure> {
        let command = CallCommand::Flag { comment: flag.comment.clone() };
        self.execute_without_evidence(by, thread, id, command).await
    }

    pub(crate) async fn report_advisor(
        &self,
        by: &CommandCaller,
        name: &str,
        request: &api::AdvisorReportRequest,
    ) -> Result<(), GateFailure> {
        let counts = request.counts.clone();
        let report = AdvisorReported {
            advisor: name.to_owned(),
            configuration: request.configuration,
            source: counts.source,
            cases: counts.cases,
            agreed: counts.agreed,
            false_allows: counts.false_allows,
            false_denials: counts.false_denials,
            asked: counts.asked,
            failed: counts.failed,
            elapsed_millis: counts.elapsed_millis,
            tokens: counts
                .input_tokens
                .zip(counts.output_tokens)
                .map(|(input, output)| AdviceTokens { input, output }),
            after: counts.after,
            up_to: counts.up_to,
        };
        self.execute_on_advisors(by, &AdvisorCommand::Report(report)).await
    }

    pub(crate) async fn set_advisor_mode(
        &self,
        by: &CommandCaller,
        name: &str,
        request: &api::AdvisorModeRequest,
    ) -> Result<(), GateFailure> {
        let set = SetAdvisorMode {
            advisor: name.to_owned(),
            configuration: request.configuration,
            mode: request.mode,
            reason: request.reason.clone(),
            statement: request.statement.clone(),
        };
        self.execute_on_advisors(by, &AdvisorCommand::SetMode(set)).await
    }

    async fn execute_on_advisors(
        &self,
        by: &CommandCaller,
        command: &AdvisorCommand,
    ) -> Result<(), GateFailure> {
        let execute = |policy: Arc<Policy>| {
            self.execute(CommandEnvelope {
                target: CommandTarget::Log,
                command: ApprovalCommand::Advisors(command.clone()),
                by: by.clone(),
                now: self.store.clock().now(),
                policy,
                evidence: CommandEvidence::NotNeeded,
                // No command about advisors has a proof.
                log: Sha256::ZERO,
            })
        };
        self.execute_judged(execute).await.map(|_| ())
    }
}
