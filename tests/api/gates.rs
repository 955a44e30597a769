//! The embedded gate and the HTTP gate: the same scenarios run over both, and the answers must be equal.

use countersign_api::{
    self as api, ApprovalGate, ErrorFacts, GateError, LogFilter, SelectionQuery, SendOperation, SharedGate,
    operations, parse_thread_id,
};
use countersign_client::HttpGate;
use countersign_events::{Decision, Json, MessageFormat, Principal, Sha256, Status, ToolName};
use countersign_store::ManualClock;
use countersign_tests::{HttpWorld, gate_of, new_gate, over_http};
use futures_util::StreamExt;
use insta::assert_snapshot;
use serde::Serialize;
use std::{fmt::Write as _, sync::Arc, time::Duration};

const RULES: &str = r#"
[[rule]]
name = "no mail"
tool = "mail"
verdict = "block"

[[rule]]
name = "nothing is removed"
tool = "shell"
command = "rm *"
verdict = "block"

[[rule]]
name = "two"
tool = "transfer"
verdict = "ask"
quorum = 2
denials = 2
"#;

/// The requests and answers of a scenario: the full text to compare, and a shortened text for the snapshot.
#[derive(Default)]
struct GateTranscript {
    whole: String,
    brief: String,
}

impl GateTranscript {
    fn record<T: Serialize>(&mut self, what: &str, answer: Result<T, GateError>) {
        let text = match answer {
            Ok(answer) => serde_json::to_string(&answer).expect("JSON"),
            Err(error) => {
                let ErrorFacts { response, vote, execution, .. } = &*error.facts;
                let _ = writeln!(self.whole, "{response:?} {vote:?} {execution:?}");
                format!("{}: {error}", error.code())
            }
        };
        let _ = writeln!(self.whole, "{what}\n  {text}");
        let (cut, more) =
            text.char_indices().nth(120).map_or((text.as_str(), ""), |(at, _)| (&text[..at], "…"));
        let _ = writeln!(self.brief, "{what}\n  {cut}{more}");
    }
}

/// Makes a principal's gate.
type GateMaker = dyn Fn(Principal) -> SharedGate;

fn decide(decision: Decision) -> api::DecisionRequest {
    api::DecisionRequest::plain(decision)
}

