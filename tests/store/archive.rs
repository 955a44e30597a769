//! Archived threads: their content is in a file that is checked against the log, while the hash chain and the rules
//! hold; and the database accepts no other change to a row.

use crate::{
    erasure::{ErasureStory, SECRET, contains, events_with},
    newer_events::write_newer,
};
use countersign_api::{self as api, ApprovalGate, CallGate, SendOperation, operations};
use countersign_approvals::access::VisibleThreads;
use countersign_events::{Principal, ThreadId, Timestamp, chain::Checkpoint};
use countersign_gate::{ArchiveSummary, EmbeddedGate, GateFailure};
use countersign_policy::Policy;
use countersign_tests::{World, in_world, on_each_database};
use std::{fs, path::PathBuf};

on_each_database! {
    archived_thread_keeps_its_chain,
    only_closed_threads_without_running_calls_are_archived,
    archive_that_was_changed_is_found,
    interrupted_archive_is_continued,
    call_erased_meanwhile_is_erased_in_the_archive,
    only_a_recorded_archive_changes_a_row,
    archived_call_is_erased_in_its_archive,
    newer_events_are_archived_if_harmless,
}

/// The conversation's message.
const MESSAGE: &str = "send it to the bank";

/// A moment after all events.
fn later() -> Timestamp {
    Timestamp::from_millis(9_000_000_000_000)
}

/// A closed thread `t` with two calls that ran, and an open thread `u`.
struct ArchiveStory {
    story: ErasureStory,
    gate: EmbeddedGate,
    file: PathBuf,
}

impl ArchiveStory {
    async fn open(world: &World) -> Self {
        Self::with_calls(world, 2).await
    }

