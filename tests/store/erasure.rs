//! Erased content: gone from the rows, the views, the feeds and the files, while the hash chain and the rules hold; and
//! the database accepts no other change to a row.

use countersign_api::{self as api, SendOperation, SharedGate, operations};
use countersign_events::{CallState, Decision, EventType, Json, Principal, ThreadId};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_store::{DatabaseUrl, EventFilter, Store, StoreOptions, backup, copy};
use countersign_tests::{World, in_world, on_each_database};
use std::{fs, path::Path, sync::Arc};

on_each_database! {
    erased_call_loses_only_its_texts,
    open_call_is_not_erased,
    other_processes_lose_erased_texts,
    followers_do_not_receive_erased_content,
    only_a_recorded_erasure_changes_a_row,
    erased_log_can_be_copied,
}

/// A string that occurs nowhere else.
pub(crate) const SECRET: &str = "IBAN DE02 1203 0000 0000 2020 51";

/// Calls in one thread with content in every field, and the people who decide.
pub(crate) struct ErasureStory {
    pub(crate) bot: SharedGate,
    pub(crate) ada: SharedGate,
    pub(crate) thread: ThreadId,
}

impl ErasureStory {
    pub(crate) async fn open(world: &World) -> Self {
        let gate = EmbeddedGate::open_with(world.address(), world.options(), Policy::ask_always()).await;
        let gate = gate.expect("opens");
        Self {
            bot: Arc::new(gate.acting_as(Principal::agent("bot"))),
            ada: Arc::new(gate.acting_as(Principal::user("ada"))),
            thread: ThreadId::new("t").expect("valid"),
        }
    }

