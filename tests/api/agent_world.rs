//! Agent World: the flows of its plan and of the system as it was built. `agent_world_clients` has the requests of its clients.

use crate::ASK;
use countersign_tests::{EventStreamReader, HttpAnswer, over_http};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) const MESSAGES: &str = "/worlds/t/messages";
pub(crate) const CHECK: &str = "/worlds/t/tool-calls";

pub(crate) fn shell_cmd(id: &str, command: &str) -> String {
    let message = "This tool requires approval to execute shell commands";
    json!({"toolName": "shell_cmd", "toolArgs": {"command": command}, "toolCallId": id, "message": message})
        .to_string()
}

pub(crate) fn say(text: &str) -> String {
    json!({"message": text, "sender": "HUMAN"}).to_string()
}

/// The events of a request.
const ASKED: [&str; 5] = ["world/info", "sse/start", "sse/chunk", "sse/end", "message/message"];

/// The whole stream: the `type` of each event, and of its data.
pub(crate) async fn read_all(stream: &mut EventStreamReader) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some(event) = stream.data().await {
        events.push(event);
    }
    events
}

pub(crate) fn types(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| format!("{}/{}", text(&event["type"]), text(&event["data"]["type"]))).collect()
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(crate) fn flags(answer: &HttpAnswer) -> (Value, Value, bool) {
    assert_eq!(answer.status, 200, "{answer}");
    let body = answer.json();
    (body["needsApproval"].clone(), body["canExecute"].clone(), body.get("_stopProcessing").is_some())
}