    async fn with_calls(world: &World, calls: usize) -> Self {
        let story = ErasureStory::open(world).await;
        for call in 1..=calls {
            story.runs(&format!("call_{call}"), SECRET).await;
        }
        let message = format!(r#"{{"format":"plain","message":{{"role":"user","text":"{MESSAGE}"}}}}"#);
        let message = serde_json::from_str(&message).expect("valid");
        story
            .bot
            .send(operations::AddMessages { thread: story.thread.clone(), body: message })
            .await
            .expect("added");
        story.ada.send(operations::CloseThread { thread: story.thread.clone() }).await.expect("closed");
        let gate = EmbeddedGate::open_with(world.address(), world.options(), Policy::ask_always()).await;
        let gate = gate.expect("opens").acting_as(Principal::user("zoe"));
        Self { story, gate, file: world.folder().join("old.ndjson") }
    }

    async fn archives(&self) -> Result<ArchiveSummary, GateFailure> {
        self.gate.archive(later(), &VisibleThreads::default(), &self.file, |_| {}).await
    }

    async fn call(&self, id: &str) -> api::Call {
        self.gate.call(&self.story.thread, &api::parse_call_id(id).expect("valid")).await.expect("reads")
    }

    /// The reason why the archive does not hold.
    async fn problem(&self) -> String {
        let checked = self.gate.check_archive(&self.file, |_| {}).await;
        let error = checked.expect_err("the archive was changed");
        assert_eq!(error.code(), "bad_archive");
        error.to_string()
    }

    async fn ends(self) {
        self.gate.shut_down().await;
        self.story.ends().await;
    }
}

async fn archived_thread_keeps_its_chain(world: &mut World) {
    let archive = ArchiveStory::open(world).await;
    let other =
        ErasureStory { thread: ThreadId::new("u").expect("valid"), ..ErasureStory::open(world).await };
    other.runs("call_3", "another text").await;
    let (before, call) = (world.verify().await, archive.call("call_1").await);
    let summary = archive.archives().await.expect("archived");
    let contents = summary.contents.expect("a file");
    assert_eq!((summary.archived, contents.threads.len(), summary.continued), (1, 1, false));
    assert_eq!(events_with(world.store(), SECRET).await, [0; 0], "no row has the content");
    assert!(contains(&archive.file, SECRET), "the file has them");
    assert_eq!(events_with(world.store(), MESSAGE).await, [0; 0], "nor those of the conversation");
    assert!(contains(&archive.file, MESSAGE));
    let page = archive.gate.messages(&archive.story.thread, api::PageQuery::default()).await.expect("reads");
    assert_eq!((page.messages[0].message.as_str(), page.messages[0].text.as_str()), ("null", ""));
    assert!(
        !events_with(world.store(), "another text").await.is_empty(),
        "the open thread keeps its content"
    );
    let after = world.verify().await;
    assert!(after.holds(), "{after:?}");
    let from = Checkpoint { seq: before.events, hash: before.tip };
    assert!(world.store().verify_from(from, |_| {}).await.expect("reads").holds(), "no earlier link changed");
    let shown = archive.call("call_1").await;
    assert_eq!((shown.arguments.as_str(), shown.arguments_hash), ("null", call.arguments_hash));
    let (decided, kept) = (call.response.expect("decided"), shown.response.expect("decided"));
    assert_eq!((kept.principal, kept.at, kept.decision), (decided.principal, decided.at, decided.decision));
    let marked = shown.archived.expect("it names the archive");
    assert_eq!((marked.file.as_str(), marked.digest), ("old.ndjson", contents.digest));
    let row = "SELECT DISTINCT coalesce(archived_in, '') FROM calls ORDER BY 1";
    assert_eq!(world.run_shell(row).await.expect("reads"), "\nold.ndjson");
    let checked = archive.gate.check_archive(&archive.file, |_| {}).await.expect("the archive holds");
    assert!(checked.left.is_empty() && !checked.has_erased_texts);
    let bytes = fs::read(&archive.file).expect("reads");
    let again = archive.archives().await.expect("to repeat it is no error");
    assert_eq!((again.archived, again.continued), (0, true));
    assert_eq!((fs::read(&archive.file).expect("reads"), world.verify().await.events), (bytes, after.events));
    other.ends().await;
    archive.ends().await;
}

async fn only_closed_threads_without_running_calls_are_archived(world: &mut World) {
    let story = ErasureStory::open(world).await;
    let call = story.proposes("call_1", SECRET).await;
    let decision = api::DecisionRequest::plain(countersign_events::Decision::AllowOnce);
    let call = story.ada.decide(&story.thread, &call.id, &decision).await.expect("allowed");
    let claim = api::ClaimRequest::for_call(&call, "worker");
    story.bot.claim(&story.thread, &call.id, &claim).await.expect("claimed");
    let gate = EmbeddedGate::open_with(world.address(), world.options(), Policy::ask_always()).await;
    let gate = gate.expect("opens").acting_as(Principal::user("zoe"));
    let archive = ArchiveStory { story, gate, file: world.folder().join("old.ndjson") };
    let open = archive.archives().await.expect("nothing to archive");
    assert!(open.contents.is_none() && open.running.is_empty() && !archive.file.exists(), "{open:?}");
    archive
        .story
        .ada
        .send(operations::CloseThread { thread: archive.story.thread.clone() })
        .await
        .expect("closed");
    let running = archive.archives().await.expect("nothing to archive");
    let stays: Vec<_> =
        running.running.iter().map(|(thread, call)| (thread.as_str(), call.as_str())).collect();
    assert_eq!((stays, archive.file.exists()), (vec![("t", "call_1")], false));
    let done = api::ResultRequest::success("done");
    archive.story.bot.finish(&archive.story.thread, &call.id, &done).await.expect("finished");
    let early = Timestamp::from_millis(0);
    let none = archive.gate.plan_archive(early, &VisibleThreads::default(), |_| {}).await.expect("plans");
    assert!(none.selection.threads.is_empty(), "its last event is not old enough");
    let elsewhere = VisibleThreads::parse(&["ci/*".to_owned()]).expect("valid");
    let none = archive.gate.plan_archive(later(), &elsewhere, |_| {}).await.expect("plans");
    assert!(none.selection.threads.is_empty(), "the glob does not match it");
    let agent = archive.gate.acting_as(Principal::agent("bot"));
    let refused = agent.archive(later(), &VisibleThreads::default(), &archive.file, |_| {}).await;
    assert_eq!(refused.expect_err("agents archive nothing").code(), "not_an_approver");
    assert!(!events_with(world.store(), SECRET).await.is_empty());
    assert_eq!(archive.archives().await.expect("archived").archived, 1);
    archive.ends().await;
}

async fn archive_that_was_changed_is_found(world: &mut World) {
    let archive = ArchiveStory::open(world).await;
    archive.archives().await.expect("archived");
    let whole = fs::read_to_string(&archive.file).expect("reads");
    let lines: Vec<&str> = whole.lines().collect();
    let without = |skipped: usize| {
        let kept = lines.iter().enumerate().filter(|(index, _)| *index != skipped);
        kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n") + "\n"
    };
    let swapped = {
        let mut lines = lines.clone();
        lines.swap(1, 2);
        lines.join("\n") + "\n"
    };
    for (changed, found) in [
        (whole.replace("worker", "wOrker"), "it was changed"),
        (whole.replacen(SECRET, "IBAN DE99", 1), "its data is not that of its text"),
        (without(3), "some were removed or added"),
        (without(lines.len() - 1), "its last line is missing"),
        (format!("{whole}{}\n", lines[0]), "a line follows the last one"),
        (swapped, "follows event"),
        (whole[..whole.len() / 2].to_owned(), "is not an event of an archive"),
    ] {
        assert_ne!(changed, whole, "{found}");
        fs::write(&archive.file, changed).expect("writes");
        let problem = archive.problem().await;
        assert!(problem.contains(found), "{problem}");
        assert_eq!(archive.archives().await.expect_err("it is no archive").code(), "bad_archive");
    }
    fs::write(&archive.file, &whole).expect("writes");
    archive.gate.check_archive(&archive.file, |_| {}).await.expect("it holds again");
    archive.ends().await;
}

/// A file that a killed command wrote before it died is used, and another log's file is not.
async fn interrupted_archive_is_continued(world: &mut World) {
    let archive = ArchiveStory::open(world).await;
    let plan = archive.gate.plan_archive(later(), &VisibleThreads::default(), |_| {}).await.expect("plans");
    world.store().write_archive(&plan, &archive.file, |_| {}).await.expect("written");
    let checked = archive.gate.check_archive(&archive.file, |_| {}).await.expect("it holds");
    assert_eq!(checked.left.len(), 1, "the log has its content too");
    let before = events_with(world.store(), SECRET).await;
    let foreign = fs::read_to_string(&archive.file).expect("reads");
    let summary = archive.archives().await.expect("continued");
    assert_eq!((summary.archived, summary.continued), (1, true));
    assert!(!before.is_empty() && events_with(world.store(), SECRET).await.is_empty());
    assert!(world.verify().await.holds());
    let elsewhere = world.folder().join("elsewhere.db");
    let gate = EmbeddedGate::open(elsewhere).await.expect("opens").acting_as(Principal::user("zoe"));
    let refused = gate.archive(later(), &VisibleThreads::default(), &archive.file, |_| {}).await;
    assert!(refused.expect_err("it is of another log").to_string().contains("is not the event of this log"));
    gate.shut_down().await;
    assert_eq!(fs::read_to_string(&archive.file).expect("reads"), foreign, "no command changes the file");
    let second = archive.file.with_file_name("second.ndjson");
    fs::write(&second, foreign.replace("\"threads\":1", "\"threads\":1 ")).expect("writes");
    let again = archive.gate.archive(later(), &VisibleThreads::default(), &second, |_| {}).await;
    assert_eq!(again.expect("the same archive under another name").archived, 0);
    archive.ends().await;
}

async fn call_erased_meanwhile_is_erased_in_the_archive(world: &mut World) {
    let archive = ArchiveStory::open(world).await;
    let plan = archive.gate.plan_archive(later(), &VisibleThreads::default(), |_| {}).await.expect("plans");
    world.store().write_archive(&plan, &archive.file, |_| {}).await.expect("written");
    archive.story.erases("call_1").await.expect("erased");
    archive.story.erases("call_2").await.expect("erased");
    assert!(contains(&archive.file, SECRET));
    archive.archives().await.expect("continued");
    assert!(!contains(&archive.file, SECRET), "the file has no erased text");
    assert!(world.verify().await.holds());
    let checked = archive.gate.check_archive(&archive.file, |_| {}).await.expect("it holds");
    assert!(!checked.has_erased_texts);
    archive.ends().await;
}

async fn archived_call_is_erased_in_its_archive(world: &mut World) {
    let archive = ArchiveStory::open(world).await;
    let digest = archive.archives().await.expect("archived").contents.expect("a file").digest;
    let refused = archive.story.erases("call_1").await.expect_err("its texts are elsewhere");
    assert_eq!(refused.code(), "call_archived");
    assert!(refused.to_string().contains("old.ndjson"), "{refused}");
    let (thread, id) = (&archive.story.thread, api::parse_call_id("call_1").expect("valid"));
    let request = api::EraseRequest { reason: "request 18".to_owned() };
    let count = || fs::read_to_string(&archive.file).expect("reads").matches(SECRET).count();
    let before = count();
    for _ in 0..2 {
        let report = archive.gate.erase_from_archive(thread, &id, &request, &archive.file).await;
        let report = report.expect("erased; to repeat it is no error");
        assert_eq!(report.call.erased.expect("it is shown as erased").reason, "request 18");
        assert_eq!(count() * 2, before, "the texts of the other call stay");
    }
    assert!(world.verify().await.holds());
    let checked = archive.gate.check_archive(&archive.file, |_| {}).await.expect("it holds");
    assert_eq!((checked.contents.digest, checked.has_erased_texts), (digest, false));
    archive.ends().await;
}

/// The statements are tried before and after the thread is archived. `{SEALED}` is the data that the archive leaves.
const CHANGES: [&str; 8] = [
    "UPDATE events SET data = '{}' WHERE type = 'TOOL_CALL' AND seq = {SEQ}",
    "UPDATE events SET data = replace(data, 'bot', 'eve') || ' ' WHERE seq = {SEQ}",
    "UPDATE events SET data = '{SEALED}', thread_id = 'u' WHERE seq = {SEQ}",
    "UPDATE events SET data = replace('{SEALED}', 'mail', 'post') WHERE seq = {SEQ}",
    "UPDATE events SET data = replace('{SEALED}', '\"arguments\"', '\"agreements\"') WHERE seq = {SEQ}",
    "UPDATE events SET data = replace(data, '\"file\"', '\"name\"') || ' ' WHERE type = 'THREAD_ARCHIVED' OR seq = {SEQ}",
    "UPDATE events SET data = '{TEXTS}' WHERE seq = {SEQ}",
    "DELETE FROM events WHERE type = 'THREAD_ARCHIVED' OR seq = {SEQ}",
];

async fn only_a_recorded_archive_changes_a_row(world: &mut World) {
    let archive = ArchiveStory::open(world).await;
    let seq = "SELECT min(seq) FROM events WHERE type = 'TOOL_CALL'";
    let seq = world.run_shell(seq).await.expect("reads");
    let texts = format!("SELECT data FROM events WHERE seq = {seq}");
    let texts = world.run_shell(&texts).await.expect("reads");
    let call = countersign_events::Json::parse(&texts).expect("JSON");
    let sealed = countersign_events::sealed::erase_texts(countersign_events::EventType::ToolCall, &call);
    let plain = format!("UPDATE events SET data = '{}' WHERE seq = {seq}", sealed.as_str());
    world.run_sql(&plain).await.expect_err("no event says that it was archived");
    for _ in 0..2 {
        let log = world.log().await;
        for change in CHANGES {
            let change = change.replace("{SEALED}", sealed.as_str()).replace("{TEXTS}", &texts);
            let change = change.replace("{SEQ}", &seq);
            let why = world.run_sql(&change).await.expect_err(&change);
            assert!(why.contains("never changed") || why.contains("never deleted"), "{change}: {why}");
        }
        assert_eq!(world.log().await, log);
        archive.archives().await.expect("archived");
    }
    archive.ends().await;
}

/// A move that ends early tells how many threads have moved, and continues from there.
#[test]
fn move_that_fails_halfway_tells_how_far() {
    in_world(async |world| {
        let archive = ArchiveStory::open(world).await;
        for thread in ["u", "v"] {
            let thread = ThreadId::new(thread).expect("valid");
            let other = ErasureStory { thread, ..ErasureStory::open(world).await };
            other.runs("call_3", SECRET).await;
            other.ada.send(operations::CloseThread { thread: other.thread.clone() }).await.expect("closed");
            other.ends().await;
        }
        let fail = "CREATE TRIGGER failure BEFORE INSERT ON events
            WHEN new.type = 'THREAD_ARCHIVED' AND new.thread_id = 'u' BEGIN SELECT raise(ABORT, 'no'); END";
        world.run_sql(fail).await.expect("created");
        let stopped = archive.archives().await.expect("two threads moved");
        assert!(stopped.archived == 2 && stopped.interrupted.is_some(), "{stopped:?}");
        assert!(!events_with(world.store(), SECRET).await.is_empty() && contains(&archive.file, SECRET));
        world.run_sql("DROP TRIGGER failure").await.expect("dropped");
        let continued = archive.archives().await.expect("archived");
        assert_eq!((continued.archived, continued.continued, continued.interrupted), (1, true, None));
        assert_eq!(events_with(world.store(), SECRET).await, [0; 0], "all content is in the file");
        archive.ends().await;
    });
}

/// A long thread's content leaves in several transactions. An archive that ends between two of them says what is left.
#[test]
fn long_thread_that_is_interrupted_is_continued() {
    in_world(async |world| {
        let archive = ArchiveStory::with_calls(world, 101).await;
        let fail = "CREATE TRIGGER failure BEFORE UPDATE ON events
            WHEN old.data ->> 'toolCallId' = 'call_101' BEGIN SELECT raise(ABORT, 'no'); END";
        world.run_sql(fail).await.expect("created");
        let stopped = archive.archives().await.expect("the first transactions succeed");
        assert!(stopped.archived == 1 && stopped.interrupted.is_some(), "{stopped:?}");
        let left = events_with(world.store(), SECRET).await;
        assert!(!left.is_empty() && left.len() < 100, "a part has moved: {left:?}");
        let report = world.verify().await;
        let reason = &report.inadmissible[0].reason;
        assert!(
            reason.contains("still have their content: run the same `countersign archive` again"),
            "{reason}"
        );
        world.run_sql("DROP TRIGGER failure").await.expect("dropped");
        let continued = archive.archives().await.expect("archived");
        assert_eq!((continued.archived, continued.continued, continued.interrupted), (0, true, None));
        assert_eq!(events_with(world.store(), SECRET).await, [0; 0], "all content is in the file");
        assert!(world.verify().await.holds());
        archive.ends().await;
    });
}

async fn newer_events_are_archived_if_harmless(world: &mut World) {
    let archive = ArchiveStory::open(world).await;
    write_newer(
        world,
        "t",
        "TOOL_SEEN",
        r#"{"toolCallId":"call_1","harmless":true,"comment":"to the bank"}"#,
    )
    .await;
    assert_eq!(archive.archives().await.expect("archived").archived, 1);
    assert_eq!(events_with(world.store(), "to the bank").await, [0; 0], "its text is in the file");
    let report = world.verify().await;
    assert!(report.holds() && report.unjudged.newer == 1, "{report:?}");
    let held = ErasureStory { thread: ThreadId::new("u").expect("valid"), ..ErasureStory::open(world).await };
    held.runs("call_1", SECRET).await;
    held.ada.send(operations::CloseThread { thread: held.thread.clone() }).await.expect("closed");
    write_newer(world, "u", "TOOL_HELD", r#"{"toolCallId":"call_1"}"#).await;
    let (all, file) = (VisibleThreads::default(), world.folder().join("new.ndjson"));
    let second = archive.gate.archive(later(), &all, &file, |_| {}).await.expect("nothing to archive");
    assert!(second.contents.is_none(), "a newer version may forbid it");
    held.ends().await;
    archive.ends().await;
}