/// Scenario: one call from its proposal to its result, with refusals at each step.
async fn call_cycle_scenario(gate: &GateMaker, _: &ManualClock) -> GateTranscript {
    let (agent, ada) = (gate(Principal::agent("bot/ü")), gate(Principal::user("ada 100%")));
    let thread = parse_thread_id("a/b ü#?").expect("valid");
    let call = api::ProposeRequest::new("call/1", "bash", r#"{"n": 1.50}"#).expect("valid");
    let mut transcript = GateTranscript::default();
    transcript.record("show nothing", agent.call(&thread, &call.id).await);
    let proposed = agent.propose(&thread, &call).await;
    transcript.record("propose", proposed.clone());
    let other = api::ProposeRequest::new("call/1", "zsh", "{}").expect("valid");
    transcript.record("propose another", agent.propose(&thread, &other).await);
    transcript.record(
        "wait no longer",
        agent.wait(&thread, &call.id, Some(Duration::ZERO)).await.map(|call| call.state),
    );
    let claim = api::ClaimRequest::for_call(&proposed.expect("proposed"), "worker");
    transcript.record("claim early", agent.claim(&thread, &call.id, &claim).await);
    let allow = api::DecisionRequest::for_session(Json::string("tool"));
    let (waited, decided) =
        tokio::join!(agent.wait(&thread, &call.id, None), ada.decide(&thread, &call.id, &allow));
    transcript.record("decide", decided.map(|call| call.response));
    transcript.record("wait", waited.map(|call| call.state));
    transcript.record("decide otherwise", ada.decide(&thread, &call.id, &decide(Decision::Deny)).await);
    transcript.record("claim", agent.claim(&thread, &call.id, &claim).await.map(|call| call.execution));
    transcript.record("claim again", agent.claim(&thread, &call.id, &claim).await);
    transcript.record("cancel", agent.cancel(&thread, &call.id, &api::CancelRequest::default()).await);
    transcript.record(
        "finish",
        agent.finish(&thread, &call.id, &api::ResultRequest::success("ok")).await.map(|c| c.result),
    );
    transcript
        .record("finish otherwise", agent.finish(&thread, &call.id, &api::ResultRequest::error("no")).await);
    transcript
}

/// Scenario: a conversation with decisions, in model form and in client form.
async fn conversation_scenario(gate: &GateMaker, _: &ManualClock) -> GateTranscript {
    use api::ConversationReader::{Client, Model};
    let (agent, ada) = (gate(Principal::agent("bot")), gate(Principal::user("ada")));
    let thread = parse_thread_id("a/b ü#?").expect("valid");
    let mut transcript = GateTranscript::default();
    let proposal = api::ProposeRequest::new("c", "bash", r#"{"n": 1.50}"#).expect("valid");
    agent.propose(&thread, &proposal).await.expect("proposed");
    let say = |message: &str| {
        let request = format!(r#"{{"format": "openai", "message": {message}}}"#);
        serde_json::from_str::<api::MessagesRequest>(&request).expect("a request")
    };
    let calling = r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{\"n\": 1.50}"}}]}"#;
    transcript.record(
        "call",
        agent.send(operations::AddMessages { thread: thread.clone(), body: say(calling) }).await,
    );
    for reader in [Model, Client] {
        let view = agent.conversation_view(&thread, reader, None).await;
        transcript.record(&format!("{reader:?}"), view.map(|view| (view.messages, view.unfinished)));
    }
    let deny = r#"{"role": "user", "content": "deny bash"}"#;
    transcript.record(
        "decide as an agent",
        agent.send(operations::AddMessages { thread: thread.clone(), body: say(deny) }).await,
    );
    let words = r#"{"role": "user", "content": "@bot, deny bash"}"#;
    transcript.record(
        "decide",
        ada.send(operations::AddMessages { thread: thread.clone(), body: say(words) }).await,
    );
    let format = Some(MessageFormat::Anthropic);
    let view = agent.conversation_view(&thread, Model, format).await;
    transcript.record("another format", view.map(|view| (view.format, view.messages, view.left_out)));
    let none = agent.conversation_view(&thread, Model, Some(MessageFormat::HumanLayer)).await;
    transcript.record("a format without models", none.map(|view| view.length));
    transcript.record("messages", ada.messages(&thread, api::PageQuery { after: 1, limit: 1 }).await);
    transcript
}

/// Scenario: grants, pending calls, closing a thread, and reads of the log.
async fn thread_and_log_scenario(gate: &GateMaker, _: &ManualClock) -> GateTranscript {
    let (agent, ada) = (gate(Principal::agent("bot")), gate(Principal::user("ada")));
    let (thread, other) = (parse_thread_id("t").expect("valid"), parse_thread_id("t2").expect("valid"));
    let mut transcript = GateTranscript::default();
    let propose = async |thread, id: &str, tool: &str| {
        agent.propose(thread, &api::ProposeRequest::new(id, tool, "[]").expect("valid")).await
    };
    transcript.record("propose what is blocked", propose(&thread, "a", "mail").await.map(|call| call.result));
    let granted = propose(&thread, "b", "bash").await.expect("proposed");
    ada.decide(&thread, &granted.id, &api::DecisionRequest::for_session(Json::string("tool")))
        .await
        .expect("decided");
    transcript.record(
        "grants",
        ada.send(operations::ListGrants { thread: thread.clone(), query: SelectionQuery::default() }).await,
    );
    transcript
        .record("revoke nothing", ada.send(operations::RevokeGrant { thread: thread.clone(), seq: 1 }).await);
    transcript.record("revoke", ada.send(operations::RevokeGrant { thread: thread.clone(), seq: 6 }).await);
    transcript.record("propose after it", propose(&thread, "c", "bash").await.map(|call| call.state));
    propose(&other, "d", "bash").await.expect("proposed");
    let one = api::PageQuery { after: 0, limit: 1 };
    let ids = |page: api::PendingPage| page.pending.into_iter().map(|call| call.id).collect::<Vec<_>>();
    transcript
        .record("pending", ada.pending(&LogFilter::default(), one).await.map(|page| (page.next, ids(page))));
    transcript.record(
        "pending in t2",
        ada.pending(&LogFilter::of_thread(&other), one).await.map(|page| page.pending.len()),
    );
    transcript.record("close", agent.send(operations::CloseThread { thread: thread.clone() }).await);
    transcript.record("propose in vain", propose(&thread, "e", "bash").await);
    transcript
        .record("events", ada.events(&LogFilter::default(), api::PageQuery { after: 9, limit: 2 }).await);
    let followed: Vec<_> = ada.follow(LogFilter::of_thread(&thread), 3).take(3).collect().await;
    let seqs: Result<Vec<_>, _> = followed.into_iter().map(|event| event.map(|event| event.seq)).collect();
    transcript.record("follow t", seqs);
    transcript.record("ready", ada.ready().await.map(|ready| (ready.status, ready.events, ready.rules)));
    let cancelled = api::ResultRequest { status: Status::Denied, ..api::ResultRequest::success("") };
    transcript.record("finish as denied", agent.finish(&thread, &granted.id, &cancelled).await);
    transcript
}