/// The CLI of Agent World: the person answers in words, and the agent tries the tool again under another id.
#[tokio::test]
async fn agent_world_person_approves_in_words() {
    over_http(ASK, async |world| {
        let (a1, ada) = (world.agent("a1"), world.person("ada"));
        let mut turn = ada.posts_for_stream(MESSAGES, say("@a1, list files from ~/directory")).await;
        let stopped = a1.post(CHECK, shell_cmd("tool_1", "ls -la")).await;
        assert_eq!(flags(&stopped), (json!(true), json!(false), true));
        let events = read_all(&mut turn).await;
        assert_eq!(types(&events), ASKED, "the turn ends with the question");
        assert_eq!(events[0]["data"]["message"], "Tool shell_cmd requires approval - checking...");
        assert_eq!(events[0]["data"]["timestamp"], "2026-01-31T12:00:00.000Z");
        let asked = &events[2]["data"]["tool_calls"][0];
        assert_eq!(
            *asked,
            stopped.json()["_approvalMessage"]["tool_calls"][0],
            "the marker has the same call"
        );
        let arguments: Value = serde_json::from_str(text(&asked["function"]["arguments"])).expect("JSON");
        assert_snapshot!(serde_json::to_string_pretty(&arguments).expect("JSON"), @r#"
        {
          "message": "shell_cmd asks for approval (`shell_cmd` may be dangerous: its name contains \"shell\", and no rule matches this call): This tool requires approval to execute shell commands",
          "options": [
            "approve_once",
            "approve_session",
            "deny"
          ],
          "originalToolCall": {
            "args": {
              "command": "ls -la"
            },
            "id": "tool_1",
            "name": "shell_cmd"
          }
        }
        "#);

        let mut turn = ada.posts_for_stream(MESSAGES, say("@a1, approve_once shell_cmd")).await;
        let again = a1.post(CHECK, shell_cmd("tool_2", "ls -la")).await;
        assert_eq!(flags(&again), (json!(false), json!(true), false));
        assert_eq!(again.text("call.id"), "tool_1", "the approved call runs, and no second one");
        a1.claims("tool_1").await;
        a1.finishes("tool_1").await;
        let answer =
            json!({"format": "openai", "message": {"role": "assistant", "content": "There are two files."}});
        a1.post("/v1/threads/t/messages", answer.to_string()).await;
        let events = read_all(&mut turn).await;
        assert_eq!(types(&events), ["message/message"], "the turn ends with the agent's last word");
        assert_eq!(events[0]["data"]["content"], "There are two files.");
        let third = a1.post(CHECK, shell_cmd("tool_3", "ls -la")).await;
        assert_eq!(flags(&third), (json!(true), json!(false), true), "an approval runs one call");
    })
    .await;
}

/// The web client of Agent World: it sends the conversation again, with the decision as the request's result.
#[tokio::test]
async fn agent_world_client_resubmits_its_messages() {
    over_http(ASK, async |world| {
        let (a1, ada) = (world.agent("a1"), world.person("ada"));
        let mut messages = vec![json!({"role": "user", "content": "@a1, delete files"})];
        let submit = |messages: &[Value]| {
            json!({"message": "@a1, delete files", "sender": "HUMAN", "messages": messages}).to_string()
        };
        let mut turn = ada.posts_for_stream(MESSAGES, submit(&messages)).await;
        a1.post(CHECK, shell_cmd("tool_1", "rm old*.txt")).await;
        let events = read_all(&mut turn).await;
        let call = &events[2]["data"]["tool_calls"][0];
        messages.push(json!({"role": "assistant", "content": "", "tool_calls": [call]}));
        let decision = json!({"decision": "approve", "scope": "session", "toolName": "shell_cmd"});
        messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": decision.to_string()}));
        let mut turn = ada.posts_for_stream(MESSAGES, submit(&messages)).await;
        assert_eq!(flags(&a1.post(CHECK, shell_cmd("tool_1", "rm old*.txt")).await).1, json!(true));
        assert_eq!(
            flags(&a1.post(CHECK, shell_cmd("tool_2", "rm -r tmp")).await).1,
            json!(true),
            "for the session"
        );
        let elsewhere = a1.post("/worlds/other/tool-calls", shell_cmd("tool_1", "rm old*.txt")).await;
        assert_eq!(flags(&elsewhere).0, json!(true), "an approval never leaks to another world");
        world.clock().advance(Duration::from_mins(1));
        assert!(read_all(&mut turn).await.is_empty(), "a stream ends when nothing happens for a minute");

        let stored = ada.get(MESSAGES).await;
        assert_eq!(
            stored.value("messages").as_array().map(Vec::len),
            Some(3),
            "everything is stored: {stored}"
        );
        let model = a1.get("/v1/threads/t/messages?for=model&format=openai").await;
        assert_eq!(
            model.value("messages"),
            json!([{"role": "user", "content": "@a1, delete files"}]),
            "a model sees nothing of the approval"
        );
    })
    .await;
}

#[tokio::test]
async fn agent_world_denial_is_remembered_for_five_minutes() {
    over_http(ASK, async |world| {
        let (a1, ada) = (world.agent("a1"), world.person("ada"));
        a1.post(CHECK, shell_cmd("tool_1", "rm -r /")).await;
        let turn = ada.posts_for_stream(MESSAGES, say("I deny the shell_cmd execution")).await;
        drop(turn);
        let denied = a1.post(CHECK, shell_cmd("tool_2", "rm -r /")).await;
        assert_eq!(flags(&denied), (json!(false), json!(false), false));
        assert!(denied.text("reason").contains("because user:ada denied it"), "{denied}");
        assert_eq!(
            flags(&a1.post(CHECK, shell_cmd("tool_3", "ls")).await).0,
            json!(true),
            "of this call only"
        );
        world.clock().advance(Duration::from_mins(5) + Duration::from_millis(1));
        let later = a1.post(CHECK, shell_cmd("tool_4", "rm -r /")).await;
        assert_eq!(flags(&later).0, json!(true), "later, people are asked again");
    })
    .await;
}

/// A client that opens the page again gets the question with the conversation, and at once on its next request.
#[tokio::test]
async fn agent_world_client_that_reloads_is_asked_again() {
    over_http(ASK, async |world| {
        let (a1, ada) = (world.agent("a1"), world.person("ada"));
        for (id, command) in [("tool_1", "ls"), ("tool_2", "rm x")] {
            a1.post(CHECK, shell_cmd(id, command)).await;
        }
        let view = ada.get(MESSAGES).await;
        let ids: Vec<_> = (0..2).map(|n| view.text(&format!("messages.{n}.tool_calls.0.id"))).collect();
        assert_eq!(ids, ["approval_tool_1", "approval_tool_2"]);
        let mut turn = ada.posts_for_stream(MESSAGES, say("approve_once shell_cmd")).await;
        let events = read_all(&mut turn).await;
        let expected = [&["world/info"], ASKED.as_slice(), ASKED.as_slice()].concat();
        assert_eq!(
            types(&events),
            expected,
            "words that fit two calls decide nothing, and both are asked again"
        );
        assert_snapshot!(text(&events[0]["data"]["message"]), @r#"several pending calls fit these words; name one of them, as in "approve_once shell_cmd tool_1""#);
        assert_eq!(a1.call("tool_1").await.text("state"), "pending");
        drop(ada.posts_for_stream(MESSAGES, say("approve_once shell_cmd tool_2")).await);
        let states = [a1.call("tool_1").await.text("state"), a1.call("tool_2").await.text("state")];
        assert_eq!(states, ["pending", "allowed"], "the words name one of them");
    })
    .await;
}

#[tokio::test]
async fn agent_of_a_world_decides_nothing() {
    over_http(ASK, async |world| {
        let a1 = world.agent("a1");
        a1.post(CHECK, shell_cmd("tool_1", "ls")).await;
        let decision = json!({"role": "tool", "tool_call_id": "approval_tool_1", "content": "approve_once"});
        let body = json!({"messages": [{"role": "user", "content": "go on"}, decision]}).to_string();
        let request = a1.request(reqwest::Method::POST, MESSAGES).header("accept", "application/json");
        let report = HttpAnswer::to(request.header("content-type", "application/json").body(body)).await;
        assert_eq!(report.text("decisions.0.code"), "not_an_approver", "{report}");
        let called = a1.post(CHECK, r#"{"toolName":"client.requestApproval","toolArgs":{}}"#).await;
        assert_eq!(
            flags(&called),
            (json!(false), json!(false), false),
            "a model cannot call the client's tools"
        );
        assert_snapshot!(a1.post(MESSAGES, r#"{"sender":"HUMAN"}"#).await, @"422 invalid: message: is empty, and there are no `messages`");
        assert_snapshot!(a1.post(CHECK, r#"{"toolName":"","toolArgs":{}}"#).await, @r#"
        422 invalid: the tool name cannot be used: it is empty at line 1 column 14
        column: 14
        line: 1
        "#);
    })
    .await;
}

/// A session's approval comes before a denial, and a denial before an approval once.
#[tokio::test]
async fn agent_world_decisions_have_an_order() {
    over_http(ASK, async |world| {
        let (a1, ada) = (world.agent("a1"), world.person("ada"));
        let decide = async |words: &str| drop(ada.posts_for_stream(MESSAGES, say(words)).await);
        a1.post(CHECK, shell_cmd("tool_1", "ls")).await;
        decide("deny shell_cmd").await;
        a1.post(CHECK, shell_cmd("tool_2", "ls /tmp")).await;
        decide("approve shell_cmd for session").await;
        let again = a1.post(CHECK, shell_cmd("tool_3", "ls")).await;
        assert_eq!(flags(&again).1, json!(true), "the session's approval comes first: {again}");

        let other = "/worlds/other/tool-calls";
        for id in ["tool_1", "tool_2"] {
            let body = json!({"id": id, "name": "shell_cmd", "arguments": {"command": "ls"}}).to_string();
            assert_eq!(a1.post("/v1/threads/other/tool-calls", body).await.text("state"), "pending");
        }
        ada.post("/v1/threads/other/approvals/tool_1", r#"{"decision":"allow_once"}"#).await;
        ada.post("/v1/threads/other/approvals/tool_2", r#"{"decision":"deny"}"#).await;
        let denied = a1.post(other, shell_cmd("tool_3", "ls")).await;
        assert_eq!(flags(&denied), (json!(false), json!(false), false), "the denial comes first: {denied}");
    })
    .await;
}

/// The policy says how long decisions are remembered.
#[tokio::test]
async fn agent_world_remembers_as_the_policy_says() {
    let policy = format!("remember = \"1m\"\n{ASK}");
    over_http(&policy, async |world| {
        let (a1, ada) = (world.agent("a1"), world.person("ada"));
        for (thread, words, is_free) in
            [("t", "deny shell_cmd", false), ("o", "approve_once shell_cmd", true)]
        {
            let (messages, check) =
                (format!("/worlds/{thread}/messages"), format!("/worlds/{thread}/tool-calls"));
            a1.post(&check, shell_cmd("tool_1", "ls")).await;
            drop(ada.posts_for_stream(&messages, say(words)).await);
            let soon = flags(&a1.post(&check, shell_cmd("tool_2", "ls")).await);
            assert_eq!((soon.0, soon.1), (json!(false), json!(is_free)), "{words}");
            world.clock().advance(Duration::from_mins(1) + Duration::from_millis(1));
            let late = a1.post(&check, shell_cmd("tool_3", "ls")).await;
            assert_eq!(
                flags(&late).0,
                json!(true),
                "{words}: after a minute, people are asked again: {late}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn agent_world_words_are_for_the_mentioned_agent() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        for agent in ["a1", "a2"] {
            let id = format!("tool_{agent}");
            world.agent(agent).post(CHECK, shell_cmd(&id, &format!("ls {agent}"))).await;
        }
        let states = async || {
            let a1 = world.agent("a1");
            [a1.call("tool_a1").await.text("state"), a1.call("tool_a2").await.text("state")]
        };
        drop(ada.posts_for_stream(MESSAGES, say("@a3, Cancel")).await);
        assert_eq!(states().await, ["pending", "pending"], "no call of this agent is pending");
        drop(ada.posts_for_stream(MESSAGES, say("@a2, Cancel")).await);
        assert_eq!(states().await, ["pending", "denied"]);
    })
    .await;
}

/// `shouldRequireApproval` looks at the name and the description.
#[tokio::test]
async fn agent_world_description_has_dangerous_words() {
    over_http(ASK, async |world| {
        let reason = async |id: &str, description: &str| {
            let body = json!({"toolName": "tidy", "toolArgs": [id], "toolDescription": description});
            world.agent("a1").post(CHECK, body.to_string()).await.text("call.request.reason")
        };
        let dangerous = reason("1", "Deletes old files").await;
        assert!(dangerous.contains("its description contains \"delete\""), "{dangerous}");
        let harmless = reason("2", "Lists old files").await;
        assert!(!harmless.contains("dangerous"), "{harmless}");
    })
    .await;
}
