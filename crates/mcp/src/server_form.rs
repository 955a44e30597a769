//! Forms that the server asks the client's user to fill in (`elicitation/create` in form mode, MCP 2025-06-18 and 2025-11-25). They
//! pass to a client that shows them, and after a while people may fill them in in the inbox, too. For a client that shows none,
//! people fill them in at once. The first answer reaches the server.

use crate::{
    gateway_core::GatewayCore,
    open_forms::{OpenForms, ServerForm},
};
use countersign_api::{
    Call, CancelRequest, ClaimRequest, ErrorCode, GateError, ProposeRequest, ProposedDefinition,
    ResultRequest, random_id,
};
use countersign_events::{
    CallId, CallState, Json, QuestionForm, Status, json::JsonTree, question::ELICITATION,
};
use serde_json::json;
use std::{
    sync::{Arc, MutexGuard, PoisonError, atomic::Ordering},
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The result for the server.
enum FormAnswer {
    Accept(Json),
    Decline,
    /// People leave it to the client.
    None,
}

impl GatewayCore {
    fn forms(&self) -> MutexGuard<'_, OpenForms> {
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a form. Returns true if it passes to the client, too.
    pub(crate) fn take_form(
        self: &Arc<Self>,
        form: ServerForm,
        to_server: &mpsc::WeakSender<String>,
    ) -> bool {
        let passes = self.shows_forms.load(Ordering::SeqCst);
        let Some(proposal) = self.propose_form(&form) else { return true };
        let ended = CancellationToken::new();
        self.forms().open.insert(form.id_key.clone(), ended.clone());
        let (core, to_server) = (Arc::clone(self), to_server.clone());
        self.tasks.spawn(async move {
            if passes {
                tokio::select! {
                    () = pause(core.options.questions_after) => {}
                    () = ended.cancelled() => return,
                    () = core.closing.cancelled() => return,
                }
            }
            let answer = core.ask_people(&proposal, &ended).await.unwrap_or_else(|error| {
                tracing::warn!("a form of the server is not in the inbox: {error}");
                FormAnswer::None
            });
            core.answer_form(form, answer, passes, &to_server).await;
        });
        passes
    }

    /// The call for a form; `None` if people cannot fill it in.
    fn propose_form(&self, form: &ServerForm) -> Option<ProposeRequest> {
        let mut arguments = JsonTree::parse(&form.arguments)?;
        if let Some(server) = &self.options.server_name {
            arguments.set("server", server.as_str());
        }
        let arguments = arguments.to_json();
        let mut request = ProposeRequest::new(&random_id("form_"), ELICITATION, arguments.as_str()).ok()?;
        QuestionForm::read(&request.name, &request.arguments)?;
        request.definition =
            Some(ProposedDefinition { description: None, input_schema: None, needs_approval: Some(true) });
        request.description = Some("an MCP server asks for this; the first answer counts".to_owned());
        request.withdraw_when_gone = true;
        Some(request)
    }

    async fn ask_people(
        &self,
        proposal: &ProposeRequest,
        ended: &CancellationToken,
    ) -> Result<FormAnswer, GateError> {
        let (gate, thread) = (&self.calls.gate, &self.calls.thread);
        let proposed = gate.propose(thread, proposal).await?;
        let call = tokio::select! {
            biased;
            call = gate.wait(thread, &proposed.id, None) => call?,
            () = ended.cancelled() => return self.withdraw_form(&proposed.id).await,
            () = self.closing.cancelled() => return self.withdraw_form(&proposed.id).await,
        };
        if call.state != CallState::Allowed {
            return Ok(FormAnswer::Decline);
        }
        self.finish_form(&call, proposal).await
    }

    /// Claims the allowed call, and records that the server gets its answer.
    async fn finish_form(&self, call: &Call, proposal: &ProposeRequest) -> Result<FormAnswer, GateError> {
        let (gate, thread) = (&self.calls.gate, &self.calls.thread);
        let executor = format!("{}{}", self.calls.instance, call.id);
        let claim = ClaimRequest {
            lease_seconds: Some(self.options.lease_seconds),
            ..ClaimRequest::for_own_call(call, &executor, &proposal.arguments)
        };
        let claimed = gate.claim(thread, &call.id, &claim).await?;
        let content = JsonTree::parse(&claimed.arguments)
            .and_then(|arguments| Some(arguments.get("content")?.to_json()));
        let (status, said) = match content {
            Some(_) => (Status::Success, "the server got the answer"),
            None => (Status::Cancelled, "people gave no answer"),
        };
        let (said, executor) = (Json::string(said), Some(executor));
        let result = ResultRequest { status, content: said, executor, ran_arguments: None };
        gate.finish(thread, &call.id, &result).await?;
        Ok(content.map_or(FormAnswer::None, FormAnswer::Accept))
    }

    async fn withdraw_form(&self, id: &CallId) -> Result<FormAnswer, GateError> {
        let reason = Some("answered by the client's user, or not asked any more".to_owned());
        match self.calls.gate.cancel(&self.calls.thread, id, &CancelRequest { reason }).await {
            // People decided at the same moment, too late.
            Err(error) if error.code != ErrorCode::AlreadyDecided => Err(error),
            _ => Ok(FormAnswer::None),
        }
    }

    /// Sends the answer of people to the server, unless the client was faster.
    async fn answer_form(
        &self,
        form: ServerForm,
        answer: FormAnswer,
        passed: bool,
        to_server: &mpsc::WeakSender<String>,
    ) {
        let result = match answer {
            FormAnswer::Accept(content) => format!(r#"{{"action":"accept","content":{}}}"#, content.as_str()),
            FormAnswer::Decline => r#"{"action":"decline"}"#.to_owned(),
            FormAnswer::None if passed => return,
            FormAnswer::None => r#"{"action":"cancel"}"#.to_owned(),
        };
        if self.forms().open.remove(&form.id_key).is_none() {
            return;
        }
        let id = form.id.as_str();
        if passed {
            self.forms().answered.insert(form.id_key);
            let params = json!({"requestId": form.id.read::<serde_json::Value>().unwrap_or_default(), "reason": "answered in the inbox"});
            let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
            self.send_to_client(notice.to_string()).await;
        }
        let Some(to_server) = to_server.upgrade() else { return };
        // The server may be gone.
        let _ = to_server.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
    }

    /// Ends a form that the client has answered or the server asks no more. Returns false if the client's answer comes too late and
    /// is left out.
    pub(crate) fn end_form(&self, id_key: &str) -> bool {
        let mut forms = self.forms();
        if let Some(ended) = forms.open.remove(id_key) {
            ended.cancel();
        }
        !forms.answered.remove(id_key)
    }
}

/// Waits while the client's user may answer.
#[expect(clippy::disallowed_methods, reason = "the client's user answers in the time of the machine")]
async fn pause(span: Duration) {
    tokio::time::sleep(span).await;
}
