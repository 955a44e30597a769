//! Table operations: each is passed to the service with the caller and what the caller sees.

use super::{EmbeddedGate, add_managed_rule, remove_managed_rule};
use crate::{GateFailure, KeyRegistration};
use countersign_api::{
    AnyAnswer, AnyOperation, CallOperation, GateError, LogOperation, NewToken, Operation, ThreadOperation,
    TokenRequest,
};
use countersign_approvals::Refused;

impl EmbeddedGate {
    pub(super) async fn perform_operation(&self, operation: &AnyOperation) -> Result<AnyAnswer, GateError> {
        match operation {
            AnyOperation::Call(operation) => self.perform_call_operation(operation).await,
            AnyOperation::Thread(operation) => Ok(self.perform_on_thread(operation).await?),
            AnyOperation::Log(operation) => self.perform_on_log(operation).await,
        }
    }

    pub(super) async fn perform_call_operation(
        &self,
        operation: &CallOperation,
    ) -> Result<AnyAnswer, GateError> {
        use CallOperation as Any;
        let (service, by) = (&self.service, &self.by);
        Ok(match operation {
            Any::ProposeCall(op) => op.answer(service.propose(by, &op.thread, &op.body).await?),
            Any::ShowCall(op) => op.answer(service.call(&op.thread, &op.id).await?),
            Any::SendHeartbeat(op) => op.answer(service.heartbeat(by, &op.thread, &op.id).await?),
            Any::ClaimCall(op) => op.answer(service.claim(by, &op.thread, &op.id, &op.body).await?),
            Any::RenewClaim(op) => op.answer(service.renew_claim(by, &op.thread, &op.id, &op.body).await?),
            Any::FinishCall(op) => op.answer(service.finish(by, &op.thread, &op.id, &op.body).await?),
            Any::CancelCall(op) => {
                let outcome = service.cancel(by, &op.thread, &op.id, &op.body).await;
                op.answer(service.add_origin_of_decision(&op.thread, outcome).await?)
            }
            Any::ReleaseCall(op) => op.answer(service.release(by, &op.thread, &op.id, &op.body).await?),
            Any::TakeBackApproval(op) => {
                op.answer(service.take_back(by, &op.thread, &op.id, &op.body).await?)
            }
            Any::FlagCall(op) => op.answer(service.flag(by, &op.thread, &op.id, &op.body).await?),
            Any::EraseCall(op) => op.answer(service.erase(by, &op.thread, &op.id, &op.body).await?),
            Any::PreviewEdit(op) => op.answer(service.preview_edit(by, &op.thread, &op.id, &op.body).await?),
            Any::PreviewScope(op) => {
                op.answer(service.preview_scope(by, &op.thread, &op.id, &op.body).await?)
            }
            Any::DecideCall(op) => {
                let outcome = service.decide(by, &op.thread, &op.id, &op.body).await;
                op.answer(service.add_origin_of_decision(&op.thread, outcome).await?)
            }
        })
    }

    async fn perform_on_thread(&self, operation: &ThreadOperation) -> Result<AnyAnswer, GateFailure> {
        use ThreadOperation as Any;
        let (service, by) = (&self.service, &self.by);
        Ok(match operation {
            Any::ShowThread(op) => op.answer(service.thread(&op.thread).await?),
            Any::ListGrants(op) => op.answer(service.grants(&op.thread, op.query).await?),
            Any::ProlongGrant(op) => op.answer(service.prolong(by, &op.thread, op.seq, op.body).await?),
            Any::RevokeGrant(op) => op.answer(service.revoke(by, &op.thread, op.seq).await?),
            Any::ShowMode(op) => op.answer(service.mode(&op.thread).await?),
            Any::SetMode(op) => op.answer(service.set_mode(by, &op.thread, &op.body).await?),
            Any::ShowToolPolicies(op) => op.answer(service.policies(&op.thread).await?),
            Any::SetToolPolicies(op) => op.answer(service.set_policies(by, &op.thread, &op.body).await?),
            Any::AddMessages(op) => op.answer(service.add_messages(by, &op.thread, &op.body).await?),
            Any::StopThread(op) => op.answer(service.stop(by, Some(&op.thread), &op.body).await?),
            Any::CloseThread(op) => op.answer(service.close(by, &op.thread).await?),
        })
    }

