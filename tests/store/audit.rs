//! Questions of an auditor: the view `calls` shows what ran and who allowed it, and the printed queries of the guide
//! answer.

use countersign_api::{self as api, ApprovalGate, SendOperation, operations};
use countersign_events::{CallStateFilter, Decision, Json, Mode, Principal, ThreadId};
use countersign_gate::EmbeddedGate;
use countersign_store::EventFilter;
use countersign_tests::{Database, Proposal, World, on_each_database};
use std::{fs, path::Path, sync::Arc, time::Duration};

on_each_database! {
    view_shows_changed_arguments_that_ran,
    view_names_the_giver_of_a_grant,
    view_names_the_person_behind_a_mode,
    single_call_lookup_in_view_uses_indexes,
    whole_views_search_no_thread_for_each_call,
    statistics_agree_with_sql_on_the_log,
    part_of_a_state_selects_its_calls,
    printed_queries_of_the_guide_run,
}

/// A thread with an agent and a person, on a gate with the machine's clock.
struct AuditedThread {
    agent: std::sync::Arc<dyn ApprovalGate>,
    ada: std::sync::Arc<dyn ApprovalGate>,
    thread: ThreadId,
}

impl AuditedThread {
    async fn open(world: &World) -> Self {
        let gate = EmbeddedGate::open(world.address()).await.expect("opens");
        Self {
            agent: Arc::new(gate.acting_as(Principal::agent("bot"))),
            ada: Arc::new(gate.acting_as(Principal::user("ada"))),
            thread: ThreadId::new("t").expect("valid"),
        }
    }

