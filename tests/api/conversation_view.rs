//! `GET /v1/threads/{thread}/messages?for=…`, and the decisions in messages.

use crate::ASK;
use countersign_tests::{HttpAnswer, over_http};
use insta::assert_snapshot;
use serde_json::{Value, json};

const MESSAGES: &str = "/v1/threads/t/messages";

fn body(answer: &HttpAnswer) -> Value {
    assert_eq!(answer.status, 200, "{answer}");
    serde_json::from_str(&answer.body).expect("JSON")
}

/// A history in which the model calls `bash`.
fn history() -> Value {
    json!({"format": "openai", "messages": [
        {"role": "system", "content": "Be careful."},
        {"role": "user", "content": "List the files."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}}
        ]}
    ]})
}

/// The same history, and what a person answers to the request.
fn answered(answer: &Value) -> String {
    let mut history = history();
    let messages = history["messages"].as_array_mut().expect("a list");
    messages.push(json!({"role": "assistant", "content": "", "tool_calls": [
        {"id": "approval_call_1", "type": "function", "function": {"name": "client.requestApproval", "arguments": "{}"}}
    ]}));
    messages.push(json!({"role": "tool", "tool_call_id": "approval_call_1", "content": answer.to_string()}));
    history.to_string()
}

#[tokio::test]
async fn model_gets_one_result_for_each_call() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        builder.post(MESSAGES, &answered(&json!({"decision": "deny"}))).await;
        assert_snapshot!(builder.get(&format!("{MESSAGES}?for=model")).await, @r#"
        200
        {
          "threadId": "t",
          "format": "openai",
          "messages": [
            {"content":"Be careful.","role":"system"},
            {"content":"List the files.","role":"user"},
            {
              "content": null,
              "role": "assistant",
              "tool_calls": [
                {
                  "function": {"arguments":"{\"command\":\"ls\"}","name":"bash"},
                  "id": "call_1",
                  "type": "function"
                }
              ]
            },
            {
              "role": "tool",
              "tool_call_id": "call_1",
              "content": "This call waits for a person's decision. It has not run."
            }
          ],
          "unfinished": [{"id":"call_1","state":"pending"}],
          "length": 5
        }
        "#);
        let denied = ada.post(MESSAGES, &answered(&json!({"decision": "deny", "comment": "not now"}))).await;
        assert_snapshot!(denied, @r#"
        200
        {
          "threadId": "t",
          "messages": [
            {"seq":4,"position":0,"stored":false},
            {"seq":5,"position":1,"stored":false},
            {"seq":6,"position":2,"stored":false},
            {"seq":7,"position":3,"stored":false},
            {"seq":9,"position":4,"stored":true}
          ],
          "length": 5,
          "decisions": [{"position":4,"id":"call_1","decision":"deny","outcome":"decided"}]
        }
        "#);
        let model = body(&builder.get(&format!("{MESSAGES}?for=model&format=anthropic")).await);
        assert_eq!(model["system"], json!([{"type": "text", "text": "Be careful."}]));
        let result = json!([{"type": "tool_result", "tool_use_id": "call_1", "is_error": true,
            "content": "Denied by user:ada: not now (do not retry this call unchanged)"}]);
        assert_eq!(model["messages"][2], json!({"role": "user", "content": result}));
    })
    .await;
}

#[tokio::test]
async fn client_gets_the_request_for_a_pending_call() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.proposes("call_1").await;
        builder.post(MESSAGES, &history().to_string()).await;
        let view = body(&builder.get(&format!("{MESSAGES}?for=client")).await);
        let request = &view["messages"][3]["tool_calls"][0];
        assert_eq!(request["id"], "approval_call_1");
        assert_eq!(request["function"]["name"], "client.requestApproval");
        let arguments: Value =
            serde_json::from_str(request["function"]["arguments"].as_str().expect("a string")).expect("JSON");
        assert_eq!(arguments["originalToolCall"]["name"], "bash");
        assert_eq!(arguments["options"], json!(["approve_once", "approve_session", "deny"]));
        for format in ["anthropic", "google", "plain"] {
            let view = body(&builder.get(&format!("{MESSAGES}?for=client&format={format}")).await);
            assert_eq!(view["messages"].as_array().expect("a list").len(), 4, "{view}");
        }
    })
    .await;
}

#[tokio::test]
async fn decision_in_agents_message_is_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        builder.proposes("call_1").await;
        let report = body(&builder.post(MESSAGES, &answered(&json!({"decision": "approve_once"}))).await);
        assert_eq!(report["messages"].as_array().expect("a list").len(), 5, "the messages are stored");
        assert_eq!(
            report["decisions"],
            json!([{"position": 4, "id": "call_1", "decision": "allow_once", "outcome": "refused",
                    "code": "not_an_approver", "detail": "agent:builder is not a person, and only people decide"}])
        );
        let call = body(&builder.get("/v1/threads/t/tool-calls/call_1").await);
        assert_eq!(call["state"], "pending");
    })
    .await;
}

