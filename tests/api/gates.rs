//! The gate over a file and the gate over a server: one suite, told twice, and both must answer alike.

use countersign_gate::{
    Error, Filter, Gate, Principal, api,
    event::{Decision, Status},
    name,
};
use countersign_tests::api::{Town, fresh_gate, story};
use futures_util::StreamExt;
use insta::assert_snapshot;
use serde::Serialize;
use std::{fmt::Write as _, time::Duration};

const RULES: &str = "[[rule]]\nname = \"no mail\"\ntool = \"mail\"\nverdict = \"block\"";

/// What was asked and answered: whole, to compare, and in brief, to read.
#[derive(Default)]
struct Told {
    whole: String,
    brief: String,
}

impl Told {
    fn say<T: Serialize>(&mut self, what: &str, answer: Result<T, Error>) {
        let text = match answer {
            Ok(answer) => serde_json::to_string(&answer).expect("JSON"),
            Err(error) => {
                let _ = writeln!(self.whole, "{:?} {:?}", error.response(), error.execution());
                format!("{}: {error}", error.code())
            }
        };
        let _ = writeln!(self.whole, "{what}\n  {text}");
        let (cut, more) =
            text.char_indices().nth(120).map_or((text.as_str(), ""), |(at, _)| (&text[..at], "…"));
        let _ = writeln!(self.brief, "{what}\n  {cut}{more}");
    }
}

fn decide(decision: Decision) -> api::Decide {
    api::Decide { decision, comment: None }
}

