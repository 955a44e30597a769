//! The log as a stream of server-sent events: first the missed events, then new ones.

use crate::ASK;
use countersign_api::{self as api, ApprovalGate, CallGate, parse_thread_id};
use countersign_gate::EmbeddedGate;
use countersign_server::{BoundListener, ListenAddress};
use countersign_store::Clock;
use countersign_tests::{EventStreamReader, HttpAnswer, new_gate, over_http, run_sql_on, trusting_options};
use insta::assert_snapshot;
use reqwest::Method;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;

/// Returns the `seq` from each id of the next `count` messages.
async fn ids(stream: &mut EventStreamReader, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    while ids.len() < count {
        let message = stream.message().await;
        let found = message.lines().filter_map(|line| line.strip_prefix("id: ")?.split('-').next());
        ids.extend(found.map(str::to_owned));
    }
    ids
}

#[tokio::test]
async fn stream_from_an_invalid_position_is_refused() {
    over_http(ASK, async |world| {
        let request = world.person("ada").request(Method::GET, "/v1/events");
        let request = request.header("accept", "text/event-stream").header("last-event-id", "yesterday");
        assert_snapshot!(HttpAnswer::to(request).await, @r#"
        422 invalid: "yesterday" is not a cursor; use the `next` of the page before, the seq of an event, or the `id` of a message
        parameter: "last-event-id"
        "#);
    })
    .await;
}

#[tokio::test]
async fn unreadable_last_event_id_is_refused() {
    over_http(ASK, async |world| {
        let request = world.person("ada").request(Method::GET, "/v1/events");
        let request = request.header("accept", "text/event-stream");
        let last = reqwest::header::HeaderValue::from_bytes("5é".as_bytes()).expect("bytes");
        assert_snapshot!(HttpAnswer::to(request.header("last-event-id", last)).await, @r#"
        422 invalid: last-event-id: is not ASCII
        parameter: "last-event-id"
        "#);
        let request = world.person("ada").request(Method::GET, "/v1/events");
        let twice = request.header("last-event-id", "1").header("last-event-id", "2");
        assert_snapshot!(HttpAnswer::to(twice).await, @r#"
        422 invalid: last-event-id: is given twice
        parameter: "last-event-id"
        "#);
    })
    .await;
}

/// The clock moves only when the test advances it, so no keep-alive is sent before.
#[tokio::test]
async fn idle_stream_sends_keep_alives() {
    over_http(ASK, async |world| {
        let mut stream = world.person("ada").streams("/v1/events?after=1", None).await;
        assert_eq!(stream.message().await, "retry: 1000");
        for _ in 0..2 {
            world.clock().advance(Duration::from_secs(15));
            assert_eq!(stream.message().await, ": ");
        }
        world.agent("builder").proposes("a").await;
        assert_eq!(ids(&mut stream, 2).await, ["2", "3"]);
        world.clock().advance(Duration::from_secs(14));
        world.agent("builder").proposes("b").await;
        assert!(stream.message().await.starts_with("id: 4"), "no keep-alive follows an event directly");
    })
    .await;
}

#[tokio::test]
async fn stream_contains_only_matching_events() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("a").await;
        builder.post("/v1/threads/t2/tool-calls", r#"{"id":"b","name":"deploy","arguments":{}}"#).await;
        let mut of_type = ada.streams("/v1/events?type=TOOL_APPROVAL_REQUEST", None).await;
        let mut of_types =
            ada.streams("/v1/events?type=TOOL_CALL,TOOL_APPROVAL_RESPONSE&type=TOOL_RESULT", None).await;
        let mut of_tool = ada.streams("/v1/events?tool=deploy", None).await;
        let mut by_ada = ada.streams("/v1/events?principal=user:ada", None).await;
        let mut of_thread = ada.streams("/v1/threads/t2/events?type=TOOL_CALL&after=2", None).await;
        let mut later = ada.streams("/v1/events?since=2026-01-31T12:00:01Z", Some("2")).await;
        world.clock().advance(Duration::from_secs(1));
        ada.in_thread("t2").denies("b").await;
        builder.in_thread("t2").proposes("c").await;
        assert_eq!(ids(&mut of_type, 3).await, ["3", "5", "9"]);
        assert_eq!(ids(&mut of_types, 5).await, ["2", "4", "6", "7", "8"]);
        assert_eq!(ids(&mut of_tool, 4).await, ["4", "5", "6", "7"]);
        assert_eq!(ids(&mut by_ada, 2).await, ["6", "7"]);
        assert_eq!(ids(&mut of_thread, 2).await, ["4", "8"]);
        assert_eq!(ids(&mut later, 4).await, ["6", "7", "8", "9"]);
    })
    .await;
}

/// The server has no buffer for a reader that does not read. It later reads the missed events from the log.
#[tokio::test]
async fn slow_reader_misses_no_event() {
    over_http(ASK, async |world| {
        let mut stream = world.person("ada").streams("/v1/events?type=TOOL_CALL", None).await;
        stream.message().await;
        let text = "x".repeat(20_000);
        for number in 0..100 {
            let body = format!(r#"{{"id":"{number}","name":"bash","arguments":{{"command":"{text}"}}}}"#);
            assert_eq!(world.agent("builder").post("/v1/threads/t/tool-calls", &body).await.status, 201);
        }
        let expected: Vec<_> = (0..100).map(|number| (2 * number + 2).to_string()).collect();
        assert_eq!(ids(&mut stream, 100).await, expected);
    })
    .await;
}

#[tokio::test]
async fn stream_says_how_to_resume_and_catches_up() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let mut stream = world.person("ada").streams("/v1/events?after=1", None).await;
        assert_eq!(stream.header("content-type"), "text/event-stream");
        assert_eq!(stream.header("cache-control"), "no-store");
        assert_snapshot!(stream.message().await, @"retry: 1000");
        assert_snapshot!(stream.message().await, @r#"
        id: 2-cd3f0c134263c249
        event: TOOL_CALL
        data: {"seq":2,"threadId":"t","type":"TOOL_CALL","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:builder","data":{"id":"call_1","name":"bash","arguments":{"command":"ls"},"argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db"},"hash":"cd3f0c134263c24921988768a8d827da52031f39d14be79462745675cdabf213"}
        "#);
        assert_snapshot!(stream.message().await, @r#"
        id: 3-368e10ab002cd94e
        event: TOOL_APPROVAL_REQUEST
        data: {"seq":3,"threadId":"t","type":"TOOL_APPROVAL_REQUEST","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:builder","data":{"toolCallId":"call_1","reason":"no rule matches this call","options":["allow_once","allow_session","deny"],"basis":"default","suggestedScopes":[{"scope":{"command": "ls **"},"says":"command `ls **`"}],"policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"},"hash":"368e10ab002cd94efb47f5c7ae34a0f9494eb1fc2f9d0b95267e59e96c5971d1"}
        "#);
        let ada = world.person("ada");
        let (decided, message) = tokio::join!(ada.allows("call_1"), stream.message());
        assert_eq!(decided.text("state"), "allowed");
        assert_snapshot!(message, @r#"
        id: 4-5fb45a116a9203d1
        event: TOOL_APPROVAL_RESPONSE
        data: {"seq":4,"threadId":"t","type":"TOOL_APPROVAL_RESPONSE","timestamp":"2026-01-31T12:00:00.000Z","principal":"user:ada","data":{"toolCallId":"call_1","decision":"allow_once","source":"approver","argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"},"hash":"5fb45a116a9203d1ce569755d9f1dd4f698d93136b923f295c764b07eb374f18"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn stream_resumes_after_the_last_seen_event() {
    over_http(ASK, async |world| {
        for id in ["a", "b", "c"] {
            world.agent("builder").proposes(id).await;
        }
        let ada = world.person("ada");
        assert_eq!(ids(&mut ada.streams("/v1/events", Some("4")).await, 2).await, ["5", "6"]);
        assert_eq!(ids(&mut ada.streams("/v1/events?after=4", None).await, 2).await, ["5", "6"]);
        // A browser reconnects to the same address, and its `Last-Event-ID` overrides the address' `after`.
        assert_eq!(ids(&mut ada.streams("/v1/events?after=1", Some("5")).await, 1).await, ["6"]);
        assert_eq!(ids(&mut ada.streams("/v1/events?after=4", Some("")).await, 2).await, ["5", "6"]);
    })
    .await;
}

#[tokio::test]
async fn thread_stream_contains_only_its_thread() {
    over_http(ASK, async |world| {
        for (thread, id) in [("t", "a"), ("t2", "b"), ("t", "c")] {
            world.agent("builder").in_thread(thread).proposes(id).await;
        }
        let mut stream = world.person("ada").streams("/v1/threads/t/events", Some("2")).await;
        assert_eq!(ids(&mut stream, 3).await, ["3", "6", "7"]);
    })
    .await;
}

#[tokio::test]
async fn arguments_with_line_breaks_stay_one_data_line() {
    over_http(ASK, async |world| {
        let call =
            "{\"id\":\"call_1\",\"name\":\"bash\",\"arguments\":{\r\n  \"command\":\n\"ls\\n\\u2028\"}}";
        world.agent("builder").post("/v1/threads/t/tool-calls", call).await;
        let mut stream = world.person("ada").streams("/v1/events?after=1", None).await;
        stream.message().await;
        assert_snapshot!(stream.message().await, @r#"
        id: 2-f2a73e8e967bbd48
        event: TOOL_CALL
        data: {"seq":2,"threadId":"t","type":"TOOL_CALL","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:builder","data":{"id":"call_1","name":"bash","arguments":{    "command": "ls\n\u2028"},"argumentsHash":"432dbdd1dad9bf22bb8809a2cc7054a528b8f7a5429e0f119b945c25c831b3f1","effects":[{"kind":"unknown","target":"the command cannot be read","certain":false}]},"hash":"f2a73e8e967bbd485fe61b8901793cac542884e8346d73d03843133dcc80363a"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn stream_ends_when_the_server_stops() {
    over_http(ASK, async |world| {
        let mut stream = world.person("ada").streams("/v1/events?after=1", None).await;
        stream.message().await;
        world.service.stop.cancel();
        assert_eq!(stream.next().await, None);
    })
    .await;
}

/// Returns the whole text of a stream over a log whose second event cannot be read.
async fn stream_of_a_damaged_log() -> String {
    let (gate, _, folder) = new_gate(ASK).await;
    let call = api::ProposeRequest::new("call_1", "bash", r#"{"command":"ls"}"#).expect("a call");
    gate.propose(&parse_thread_id("t").expect("a name"), &call).await.expect("the call is proposed");
    gate.shut_down().await;
    let path = folder.path().join("log.db");
    let damage = "PRAGMA ignore_check_constraints = TRUE; DROP TRIGGER rows_are_never_changed;
        UPDATE events SET type = 'tool_wish' WHERE seq = 2";
    run_sql_on(&path, damage).await.expect("the row can be changed without its guard");
    let gate = EmbeddedGate::open(&path).await.expect("the log opens");
    let listener = BoundListener::bind(&"127.0.0.1:0".parse().expect("an address"), false).expect("a port");
    let ListenAddress::Tcp(address) = *listener.address() else { panic!("a port") };
    let stop = CancellationToken::new();
    let served =
        countersign_server::serve(vec![listener], gate, trusting_options(Clock::System), stop.clone());
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
async fn failing_stream_names_the_error_before_it_ends() {
    let answer = stream_of_a_damaged_log().await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let (_, last) = answer.split_once("event: error\n").expect("the stream ends with an error event");
    assert_snapshot!(last.lines().next().unwrap_or_default(), @r#"data: {"title":"Internal Server Error","status":500,"code":"damaged","detail":"event 2 is damaged: there is no event type \"tool_wish\"; run `countersign verify`, and restore the file from a backup if it finds more","requestId":"mine-1"}"#);
    assert!(!last.contains("id: "), "{answer}");
}

#[tokio::test]
async fn stream_with_an_end_is_refused() {
    over_http(ASK, async |world| {
        let request = world.person("ada").request(Method::GET, "/v1/events?until=2026-01-31T12:00:00.000Z");
        assert_snapshot!(HttpAnswer::to(request.header("accept", "text/event-stream")).await, @r#"
        422 invalid: until: a stream has no end; leave this parameter out, or request pages
        parameter: "until"
        "#);
    })
    .await;
}
