//! Messages of webhooks about advisors: advice that people see, decisions of advisors, complaints, and changes of modes.
//! Advice in the mode `shadow` is in no message.

use crate::{
    advisor_decisions::{deciding, lets_decide, proposes},
    advisors::{answers, next_advice, serves, service},
    new_world,
    webhooks::adds,
};
use countersign_tests::{
    Database, ProcessWorld, ReceivedMessage, Server, TargetAnswer, WebhookTarget, in_time,
};
use serde_json::{Value, json};

on_each_database!(advisor_messages_name_advisor_and_mode,);

/// The reason that the advisors of these tests give.
const REASON: &str = "as the test says";

/// The next message's data; the message must have this subject.
async fn next_data(target: &mut WebhookTarget, subject: &str) -> Value {
    let message = target.receives().await;
    assert_eq!(message.subject(), subject, "{}", message.body);
    message.json()["data"].clone()
}

async fn flags(server: &Server, id: &str, comment: &str) {
    let path = format!("/v1/threads/t/tool-calls/{id}/flag");
    let answer = server.person("ada").post(&path, json!({"comment": comment}).to_string()).await;
    assert_eq!(answer.status, 200, "{answer}");
}

async fn advisor_messages_name_advisor_and_mode(world: ProcessWorld) {
    let advisor = WebhookTarget::start(|_, _| answers("allow")).await;
    let (server, mut advice) = serves(&world, &deciding(&advisor.url()), &[]).await;
    let mut ops = WebhookTarget::accepting().await;
    let mut limited = WebhookTarget::accepting().await;
    adds(&world, "ops", &ops, &[]).await;
    adds(&world, "limited", &limited, &["--threads", "t*"]).await;

    proposes(&server, "early", "bash").await;
    next_data(&mut ops, "call.opened early").await;
    let advised = next_data(&mut ops, "call.advised early").await;
    let expected = json!(["reviewer", "allow", "advisor:reviewer", "bash"]);
    assert_eq!(json!([advised["advisor"], advised["advice"], advised["by"], advised["tool"]]), expected);
    assert!(!advised.to_string().contains(REASON), "an advisor may quote the arguments: {advised}");

    lets_decide(&server).await;
    let mode = next_data(&mut ops, "advisor.mode ").await;
    let expected = json!(["reviewer", "decide", "user:ada", "a test"]);
    assert_eq!(json!([mode["advisor"], mode["mode"], mode["by"], mode["comment"]]), expected);
    assert!(mode["link"].as_str().expect("a link").ends_with("/insight#advisors"), "{mode}");

    proposes(&server, "good", "bash").await;
    next_data(&mut ops, "call.opened good").await;
    // The advice is the decision, so it has no message of its own.
    let decided = next_data(&mut ops, "call.decided good").await;
    let expected = json!(["reviewer", "advisor", "allow_once", "advisor:reviewer"]);
    assert_eq!(json!([decided["advisor"], decided["source"], decided["decision"], decided["by"]]), expected);
    assert!(!decided.to_string().contains(REASON), "an advisor may quote the arguments: {decided}");

    flags(&server, "good", "it deleted data\u{202e}").await;
    let flagged = next_data(&mut ops, "call.flagged good").await;
    let expected = json!(["allow_once", "advisor:reviewer", "user:ada", "it deleted data\\u{202e}"]);
    assert_eq!(
        json!([flagged["decision"], flagged["decidedBy"], flagged["by"], flagged["comment"]]),
        expected
    );

    // The second complaint of 20 answers is beyond the limit of 5 %.
    proposes(&server, "worse", "bash").await;
    next_data(&mut ops, "call.opened worse").await;
    next_data(&mut ops, "call.decided worse").await;
    flags(&server, "worse", "again").await;
    // The messages about threads and those about advisors do not wait for each other.
    let mut messages = [ops.receives().await, ops.receives().await];
    messages.sort_by_key(ReceivedMessage::subject);
    assert_eq!(messages.each_ref().map(ReceivedMessage::subject), ["advisor.mode ", "call.flagged worse"]);
    let mode = &messages[0].json()["data"];
    assert_eq!(json!([mode["mode"], mode["by"]]), json!(["advise", "system:drift"]));
    assert!(mode["comment"].as_str().is_some_and(|reason| reason.contains("complained of 2")), "{mode}");

    let subjects = limited.receives_subjects(8).await;
    let expected = [
        "call.opened early",
        "call.advised early",
        "call.opened good",
        "call.decided good",
        "call.flagged good",
        "call.opened worse",
        "call.decided worse",
        "call.flagged worse",
    ];
    assert_eq!(subjects, expected, "modes belong to no thread");
    next_advice(&mut advice).await;
    assert_eq!(server.terminated().await.code, 0);
    assert!(limited.received().is_empty(), "the mode belongs to no thread");
    world.verified_log().await;
}

#[tokio::test]
async fn shadow_failed_and_late_advice_is_not_told() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let shadow = WebhookTarget::start(|_, _| answers("deny")).await;
        let broken = WebhookTarget::start(|_, _| TargetAnswer::Status(500)).await;
        let released = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
        let waiting = std::sync::Arc::clone(&released);
        let late = WebhookTarget::start(move |_, _| {
            TargetAnswer::JsonAfter(std::sync::Arc::clone(&waiting), r#"{"advice":"deny"}"#.to_owned())
        })
        .await;
        let settings = "mode = \"advise\"\ntimeout = \"60s\"";
        let policy = [
            service("silent", &shadow.url(), ""),
            service("broken", &broken.url(), settings),
            service("late", &late.url(), settings),
        ]
        .concat();
        let (server, mut advice) = serves(&world, &policy, &[]).await;
        let mut target = WebhookTarget::accepting().await;
        adds(&world, "ops", &target, &[]).await;
        proposes(&server, "a", "bash").await;
        for _ in 0..2 {
            next_advice(&mut advice).await;
        }
        server.person("ada").allows("a").await;
        released.add_permits(1);
        assert_eq!(next_advice(&mut advice).await["advisor"], "late");
        flags(&server, "a", "last").await;
        // A thread's messages arrive in log order, so none about advice can follow.
        assert_eq!(target.receives_subjects(3).await, ["call.opened a", "call.decided a", "call.flagged a"]);
        server.terminated().await;
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn chat_gets_only_the_topics_it_has() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let advisor = WebhookTarget::start(|_, _| answers("deny")).await;
        let (server, _) = serves(&world, &deciding(&advisor.url()), &[]).await;
        let mut chat = WebhookTarget::accepting().await;
        let topics =
            ["--format", "slack", "--topic", "advised", "--topic", "flagged", "--topic", "advisor_mode"];
        adds(&world, "chat", &chat, &topics).await;
        proposes(&server, "a", "bash").await;
        let title = |message: &ReceivedMessage| message.json()["text"].as_str().expect("a title").to_owned();
        assert_eq!(title(&chat.receives().await), "Advisor reviewer says deny: bash");
        server.person("ada").allows("a").await;
        flags(&server, "a", "too early").await;
        let flagged = chat.receives().await;
        assert_eq!(title(&flagged), "Flagged: bash");
        assert!(flagged.body.contains("Decided by: user:ada") && flagged.body.contains("Comment: too early"));
        lets_decide(&server).await;
        let mode = chat.receives().await;
        assert_eq!(title(&mode), "Advisor reviewer may decide from now on");
        assert!(mode.body.contains("Open the advisors"), "{}", mode.body);
        server.terminated().await;
        world.verified_log().await;
    })
    .await;
}
