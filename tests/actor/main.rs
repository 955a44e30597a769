//! A program for tests that need a separate process: it opens a log and prints the result.
//!
//! - `open PATH` prints `open`, or the error code.
//! - `read PATH` opens the log to read only, and prints `open`, or the error message.
//! - `files PATH` lists an open log's files with their modes.
//! - `room PATH` opens the log and prints `room`, or the reason why its disk has too little.
//! - `fill PATH BALLAST` proposes calls until the disk is full, removes the ballast and proposes more.

use countersign_events::{CallId, Principal, ThreadId};
use countersign_store::{Store, StoreAccess, StoreError, StoreOptions};
use countersign_tests::{Persona, Proposal};
use std::{
    env, fs,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

#[tokio::main]
async fn main() {
    let arguments: Vec<_> = env::args_os().skip(1).map(PathBuf::from).collect();
    match arguments.iter().map(PathBuf::as_path).collect::<Vec<_>>()[..] {
        [word, path] if word == Path::new("open") => open(path).await,
        [word, path] if word == Path::new("read") => read(path).await,
        [word, path] if word == Path::new("files") => files(path).await,
        [word, path] if word == Path::new("room") => room(path).await,
        [word, path, ballast] if word == Path::new("fill") => fill(path, ballast).await,
        _ => panic!("open PATH | read PATH | files PATH | room PATH | fill PATH BALLAST"),
    }
}

fn print_line(text: &str) {
    writeln!(io::stdout(), "{text}").expect("stdout is open");
}

async fn open(path: &Path) {
    match Store::open(path, StoreOptions::default()).await {
        Ok(store) => {
            print_line("open");
            store.close().await;
        }
        Err(error) => print_line(error.reason().unwrap_or(error.code())),
    }
}

async fn read(path: &Path) {
    let options = StoreOptions { access: StoreAccess::Read, ..StoreOptions::for_reading() };
    match Store::open(path, options).await {
        Ok(store) => {
            print_line("open");
            store.close().await;
        }
        Err(error) => print_line(&error.to_string()),
    }
}

async fn room(path: &Path) {
    let store = Store::open(path, StoreOptions::default()).await.expect("opens");
    print_line(store.check_room().err().map_or("room", |error| error.reason().unwrap_or(error.code())));
    store.close().await;
}

async fn files(path: &Path) {
    let store = Store::open(path, StoreOptions::default()).await.expect("opens");
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
    print_line(&lines.join("\n"));
    store.close().await;
}

/// Fills the disk. Panics if the log does not contain exactly the acknowledged events at the end.
async fn fill(path: &Path, ballast: &Path) {
    let store = Store::open(path, StoreOptions::default()).await.expect("opens");
    let mut acknowledged = Vec::new();
    let full = until_it_fails(&store, &mut acknowledged).await;
    print_line(full.reason().unwrap_or(full.code()));
    assert!(acknowledged.len() > 3, "some calls fit on the disk");
    fs::remove_file(ballast).expect("the ballast is removed");
    for n in 0..5 {
        let id = format!("after_{n}");
        propose(&store, &id).await.expect("the disk has space again");
        acknowledged.push(id);
    }
    store.close().await;
    let store = Store::open(path, StoreOptions::default()).await.expect("opens again");
    for id in &acknowledged {
        let call = store.call(&thread_id(), &CallId::new(id).expect("valid")).await.expect("reads");
        assert!(call.is_some_and(|call| call.request().is_some()), "{id} was acknowledged");
    }
    let report = store.verify(|_| {}).await.expect("reads");
    assert!(report.holds(), "{report:?}");
    let written = i64::try_from(acknowledged.len() * 2).expect("few");
    assert_eq!(report.events, written, "the log contains no refused event");
    print_line("all there");
    store.close().await;
}

async fn until_it_fails(store: &Store, acknowledged: &mut Vec<String>) -> StoreError {
    for n in 0.. {
        let id = format!("call_{n}");
        match propose(store, &id).await {
            Ok(()) => acknowledged.push(id),
            Err(error) => return error,
        }
    }
    unreachable!("the disk is full before the calls end")
}

fn thread_id() -> ThreadId {
    ThreadId::new("t").expect("valid")
}

async fn propose(store: &Store, id: &str) -> Result<(), StoreError> {
    let arguments = format!("{{\"text\":\"{}\"}}", "x".repeat(8_000));
    let bot = Persona::over(store, Principal::agent("bot"));
    bot.proposes_to(id, Proposal { arguments: &arguments, ..Proposal::default() }).await.map(|_| ())
}