/// Scenario: decisions that edit arguments, vote in a quorum, or apply to a pattern or a tool.
async fn decision_scenario(gate: &GateMaker, _: &ManualClock) -> GateTranscript {
    let as_user = |name: &str| gate(Principal::user(name));
    let (agent, ada, bob) = (gate(Principal::agent("bot")), as_user("ada"), as_user("bob"));
    let thread = parse_thread_id("t").expect("valid");
    let mut transcript = GateTranscript::default();
    let propose = async |id: &str, tool: &str, command: &str| {
        let arguments = format!("{{\"command\":\"{command}\"}}");
        agent
            .propose(&thread, &api::ProposeRequest::new(id, tool, &arguments).expect("valid"))
            .await
            .expect("proposed")
    };
    let json = |text: &str| Some(Json::parse(text).expect("valid"));
    let allow = decide(Decision::AllowOnce);
    let a = propose("a", "shell", "ls").await.id;
    let blocked = api::DecisionRequest { arguments: json(r#"{"command":"rm -r /"}"#), ..allow.clone() };
    transcript.record("change it to what is blocked", ada.decide(&thread, &a, &blocked).await);
    let others = api::DecisionRequest { arguments_hash: Some(Sha256::digest(b"others")), ..allow.clone() };
    transcript.record("decide on others", ada.decide(&thread, &a, &others).await);
    let changed = api::DecisionRequest { arguments: json(r#"{"command":"ls -l"}"#), ..allow.clone() };
    transcript.record("change it", ada.decide(&thread, &a, &changed).await.map(|call| call.response));
    let two = propose("two", "transfer", "all").await.id;
    transcript.record("vote", ada.decide(&thread, &two, &allow).await.map(|call| call.request));
    transcript.record("vote otherwise", ada.decide(&thread, &two, &decide(Decision::Deny)).await);
    let higher = api::DecisionRequest { level: Some("admin".to_owned()), ..allow };
    transcript.record("vote too high", bob.decide(&thread, &two, &higher).await);
    let b = propose("b", "bash", "git status -s").await.id;
    transcript.record("look", ada.call(&thread, &b).await.map(|call| call.request));
    transcript
        .record("look at the list", ada.pending(&LogFilter::default(), api::PageQuery::default()).await);
    let scope = |text: &str| api::ScopeRequest::new(json(text).expect("there"));
    transcript.record(
        "scope",
        ada.send(operations::PreviewScope {
            thread: thread.clone(),
            id: b.clone(),
            body: scope(r#"{"command":"git **"}"#),
        })
        .await,
    );
    transcript.record(
        "scope for nonsense",
        ada.send(operations::PreviewScope { thread: thread.clone(), id: b.clone(), body: scope("\"all\"") })
            .await,
    );
    let git = api::DecisionRequest {
        scope: json(r#"{"command":"git **"}"#),
        ..api::DecisionRequest::for_session(Json::string("tool"))
    };
    transcript.record("allow a pattern", ada.decide(&thread, &b, &git).await.map(|call| call.response));
    let c = propose("c", "bash", "npm test").await.id;
    let never = api::DecisionRequest { scope: json("\"tool\""), ..decide(Decision::Deny) };
    transcript.record("deny the tool", ada.decide(&thread, &c, &never).await.map(|call| call.response));
    transcript.record(
        "grants",
        ada.send(operations::ListGrants { thread: thread.clone(), query: SelectionQuery::default() }).await,
    );
    transcript.record("propose once more", Ok(propose("d", "bash", "git log").await));
    transcript
}

/// Scenario: masked arguments, a lost executor and its takeover, and stopping all pending calls.
async fn trouble_scenario(gate: &GateMaker, clock: &ManualClock) -> GateTranscript {
    let (agent, ada) = (gate(Principal::agent("bot")), gate(Principal::user("ada")));
    let (thread, other) = (parse_thread_id("t").expect("valid"), parse_thread_id("t2").expect("valid"));
    let mut transcript = GateTranscript::default();
    let secret = r#"{"user":"ada","password":"hunter2"}"#;
    let call = api::ProposeRequest {
        definition: Some(api::ProposedDefinition {
            needs_approval: Some(true),
            ..api::ProposedDefinition::default()
        }),
        ..api::ProposeRequest::new("a", "login", secret).expect("valid")
    };
    let proposed = agent.propose(&thread, &call).await;
    transcript.record("propose a secret", proposed.clone());
    ada.decide(&thread, &call.id, &decide(Decision::AllowOnce)).await.expect("decided");
    let claim = api::ClaimRequest {
        arguments: Some(Json::parse(secret).expect("valid")),
        lease_seconds: Some(60),
        ..api::ClaimRequest::for_call(&proposed.expect("proposed"), "first")
    };
    let strange = api::ClaimRequest { definition_hash: Some(Sha256::digest(b"other")), ..claim.clone() };
    transcript.record("claim for another tool", agent.claim(&thread, &call.id, &strange).await);
    let claimed = agent.claim(&thread, &call.id, &claim).await;
    transcript.record("claim", claimed.map(|call| (call.arguments, call.redacted)));
    let release = api::ReleaseRequest { comment: Some("lost".to_owned()) };
    transcript.record(
        "release early",
        ada.send(operations::ReleaseCall {
            thread: thread.clone(),
            id: call.id.clone(),
            body: release.clone(),
        })
        .await,
    );
    clock.advance(Duration::from_mins(1));
    transcript.record(
        "release",
        ada.send(operations::ReleaseCall { thread: thread.clone(), id: call.id.clone(), body: release })
            .await
            .map(|call| call.released),
    );
    let second = api::ClaimRequest { executor: "second".to_owned(), ..claim };
    transcript.record(
        "take over",
        agent.claim(&thread, &call.id, &second).await.map(|call| (call.execution, call.lost)),
    );
    for (thread, id, tool) in [(&thread, "b", "bash"), (&thread, "c", "transfer"), (&other, "b", "bash")] {
        agent
            .propose(thread, &api::ProposeRequest::new(id, tool, "{}").expect("valid"))
            .await
            .expect("proposed");
    }
    let stop = api::StopRequest::default();
    transcript.record(
        "stop a thread",
        ada.send(operations::StopThread { thread: thread.clone(), body: stop.clone() }).await,
    );
    let tool = api::StopRequest { tool: Some(ToolName::new("bash").expect("valid")), ..stop };
    transcript.record("stop a tool", ada.send(operations::StopAllThreads { body: tool }).await);
    transcript
}

/// Runs a scenario over both gates, whose answers must be equal. Returns the shortened transcript.
async fn run_over_both_gates(scenario: impl AsyncFn(&GateMaker, &ManualClock) -> GateTranscript) -> String {
    let (file, clock, _folder) = new_gate(RULES).await;
    let gate = file.clone();
    let embedded = scenario(&move |by| Arc::new(gate.acting_as(by)), &clock).await;
    file.shut_down().await;
    over_http(RULES, async |world: &HttpWorld| {
        let url = world.server_url();
        let server = move |by| -> SharedGate { Arc::new(gate_of(&url, &by)) };
        assert_eq!(scenario(&server, world.clock()).await.whole, embedded.whole);
    })
    .await;
    embedded.brief
}

#[tokio::test]
async fn decisions_are_equal_embedded_and_over_http() {
    assert_snapshot!(run_over_both_gates(decision_scenario).await, @r#"
    change it to what is blocked
      blocked: blocked by policy:nothing is removed: the rule says so
    decide on others
      arguments_changed: you looked at arguments that hash to 01db91d06032cc64162c16f8e35725b0e632beebdde8b2c2459979d04fb1e20c…
    change it
      {"decision":"allow_once","source":"approver","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":4,"changes":[{…
    vote
      {"seq":6,"requestedAt":"2026-01-31T12:00:00.000Z","options":["allow_once","allow_session","deny"],"reason":"the rule say…
    vote otherwise
      already_voted: voted already: allow_once by user:ada at 2026-01-31T12:00:00.000Z
    vote too high
      not_eligible: user:bob cannot decide this: it takes level admin, and theirs is user
    look
      {"seq":9,"requestedAt":"2026-01-31T12:00:00.000Z","options":["allow_once","allow_session","deny"],"reason":"no rule matc…
    look at the list
      {"pending":[{"threadId":"t","id":"two","name":"transfer","state":"pending","arguments":{"command":"all"},"argumentsHash"…
    scope
      {"scope":{"command":"git **"},"description":"command `git **`","earlier":{"compared":1,"allows":0,"denies":0,"masked":0,…
    scope for nonsense
      invalid: scope: a scope is "exact", "tool" or a pattern such as {"command": "git status **"}
    allow a pattern
      {"decision":"allow_session","source":"approver","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":10,"scope":…
    deny the tool
      {"decision":"deny","source":"approver","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","seq":13,"scope":"tool","p…
    grants
      {"grants":[{"seq":10,"tool":"bash","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","toolCallId":"b","decision":"a…
    propose once more
      {"threadId":"t","id":"d","name":"bash","state":"denied","arguments":{"command":"git log"},"argumentsHash":"067c113dfde6f…
    "#);
}

#[tokio::test]
async fn refusals_are_equal_embedded_and_over_http() {
    assert_snapshot!(run_over_both_gates(trouble_scenario).await, @r#"
    propose a secret
      {"threadId":"t","id":"a","name":"login","state":"pending","arguments":{"user":"ada","password":"[redacted]"},"argumentsH…
    claim for another tool
      definition_changed: the tool's definition hashes to d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa, an…
    claim
      [{"user":"ada","password":"hunter2"},[]]
    release early
      not_unknown: the call is running, and only a call whose outcome is unknown can be released
    release
      {"seq":6,"principal":"user:ada","at":"2026-01-31T12:01:00.000Z","claim":5,"comment":"lost"}
    take over
      [{"seq":7,"executor":"second","principal":"agent:bot","startedAt":"2026-01-31T12:01:00.000Z","leaseExpiresAt":"2026-01-3…
    stop a thread
      {"denied":[{"threadId":"t","id":"b"}],"cancelled":[],"left":[{"threadId":"t","id":"c"}]}
    stop a tool
      {"denied":[{"threadId":"t2","id":"b"}],"cancelled":[],"left":[]}
    "#);
}

#[tokio::test]
async fn conversations_are_equal_embedded_and_over_http() {
    assert_snapshot!(run_over_both_gates(conversation_scenario).await, @r#"
    call
      {"threadId":"a/b ü#?","messages":[{"seq":4,"position":0,"stored":true}],"length":1}
    Model
      [[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{\…
    Client
      [[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{\…
    decide as an agent
      {"threadId":"a/b ü#?","messages":[{"seq":5,"position":1,"stored":true}],"length":2,"decisions":[{"position":1,"id":"c","…
    decide
      {"threadId":"a/b ü#?","messages":[{"seq":6,"position":2,"stored":true}],"length":3,"decisions":[{"position":2,"id":"c","…
    another format
      ["anthropic",[{"role":"user","content":[{"type":"text","text":"(The assistant begins.)"}]},{"role":"assistant","content"…
    a format without models
      invalid: format: humanlayer has no messages of models; use the format of the model's API
    messages
      {"messages":[{"seq":5,"position":1,"type":"USER_MESSAGE","principal":"agent:bot","at":"2026-01-31T12:00:00.000Z","format…
    "#);
}

#[tokio::test]
async fn whole_cycle_is_equal_embedded_and_over_http() {
    assert_snapshot!(run_over_both_gates(call_cycle_scenario).await, @r#"
    show nothing
      unknown_call: thread a/b ü#? has no call call/1
    propose
      {"threadId":"a/b ü#?","id":"call/1","name":"bash","state":"pending","arguments":{"n": 1.50},"argumentsHash":"cb14d55cfe5…
    propose another
      call_differs: call call/1 was proposed before with another tool or other arguments, or in another place; a new call need…
    wait no longer
      "pending"
    claim early
      not_allowed: the call is pending, and only an allowed call can be claimed
    decide
      {"decision":"allow_session","source":"approver","principal":"user:ada 100%","at":"2026-01-31T12:00:00.000Z","seq":4,"sco…
    wait
      "allowed"
    decide otherwise
      already_decided: decided already: allow_session by user:ada 100% at 2026-01-31T12:00:00.000Z
    claim
      {"seq":5,"executor":"worker","principal":"agent:bot/ü","startedAt":"2026-01-31T12:00:00.000Z","leaseExpiresAt":"2026-01-…
    claim again
      already_claimed: claimed already by worker at 2026-01-31T12:00:00.000Z
    cancel
      already_claimed: claimed already by worker at 2026-01-31T12:00:00.000Z
    finish
      {"seq":6,"status":"success","content":"ok","principal":"agent:bot/ü","at":"2026-01-31T12:00:00.000Z"}
    finish otherwise
      already_finished: it ended already: success at 2026-01-31T12:00:00.000Z
    "#);
}

#[tokio::test]
async fn threads_and_log_are_equal_embedded_over_http() {
    assert_snapshot!(run_over_both_gates(thread_and_log_scenario).await, @r#"
    propose what is blocked
      {"seq":4,"status":"denied","content":"Blocked by policy:no mail: the rule says so. This is a rule, which no approval lif…
    grants
      {"grants":[{"seq":7,"tool":"bash","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","toolCallId":"b","decision":"al…
    revoke nothing
      unknown_grant: there is no grant 1 in this thread
    revoke
      unknown_grant: there is no grant 6 in this thread
    propose after it
      "allowed"
    pending
      [null,["d"]]
    pending in t2
      1
    close
      {"threadId":"t","closedAt":"2026-01-31T12:00:00.000Z","principal":"agent:bot","cancelled":[]}
    propose in vain
      thread_closed: the thread was closed at 2026-01-31T12:00:00.000Z
    events
      {"events":[{"seq":10,"threadId":"t2","type":"TOOL_CALL","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:bot","…
    follow t
      [4,5,6]
    ready
      ["ready",12,3]
    finish as denied
      invalid: status: an executor reports success, error or cancelled
    "#);
}

#[test]
fn invalid_server_address_is_refused() {
    let refused = |url: &str| HttpGate::connect(url).err().map(|error| error.to_string()).unwrap_or_default();
    assert_snapshot!(refused("127.0.0.1:7878"), @r#""127.0.0.1:7878" is not the address of a server (relative URL without a base); use an address such as http://127.0.0.1:7878 or unix:/run/countersign.sock"#);
    assert_snapshot!(refused("ftp://127.0.0.1"), @r#""ftp://127.0.0.1" is not the address of a server (the scheme must be http or https); use an address such as http://127.0.0.1:7878 or unix:/run/countersign.sock"#);
    assert_snapshot!(refused("unix:"), @r#""unix:" is not the address of a server (unix: needs the path of a socket); use an address such as http://127.0.0.1:7878 or unix:/run/countersign.sock"#);
}