    async fn proposes(&self, id: &str, command: &str) -> api::Call {
        let arguments = format!(r#"{{"command":"{command}"}}"#);
        let request = api::ProposeRequest::new(id, "bash", &arguments).expect("valid");
        self.agent.propose(&self.thread, &request).await.expect("proposed")
    }

    async fn decides(&self, id: &str, request: api::DecisionRequest) -> api::Call {
        let id = api::parse_call_id(id).expect("valid");
        self.ada.decide(&self.thread, &id, &request).await.expect("decided")
    }

    async fn runs(&self, call: &api::Call) {
        let claim = api::ClaimRequest::for_call(call, "worker");
        self.agent.claim(&self.thread, &call.id, &claim).await.expect("claimed");
        self.agent
            .finish(&self.thread, &call.id, &api::ResultRequest::success("done"))
            .await
            .expect("finished");
    }

    async fn ends(self) {
        self.ada.shut_down().await;
    }
}

async fn view_shows_changed_arguments_that_ran(world: &mut World) {
    let thread = AuditedThread::open(world).await;
    thread.proposes("call_1", "rm -rf build").await;
    let edit = Json::parse(r#"{"command":"rm -r build/tmp"}"#).expect("valid");
    let call = thread
        .decides(
            "call_1",
            api::DecisionRequest {
                arguments: Some(edit),
                ..api::DecisionRequest::plain(Decision::AllowOnce)
            },
        )
        .await;
    thread.runs(&call).await;
    thread.proposes("call_2", "ls").await;
    let row = "SELECT tool_call_id, arguments ->> 'command', proposed_arguments ->> 'command',
        CASE WHEN changed THEN 'changed' ELSE 'same' END FROM calls ORDER BY seq";
    let shown = world.run_shell(row).await.expect("the shell reads");
    assert_eq!(shown, "call_1|rm -r build/tmp|rm -rf build|changed\ncall_2|ls|ls|same");
    thread.ends().await;
}

async fn view_names_the_giver_of_a_grant(world: &mut World) {
    let thread = AuditedThread::open(world).await;
    thread.proposes("call_1", "ls").await;
    thread.decides("call_1", api::DecisionRequest::for_session(Json::string("tool"))).await;
    let response = thread.proposes("call_2", "pwd").await.response.expect("the grant answers");
    let (seq, grant) = (response.seq, response.grant.expect("it names the grant"));
    let origin = response.grant_origin.expect("it names the origin of the grant");
    assert_eq!((origin.principal.as_str(), origin.says.as_str()), ("user:ada", "the whole tool"));
    let row = "SELECT tool_call_id, decided_by, decision_seq, scope, granted_by, grant_seq, grant_scope
        FROM calls ORDER BY seq";
    let shown = world.run_shell(row).await.expect("the shell reads");
    let expected =
        format!("call_1|user:ada|{grant}|tool|||\ncall_2|policy:grant|{seq}||user:ada|{grant}|tool");
    assert_eq!(shown, expected);
    thread.ends().await;
}

async fn view_names_the_person_behind_a_mode(world: &mut World) {
    let thread = AuditedThread::open(world).await;
    thread.proposes("call_1", "ls").await;
    let body = api::ModeRequest { mode: Mode::ApproveAll, new_thread: false };
    let set = operations::SetMode { thread: thread.thread.clone(), body };
    thread.ada.send(set).await.expect("set");
    let call = thread.proposes("call_2", "kubectl delete ns prod").await;
    let response = call.response.expect("the mode answers");
    let set_by = response.set_by.expect("it names who set the mode");
    assert_eq!(set_by.principal, Principal::user("ada"));
    let row = "SELECT tool_call_id, decided_by, source, granted_by, grant_seq FROM calls ORDER BY seq";
    let shown = world.run_shell(row).await.expect("the shell reads");
    assert_eq!(shown, "call_1||||\ncall_2|policy:mode|mode|user:ada|");
    thread.ends().await;
}

async fn single_call_lookup_in_view_uses_indexes(world: &mut World) {
    let lookup = "SELECT * FROM calls WHERE thread_id = $1 AND tool_call_id = $2";
    match world.database() {
        Database::Sqlite => {
            let mut connection = world.sql_connection().await;
            let steps = connection.details(&format!("EXPLAIN QUERY PLAN {lookup}")).await.expect("explained");
            let reads: Vec<_> = steps.iter().filter(|step| step.contains("SCAN ")).collect();
            assert!(reads.is_empty(), "{steps:#?}");
            let by_thread: Vec<_> = steps.iter().filter(|step| step.contains("by_thread")).collect();
            assert!(by_thread.is_empty(), "a step reads the whole thread: {steps:#?}");
            connection.close().await;
        }
        Database::Postgres => {
            let mut connection = crate::plans::connected_as_the_store(world).await;
            let steps = crate::plans::plan(&mut connection, lookup).await;
            let scans = crate::plans::full_scans(&steps);
            assert!(scans.is_empty(), "{scans:?} in {steps:#?}");
            connection.close().await;
        }
    }
}

/// The figures of pages and of `countersign stats` add up, and each is what SQL counts.
async fn statistics_agree_with_sql_on_the_log(world: &mut World) {
    let thread = AuditedThread::open(world).await;
    for id in ["allowed", "denied", "withdrawn", "waiting"] {
        thread.proposes(id, &format!("make {id}")).await;
    }
    thread.decides("allowed", api::DecisionRequest::plain(Decision::AllowOnce)).await;
    thread.decides("denied", api::DecisionRequest::plain(Decision::Deny)).await;
    let withdrawn = api::parse_call_id("withdrawn").expect("valid");
    thread.agent.cancel(&thread.thread, &withdrawn, &api::CancelRequest::default()).await.expect("cancelled");
    let counted = thread.ada.send(operations::CountCalls { query: api::StatisticsQuery::default() }).await;
    let total = counted.expect("counted").total;
    assert_eq!(total.asked, total.asked_allowed + total.asked_denied + total.not_decided);
    let asked = "requested_at IS NOT NULL";
    for (figure, condition) in [
        (total.calls, "1 = 1".to_owned()),
        (total.asked, asked.to_owned()),
        (total.asked_allowed, format!("{asked} AND decision LIKE 'allow%' AND source = 'approver'")),
        (total.asked_denied, format!("{asked} AND decision = 'deny' AND source = 'approver'")),
        (
            total.not_decided,
            format!("{asked} AND (decision IS NULL OR source IN ('expiry', 'cancellation'))"),
        ),
        (total.waiting, format!("{asked} AND decision IS NULL")),
    ] {
        let sql = format!("SELECT count(*) FROM calls WHERE {condition}");
        assert_eq!(world.run_shell(&sql).await.expect("counts"), figure.to_string(), "{condition}");
    }
    thread.ends().await;
}

/// A count or a group reads each event at most a few times: a search of the whole thread for each of its calls would make it grow
/// with the square of the thread.
async fn whole_views_search_no_thread_for_each_call(world: &mut World) {
    for (view, column) in [
        ("calls", "tool"),
        ("person_decisions", "person"),
        ("unknown_outcomes", "tool"),
        ("mismatches", "tool"),
        ("advice", "advisor"),
        ("pending_calls", "tool"),
    ] {
        for sql in [
            format!("SELECT count(*) FROM {view}"),
            format!("SELECT {column}, count(*) FROM {view} GROUP BY {column}"),
        ] {
            if world.database() == Database::Sqlite {
                let mut connection = world.sql_connection().await;
                let steps =
                    connection.details(&format!("EXPLAIN QUERY PLAN {sql}")).await.expect("explained");
                let searches = |step: &&String| step.starts_with("SEARCH") && step.contains("by_thread");
                let found: Vec<_> = steps.iter().filter(searches).collect();
                assert!(found.is_empty(), "{sql}: {steps:#?}");
                connection.close().await;
            } else {
                let mut connection = crate::plans::connected_as_the_store(world).await;
                let steps = crate::plans::plan(&mut connection, &sql).await;
                let found: Vec<_> = steps.iter().filter(|step| step.contains("events_by_thread")).collect();
                assert!(found.is_empty(), "{sql}: {steps:#?}");
                connection.close().await;
            }
        }
    }
}

async fn part_of_a_state_selects_its_calls(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let short = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
    bot.proposes_to("expired", short).await.expect("asked");
    world.clock().advance(Duration::from_mins(2));
    bot.expires("expired").await.expect("expired");
    for id in ["denied", "succeeded", "waiting", "withdrawn"] {
        bot.proposes_unlike_others(id).await.expect("asked");
    }
    ada.denies("denied").await.expect("denied");
    ada.allows("succeeded").await.expect("allowed");
    bot.claims_with("succeeded", r#"{"command":"make succeeded"}"#).await.expect("claimed");
    bot.finishes("succeeded").await.expect("finished");
    bot.cancels("withdrawn").await.expect("cancelled");
    for (word, expected) in [
        ("expired", "expired"),
        ("denied", "denied expired"),
        ("unanswered", "withdrawn waiting expired"),
        ("succeeded", "succeeded"),
        ("failed", ""),
        ("blocked", ""),
        ("lapsed", ""),
    ] {
        let filter: CallStateFilter = word.parse().expect("a known word");
        let page = world.store().calls(&EventFilter::default(), Some(filter), world.now(), 0, 100).await;
        let ids: Vec<_> = page.expect("reads").items.iter().map(|call| call.id().to_string()).collect();
        assert_eq!(ids.join(" "), expected, "{word}");
    }
}

/// The SQL blocks of the guide, with the dialects that they are for.
fn printed_queries() -> Vec<(String, bool, bool)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides/auditing.md");
    let text = fs::read_to_string(path).expect("the guide exists");
    let blocks = text.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.map(|sql| (sql.to_owned(), !sql.contains("interval"), !sql.contains("strftime"))).collect()
}

async fn printed_queries_of_the_guide_run(world: &mut World) {
    let thread = AuditedThread::open(world).await;
    thread.proposes("call_1", "rm -r build").await;
    let call = thread.decides("call_1", api::DecisionRequest::for_session(Json::string("tool"))).await;
    thread.runs(&call).await;
    let call = thread.proposes("call_2", "rm notes.txt").await;
    thread.runs(&call).await;
    let elsewhere = ThreadId::new("denials").expect("valid");
    let denied = AuditedThread { thread: elsewhere, agent: thread.agent.clone(), ada: thread.ada.clone() };
    denied.proposes("call_1", "rm -r /").await;
    let denial = api::DecisionRequest {
        scope: Some(Json::string("tool")),
        ..api::DecisionRequest::plain(Decision::Deny)
    };
    denied.decides("call_1", denial).await;
    denied.proposes("call_2", "rm x").await;
    let grant = call.response.as_ref().and_then(|response| response.grant).expect("the grant answered");
    thread
        .ada
        .send(operations::RevokeGrant { thread: thread.thread.clone(), seq: grant })
        .await
        .expect("revoked");
    // None of these is in the answers: an approval of a word that ends in the same letters, a denial that is remembered.
    thread.proposes("call_4", "terraform plan").await;
    thread.decides("call_4", api::DecisionRequest::plain(Decision::AllowOnce)).await;
    thread.proposes("call_5", "terraform apply").await;
    thread.decides("call_5", api::DecisionRequest::plain(Decision::Deny)).await;
    let repeated = thread.proposes("call_6", "terraform apply").await;
    assert!(repeated.response.is_some_and(|response| response.grant.is_some()), "the denial answers");
    thread.proposes("call_3", "make").await;
    thread.ends().await;
    let mut answers = Vec::new();
    for (sql, on_sqlite, on_postgres) in printed_queries() {
        let runs_here = if world.database() == Database::Sqlite { on_sqlite } else { on_postgres };
        if runs_here {
            answers.push(world.run_shell(&sql).await.unwrap_or_else(|why| panic!("{sql}: {why}")));
        }
    }
    let [allowed, unanswered, grants, answered] = answers.as_slice() else { panic!("{answers:#?}") };
    assert!(allowed.contains("user:ada||rm -r build|success"), "{allowed}");
    assert!(allowed.contains("user:ada|tool|rm notes.txt|success"), "{allowed}");
    assert_eq!(allowed.lines().count(), 2, "{allowed}");
    assert!(
        unanswered.contains("t|call_3|bash|agent:bot|pending") && unanswered.lines().count() == 1,
        "{unanswered}"
    );
    assert!(grants.contains(&format!("|t|bash|tool|{grant}||||revoked|user:ada|")), "{grants}");
    assert!(
        answered.contains("|t|call_2|rm notes.txt|success") && answered.lines().count() == 1,
        "{answered}"
    );
}
