//! The Rust client and a server of another version: a real server behind `tests/versions/other_version.py`.

use crate::ASK;
use countersign_api::{
    self as api, ApprovalGate, CallGate, GateError, LogFilter, PageQuery, SendOperation, operations,
};
use countersign_client::HttpGate;
use countersign_events::{CallId, CallState, Decision, Principal, Role, Status, ThreadId};
use countersign_tests::{HttpWorld, Process, gate_of, over_http};
use futures_util::StreamExt;
use tokio::process::Command;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/versions/other_version.py");
const EVERY: PageQuery = PageQuery { after: 0, limit: 100 };

/// The server of a world as another version, and the agent's gate over it.
struct OtherVersion {
    gate: HttpGate,
    /// A person's gate over the other version.
    reader: HttpGate,
    /// A person's gate over the server itself.
    approver: HttpGate,
    // The process ends with this value.
    _process: Process,
}

impl OtherVersion {
    async fn of_server(world: &HttpWorld, words: &[&str]) -> Self {
        let url = world.server_url();
        let mut process = Process::start(Command::new("python3").arg(SCRIPT).arg(&url).args(words));
        let other = process.line().await.expect("its address");
        let gate = gate_of(&other, &Principal::agent("builder"));
        let ada = Principal::user("ada");
        Self { gate, reader: gate_of(&other, &ada), approver: gate_of(&url, &ada), _process: process }
    }

    async fn propose(&self, id: &str) -> api::Call {
        let body = api::ProposeRequest::new(id, "deploy", r#"{"service":"shop"}"#).expect("a call");
        let impact = serde_json::from_str(r#"{"riskLevel":"high"}"#).expect("an impact");
        self.gate.propose(&thread(), &api::ProposeRequest { impact, ..body }).await.expect("proposed")
    }

    async fn decide(&self, id: &str, decision: Decision) {
        let request = api::DecisionRequest::plain(decision);
        self.approver.decide(&thread(), &call_id(id), &request).await.expect("decided");
    }

    async fn lists_calls(&self) -> Vec<api::Call> {
        self.gate.calls(&LogFilter::default(), None, EVERY).await.expect("a list").calls
    }
}

fn thread() -> ThreadId {
    ThreadId::new("t").expect("a name")
}

fn call_id(id: &str) -> CallId {
    CallId::new(id).expect("a name")
}

#[tokio::test]
async fn whole_call_works_with_newer_and_older_servers() {
    for version in ["newer", "older"] {
        over_http(ASK, async |world| {
            let other = OtherVersion::of_server(world, &[version]).await;
            assert_eq!(other.propose("call_1").await.state, CallState::Pending);
            let (thread, id) = (thread(), call_id("call_1"));
            let (decided, ()) = tokio::join!(
                other.gate.wait(&thread, &id, None),
                other.decide("call_1", Decision::AllowOnce)
            );
            let decided = decided.expect("an answer");
            assert!(decided.may_run());
            let claim = api::ClaimRequest::for_call(&decided, "worker");
            other.gate.claim(&thread, &id, &claim).await.expect("claimed");
            let result = api::ResultRequest::success("done");
            let ended = other.gate.finish(&thread, &id, &result).await.expect("finished");
            assert_eq!(ended.result.map(|result| result.status), Some(Status::Success));
            assert_eq!(other.lists_calls().await.len(), 1);
            other.gate.caller().await.expect("the caller");
        })
        .await;
    }
}

#[tokio::test]
async fn lists_and_streams_read_future_words() {
    over_http(ASK, async |world| {
        let other = OtherVersion::of_server(world, &["newer", "--words", "all"]).await;
        other.propose("call_1").await;
        let [call] = &other.lists_calls().await[..] else { panic!("one call") };
        assert_eq!(call.state, CallState::Other);
        let pending = other.gate.pending(&LogFilter::default(), EVERY).await.expect("a list").pending;
        assert_eq!(pending.len(), 1);
        let page = other.gate.events(&LogFilter::default(), EVERY).await.expect("a list").events;
        assert!(page.iter().all(|event| event.kind.as_str() == "FUTURE_EVENT"), "{page:?}");
        let streamed: Vec<_> = other.gate.follow(LogFilter::default(), 0).take(page.len()).collect().await;
        let streamed: Result<Vec<_>, GateError> = streamed.into_iter().collect();
        let streamed: Vec<_> = streamed.expect("events").iter().map(|event| event.seq).collect();
        assert_eq!(streamed, page.iter().map(|event| event.seq).collect::<Vec<_>>());
    })
    .await;
}

#[tokio::test]
async fn future_state_or_decision_allows_nothing() {
    for words in ["state", "decision"] {
        over_http(ASK, async |world| {
            let other = OtherVersion::of_server(world, &["newer", "--words", words, "--keep", "pending"]).await;
            other.propose("call_1").await;
            other.decide("call_1", Decision::AllowOnce).await;
            let call = other.gate.wait(&thread(), &call_id("call_1"), None).await.expect("an answer");
            assert_eq!((call.state, call.may_run()), (CallState::Other, false));
            let said = "call_1 was not run: its state or decision is one that only a newer version of Countersign knows";
            assert_eq!(call.ended_text(), said);
        })
        .await;
    }
}

/// What people read and administer, with every word replaced.
#[tokio::test]
async fn other_answers_are_read_with_future_words() {
    over_http(ASK, async |world| {
        let other = OtherVersion::of_server(world, &["newer", "--words", "all"]).await;
        other.propose("call_1").await;
        other.decide("call_1", Decision::AllowOnce).await;
        world.creates_token_of("ops", Role::Agent, &[]).await;
        let (person, thread) = (&other.reader, thread());
        assert!(person.send(operations::ShowStatus {}).await.is_ok());
        assert!(person.send(operations::ShowPolicy {}).await.is_ok());
        assert!(person.send(operations::ListPolicyRules {}).await.is_ok());
        assert!(person.send(operations::ListAdvisors {}).await.is_ok());
        assert!(person.send(operations::ListWebhooks {}).await.is_ok());
        assert!(person.send(operations::ShowThread { thread: thread.clone() }).await.is_ok());
        assert!(person.send(operations::ShowMode { thread: thread.clone() }).await.is_ok());
        assert!(person.send(operations::ShowToolPolicies { thread: thread.clone() }).await.is_ok());
        assert!(person.ready().await.is_ok());
        let caller = person.caller().await.expect("an answer");
        assert!(caller.roles.iter().all(|role| *role == Role::Other), "{caller:?}");
    })
    .await;
}
