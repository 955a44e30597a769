//! A process of its own for tests that need one: it opens a log and says what came of it.
//!
//! `open PATH` says `open` or the error's code; `files PATH` lists what lies beside an open log, with
//! the modes; `fill PATH BALLAST` proposes until the disk is full, removes the ballast and goes on.

use countersign_approvals::{
    CallCommand, CallId, CommandEnvelope, CommandEvidence, CommandTarget, Json, Policy, Principal, ThreadId,
    ToolName,
    decide::{ArgumentsJudgement, HashedArguments, ProposeCommand},
};
use countersign_store::{Error, Options, Store};
use std::{
    env, fs,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};

#[tokio::main]
async fn main() {
    let arguments: Vec<_> = env::args_os().skip(1).map(PathBuf::from).collect();
    match arguments.iter().map(PathBuf::as_path).collect::<Vec<_>>()[..] {
        [wish, path] if wish == Path::new("open") => open(path).await,
        [wish, path] if wish == Path::new("files") => files(path).await,
        [wish, path, ballast] if wish == Path::new("fill") => fill(path, ballast).await,
        _ => panic!("open PATH | files PATH | fill PATH BALLAST"),
    }
}

fn say(text: &str) {
    writeln!(io::stdout(), "{text}").expect("somebody listens");
}

async fn open(path: &Path) {
    match Store::open(path, Options::default()).await {
        Ok(store) => {
            say("open");
            store.close().await;
        }
        Err(error) => say(error.code()),
    }
}

async fn files(path: &Path) {
    let store = Store::open(path, Options::default()).await.expect("opens");
    propose(&store, "call").await.expect("written");
    let folder = fs::read_dir(path.parent().expect("a folder")).expect("reads");
    let mut lines: Vec<_> = folder
        .map(|entry| {
            let entry = entry.expect("reads");
            let mode = entry.metadata().expect("reads").permissions().mode() & 0o777;
            format!("{mode:o} {}", entry.file_name().to_string_lossy())
        })
        .collect();
    lines.sort();
    say(&lines.join("\n"));
    store.close().await;
}

/// Ends in good order only if every event that was acknowledged is there in the end.
async fn fill(path: &Path, ballast: &Path) {
    let store = Store::open(path, Options::default()).await.expect("opens");
    let mut acknowledged = Vec::new();
    let full = until_it_fails(&store, &mut acknowledged).await;
    say(full.code());
    assert!(acknowledged.len() > 3, "there was room for some");
    fs::remove_file(ballast).expect("there is ballast");
    for n in 0..5 {
        let id = format!("after_{n}");
        propose(&store, &id).await.expect("there is room again");
        acknowledged.push(id);
    }
    store.close().await;
    let store = Store::open(path, Options::default()).await.expect("opens again");
    for id in &acknowledged {
        let call = store.call(&thread_id(), &CallId::new(id).expect("valid")).await.expect("reads");
        assert!(call.is_some_and(|call| call.request().is_some()), "{id} was acknowledged");
    }
    let report = store.verify(|_| {}).await.expect("reads");
    assert!(report.holds(), "{report:?}");
    let written = i64::try_from(acknowledged.len() * 2).expect("few");
    assert_eq!(report.events, written, "and nothing that was refused is there");
    say("all there");
    store.close().await;
}

async fn until_it_fails(store: &Store, acknowledged: &mut Vec<String>) -> Error {
    for n in 0.. {
        let id = format!("call_{n}");
        match propose(store, &id).await {
            Ok(()) => acknowledged.push(id),
            Err(error) => return error,
        }
    }
    unreachable!("no disk is endless")
}

fn thread_id() -> ThreadId {
    ThreadId::new("t").expect("valid")
}

async fn propose(store: &Store, id: &str) -> Result<(), Error> {
    let id = CallId::new(id).expect("valid");
    let filling = format!("{{\"text\":\"{}\"}}", "x".repeat(8_000));
    let propose = ProposeCommand {
        id: id.clone(),
        name: ToolName::new("bash").expect("valid"),
        arguments: HashedArguments::new(Json::parse(&filling).expect("JSON")).expect("admitted"),
        annotations: None,
        impact: None,
        description: None,
        definition: None,
        expires_in: None,
    };
    let (by, policy) = (Principal::agent("bot"), Policy::ask_always());
    let judgement = Arc::new(policy.judge(&propose.subject(&thread_id(), &by), &|| false));
    let arguments_hash = propose.arguments.hash();
    let envelope = CommandEnvelope {
        target: CommandTarget::Call(thread_id(), id),
        command: CallCommand::Propose(propose).into(),
        by,
        now: store.clock().now(),
        policy: Arc::new(policy),
        evidence: CommandEvidence::Judgement(ArgumentsJudgement { arguments_hash, judgement }),
    };
    store.execute(envelope).await.map(|_| ())
}
