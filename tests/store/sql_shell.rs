//! Decisions inserted in the SQL shell: every process sees them, and the next command adds their hashes.

use countersign_events::{CallId, EventType};
use countersign_store::EventFilter;
use countersign_tests::{World, code, on_each_database};

on_each_database! {
    decision_inserted_by_sql_wakes_its_waiter,
    next_command_seals_rows_inserted_by_sql,
    views_show_a_call_in_one_row,
    decision_inserted_by_sql_follows_the_rules,
}

async fn decision_inserted_by_sql_wakes_its_waiter(world: &mut World) {
    let other = world.another_store().await;
    let bot = world.agent("bot");
    let proposed = bot.proposes("call_1").await.expect("asked").events;
    let mut waiter = other.watch_call(bot.thread_id(), &CallId::new("call_1").expect("valid"));
    let mut follower = other.follow(EventFilter::default(), proposed[1].seq);
    let typed = "INSERT INTO decisions VALUES ('t', 'call_1', 'allow_once', 'user:ada', 'it''s fine')";
    world.run_shell(typed).await.expect("the shell writes");
    waiter.woken().await;
    let event = follower.next().await.expect("the waiter wakes");
    assert_eq!((event.seq, event.kind), (3, EventType::ApprovalResponse));
    assert_eq!(event.principal.as_str(), "user:ada");
    assert_eq!(event.hash, None, "no command has added the hash");
    let call = world.call("t", "call_1").await;
    assert_eq!(call.response().and_then(|r| r.what.comment.as_deref()), Some("it's fine"));
    assert_eq!(code(&bot.claims("call_1").await), "done", "the call can be claimed");
}

async fn next_command_seals_rows_inserted_by_sql(world: &mut World) {
    let bot = world.agent("bot");
    bot.proposes("call_1").await.expect("asked");
    bot.proposes("call_2").await.expect("asked");
    let typed = "INSERT INTO decisions VALUES ('t', 'call_1', 'allow_once', 'user:ada', NULL);
        INSERT INTO decisions VALUES ('t', 'call_2', 'deny', 'user:ada', 'no')";
    world.run_shell(typed).await.expect("the shell writes");
    let report = world.verify().await;
    assert!(report.holds(), "{report:?}");
    assert_eq!((report.events, report.unsealed), (7, 3), "a denial also writes a result");
    let tip = report.tip;
    bot.claims("call_1").await.expect("claimed");
    let report = world.verify().await;
    assert!(report.holds(), "{report:?}");
    assert_eq!((report.events, report.unsealed), (8, 0));
    assert_ne!(report.tip, tip);
}

async fn views_show_a_call_in_one_row(world: &mut World) {
    let bot = world.agent("bot");
    bot.proposes("call_1").await.expect("asked");
    world.person("ada").allows("call_1").await.expect("allowed");
    bot.claims("call_1").await.expect("claimed");
    bot.finishes("call_1").await.expect("finished");
    let row = "SELECT thread_id, tool_call_id, tool, proposed_by, decision, decided_by, executor, status
        FROM calls";
    let shown = world.run_shell(row).await.expect("the shell reads");
    assert_eq!(shown, "t|call_1|bash|agent:bot|allow_once|user:ada|agent:bot|success");
    let decisions = world.run_shell("SELECT * FROM decisions").await.expect("the shell reads");
    assert_eq!(decisions, "t|call_1|allow_once|user:ada|");
}

async fn decision_inserted_by_sql_follows_the_rules(world: &mut World) {
    world.person("ada").proposes("call_1").await.expect("asked");
    for (values, why) in [
        ("'t', 'call_2', 'deny', 'user:bo', NULL", "the thread has no such call"),
        ("'t2', 'call_1', 'deny', 'user:bo', NULL", "the thread has no such call"),
        ("'t', 'call_1', 'perhaps', 'user:bo', NULL", "not one of the options"),
        ("'t', 'call_1', NULL, 'user:bo', NULL", "not one of the options"),
        ("'t', 'call_1', 'allow_once', 'agent:bot', NULL", "a person may decide"),
        ("'t', 'call_1', 'allow_once', 'user:ada', NULL", "not the person who proposed the call"),
        ("'t', 'call_1', 'allow_once', NULL, NULL", "a person may decide"),
        // Each is the proposer in another spelling, or more than one name.
        ("'t', 'call_1', 'allow_once', 'user:Ada', NULL", "another spelling"),
        ("'t', 'call_1', 'allow_once', 'user:a\u{17f}da', NULL", "another spelling"),
        ("'t', 'call_1', 'allow_once', 'user:stra\u{df}e', NULL", "another spelling"),
        ("'t', 'call_1', 'allow_once', 'user:x,bo', NULL", "no comma"),
        // Each looks like the proposer, and is not.
        ("'t', 'call_1', 'allow_once', 'user:ada ', NULL", "no blanks"),
        ("'t', 'call_1', 'allow_once', 'user: ada', NULL", "no blanks"),
        ("'t', 'call_1', 'allow_once', 'user:ad\u{200b}a', NULL", "Latin letters"),
        ("'t', 'call_1', 'allow_once', 'user:\u{202e}ada', NULL", "Latin letters"),
        ("'t', 'call_1', 'allow_once', 'user:\u{430}da', NULL", "Latin letters"),
        ("'t', 'call_1', 'allow_once', 'user:a\nda', NULL", "Latin letters"),
    ] {
        let sql = format!("INSERT INTO decisions VALUES ({values})");
        let complaint = world.run_shell(&sql).await.expect_err(values);
        assert!(complaint.contains(why), "{values}: {complaint}");
    }
    assert_eq!(world.log().await.len(), 2);
    world
        .run_shell("INSERT INTO decisions VALUES ('t', 'call_1', 'deny', 'user:Zoë B', NULL)")
        .await
        .expect("the first valid decision is accepted");
    let again = "INSERT INTO decisions VALUES ('t', 'call_1', 'allow_once', 'user:cy', NULL)";
    let complaint = world.run_shell(again).await.expect_err("the call is decided");
    assert!(complaint.contains("the call is decided already"), "{complaint}");
    assert_eq!(world.log().await.len(), 4);
}
