//! The log as a stream of server-sent events: first what was missed, then what comes.

use crate::ASK;
use countersign_tests::api::{Answer, Stream, story};
use insta::assert_snapshot;
use reqwest::Method;

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
        400
        {
          "title": "Bad Request",
          "status": 400,
          "code": "bad_cursor",
          "detail": "\"yesterday\" is no cursor; use the `next` of the page before, or the seq of an event",
          "parameter": "last-event-id"
        }
        "#);
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
        data: {"seq":2,"threadId":"t1","type":"TOOL_APPROVAL_REQUEST","timestamp":"2026-01-31T12:00:00.000Z","principal":"agent:builder","data":{"toolCallId":"call_1","reason":"no rule matches this tool","options":["allow_once","allow_session","deny"],"policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"},"hash":"5162c011d6299cddf305ce53f67fd72e2df225e6b0999845997f21863d4a9d96"}
        "#);
        let ada = town.person("ada");
        let (decided, message) = tokio::join!(ada.decides("t1", "call_1", "allow_once"), stream.message());
        assert_eq!(decided.text("state"), "allowed");
        assert_snapshot!(message, @r#"
        id: 3
        event: TOOL_APPROVAL_RESPONSE
        data: {"seq":3,"threadId":"t1","type":"TOOL_APPROVAL_RESPONSE","timestamp":"2026-01-31T12:00:00.000Z","principal":"user:ada","data":{"toolCallId":"call_1","decision":"allow_once","source":"approver","argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db","policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"},"hash":"c814f1a38d150c67a932749f29666010110827fa50c8ebeab64a257452706dd8"}
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
