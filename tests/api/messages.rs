//! `GET` and `POST /v1/threads/{thread}/messages`

use crate::ASK;
use countersign_tests::{HttpAnswer, over_http};
use insta::assert_snapshot;

/// A person asks, and the model proposes a call.
const TWO: &str = r#"{"format":"openai","messages":[{"role":"user","content":"Deploy it."},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"bash","arguments":"{}"}}]}]}"#;

/// The call's result.
const NEXT: &str =
    r#"{"format":"openai","message":{"role":"tool","tool_call_id":"call_1","content":"done"}}"#;

fn json(answer: &HttpAnswer) -> serde_json::Value {
    serde_json::from_str(&answer.body).expect("JSON")
}

const MESSAGES: &str = "/v1/threads/t/messages";

#[tokio::test]
async fn history_sent_again_is_stored_once() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        assert_snapshot!(builder.post(MESSAGES, TWO).await, @r#"
        200
        {
          "threadId": "t",
          "messages": [{"seq":2,"position":0,"stored":true},{"seq":3,"position":1,"stored":true}],
          "length": 2
        }
        "#);
        assert_snapshot!(builder.post(MESSAGES, TWO).await, @r#"
        200
        {
          "threadId": "t",
          "messages": [{"seq":2,"position":0,"stored":false},{"seq":3,"position":1,"stored":false}],
          "length": 2
        }
        "#);
        assert_snapshot!(builder.post(MESSAGES, NEXT).await, @r#"
        200
        {"threadId":"t","messages":[{"seq":4,"position":2,"stored":true}],"length":3}
        "#);
        assert_snapshot!(builder.post(MESSAGES, NEXT).await, @r#"
        200
        {"threadId":"t","messages":[{"seq":4,"position":2,"stored":false}],"length":3}
        "#);
    })
    .await;
}

#[tokio::test]
async fn conversation_is_listed_from_a_place() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.post(MESSAGES, TWO).await;
        builder.post(MESSAGES, NEXT).await;
        assert_snapshot!(builder.get(MESSAGES).await, @r#"
        200
        {
          "messages": [
            {
              "seq": 2,
              "position": 0,
              "type": "USER_MESSAGE",
              "principal": "agent:builder",
              "at": "2026-01-31T12:00:00.000Z",
              "format": "openai",
              "message": {"role":"user","content":"Deploy it."},
              "text": "Deploy it."
            },
            {
              "seq": 3,
              "position": 1,
              "type": "AGENT_MESSAGE",
              "principal": "agent:builder",
              "at": "2026-01-31T12:00:00.000Z",
              "format": "openai",
              "message": {
                "role": "assistant",
                "content": null,
                "tool_calls": [
                  {"id":"call_1","type":"function","function":{"name":"bash","arguments":"{}"}}
                ]
              },
              "proposes": ["call_1"]
            },
            {
              "seq": 4,
              "position": 2,
              "type": "AGENT_MESSAGE",
              "principal": "agent:builder",
              "at": "2026-01-31T12:00:00.000Z",
              "format": "openai",
              "message": {"role":"tool","tool_call_id":"call_1","content":"done"},
              "text": "done",
              "reports": ["call_1"]
            }
          ],
          "next": null,
          "length": 3
        }
        "#);
        let second = builder.get(&format!("{MESSAGES}?after=1&limit=1")).await;
        let second = json(&second);
        assert_eq!((&second["messages"][0]["position"], &second["next"]), (&1.into(), &2.into()));
    })
    .await;
}

#[tokio::test]
async fn conversation_continued_differently_replaces_what_follows() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let say = |texts: &[&str]| {
            let messages: Vec<_> =
                texts.iter().map(|text| format!(r#"{{"role":"user","text":"{text}"}}"#)).collect();
            format!(r#"{{"format":"plain","messages":[{}]}}"#, messages.join(","))
        };
        builder.post(MESSAGES, &say(&["a", "b", "c"])).await;
        assert_snapshot!(builder.post(MESSAGES, &say(&["a", "x"])).await, @r#"
        200
        {
          "threadId": "t",
          "messages": [{"seq":2,"position":0,"stored":false},{"seq":5,"position":1,"stored":true}],
          "length": 2
        }
        "#);
        let listed = builder.get(MESSAGES).await;
        let texts: Vec<_> = json(&listed)["messages"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|message| message["text"].clone())
            .collect();
        assert_eq!(texts, ["a", "x"]);
        let log = builder.get("/v1/threads/t/events?type=USER_MESSAGE").await;
        assert_eq!(json(&log)["events"].as_array().expect("a list").len(), 4, "the log keeps all");
    })
    .await;
}

#[tokio::test]
async fn message_with_masked_secret_is_known_again() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let secret = r#"{"format":"anthropic","message":{"role":"user","content":"the password is password=hunter2hunter2"}}"#;
        assert_eq!(builder.post(MESSAGES, secret).await.status, 200);
        assert_snapshot!(builder.post(MESSAGES, secret).await, @r#"
        200
        {"threadId":"t","messages":[{"seq":2,"position":0,"stored":false}],"length":1}
        "#);
        let listed = builder.get(MESSAGES).await;
        assert!(!listed.body.contains("hunter2"), "{listed}");
        assert_eq!(json(&listed)["messages"][0]["redacted"][0], "/content");
    })
    .await;
}

#[tokio::test]
async fn malformed_messages_are_refused_and_none_is_stored() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let post = async |body: &str| builder.post(MESSAGES, body).await;
        assert_snapshot!(post(r#"{"format":"openai","messages":[{"role":"user","content":"a"},{"role":"robot"}]}"#).await, @r#"422 invalid: messages: number 1: role is "robot", and the format openai has system, developer, user, assistant, tool and function"#);
        assert_snapshot!(post(r#"{"format":"openai"}"#).await, @"422 invalid: messages: give either `message` or `messages`");
        assert_snapshot!(post(r#"{"format":"openai","message":{"role":"user"},"messages":[]}"#).await, @"422 invalid: messages: give either `message` or `messages`");
        assert_snapshot!(post(r#"{"format":"openai","message":{"role":"user"},"from":1}"#).await, @"422 invalid: from: give it with `messages`, which begin there");
        assert_snapshot!(post(r#"{"format":"telegram","messages":[]}"#).await, @r#"
        422 invalid: unknown value "telegram"; use one of openai, anthropic, google, plain, openai-responses, openai-agents, ai-sdk-ui, ai-sdk, langchain, langchain-per-call, agent-inbox, ag-ui, humanlayer at line 1 column 20
        column: 20
        line: 1
        "#);
        assert_snapshot!(post(r#"{"format":"plain","from":2,"messages":[{"role":"user","text":"a"}]}"#).await, @"422 invalid: from: the conversation has 0 messages, so it cannot continue at 2");
        assert_snapshot!(post(r#"{"format":"plain","messages":[{"role":"user","text":"a","text":"b"}]}"#).await, @r#"422 invalid: messages: number 0: an object repeats the key "text" (at byte 26)"#);
        assert_eq!(ada.get("/v1/threads/t").await.status, 404, "nothing was written");
        assert_snapshot!(builder.get(MESSAGES).await, @r#"
        200
        {"messages":[],"next":null,"length":0}
        "#);
        builder.proposes("call_1").await;
        ada.post("/v1/threads/t/close", "{}").await;
        assert_snapshot!(post(r#"{"format":"plain","messages":[{"role":"user","text":"a"}]}"#).await, @"409 thread_closed: the thread was closed at 2026-01-31T12:00:00.000Z");
    })
    .await;
}
