//! Each golden log continues: its open calls go on to their results, and it moves from database to database.

use crate::{
    golden_log::{GoldenLog, open_log, read_rows},
    new_world,
    reading::measure,
};
use countersign_api::{ThreadId, parse_call_id};
use countersign_events::{CallState, EventType};
use countersign_store::{DatabaseUrl, copy};
use countersign_tests::{Cluster, Database, ProcessWorld, in_time};
use serde_json::json;

on_each_database! { open_calls_of_golden_log_go_on }

async fn open_calls_of_golden_log_go_on(database: Database) {
    for log in GoldenLog::read_all() {
        let world = new_world(database).await;
        log.restore(&world).await;
        let server = world.serves().await;
        let (bot, ada) = (server.agent("bot").in_thread("open"), server.person("ada").in_thread("open"));
        // A later version said something harmless about this call.
        ada.allows("pending").await;
        bot.claims("pending").await;
        bot.finishes("pending").await;
        // Its lease has ended long ago, and its result is recorded nevertheless.
        let result = json!({"status": "success", "content": "made", "executor": "worker-1"});
        let finished = bot.post("/v1/threads/open/tool-calls/running/result", result.to_string()).await;
        assert_eq!((finished.status, finished.text("state").as_str()), (200, "finished"), "{finished}");
        // A later version has moved this call to somebody, and decided it with a word of its own.
        let decision = json!({"decision": "allow_once"}).to_string();
        let refused = server.person("bob").post("/v1/threads/open/approvals/half-voted", decision).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (409, "unknown_event"), "{refused}");
        let new = server.agent("bot").in_thread("new");
        new.proposes("call_1").await;
        server.person("ada").in_thread("new").denies("call_1").await;
        let ended = server.terminated().await;
        assert_eq!(ended.code, 0, "{ended:?}");
        assert_continued(&world, &log).await;
    }
}

async fn assert_continued(world: &ProcessWorld, log: &GoldenLog) {
    let (before, after) = (log.expectation(), measure(world).await);
    assert!(
        after.events > before.events && after.unsealed == 0,
        "the new rows seal those without a hash: {after:?}"
    );
    let count = |kind: EventType| after.types[kind.as_str()] - before.types[kind.as_str()];
    let kinds = [EventType::ToolCall, EventType::ApprovalResponse, EventType::ToolResult];
    assert_eq!(kinds.map(count), [1, 2, 3], "{}", log.version);
    assert_eq!((after.newer, after.concerned), (before.newer, before.concerned));
    let store = open_log(&world.url()).await;
    let thread = ThreadId::new("open").expect("valid");
    for id in ["pending", "running"] {
        let call = store.call(&thread, &parse_call_id(id).expect("valid")).await.expect("reads");
        let state = call.expect("the call exists").state(store.clock().now());
        assert_eq!(state, CallState::Finished, "{id}");
    }
    store.close().await;
}

#[tokio::test]
async fn golden_log_moves_between_databases() {
    in_time(async {
        let server = Cluster::started().await;
        for (number, log) in GoldenLog::read_all().iter().enumerate() {
            let world = new_world(Database::Sqlite).await;
            log.restore(&world).await;
            let middle = server.database(&format!("copy_{number}")).await;
            let back = world.file("back.db").display().to_string();
            let address = |url: &str| DatabaseUrl::parse(url).expect("an address");
            for (from, to) in [(&world.url(), &middle), (&middle, &back)] {
                let copied = copy(address(from), address(to), false, |_| ()).await.expect("copied");
                assert!(copied.report.holds(), "{}: {:?}", log.version, copied.report);
                assert!(read_rows(to).await == read_rows(from).await, "{}: a row has changed", log.version);
            }
        }
    })
    .await;
}
