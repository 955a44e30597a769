//! Advisors: record their advice and reports, set their modes, and flag calls.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{
    CallCommand, CommandCaller, advisor_directory::AdvisorDirectory, decide::AdviceCommand,
};
use countersign_events::{AdviceTokens, AdvisorModeSet, AdvisorReported, Body, CallId, Principal, ThreadId};
use std::sync::Arc;

impl EmbeddedService {
    pub(crate) async fn read_advisors(&self) -> Result<Arc<AdvisorDirectory>, GateFailure> {
        Ok(self.known_advisors.read(&self.store).await?)
    }

    /// Records an advisor's advice, which may answer the request.
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
        self.record_fact(by, Body::AdvisorReported(report)).await
    }

    pub(crate) async fn set_advisor_mode(
        &self,
        by: &CommandCaller,
        name: &str,
        request: &api::AdvisorModeRequest,
    ) -> Result<(), GateFailure> {
        let set = AdvisorModeSet {
            advisor: name.to_owned(),
            configuration: request.configuration,
            mode: request.mode,
            reason: request.reason.clone(),
            // The registry computes it.
            overrides: false,
            statement: request.statement.clone(),
        };
        self.record_fact(by, Body::AdvisorModeSet(set)).await
    }
}