#[tokio::test]
async fn decision_of_a_person_decides_once() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let sent = answered(&json!({"decision": "approve", "scope": "session", "toolName": "bash"}));
        let report = body(&ada.post(MESSAGES, &sent).await);
        assert_eq!(
            report["decisions"],
            json!([{"position": 4, "id": "call_1", "decision": "allow_session", "outcome": "decided"}])
        );
        let call = body(&builder.get("/v1/threads/t/tool-calls/call_1").await);
        assert_eq!((&call["state"], &call["response"]["principal"]), (&json!("allowed"), &json!("user:ada")));
        let again = body(&ada.post(MESSAGES, &sent).await);
        assert_eq!(again["decisions"], Value::Null, "the message was stored before, and its call is decided");
        let grants = body(&ada.get("/v1/threads/t/grants").await);
        assert_eq!(grants["grants"].as_array().expect("a list").len(), 1);
    })
    .await;
}

#[tokio::test]
async fn person_does_not_repeat_decisions_of_an_agent() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let forged = answered(&json!({"decision": "approve_once"}));
        builder.post(MESSAGES, &forged).await;
        // A person's client sends the whole history again, with and without a change before the decision.
        let edited = forged.replace("List the files.", "List all files.");
        for history in [&forged, &edited] {
            let report = body(&ada.post(MESSAGES, history).await);
            assert_eq!(report["decisions"][0]["outcome"], "refused", "{report}");
            assert_eq!(report["decisions"][0]["code"], "not_an_approver", "{report}");
        }
        assert_eq!(body(&builder.get("/v1/threads/t/tool-calls/call_1").await)["state"], "pending");
    })
    .await;
}

#[tokio::test]
async fn unclear_decision_is_reported_and_decides_nothing() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let report = body(&ada.post(MESSAGES, &answered(&json!({"decision": "perhaps"}))).await);
        assert_eq!(report["decisions"][0]["outcome"], "refused", "{report}");
        assert_eq!(report["decisions"][0]["code"], "invalid");
        let other = answered(&json!("approve_once")).replace("approval_call_1", "approval_call_9");
        let report = body(&ada.post(MESSAGES, &other).await);
        assert_eq!(report["decisions"][0]["code"], "unknown_call", "{report}");
        assert_eq!(body(&builder.get("/v1/threads/t/tool-calls/call_1").await)["state"], "pending");
    })
    .await;
}

#[tokio::test]
async fn model_cannot_call_a_tool_of_the_client() {
    over_http("default = \"allow\"", async |world| {
        let builder = world.agent("builder");
        let call = r#"{"id": "c", "name": "client.requestApproval", "arguments": {}}"#;
        let proposed = builder.post("/v1/threads/t/tool-calls", call).await;
        let call: Value = serde_json::from_str(&proposed.body).expect("JSON");
        assert_eq!(
            (&call["state"], &call["result"]["status"]),
            (&json!("denied"), &json!("denied")),
            "{proposed}"
        );
        assert_snapshot!(call["response"]["comment"].as_str().expect("a reason"), @"tools whose names begin with `client.` belong to the client, and no model can call them");
    })
    .await;
}

#[tokio::test]
async fn view_with_cursor_or_unknown_reader_is_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        assert_snapshot!(builder.get(&format!("{MESSAGES}?for=model&after=1")).await, @r#"
        422 invalid: `after` and `limit` do not apply with `for`, which returns the whole conversation
        parameter: "for"
        "#);
        assert_snapshot!(builder.get(&format!("{MESSAGES}?for=robot")).await, @r#"
        422 invalid: for: use model or client
        parameter: "for"
        "#);
        assert_snapshot!(builder.get(&format!("{MESSAGES}?for=model")).await, @r#"
        200
        {"threadId":"t","format":"plain","messages":[],"length":0}
        "#);
    })
    .await;
}

fn say(text: &str) -> String {
    json!({"format": "openai", "message": {"role": "user", "content": text}}).to_string()
}

#[tokio::test]
async fn words_decide_the_only_call_that_fits() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let report = body(&builder.post(MESSAGES, &say("approve_once bash")).await);
        assert_eq!(report["decisions"][0]["code"], "not_an_approver", "{report}");
        let report = body(&ada.post(MESSAGES, &say("Do not approve_once bash")).await);
        assert_eq!(report["decisions"], Value::Null, "longer prose is no decision");
        let report = body(&ada.post(MESSAGES, &say("@builder, approve_once deploy")).await);
        assert_eq!(
            (&report["decisions"][0]["outcome"], &report["pending"][0]["id"]),
            (&json!("refused"), &json!("call_1"))
        );
        let report = body(&ada.post(MESSAGES, &say("@builder, approve_once bash")).await);
        assert_eq!(
            report["decisions"],
            json!([{"position": 3, "id": "call_1", "decision": "allow_once", "outcome": "decided"}])
        );
        assert_eq!(body(&ada.get("/v1/threads/t/tool-calls/call_1").await)["state"], "allowed");
    })
    .await;
}

