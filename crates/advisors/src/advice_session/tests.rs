//! Tests of the number and the size of open questions.

use super::*;
use crate::AdvisorAccess;
use countersign_api::{ApprovalGate, CallGate};
use countersign_events::Principal;
use countersign_store::{DatabaseUrl, StoreOptions};
use std::path::Path;

const CALLS: usize = 12;

/// A log with calls that wait for people, and an advisor that takes some time to fail.
async fn gate_with_pending_calls(folder: &Path) -> EmbeddedGate {
    let command = "command = [\"/bin/sh\", \"-c\", \"exit 1\"]\ncache = \"0s\"\nconcurrency = 64";
    gate_with_advisor(folder, command).await
}

async fn gate_with_advisor(folder: &Path, keys: &str) -> EmbeddedGate {
    let policy = &format!("[[advisor]]\nname = \"a\"\n{keys}\n");
    let policy = Policy::read(policy).expect("a policy");
    let address = DatabaseUrl::from(folder.join("log.db"));
    let gate = EmbeddedGate::open_with(address, StoreOptions::default(), policy).await.expect("opens");
    let bot = gate.acting_as(Principal::agent("bot"));
    let thread = ThreadId::new("t").expect("valid");
    for number in 0..CALLS {
        let arguments = format!("{{\"command\":\"make {number}\"}}");
        let call = api::ProposeRequest::new(&format!("call_{number}"), "bash", &arguments).expect("valid");
        bot.propose(&thread, &call).await.expect("proposed");
    }
    gate
}

fn desk() -> Arc<AdvisorDesk> {
    Arc::new(AdvisorDesk::new(AdvisorAccess::new(true)))
}

#[tokio::test]
async fn many_pending_calls_open_few_questions() {
    let folder = tempfile::tempdir().expect("a folder");
    let gate = gate_with_pending_calls(folder.path()).await;
    let mut session = AdviceSession { max_open: 3, ..AdviceSession::new(&gate, &desk()) };
    session.ask_about_pending().await.expect("asked");
    assert!(session.tasks.len() <= 3, "{} open questions", session.tasks.len());
    while !session.is_idle() {
        session.next_answer().await;
    }
    assert!(!session.has_unasked_calls().await.expect("read"), "each has an advice");
    gate.shut_down().await;
}

#[tokio::test]
async fn facts_are_judged_in_the_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let gate = gate_with_advisor(folder.path(), "protocol = \"facts\"").await;
    let mut session = AdviceSession::new(&gate, &Arc::new(AdvisorDesk::new(AdvisorAccess::default())));
    session.ask_about_pending().await.expect("asked");
    while !session.is_idle() {
        session.next_answer().await;
    }
    assert!(!session.has_unasked_calls().await.expect("read"), "each has an advice");
    let types = vec![EventType::ApprovalAdvice];
    let filter = api::LogFilter { types, ..api::LogFilter::default() };
    let page = gate.events(&filter, api::PageQuery::default()).await.expect("read");
    let advice: countersign_events::ApprovalAdvice = page.events[0].data.read().expect("advice");
    assert_eq!((advice.advice.as_str(), advice.failure), ("ask", None));
    assert_eq!(advice.reason.as_deref(), Some("it may reach something outside of its project"));
    gate.shut_down().await;
}

#[tokio::test]
async fn waiting_question_is_small() {
    let folder = tempfile::tempdir().expect("a folder");
    let gate = gate_with_pending_calls(folder.path()).await;
    let question = CallQuestion {
        gate: gate.clone(),
        desk: desk(),
        policy: gate.policy_in_force().expect("readable"),
        advisor: "a".to_owned(),
        thread: ThreadId::new("t").expect("valid"),
        call: CallId::new("call_0").expect("valid"),
    };
    let size = size_of_val(&question.ask_and_record());
    assert!(size <= 2_048, "{size} bytes");
    gate.shut_down().await;
}