    pub(crate) async fn proposes(&self, id: &str, secret: &str) -> api::Call {
        let arguments = format!(r#"{{"text":"{secret}","file":"/srv/{secret}"}}"#);
        let request = api::ProposeRequest {
            description: Some(format!("mails {secret}")),
            ..api::ProposeRequest::new(id, "mail", &arguments).expect("valid")
        };
        self.bot.propose(&self.thread, &request).await.expect("proposed")
    }

    /// Proposes, edits, runs and finishes a call, with the secret in each text.
    pub(crate) async fn runs(&self, id: &str, secret: &str) {
        let call = self.proposes(id, secret).await;
        let edit = api::DecisionRequest {
            arguments: Some(Json::parse(&format!(r#"{{"text":"{secret}!"}}"#)).expect("valid")),
            comment: Some(format!("fine, {secret}")),
            ..api::DecisionRequest::plain(Decision::AllowOnce)
        };
        let call = self.ada.decide(&self.thread, &call.id, &edit).await.expect("allowed");
        let claim = api::ClaimRequest::for_call(&call, "worker");
        self.bot.claim(&self.thread, &call.id, &claim).await.expect("claimed");
        let result = api::ResultRequest::success(&format!("sent {secret}"));
        self.bot.finish(&self.thread, &call.id, &result).await.expect("finished");
    }

    pub(crate) async fn erases(&self, id: &str) -> Result<api::ErasureReport, api::GateError> {
        let request = api::EraseRequest { reason: "request 17".to_owned() };
        self.ada
            .send(operations::EraseCall {
                thread: self.thread.clone(),
                id: api::parse_call_id(id).expect("valid"),
                body: request,
            })
            .await
    }

    pub(crate) async fn ends(self) {
        self.ada.shut_down().await;
    }
}

pub(crate) async fn events_with(store: &Store, text: &str) -> Vec<i64> {
    let log = store.events(&EventFilter::default(), 0, usize::MAX).await.expect("reads").items;
    log.iter().filter(|event| event.data.as_str().contains(text)).map(|event| event.seq).collect()
}

async fn erased_call_loses_only_its_texts(world: &mut World) {
    let story = ErasureStory::open(world).await;
    story.runs("call_1", SECRET).await;
    let tip = world.verify().await.tip;
    let effects = world.run_shell("SELECT kind, target FROM effects").await.expect("reads");
    assert!(effects.contains(&SECRET.to_lowercase()), "{effects}");
    let before =
        story.bot.call(&story.thread, &api::parse_call_id("call_1").expect("valid")).await.expect("reads");
    let report = story.erases("call_1").await.expect("erased");
    for text in [SECRET, &SECRET.to_lowercase()] {
        assert_eq!(events_with(world.store(), text).await, [0; 0], "no row has the text");
    }
    let call = report.call;
    assert_eq!((call.state, call.arguments.as_str()), (CallState::Finished, "null"));
    assert_eq!((call.description, call.result.map(|result| result.content)), (None, Some(Json::null())));
    let (decided, kept) = (before.response.expect("decided"), call.response.expect("decided"));
    assert_eq!((kept.principal, kept.at, kept.decision), (decided.principal, decided.at, decided.decision));
    assert_eq!((kept.comment, kept.changes.len()), (None, 0));
    assert_eq!(call.arguments_hash, before.arguments_hash);
    let erased = call.erased.expect("it is shown as erased");
    assert_eq!((erased.principal.as_str(), erased.reason.as_str()), ("user:ada", "request 17"));
    let report = world.verify().await;
    assert!(report.holds(), "{report:?}");
    let from = countersign_events::chain::Checkpoint { seq: report.events - 1, hash: tip };
    assert!(world.store().verify_from(from, |_| {}).await.expect("reads").holds(), "no earlier link changed");
    assert!(story.erases("call_1").await.is_ok(), "to erase it again is no error");
    assert_eq!(world.verify().await.events, report.events);
    assert_eq!(world.run_shell("SELECT count(*) FROM effects").await.expect("reads"), "0");
    let row = "SELECT coalesce(CAST(arguments AS text), 'none'), erased_by, decided_by FROM calls";
    assert_eq!(world.run_shell(row).await.expect("reads"), "none|user:ada|user:ada");
    story.ends().await;
}

async fn open_call_is_not_erased(world: &mut World) {
    let story = ErasureStory::open(world).await;
    story.proposes("call_1", SECRET).await;
    assert_eq!(story.erases("call_1").await.expect_err("pending").code(), "call_open");
    assert_eq!(story.erases("call_2").await.expect_err("unknown").code(), "unknown_call");
    assert!(!events_with(world.store(), SECRET).await.is_empty());
    story.ends().await;
}

/// Another process has the events in the memory of its feed.
async fn other_processes_lose_erased_texts(world: &mut World) {
    let other = world.another_store().await;
    let story = ErasureStory::open(world).await;
    let mut follower = other.follow(EventFilter::default(), 0);
    story.runs("call_1", SECRET).await;
    let tip = world.verify().await.events;
    while follower.next().await.expect("the events arrive").seq < tip {}
    story.erases("call_1").await.expect("erased");
    while follower.next().await.expect("the erasure arrives").seq <= tip {}
    let mut late = other.follow(EventFilter::default(), 0);
    for _ in 1..=tip {
        let event = late.next().await.expect("the events arrive again");
        assert!(!event.data.as_str().contains(SECRET), "{event:?}");
    }
    other.close().await;
    story.ends().await;
}

/// The events wait for the followers of the whole log and of the thread when the content is erased.
async fn followers_do_not_receive_erased_content(world: &mut World) {
    let other = world.another_store().await;
    let story = ErasureStory::open(world).await;
    let of_thread = EventFilter::of_thread(&story.thread);
    let tip = world.verify().await.events;
    let mut followers = [EventFilter::default(), of_thread].map(|filter| other.follow(filter, tip));
    for follower in &mut followers {
        assert!(follower.next_at_hand().await.expect("reads").is_none());
    }
    let mut wakeups = other.watch_all();
    story.runs("call_1", SECRET).await;
    story.erases("call_1").await.expect("erased");
    let tip = world.verify().await.events;
    while other.feed_tip() < tip {
        wakeups.woken().await;
    }
    for follower in &mut followers {
        loop {
            let event = follower.next().await.expect("the events arrive");
            assert!(!event.data.as_str().contains(SECRET), "{event:?}");
            if event.kind == EventType::CallErased {
                break;
            }
        }
    }
    other.close().await;
    story.ends().await;
}

/// The statements are tried before and after an erasure event exists. `{ERASED}` is the data that the erasure
/// leaves.
const CHANGES: [&str; 9] = [
    "UPDATE events SET data = '{}' WHERE type = 'TOOL_CALL'",
    "UPDATE events SET data = replace(data, 'bot', 'eve') || ' ' WHERE type = 'TOOL_CALL'",
    "UPDATE events SET principal = 'user:eve' WHERE type = 'TOOL_CALL'",
    "UPDATE events SET data = replace(data, 'allow_once', 'deny') WHERE type = 'TOOL_APPROVAL_RESPONSE'",
    "UPDATE events SET data = '{ERASED}', thread_id = 'u' WHERE type = 'TOOL_CALL'",
    "UPDATE events SET data = replace('{ERASED}', 'mail', 'post') WHERE type = 'TOOL_CALL'",
    "UPDATE events SET data = '{ERASED}' WHERE type = 'TOOL_RESULT'",
    "UPDATE events SET data = '{TEXTS}' WHERE type = 'TOOL_CALL'",
    "DELETE FROM events WHERE type = 'CALL_ERASED' OR type = 'TOOL_CALL'",
];

async fn only_a_recorded_erasure_changes_a_row(world: &mut World) {
    let story = ErasureStory::open(world).await;
    story.runs("call_1", SECRET).await;
    let texts = "SELECT data FROM events WHERE type = 'TOOL_CALL'";
    let texts = world.run_shell(texts).await.expect("reads");
    let call = Json::parse(&texts).expect("JSON");
    let erased = countersign_events::sealed::erase_texts(countersign_events::EventType::ToolCall, &call);
    let plain = format!("UPDATE events SET data = '{}' WHERE type = 'TOOL_CALL'", erased.as_str());
    world.run_sql(&plain).await.expect_err("no event says that it was erased");
    for _ in 0..2 {
        let log = world.log().await;
        for change in CHANGES {
            let change = change.replace("{ERASED}", erased.as_str()).replace("{TEXTS}", &texts);
            let why = world.run_sql(&change).await.expect_err(&change);
            assert!(why.contains("never changed") || why.contains("never deleted"), "{change}: {why}");
        }
        assert_eq!(world.log().await, log);
        story.erases("call_1").await.expect("erased");
    }
    story.ends().await;
}

async fn erased_log_can_be_copied(world: &mut World) {
    let story = ErasureStory::open(world).await;
    story.runs("call_1", SECRET).await;
    story.erases("call_1").await.expect("erased");
    story.ends().await;
    let to = world.folder().join("copy.db");
    let summary = copy(world.address(), DatabaseUrl::File(to), false, |_| {}).await.expect("copied");
    assert!(summary.report.holds(), "{:?}", summary.report);
}

/// Returns true if the file's bytes contain the text.
pub(crate) fn contains(path: &Path, text: &str) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Long strings have their own pages, and SQLite leaves copies of short ones in free page space.
#[test]
fn no_file_contains_erased_texts() {
    in_world(async |world| {
        let other = world.another_store().await;
        let story = ErasureStory::open(world).await;
        let secret =
            |n: usize| format!("{SECRET}-{n:03}-{}", "x".repeat(if n.is_multiple_of(5) { 9_000 } else { n }));
        for n in 0..40 {
            story.runs(&format!("call_{n}"), &secret(n)).await;
        }
        assert!(events_with(&other, SECRET).await.len() > 40, "the other process has read them");
        for n in (0..40).rev().step_by(2).chain((0..40).step_by(2)) {
            story.erases(&format!("call_{n}")).await.expect("erased");
            world.store().compact().await.expect("no reader holds the write-ahead log");
            let name = &secret(n)[..SECRET.len() + 5];
            for end in ["", "-wal", "-shm", "-bell", "-lock"] {
                let path = format!("{}{end}", world.path().display());
                assert!(!contains(Path::new(&path), name), "{path} contains call {n}");
            }
        }
        let to = world.folder().join("backup.db");
        let summary = backup(&world.path(), &to, |_| {}).await.expect("backed up");
        assert!(summary.report.holds() && !contains(&to, SECRET), "{:?}", summary.report);
        assert!(!contains(&world.path(), SECRET));
        other.close().await;
        story.ends().await;
    });
}

/// A reader that keeps a snapshot also keeps the write-ahead log, and the answer says so.
#[test]
fn reader_that_keeps_texts_is_reported() {
    in_world(async |world| {
        let options = StoreOptions { busy: std::time::Duration::from_millis(50), ..world.options() };
        let impatient = world.another_store_with(options).await;
        let story = ErasureStory::open(world).await;
        story.runs("call_1", SECRET).await;
        let mut reader = world.sql_connection().await;
        reader.run("BEGIN; SELECT count(*) FROM events").await.expect("a snapshot");
        story.erases("call_1").await.expect("erased");
        let kept = impatient.compact().await.expect_err("the reader keeps the old rows").to_string();
        assert!(kept.contains("a reader keeps"), "{kept}");
        reader.run("COMMIT").await.expect("ends");
        impatient.compact().await.expect("no reader is left");
        assert!(!contains(&world.path(), SECRET));
        reader.close().await;
        impatient.close().await;
        story.ends().await;
    });
}
