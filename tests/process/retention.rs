//! `kill -9` in each step of an archive and of an erasure: each text is in the log or in a complete archive, and the same
//! command, run again, finishes the work.

use countersign_api::{self as api, ApprovalGate, CallGate, SendOperation, operations};
use countersign_events::{Decision, EventType, Principal};
use countersign_gate::EmbeddedGate;
use countersign_tests::{Process, ProcessWorld};
use std::{collections::BTreeSet, fs, path::Path};

on_each_database! {
    killed_archive_loses_no_text,
    killed_erasure_leaves_all_texts_or_none,
}

const THREADS: usize = 12;
const CALLS: usize = 4;

/// A call's text, which occurs nowhere else. It is so long that the steps take a while.
fn text_of(thread: usize, call: usize) -> String {
    format!("text-{thread}-{call}-{}", "x".repeat(10_000))
}

/// Closed threads, whose calls were denied.
async fn write_threads(gate: &EmbeddedGate) {
    let (bot, ada) = (gate.acting_as(Principal::agent("bot")), gate.acting_as(Principal::user("ada")));
    for thread in 0..THREADS {
        let thread_id = api::parse_thread_id(&format!("t{thread}")).expect("valid");
        for call in 0..CALLS {
            let arguments = format!(r#"{{"text":"{}"}}"#, text_of(thread, call));
            let proposal =
                api::ProposeRequest::new(&format!("call_{call}"), "mail", &arguments).expect("valid");
            bot.propose(&thread_id, &proposal).await.expect("proposed");
            let denial = api::DecisionRequest::plain(Decision::Deny);
            ada.decide(&thread_id, &proposal.id, &denial).await.expect("denied");
        }
        ada.send(operations::CloseThread { thread: thread_id.clone() }).await.expect("closed");
    }
}

/// The content of all calls in the log.
async fn texts_in_log(world: &ProcessWorld) -> BTreeSet<String> {
    let log = world.verified_log().await;
    let calls = log.iter().filter(|event| event.kind == EventType::ToolCall);
    calls.flat_map(|event| texts_in(event.data.as_str())).collect()
}

fn texts_in(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split("text-").skip(1).filter_map(|rest| rest.split("-x").next().map(str::to_owned))
}

/// The moments at which the command is killed, each as a state that the test can see.
#[derive(Debug, Clone, Copy)]
enum KillMoment {
    PartialFile,
    HalfFile,
    File,
    Archived(i64),
}

impl KillMoment {
    async fn has_come(self, gate: &EmbeddedGate, folder: &Path, before: i64) -> bool {
        let length = || {
            let files = fs::read_dir(folder).expect("the folder").filter_map(Result::ok);
            let partial = files.filter(|file| file.file_name().to_string_lossy().contains("ndjson."));
            partial.filter_map(|file| file.metadata().ok()).map(|found| found.len()).max()
        };
        match self {
            Self::PartialFile => length().is_some(),
            Self::HalfFile => length().is_some_and(|length| length > 300_000),
            Self::File => folder.join("old.ndjson").exists(),
            Self::Archived(count) => gate.tip(None).await.expect("reads") >= before + count,
        }
    }
}

async fn killed_archive_loses_no_text(world: ProcessWorld) {
    let gate = world.gate().await;
    write_threads(&gate).await;
    let words = ["--as", "user:zoe", "archive", "--before", "2100-01-01T00:00:00Z", "old.ndjson"];
    let all = texts_in_log(&world).await;
    assert_eq!(all.len(), THREADS * CALLS);
    let archived = |count: usize| KillMoment::Archived(i64::try_from(count).expect("small"));
    let steps = [KillMoment::PartialFile, KillMoment::HalfFile, KillMoment::File];
    for moment in steps.into_iter().chain([archived(1), archived(THREADS / 2), archived(THREADS)]) {
        let before = gate.tip(None).await.expect("reads");
        let mut command = Process::start(&mut world.countersign_over_log(&words));
        let mut ended = false;
        while !moment.has_come(&gate, world.folder(), before).await && !ended {
            ended = command.has_ended();
        }
        command.kill().await;
        let in_log = texts_in_log(&world).await;
        let file = world.file("old.ndjson");
        let in_file = if file.exists() {
            gate.check_archive(&file, |_| {}).await.expect("the file is complete and intact");
            texts_in(&fs::read_to_string(&file).expect("reads")).collect()
        } else {
            BTreeSet::new()
        };
        let lost: Vec<_> =
            all.iter().filter(|text| !in_log.contains(*text) && !in_file.contains(*text)).collect();
        assert!(lost.is_empty(), "{moment:?}: the texts {lost:?} are lost");
    }
    let (code, output) = world.runs(&words).await;
    assert!(code == 0 && output.contains("The content of 12 threads"), "{output}");
    assert!(texts_in_log(&world).await.is_empty(), "all content is in the file");
    let check = gate.check_archive(&world.file("old.ndjson"), |_| {}).await.expect("it holds");
    assert!(check.left.is_empty() && check.contents.threads.len() == THREADS);
    gate.shut_down().await;
}

async fn killed_erasure_leaves_all_texts_or_none(world: ProcessWorld) {
    let gate = world.gate().await;
    write_threads(&gate).await;
    for call in 0..CALLS {
        let id = format!("call_{call}");
        let words = ["--as", "user:zoe", "erase", "t3", &id, "--reason", "request 17"];
        let before = gate.tip(None).await.expect("reads");
        let mut command = Process::start(&mut world.countersign_over_log(&words));
        // Half of the commands are killed before they have written their event, or at once after it.
        while call % 2 == 1 && gate.tip(None).await.expect("reads") == before && !command.has_ended() {}
        command.kill().await;
        let erased = gate.tip(None).await.expect("reads") > before;
        let texts = texts_in_log(&world).await;
        assert_eq!(texts.contains(&format!("3-{call}")), !erased, "the event and the row agree");
        let (code, output) = world.runs(&words).await;
        assert!(code == 0 && output.contains("Erased the content"), "{output}");
        assert!(!texts_in_log(&world).await.contains(&format!("3-{call}")));
    }
    gate.shut_down().await;
    if world.database() == countersign_tests::Database::Sqlite {
        assert_eq!(world.runs(&["--as", "user:zoe", "compact"]).await.0, 0);
        let bytes = fs::read(world.path()).expect("reads");
        assert!(!bytes.windows(9).any(|part| part == b"text-3-1-"), "the file has no erased text");
    }
}
