//! A server of pipes that the tests end.

use super::*;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, DuplexStream, Lines};

/// The server side: what it reads, and what it writes.
struct ServerSide {
    input: Lines<BufReader<DuplexStream>>,
    output: DuplexStream,
}

impl ServerSide {
    fn pair() -> (Self, ServerStreams) {
        let (input, read) = tokio::io::duplex(1 << 16);
        let (output, written) = tokio::io::duplex(1 << 16);
        let side = Self { input: BufReader::new(read).lines(), output };
        (side, ServerStreams { output: Box::new(written), input: Box::new(input) })
    }

    async fn reads(&mut self) -> Option<String> {
        self.input.next_line().await.expect("UTF-8")
    }

    async fn writes(&mut self, line: &str) {
        self.output.write_all(format!("{line}\n").as_bytes()).await.expect("the gateway reads");
    }
}

/// The gateway side, and the processes that are started.
struct KeptRun {
    input: Option<ClientWriter>,
    output: Lines<BufReader<ClientReader>>,
    started: mpsc::UnboundedReceiver<ServerSide>,
    notes: Arc<AtomicU32>,
}

fn kept() -> (KeptRun, ServerSide) {
    let (first, streams) = ServerSide::pair();
    let (sides, started) = mpsc::unbounded_channel();
    let start_again: ServerStarter = Box::new(move || {
        let (side, streams) = ServerSide::pair();
        sides.send(side).ok().map(|()| streams)
    });
    let notes = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&notes);
    let note = Arc::new(move |_: &str| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let kept = keep_server_running(streams, start_again, note);
    let output = BufReader::new(kept.output).lines();
    (KeptRun { input: Some(kept.input), output, started, notes }, first)
}

impl KeptRun {
    async fn writes(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(format!("{line}\n").as_bytes()).await.expect("written");
    }

    async fn reads(&mut self) -> Option<String> {
        self.output.next_line().await.expect("UTF-8")
    }

    async fn next_process(&mut self) -> ServerSide {
        self.started.recv().await.expect("another process")
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const GREETED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;

async fn greeted() -> (KeptRun, ServerSide) {
    let (mut run, mut server) = kept();
    run.writes(INITIALIZE).await;
    assert_eq!(server.reads().await.as_deref(), Some(INITIALIZE));
    server.writes(GREETED).await;
    assert_eq!(run.reads().await.as_deref(), Some(GREETED));
    run.writes(INITIALIZED).await;
    assert_eq!(server.reads().await.as_deref(), Some(INITIALIZED));
    (run, server)
}

/// Answers the greeting that a new process gets.
async fn answer_greeting(server: &mut ServerSide) {
    let greeting = server.reads().await.expect("a greeting");
    assert_eq!(greeting, INITIALIZE.replace("\"id\":0", &format!("\"id\":{GREETING_ID}")));
    server.writes(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{GREETING_ID},\"result\":{{}}}}")).await;
    assert_eq!(server.reads().await.as_deref(), Some(INITIALIZED));
}

#[tokio::test]
async fn lost_process_is_replaced() {
    let (mut run, mut server) = greeted().await;
    run.writes(CALL).await;
    run.writes(LIST).await;
    assert_eq!((server.reads().await.is_some(), server.reads().await.is_some()), (true, true));
    drop(server);
    let mut answers = [run.reads().await.expect("an answer"), run.reads().await.expect("an answer")];
    answers.sort_by_key(|answer| !answer.contains("\"id\":\"a\""));
    assert!(crate::answer_text::is_outcome_unknown(&answers[0]), "{}", answers[0]);
    assert!(answers[1].contains("\"id\":7") && !crate::answer_text::is_outcome_unknown(&answers[1]));
    // A frame that arrives meanwhile is for the new process.
    run.writes(LIST).await;
    let mut next = run.next_process().await;
    answer_greeting(&mut next).await;
    assert_eq!(run.reads().await.as_deref(), Some(TOOLS_CHANGED));
    assert_eq!(next.reads().await.as_deref(), Some(LIST));
    assert_eq!(run.notes.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn process_that_keeps_ending_is_given_up() {
    let (mut run, server) = greeted().await;
    drop(server);
    for _ in 0..MAX_RESTARTS {
        let mut next = run.next_process().await;
        answer_greeting(&mut next).await;
        assert_eq!(run.reads().await.as_deref(), Some(TOOLS_CHANGED));
    }
    assert_eq!(run.reads().await, None, "the gateway sees the end");
    assert_eq!(run.notes.load(Ordering::SeqCst), MAX_RESTARTS);
}

#[tokio::test]
async fn process_that_never_answered_is_not_replaced() {
    let (mut run, mut server) = kept();
    run.writes(INITIALIZE).await;
    assert!(server.reads().await.is_some());
    drop(server);
    assert!(run.reads().await.expect("an answer").contains("before it answered"));
    assert_eq!(run.reads().await, None);
}

#[tokio::test]
async fn client_that_ends_ends_the_process() {
    let (mut run, mut server) = greeted().await;
    run.input = None;
    assert_eq!(server.reads().await, None, "the process sees the end of its input");
    drop(server);
    assert_eq!(run.reads().await, None);
    assert_eq!(run.notes.load(Ordering::SeqCst), 0);
}
