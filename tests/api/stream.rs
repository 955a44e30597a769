//! The log as a stream of server-sent events: first what was missed, then what comes.

use crate::ASK;
use countersign_api::{self as api, ApprovalGate, parse_thread_id};
use countersign_gate::EmbeddedGate;
use countersign_server::{Address, Listener, Options};
use countersign_tests::{
    api::{Answer, Stream, fresh_gate, story},
    by_hand,
};
use insta::assert_snapshot;
use reqwest::Method;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;

/// The ids of the next messages.
async fn ids(stream: &mut Stream, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    while ids.len() < count {
        let message = stream.message().await;
        ids.extend(message.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned));
    }
    ids
}

#[tokio::test]
async fn a_stream_that_cannot_be_taken_up_is_refused() {
    story(ASK, async |town| {
        let request = town.person("ada").request(Method::GET, "/v1/events");
        let request = request.header("accept", "text/event-stream").header("last-event-id", "yesterday");
        assert_snapshot!(Answer::to(request).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "\"yesterday\" is not a cursor; use the `next` of the page before, or the seq of an event",
          "parameter": "last-event-id"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_header_that_is_no_text_is_refused() {
    story(ASK, async |town| {
        let request = town.person("ada").request(Method::GET, "/v1/events");
        let request = request.header("accept", "text/event-stream");
        let last = reqwest::header::HeaderValue::from_bytes("5é".as_bytes()).expect("bytes");
        assert_snapshot!(Answer::to(request.header("last-event-id", last)).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "last-event-id: is not ASCII",
          "parameter": "last-event-id"
        }
        "#);
        let request = town.person("ada").request(Method::GET, "/v1/events");
        let twice = request.header("last-event-id", "1").header("last-event-id", "2");
        assert_snapshot!(Answer::to(twice).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "last-event-id: is given twice",
          "parameter": "last-event-id"
        }
        "#);
    })
    .await;
}

/// The clock stands still until it is turned, so whatever comes before that is no heartbeat.
#[tokio::test]
async fn an_idle_stream_says_that_it_lives() {
    story(ASK, async |town| {
        let mut stream = town.person("ada").streams("/v1/events", None).await;
        assert_eq!(stream.message().await, "retry: 1000");
        for _ in 0..2 {
            town.clock.advance(Duration::from_secs(15));
            assert_eq!(stream.message().await, ": ");
        }
        town.agent("builder").proposes("t1", "a").await;
        assert_eq!(ids(&mut stream, 2).await, ["1", "2"]);
        town.clock.advance(Duration::from_secs(14));
        town.agent("builder").proposes("t1", "b").await;
        assert!(stream.message().await.starts_with("id: 3"), "it has just said something");
    })
    .await;
}

#[tokio::test]
async fn a_stream_brings_what_is_asked_for_and_nothing_else() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        builder.proposes("t1", "a").await;
        builder.post("/v1/threads/t2/tool-calls", r#"{"id":"b","name":"deploy","arguments":{}}"#).await;
        let mut of_type = ada.streams("/v1/events?type=TOOL_APPROVAL_REQUEST", None).await;
        let mut of_types =
            ada.streams("/v1/events?type=TOOL_CALL,TOOL_APPROVAL_RESPONSE&type=TOOL_RESULT", None).await;
        let mut of_tool = ada.streams("/v1/events?tool=deploy", None).await;
        let mut by_ada = ada.streams("/v1/events?principal=user:ada", None).await;
        let mut of_thread = ada.streams("/v1/threads/t2/events?type=TOOL_CALL&after=1", None).await;
        let mut later = ada.streams("/v1/events?since=2026-01-31T12:00:01Z", Some("1")).await;
        town.clock.advance(Duration::from_secs(1));
        ada.decides("t2", "b", "deny").await;
        builder.proposes("t2", "c").await;
        assert_eq!(ids(&mut of_type, 3).await, ["2", "4", "8"]);
        assert_eq!(ids(&mut of_types, 5).await, ["1", "3", "5", "6", "7"]);
        assert_eq!(ids(&mut of_tool, 4).await, ["3", "4", "5", "6"]);
        assert_eq!(ids(&mut by_ada, 2).await, ["5", "6"]);
        assert_eq!(ids(&mut of_thread, 2).await, ["3", "7"]);
        assert_eq!(ids(&mut later, 4).await, ["5", "6", "7", "8"]);
    })
    .await;
}

/// Nothing is kept for a reader who does not read: what it missed is in the log when it reads on.
#[tokio::test]
async fn a_reader_who_is_slow_misses_nothing() {
    story(ASK, async |town| {
        let mut stream = town.person("ada").streams("/v1/events?type=TOOL_CALL", None).await;
        stream.message().await;
        let text = "x".repeat(20_000);
        for number in 0..100 {
            let body = format!(r#"{{"id":"{number}","name":"bash","arguments":{{"command":"{text}"}}}}"#);
            assert_eq!(town.agent("builder").post("/v1/threads/t1/tool-calls", &body).await.status, 201);
        }
        let expected: Vec<_> = (0..100).map(|number| (2 * number + 1).to_string()).collect();
        assert_eq!(ids(&mut stream, 100).await, expected);
    })
    .await;
}

#[tokio::test]
async fn a_stream_says_how_to_come_back_and_brings_what_was_missed() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let mut stream = town.person("ada").streams("/v1/events", None).await;
        assert_eq!(stream.header("content-type"), "text/event-stream");
        assert_eq!(stream.header("cache-control"), "no-store");
        assert_snapshot!(stream.message().await, @"retry: 1000");
        assert_snapshot!(stream.message().await, @r#"
        id: 1
        event: TOOL_CALL
        data: {"seq":1,"threadId":"t1","type":"TOOL_CALL","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:builder","data":{"id":"call_1","name":"bash","arguments":{"command":"ls"},"argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db"},"hash":"b92c7731875607c56c162e8c070bf53d0b7f8a641ba76477a85b4c581f66e071"}
        "#);
        assert_snapshot!(stream.message().await, @r#"
        id: 2
        event: TOOL_APPROVAL_REQUEST
        data: {"seq":2,"threadId":"t1","type":"TOOL_APPROVAL_REQUEST","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:builder","data":{"toolCallId":"call_1","reason":"no rule matches this call","options":["allow_once","allow_session","deny"],"basis":"default","policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"},"hash":"6a544c5e6aad39344ffb82b8d0bb9b38e357d59fc6c4e8f7f2b41daffd54713f"}
        "#);
        let ada = town.person("ada");
        let (decided, message) = tokio::join!(ada.decides("t1", "call_1", "allow_once"), stream.message());
        assert_eq!(decided.text("state"), "allowed");
        assert_snapshot!(message, @r#"
        id: 3
        event: TOOL_APPROVAL_RESPONSE
        data: {"seq":3,"threadId":"t1","type":"TOOL_APPROVAL_RESPONSE","timestamp":"2026-01-31T12:00:00.000Z","principal":"user:ada","data":{"toolCallId":"call_1","decision":"allow_once","source":"approver","argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"},"hash":"8ce57d408cfd218ae4c7197e462838f2670b8aa98d1297d0a3efae04a445bde1"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_stream_resumes_after_the_last_event_that_was_seen() {
    story(ASK, async |town| {
        for id in ["a", "b", "c"] {
            town.agent("builder").proposes("t1", id).await;
        }
        let ada = town.person("ada");
        assert_eq!(ids(&mut ada.streams("/v1/events", Some("4")).await, 2).await, ["5", "6"]);
        assert_eq!(ids(&mut ada.streams("/v1/events?after=4", None).await, 2).await, ["5", "6"]);
        // What a browser has seen is newer than the address that it reconnects to.
        assert_eq!(ids(&mut ada.streams("/v1/events?after=1", Some("5")).await, 1).await, ["6"]);
        assert_eq!(ids(&mut ada.streams("/v1/events?after=4", Some("")).await, 2).await, ["5", "6"]);
    })
    .await;
}

#[tokio::test]
async fn a_threads_stream_leaves_out_the_others() {
    story(ASK, async |town| {
        for (thread, id) in [("t1", "a"), ("t2", "b"), ("t1", "c")] {
            town.agent("builder").proposes(thread, id).await;
        }
        let mut stream = town.person("ada").streams("/v1/threads/t1/events", Some("1")).await;
        assert_eq!(ids(&mut stream, 3).await, ["2", "5", "6"]);
    })
    .await;
}

#[tokio::test]
async fn arguments_with_line_breaks_are_one_line_of_data() {
    story(ASK, async |town| {
        let call =
            "{\"id\":\"call_1\",\"name\":\"bash\",\"arguments\":{\r\n  \"command\":\n\"ls\\n\\u2028\"}}";
        town.agent("builder").post("/v1/threads/t1/tool-calls", call).await;
        let mut stream = town.person("ada").streams("/v1/events", None).await;
        stream.message().await;
        assert_snapshot!(stream.message().await, @r#"
        id: 1
        event: TOOL_CALL
        data: {"seq":1,"threadId":"t1","type":"TOOL_CALL","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:builder","data":{"id":"call_1","name":"bash","arguments":{    "command": "ls\n\u2028"},"argumentsHash":"432dbdd1dad9bf22bb8809a2cc7054a528b8f7a5429e0f119b945c25c831b3f1"},"hash":"a48f57c7861607ff0f783b8b68f0d7a2813f7096cfa8fc3ba859caed737dd1f7"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_stream_ends_when_the_server_stops() {
    story(ASK, async |town| {
        let mut stream = town.person("ada").streams("/v1/events", None).await;
        stream.message().await;
        town.stop.cancel();
        assert_eq!(stream.next().await, None);
    })
    .await;
}

/// A log whose second event cannot be read, served; and a stream of it, to its end.
async fn stream_of_a_damaged_log() -> String {
    let (gate, _, folder) = fresh_gate(ASK).await;
    let call = api::ProposeRequest::new("call_1", "bash", r#"{"command":"ls"}"#).expect("a call");
    gate.propose(&parse_thread_id("t1").expect("a name"), &call).await.expect("it is taken");
    gate.shut_down().await;
    let path = folder.path().join("log.db");
    let damage = "PRAGMA ignore_check_constraints = TRUE; DROP TRIGGER rows_are_never_changed;
        UPDATE events SET type = 'TOOL_WISH' WHERE seq = 2";
    by_hand(&path, damage).await.expect("without its guard, anything goes");
    let gate = EmbeddedGate::open(&path).await.expect("it opens");
    let listener = Listener::bind(&"127.0.0.1:0".parse().expect("an address"), false).expect("a port");
    let Address::Tcp(address) = *listener.address() else { panic!("a port") };
    let stop = CancellationToken::new();
    let served = countersign_server::serve(vec![listener], gate, Options::default(), stop.clone());
    let served = tokio::spawn(served);
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\
        X-Request-Id: mine-1\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("the server answers");
    stop.cancel();
    served.await.expect("no panic").expect("no error");
    answer
}

#[tokio::test]
async fn a_stream_that_fails_says_why_before_it_ends() {
    let answer = stream_of_a_damaged_log().await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let (_, last) = answer.split_once("event: error\n").expect("it says why there is no more");
    assert_snapshot!(last.lines().next().unwrap_or_default(), @r#"data: {"title":"Internal Server Error","status":500,"code":"damaged","detail":"event 2 is damaged: there is no event type \"TOOL_WISH\"; run `countersign verify`, and restore the file from a backup if it finds more","requestId":"mine-1"}"#);
    assert!(!last.contains("id: "), "{answer}");
}

#[tokio::test]
async fn a_stream_has_no_end_to_be_named() {
    story(ASK, async |town| {
        let request = town.person("ada").request(Method::GET, "/v1/events?until=2026-01-31T12:00:00.000Z");
        assert_snapshot!(Answer::to(request.header("accept", "text/event-stream")).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "until: a stream goes on for as long as you read it; leave this out, or ask for pages",
          "parameter": "until"
        }
        "#);
    })
    .await;
}