    async fn perform_on_log(&self, operation: &LogOperation) -> Result<AnyAnswer, GateError> {
        use LogOperation as Any;
        let (service, by, threads) = (&self.service, &self.by, &self.threads);
        let transport = self.webhooks.as_deref();
        Ok(match operation {
            Any::StopAllThreads(op) => op.answer(service.stop(by, None, &op.body).await?),
            Any::ListThreads(op) => op.answer(service.threads(threads, op.query).await?),
            Any::CountCalls(op) => op.answer(service.stats(&op.query).await?),
            Any::ShowStatus(op) => op.answer(service.status(threads).await?),
            Any::ShowPolicy(op) => op.answer(service.policy_in_force().await?),
            Any::ApplyPolicy(op) => op.answer(service.apply_policy(by, &op.body).await?),
            Any::ListPolicies(op) => op.answer(service.policy_history(op.query).await?),
            Any::ListPolicyRules(op) => op.answer(self.list_rules()?),
            Any::CheckPolicy(op) => op.answer(self.check_call(&op.body).await?),
            Any::ReviewDay(op) => op.answer(self.review_day(&op.query).await?),
            Any::AddManagedRule(op) => op.answer(add_managed_rule(self, &op.body).await?),
            Any::RemoveManagedRule(op) => op.answer(remove_managed_rule(self, &op.body).await?),
            Any::ListTokens(op) => op.answer(service.tokens(op.query)),
            Any::CreateToken(op) => op.answer(self.create_token(&op.body).await?),
            Any::RevokeToken(op) => op.answer(service.revoke_token(by, &op.id, &op.body).await?),
            Any::ListApproverKeys(op) => op.answer(service.approver_keys(op.query).await?),
            Any::AddApproverKey(op) => {
                // A program that opens the database administers it.
                let registration = KeyRegistration { as_admin: true, ..KeyRegistration::default() };
                op.answer(service.add_approver_key(by, &op.body, registration).await?)
            }
            Any::RemoveApproverKey(op) => op.answer(service.remove_approver_key(by, &op.id, &op.body).await?),
            // A program that opens the database sees the devices of every person.
            Any::ListPushDevices(op) => op.answer(self.list_push_devices(None)?),
            Any::SetPushDevice(op) => op.answer(self.set_push_device(&op.body, None).await?),
            Any::RemovePushDevice(op) => op.answer(service.remove_push_device(by, &op.id, None).await?),
            // A program that opens the database sees the chat accounts of every person.
            Any::ListChatAccounts(op) => op.answer(service.chat_accounts(None).await?),
            Any::LinkChatAccount(op) => op.answer(self.link_chat_account(&op.body, None).await?),
            Any::UnlinkChatAccount(op) => op.answer(service.unlink_chat_account(by, op.seq).await?),
            Any::ListDelegations(op) => op.answer(service.delegations(by, threads)),
            Any::SetDelegation(op) => op.answer(service.set_delegation(by, &op.body).await?),
            // A program that opens the database administers it.
            Any::EndDelegation(op) => op.answer(service.end_delegation(by, op.seq, &op.body, true).await?),
            Any::ListTools(op) => op.answer(service.tools(threads, op.query).await?),
            Any::DefineTools(op) => op.answer(service.define_tools(by, &op.body).await?),
            Any::ShowTool(op) => op.answer(service.tool(threads, &op.tool).await?),
            Any::AcceptDefinition(op) => op.answer(service.accept_definition(by, &op.tool, &op.body).await?),
            Any::ListWebhooks(op) => op.answer(service.webhooks().await?),
            Any::AddWebhook(op) => op.answer(service.add_webhook(by, transport, &op.body).await?),
            Any::RemoveWebhook(op) => op.answer(service.remove_webhook(by, &op.name).await?),
            Any::TestWebhook(op) => op.answer(service.test_webhook(transport, &op.name).await?),
            Any::RetryWebhook(op) => op.answer(service.retry_webhook(by, &op.name, &op.body).await?),
            Any::RotateWebhook(op) => {
                op.answer(service.rotate_webhook(by, transport, &op.name, &op.body).await?)
            }
            Any::EndOldSecret(op) => op.answer(service.end_old_secret(by, transport, &op.name).await?),
            Any::ListAdvisors(op) => op.answer(service.advisors().await?),
            Any::ReportAdvisor(op) => {
                service.report_advisor(by, &op.name, &op.body).await?;
                op.answer(service.advisors().await?)
            }
            Any::SetAdvisorMode(op) => {
                service.set_advisor_mode(by, &op.name, &op.body).await?;
                op.answer(service.advisors().await?)
            }
        })
    }

    async fn create_token(&self, request: &TokenRequest) -> Result<NewToken, GateFailure> {
        let created = self.create_tokens(std::slice::from_ref(request)).await?;
        created.into_iter().next().ok_or_else(|| Refused::UnknownToken.into())
    }
}