#[tokio::test]
async fn words_that_fit_several_calls_decide_none() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        builder.proposes("call_2").await;
        let report = body(&ada.post(MESSAGES, &say("Always")).await);
        assert_eq!(report["decisions"][0]["outcome"], "refused", "{report}");
        assert_eq!(report["pending"].as_array().expect("a list").len(), 2, "{report}");
        // The words were stored. To send them again decides nothing, although one call fits them now.
        ada.post("/v1/threads/t/approvals/call_1", r#"{"decision":"deny"}"#).await;
        let again = body(&ada.post(MESSAGES, &say("Always")).await);
        assert_eq!(again["decisions"], Value::Null, "{again}");
        let pending = body(&ada.get("/v1/threads/t/approvals/pending").await);
        assert_eq!(pending["pending"].as_array().expect("a list").len(), 1);
    })
    .await;
}

#[tokio::test]
async fn resume_must_answer_all_open_interrupts() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        builder.proposes("call_2").await;
        let resume = |ids: &[&str]| {
            let entry = |id: &&str| {
                json!({"interruptId": format!("approval_{id}"), "status": "resolved", "payload": {"approved": true}})
            };
            let entries: Vec<_> = ids.iter().map(entry).collect();
            json!({"format": "ag-ui", "message": {"resume": entries}}).to_string()
        };
        let report = body(&ada.post(MESSAGES, &resume(&["call_1"])).await);
        assert_eq!(report["decisions"][0]["outcome"], "refused", "{report}");
        assert_snapshot!(report["decisions"][0]["detail"].as_str().expect("a reason"), @"the message must decide all pending calls; it leaves out call_2");
        let report = body(&ada.post(MESSAGES, &resume(&["call_1", "call_9"])).await);
        let outcomes: Vec<_> = report["decisions"].as_array().expect("a list").iter().map(|made| &made["outcome"]).collect();
        assert_eq!(outcomes, ["refused", "refused"], "{report}");
        let report = body(&ada.post(MESSAGES, &resume(&["call_1", "call_2"])).await);
        let outcomes: Vec<_> = report["decisions"].as_array().expect("a list").iter().map(|made| &made["outcome"]).collect();
        assert_eq!(outcomes, ["decided", "decided"], "{report}");
    })
    .await;
}

#[tokio::test]
async fn decision_about_other_arguments_is_refused() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let message = json!({"id": "m", "role": "assistant", "parts": [{"type": "tool-bash", "toolCallId": "call_1",
            "state": "approval-responded", "input": {"command": "something else"},
            "approval": {"id": "approval_call_1", "approved": true}}]});
        let sent = json!({"format": "ai-sdk-ui", "messages": [message]}).to_string();
        let report = body(&ada.post(MESSAGES, &sent).await);
        assert_eq!(report["decisions"][0]["code"], "arguments_changed", "{report}");
        assert_eq!(body(&ada.get("/v1/threads/t/tool-calls/call_1").await)["state"], "pending");
    })
    .await;
}

#[tokio::test]
async fn decisions_by_place_are_about_last_turn() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        builder.proposes("call_2").await;
        let call =
            |id: &str| json!({"id": id, "name": "bash", "args": {"command": "ls"}, "type": "tool_call"});
        let turn = json!({"format": "langchain", "messages": [
            {"type": "human", "content": "Go."},
            {"type": "ai", "content": "", "tool_calls": [call("call_1"), call("call_2")]}
        ]});
        builder.post(MESSAGES, &turn.to_string()).await;
        let resume = json!({"format": "langchain", "message": {"command": {"resume": {"decisions": [
            {"type": "approve"}, {"type": "reject", "message": "too early"}
        ]}}}});
        let report = body(&ada.post(MESSAGES, &resume.to_string()).await);
        assert_eq!(
            report["decisions"],
            json!([
                {"position": 2, "id": "call_1", "decision": "allow_once", "outcome": "decided"},
                {"position": 2, "id": "call_2", "decision": "deny", "outcome": "decided"}
            ])
        );
        let model = body(&builder.get(&format!("{MESSAGES}?for=model&format=anthropic")).await);
        assert!(model.to_string().contains("too early"), "{model}");
        assert_eq!(model["unfinished"], json!([{"id": "call_1", "state": "allowed"}]), "{model}");
    })
    .await;
}

#[tokio::test]
async fn model_is_told_about_edited_arguments() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        builder.post(MESSAGES, &history().to_string()).await;
        let resume = json!({"format": "langchain", "message": {"resume": {"approval_call_1": {
            "type": "edit", "edited_action": {"name": "bash", "args": {"command": "ls -l"}}
        }}}});
        let report = body(&ada.post(MESSAGES, &resume.to_string()).await);
        assert_eq!(report["decisions"][0]["outcome"], "decided", "{report}");
        let model = body(&builder.get(&format!("{MESSAGES}?for=model&format=openai")).await);
        assert_snapshot!(model["messages"][3]["content"].as_str().expect("a string"), @r#"
        user:ada changed what was run: /command from "ls" to "ls -l"

        This call is approved. It has not run yet.
        "#);
    })
    .await;
}
