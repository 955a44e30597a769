//! The operations of agents and approvers, one at a time.

use crate::{
    clients::{new_executor, thread},
    fields::StepFields,
    outcome::StoryOutcome,
};
use countersign_api::{
    self as api, BulkDecisionRequest, Call, CallId, ClaimRequest, DecisionRequest, GateError, LogFilter,
    PageQuery, ProposeRequest, RenewRequest, ResultRequest, SendOperation, SharedGate, operations,
};
use countersign_events::{Decision, Json, Status};
use serde_json::{Value, json};
use std::{collections::HashMap, time::Duration};

/// An agent or an approver, with the calls as they last saw them.
pub(crate) struct StoryActor {
    pub(crate) gate: SharedGate,
    seen: HashMap<String, Call>,
}

impl StoryActor {
    pub(crate) fn new(gate: SharedGate) -> Self {
        Self { gate, seen: HashMap::new() }
    }

    /// Carries out one step, and returns its outcome.
    pub(crate) async fn act(&mut self, does: &str, step: StepFields) -> StoryOutcome {
        let outcome = match does {
            "pending" => self.list_pending(step).await,
            "decide_all" => self.decide_all(step).await,
            _ => self.act_on_call(does, step).await.map(|call| {
                let outcome = StoryOutcome::of_call(&call);
                self.seen.insert(call.id.to_string(), call);
                outcome
            }),
        };
        outcome.unwrap_or_else(|error| StoryOutcome::of_error(&error))
    }

    async fn act_on_call(&mut self, does: &str, mut step: StepFields) -> Result<Call, GateError> {
        let name = step.text("call");
        let id = api::parse_call_id(&name)?;
        match does {
            "propose" => self.propose(&name, step).await,
            "read" => {
                step.end();
                self.gate.call(&thread(), &id).await
            }
            "wait" => {
                let timeout = step.find_number("timeout_ms").map(Duration::from_millis);
                step.end();
                self.gate.wait(&thread(), &id, timeout).await
            }
            "claim" => self.claim(&id, step).await,
            "renew" => {
                step.end();
                let executor = executor_of(&self.see(&id).await?);
                self.gate.renew_claim(&thread(), &id, &RenewRequest { executor, lease_seconds: None }).await
            }
            "finish" => self.finish(&id, step).await,
            "cancel" => {
                let request = api::CancelRequest { reason: step.find_text("reason") };
                step.end();
                self.gate.cancel(&thread(), &id, &request).await
            }
            "decide" => self.decide(&id, step).await,
            _ => panic!("unknown operation {does}"),
        }
    }

    /// Returns the call as the actor last saw it. An actor who has not seen it reads it first.
    async fn see(&mut self, id: &CallId) -> Result<Call, GateError> {
        if let Some(call) = self.seen.get(id.as_str()) {
            return Ok(call.clone());
        }
        let call = self.gate.call(&thread(), id).await?;
        self.seen.insert(id.to_string(), call.clone());
        Ok(call)
    }

    async fn propose(&self, id: &str, mut step: StepFields) -> Result<Call, GateError> {
        let (tool, arguments) = (step.text("tool"), step.text("arguments"));
        let definition = step.find_text("definition");
        step.end();
        let request = ProposeRequest {
            definition: definition.map(|text| serde_json::from_str(&text).expect("a definition")),
            ..ProposeRequest::new(id, &tool, &arguments)?
        };
        self.gate.propose(&thread(), &request).await
    }

    async fn claim(&mut self, id: &CallId, mut step: StepFields) -> Result<Call, GateError> {
        let executor = step.find_text("executor").unwrap_or_else(new_executor);
        let lease_seconds = step.find_seconds("lease_seconds");
        step.end();
        let claim = ClaimRequest { lease_seconds, ..ClaimRequest::for_call(&self.see(id).await?, &executor) };
        // The typed `claim` is what a held claim uses. A claim in the generic form has the same rule for a lost answer.
        self.gate.send(operations::ClaimCall { thread: thread(), id: id.clone(), body: claim }).await
    }

    async fn finish(&mut self, id: &CallId, mut step: StepFields) -> Result<Call, GateError> {
        let executor = match step.find_text("executor") {
            Some(executor) => executor,
            None => executor_of(&self.see(id).await?),
        };
        let content = Json::parse(&step.text("content")).expect("JSON");
        step.end();
        let result =
            ResultRequest { status: Status::Success, content, executor: Some(executor), ran_arguments: None };
        self.gate.finish(&thread(), id, &result).await
    }

    async fn decide(&mut self, id: &CallId, mut step: StepFields) -> Result<Call, GateError> {
        let seen = self.see(id).await?;
        let json = |text: String| Json::parse(&text).expect("JSON");
        let request = DecisionRequest {
            comment: step.find_text("comment"),
            arguments: step.find_text("arguments").map(json),
            scope: step.find_text("scope").map(json),
            arguments_hash: Some(seen.arguments_hash),
            ..DecisionRequest::plain(read_decision(&step.text("decision")))
        };
        step.end();
        self.gate.decide(&thread(), id, &request).await
    }

    async fn decide_all(&self, mut step: StepFields) -> Result<StoryOutcome, GateError> {
        let decisions: Vec<(String, String)> =
            serde_json::from_value(step.find("decisions").expect("decisions")).expect("pairs of texts");
        step.end();
        let item = |(id, decision)| json!({"threadId": "t", "id": id, "decision": decision});
        let body: Value = json!({"decisions": decisions.into_iter().map(item).collect::<Vec<_>>()});
        let request: BulkDecisionRequest = serde_json::from_value(body).expect("decisions");
        let answers = self.gate.decide_all(&request).await?;
        let result = |answer: api::DecisionAnswer| match answer.outcome {
            Ok(call) => call.state.to_string(),
            Err(error) => error.code().to_owned(),
        };
        let results = Some(answers.into_iter().map(result).collect());
        Ok(StoryOutcome { results, ..StoryOutcome::default() })
    }

    async fn list_pending(&self, step: StepFields) -> Result<StoryOutcome, GateError> {
        step.end();
        let page = self.gate.pending(&LogFilter::default(), PageQuery::default()).await?;
        let calls = Some(page.pending.iter().map(|call| call.id.to_string()).collect());
        Ok(StoryOutcome { calls, ..StoryOutcome::default() })
    }
}

fn executor_of(call: &Call) -> String {
    call.execution.as_ref().expect("a claimed call").executor.clone()
}

fn read_decision(text: &str) -> Decision {
    serde_json::from_value(Value::from(text)).expect("a decision")
}