/// The way of one call from proposal to result, and what is refused on it.
async fn tell_the_cycle(gate: &Gate) -> Told {
    let (agent, ada) =
        (gate.acting_as(Principal::agent("bot/ü")), gate.acting_as(Principal::user("ada 100%")));
    let thread = name("a/b ü#?").expect("valid");
    let call = api::Propose::new("call/1", "bash", r#"{"n": 1.50}"#).expect("valid");
    let mut told = Told::default();
    told.say("show nothing", agent.call(&thread, &call.id).await);
    let proposed = agent.propose(&thread, &call).await;
    told.say("propose", proposed.clone());
    let other = api::Propose::new("call/1", "zsh", "{}").expect("valid");
    told.say("propose another", agent.propose(&thread, &other).await);
    told.say(
        "wait no longer",
        agent.wait(&thread, &call.id, Some(Duration::ZERO)).await.map(|call| call.state),
    );
    told.say("decide as agent", agent.decide(&thread, &call.id, &decide(Decision::AllowOnce)).await);
    let claim = api::Claim::of(&proposed.expect("proposed"), "worker");
    told.say("claim early", agent.claim(&thread, &call.id, &claim).await);
    let allow = decide(Decision::AllowSession);
    let (waited, decided) =
        tokio::join!(agent.wait(&thread, &call.id, None), ada.decide(&thread, &call.id, &allow));
    told.say("decide", decided.map(|call| call.response));
    told.say("wait", waited.map(|call| call.state));
    told.say("decide otherwise", ada.decide(&thread, &call.id, &decide(Decision::Deny)).await);
    told.say("claim", agent.claim(&thread, &call.id, &claim).await.map(|call| call.execution));
    told.say("claim again", agent.claim(&thread, &call.id, &claim).await);
    told.say("cancel", agent.cancel(&thread, &call.id, &api::Cancel::default()).await);
    told.say("finish", agent.finish(&thread, &call.id, &api::Finish::success("ok")).await.map(|c| c.result));
    told.say("finish otherwise", agent.finish(&thread, &call.id, &api::Finish::error("no")).await);
    told
}

/// What is about threads and the log rather than about one call.
async fn tell_the_rest(gate: &Gate) -> Told {
    let (agent, ada) = (gate.acting_as(Principal::agent("bot")), gate.acting_as(Principal::user("ada")));
    let (thread, other) = (name("t1").expect("valid"), name("t2").expect("valid"));
    let mut told = Told::default();
    let propose = async |thread, id: &str, tool: &str| {
        agent.propose(thread, &api::Propose::new(id, tool, "[]").expect("valid")).await
    };
    told.say("propose what is blocked", propose(&thread, "a", "mail").await.map(|call| call.result));
    let granted = propose(&thread, "b", "bash").await.expect("proposed");
    ada.decide(&thread, &granted.id, &decide(Decision::AllowSession)).await.expect("decided");
    told.say("grants", ada.grants(&thread, api::PageOf::default()).await);
    told.say("revoke nothing", ada.revoke(&thread, 1).await);
    told.say("revoke", ada.revoke(&thread, 6).await);
    told.say("propose after it", propose(&thread, "c", "bash").await.map(|call| call.state));
    propose(&other, "d", "bash").await.expect("proposed");
    let one = api::PageOf { after: 0, limit: 1 };
    let ids = |page: api::Pending| page.pending.into_iter().map(|call| call.id).collect::<Vec<_>>();
    told.say("pending", ada.pending(&Filter::default(), one).await.map(|page| (page.next, ids(page))));
    told.say(
        "pending in t2",
        ada.pending(&Filter::of_thread(&other), one).await.map(|page| page.pending.len()),
    );
    told.say("close", agent.close(&thread).await);
    told.say("propose in vain", propose(&thread, "e", "bash").await);
    told.say("events", ada.events(&Filter::default(), api::PageOf { after: 9, limit: 2 }).await);
    let followed: Vec<_> = ada.follow(Filter::of_thread(&thread), 3).take(3).collect().await;
    let seqs: Result<Vec<_>, _> = followed.into_iter().map(|event| event.map(|event| event.seq)).collect();
    told.say("follow t1", seqs);
    told.say("ready", ada.ready().await.map(|ready| (ready.status, ready.events, ready.rules)));
    let cancelled = api::Finish { status: Status::Denied, ..api::Finish::success("") };
    told.say("finish as denied", agent.finish(&thread, &granted.id, &cancelled).await);
    told
}

/// Tells it over a file and over a server. Both must say the same, which is given back.
async fn both_ways(tell: impl AsyncFn(&Gate) -> Told) -> String {
    let (file, _clock, _folder) = fresh_gate(RULES).await;
    let over_a_file = tell(&file).await;
    file.shut_down().await;
    story(RULES, async |town: &Town| {
        let server = Gate::connect(&format!("http://{}", town.address)).expect("an address");
        assert_eq!(tell(&server).await.whole, over_a_file.whole);
    })
    .await;
    over_a_file.brief
}

#[tokio::test]
async fn the_cycle_is_the_same_over_a_file_and_over_a_server() {
    assert_snapshot!(both_ways(tell_the_cycle).await, @r#"
    show nothing
      unknown_call: thread a/b ü#? has no call call/1
    propose
      {"threadId":"a/b ü#?","id":"call/1","name":"bash","state":"pending","arguments":{"n": 1.50},"argumentsHash":"cb14d55cfe5…
    propose another
      call_differs: call call/1 was proposed before with another tool or other arguments; a new call needs a new id
    wait no longer
      "pending"
    decide as agent
      not_an_approver: agent:bot/ü is no person, and only people decide
    claim early
      not_allowed: the call is pending, and only an allowed call can be claimed
    decide
      {"decision":"allow_session","source":"approver","principal":"user:ada 100%","at":"2026-01-31T12:00:00.000Z","seq":3,"pol…
    wait
      "allowed"
    decide otherwise
      already_decided: decided already: allow_session by user:ada 100% at 2026-01-31T12:00:00.000Z
    claim
      {"seq":4,"executor":"worker","principal":"agent:bot/ü","startedAt":"2026-01-31T12:00:00.000Z"}
    claim again
      already_claimed: claimed already by worker at 2026-01-31T12:00:00.000Z
    cancel
      already_claimed: claimed already by worker at 2026-01-31T12:00:00.000Z
    finish
      {"seq":5,"status":"success","content":"ok","principal":"agent:bot/ü","at":"2026-01-31T12:00:00.000Z"}
    finish otherwise
      already_finished: it ended already: success at 2026-01-31T12:00:00.000Z
    "#);
}

#[tokio::test]
async fn threads_and_the_log_are_the_same_over_a_file_and_over_a_server() {
    assert_snapshot!(both_ways(tell_the_rest).await, @r#"
    propose what is blocked
      {"seq":3,"status":"denied","content":"Blocked by policy:no mail: the rule says so. This is a rule, which no approval lif…
    grants
      {"grants":[{"seq":6,"tool":"bash","principal":"user:ada","at":"2026-01-31T12:00:00.000Z","toolCallId":"b"}],"next":null}
    revoke nothing
      unknown_grant: no response at seq 1 gave a grant in this thread
    revoke
      {"grants":[],"next":null}
    propose after it
      "pending"
    pending
      [9,["c"]]
    pending in t2
      1
    close
      {"threadId":"t1","closedAt":"2026-01-31T12:00:00.000Z","principal":"agent:bot","cancelled":["c"]}
    propose in vain
      thread_closed: the thread was closed at 2026-01-31T12:00:00.000Z
    events
      {"events":[{"seq":10,"threadId":"t2","type":"TOOL_CALL","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:bot","…
    follow t1
      [4,5,6]
    ready
      ["ready",14,1]
    finish as denied
      invalid: status: an executor reports success, error or cancelled
    "#);
}

#[tokio::test]
async fn a_server_does_not_hand_out_its_file() {
    story(RULES, async |town| {
        let server = Gate::connect(&format!("http://{}", town.address)).expect("an address");
        assert_eq!(server.verify(|_| ()).await.expect_err("no file"), Error::OnlyOverAFile);
        assert_eq!(server.rebuild_index().await.expect_err("no file"), Error::OnlyOverAFile);
    })
    .await;
}

#[test]
fn an_address_that_names_no_server_is_refused() {
    let refused = |url: &str| Gate::connect(url).err().map(|error| error.to_string()).unwrap_or_default();
    assert_snapshot!(refused("127.0.0.1:7878"), @r#""127.0.0.1:7878" is no server's address (relative URL without a base); it looks like http://127.0.0.1:7878 or unix:/run/countersign.sock"#);
    assert_snapshot!(refused("https://127.0.0.1"), @r#""https://127.0.0.1" is no server's address (only http is spoken, and only on this machine); it looks like http://127.0.0.1:7878 or unix:/run/countersign.sock"#);
    assert_snapshot!(refused("unix:"), @r#""unix:" is no server's address (the path of a socket follows after unix:); it looks like http://127.0.0.1:7878 or unix:/run/countersign.sock"#);
}
