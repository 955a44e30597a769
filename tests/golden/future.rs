//! The log of the future: types of events, fields and words that only a later version knows. Today's programs list, stream,
//! verify and show them as what they are, and these allow nothing.

use crate::{
    golden_log::open_log,
    new_world,
    walk::{ReadWalk, read_commands, read_views},
};
use countersign_api::{ApprovalGate, CallGate, LogFilter, PageQuery, ThreadId, parse_call_id};
use countersign_events::{Event, EventType, Json, Principal, Sha256, chain};
use countersign_store::EventFilter;
use countersign_tests::{Database, Process, ProcessWorld, Server, SqlConnection, gate_of, statement};
use futures_util::StreamExt;
use serde_json::{Value, json};

on_each_database! { programs_read_the_log_of_the_future }

/// The types that a later version adds: thread, type, data.
const NEW_TYPES: &[(&str, &str, &str)] = &[
    ("t", "TOOL_APPROVAL_DELEGATED", r#"{"toolCallId":"held","to":"user:grace"}"#),
    ("t", "TOOL_SEEN", r#"{"toolCallId":"open","harmless":true,"screen":"inbox"}"#),
    ("frozen", "THREAD_FROZEN", r#"{"reason":"an audit","until":null}"#),
    ("t", "THREAD_TITLED", r#"{"title":"Payments","harmless":true}"#),
    ("", "REGION_ADDED", r#"{"name":"north","zones":[1.50,{"n":2}]}"#),
];

/// The words that a later version adds, as replacements in the events of a call that ran. Each has its own thread.
const NEW_WORDS: &[(&str, &str, &str)] = &[
    ("decision", r#""decision":"allow_once""#, r#""decision":"allow_until_noon""#),
    ("source", r#""source":"approver""#, r#""source":"council""#),
    ("options", r#""options":["allow_once","#, r#""options":["allow_until_noon","allow_once","#),
    ("status", r#""status":"success""#, r#""status":"postponed""#),
];

/// Writes what people and agents do today, and what a later version adds. Returns the names of all calls.
async fn write_future(world: &ProcessWorld) -> Vec<String> {
    let server = world.serves().await;
    let (bot, ada) = (server.agent("bot"), server.person("ada"));
    for id in ["ran", "held", "open"] {
        bot.proposes_unlike_others(id).await;
    }
    bot.in_thread("frozen").proposes("held").await;
    let tool = json!({"name": "github__create_issue", "definition": {"description": "Creates an issue"}});
    assert_eq!(bot.post("/v1/tools", json!({"tools": [tool]}).to_string()).await.status, 200);
    ada.allows("ran").await;
    bot.claims("ran").await;
    bot.finishes("ran").await;
    assert_eq!(server.terminated().await.code, 0);
    let store = open_log(&world.url()).await;
    let events = store.events(&EventFilter::default(), 0, usize::MAX).await.expect("reads").items;
    let now = store.clock().now();
    store.close().await;
    let mut future = FutureRows::after(&events, world.sql_connection().await);
    let is_of_run = |event: &&Event| event.data.as_str().contains(r#"d":"ran""#);
    let run: Vec<&Event> = events.iter().filter(is_of_run).collect();
    assert_eq!(run.len(), 5, "{events:?}");
    future.repeat("fields", &run, |text| text.replacen('{', r#"{"later":{"n":1.50,"list":[]},"#, 1)).await;
    for (thread, old, new) in NEW_WORDS {
        future.repeat(thread, &run, |text| text.replace(old, new)).await;
    }
    let (_, old, new) = NEW_WORDS[0];
    future.repeat("unclaimed", &run[..3], |text| text.replace(old, new)).await;
    let mode = ("words", "THREAD_MODE_SET", r#"{"mode":"siesta"}"#);
    for (thread, kind, data) in NEW_TYPES.iter().copied().chain([mode]) {
        future
            .append(Event {
                seq: 0,
                thread_id: ThreadId::of_event(thread).expect("valid"),
                kind: EventType::of_event(kind).expect("a name"),
                timestamp: now,
                principal: Principal::user("grace"),
                data: Json::parse(data).expect("valid"),
                hash: None,
            })
            .await;
    }
    future.connection.close().await;
    let threads = NEW_WORDS.iter().map(|(thread, ..)| format!("{thread}/ran"));
    let names =
        ["t/ran", "t/held", "t/open", "frozen/held", "fields/ran", "unclaimed/ran"].map(str::to_owned);
    names.into_iter().chain(threads).collect()
}

/// Appends rows with valid hashes to a log that nobody else writes to.
struct FutureRows {
    connection: SqlConnection,
    seq: i64,
    link: Sha256,
}

impl FutureRows {
    fn after(events: &[Event], connection: SqlConnection) -> Self {
        let link = events.iter().fold(Sha256::ZERO, chain::link);
        Self { connection, seq: events.last().map_or(0, |last| last.seq), link }
    }

    async fn append(&mut self, event: Event) {
        self.seq += 1;
        let mut event = Event { seq: self.seq, hash: None, ..event };
        self.link = chain::link(self.link, &event);
        event.hash = Some(self.link);
        self.connection.run(&statement(&event)).await.expect("the table takes rows of later versions");
    }

    /// Repeats the events of a call in another thread, with other data.
    async fn repeat(&mut self, thread: &str, run: &[&Event], change: impl Fn(&str) -> String) {
        for event in run.iter().copied().cloned() {
            let data = Json::parse(&change(event.data.as_str())).expect("valid");
            let thread_id = ThreadId::new(thread).expect("valid");
            self.append(Event { thread_id, data, ..event }).await;
        }
    }
}

async fn programs_read_the_log_of_the_future(database: Database) {
    let world = new_world(database).await;
    let calls = write_future(&world).await;
    let ended = Process::start(&mut world.countersign_over_log(&["verify", "--json"])).ended().await;
    let verified: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!((ended.code, &verified["newerEvents"]), (0, &json!(NEW_TYPES.len())), "{verified}");
    assert!(verified["unjudged"].as_u64() > Some(0), "{verified}");
    for words in read_commands(calls.iter()) {
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let ended = Process::start(&mut world.countersign_over_log(&words)).ended().await;
        assert_eq!(ended.code, 0, "{words:?}: {ended:?}");
    }
    let (_, log) = world.runs(&["log"]).await;
    for (_, kind, _) in NEW_TYPES {
        assert!(log.contains(kind), "{kind}: {log}");
    }
    read_views(&world).await;
    let server = world.serves().await;
    let walk = ReadWalk::over(&server, calls.iter()).await;
    walk.read_everything(&server).await;
    read_with_client(&world, &server).await;
    assert_allows_nothing(&server).await;
    assert_eq!(server.terminated().await.code, 0);
}

/// The client of Rust lists and streams each event as it is in the log.
async fn read_with_client(world: &ProcessWorld, server: &Server) {
    let store = open_log(&world.url()).await;
    let log = store.events(&EventFilter::default(), 0, usize::MAX).await.expect("reads").items;
    store.close().await;
    let gate = gate_of(&server.url, &Principal::user("ada"));
    let page = PageQuery { after: 0, limit: countersign_api::MAX_PAGE };
    let listed = gate.events(&LogFilter::default(), page).await.expect("listed").events;
    assert_eq!(listed.iter().map(|event| (**event).clone()).collect::<Vec<_>>(), log);
    let followed = gate.follow(LogFilter::default(), 0).take(log.len()).collect::<Vec<_>>().await;
    let followed: Vec<_> = followed.into_iter().map(|event| (*event.expect("an event")).clone()).collect();
    assert_eq!(followed, log);
    let pending = gate.pending(&LogFilter::default(), page).await.expect("listed");
    assert!(pending.pending.iter().any(|call| call.id.as_str() == "open"), "{pending:?}");
    let calls = gate.calls(&LogFilter::default(), None, page).await.expect("listed").calls;
    assert_eq!(calls.len(), 6 + NEW_WORDS.len());
    let shown = gate.call(&thread("decision"), &parse_call_id("ran").expect("valid")).await.expect("shown");
    assert!(!shown.may_run(), "{shown:?}");
}

fn thread(name: &str) -> ThreadId {
    ThreadId::new(name).expect("valid")
}

/// What a later version has written gives no right, and takes none from other calls.
async fn assert_allows_nothing(server: &Server) {
    let decision = || json!({"decision": "allow_once"}).to_string();
    for (thread, id) in [("t", "held"), ("frozen", "held")] {
        let path = format!("/v1/threads/{thread}/approvals/{id}");
        let refused = server.person("ada").post(&path, decision()).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (409, "unknown_event"), "{refused}");
    }
    server.person("ada").allows("open").await;
    let bot = server.agent("bot");
    let claim = async |call: &str| {
        let hash = bot.get(call).await.value("argumentsHash");
        let body = json!({"executor": "w", "argumentsHash": hash}).to_string();
        bot.post(&format!("{call}/claim"), body).await
    };
    let refused = claim("/v1/threads/unclaimed/tool-calls/ran").await;
    assert_eq!((refused.status, refused.text("code").as_str()), (409, "not_allowed"), "{refused}");
    let claimed = claim("/v1/threads/t/tool-calls/open").await;
    assert_eq!((claimed.status, claimed.text("state").as_str()), (200, "running"), "{claimed}");
}
