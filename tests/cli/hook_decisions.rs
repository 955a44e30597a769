//! `countersign hook`: the decisions that reach an agent without an answer to its own question.

use crate::{
    desk::with_desk,
    hook::{bash_in, message},
};

/// The agent that waits, the command that changes the policy, and the one that reads are processes of their own.
#[tokio::test]
async fn looser_policy_releases_the_agent_that_waits() {
    with_desk(async |desk| {
        let hook = desk.start_with("hook claude-code", &message("claude_code_pre_tool_use")).await;
        desk.wait_for_pending("toolu_01A").await;
        desk.write_file(
            "looser.toml",
            "[[rule]]\nname = \"shell\"\ntool = \"Bash\"\ncommand = [\"touch **\", \"echo **\"]\nverdict = \"allow\"\n",
        );
        assert_eq!(desk.types("policy apply looser.toml --yes --as user:ada").await.code, 0);
        let answer = hook.wait_for_exit().await;
        assert!(answer.stdout.contains("updatedInput"), "it runs the call: {answer}");
        let shown = desk.types("show toolu_01A").await;
        assert!(shown.stdout.contains("user:ada changed the policy in event 4"), "{shown}");
        assert_eq!(desk.types("verify").await.code, 0);
    })
    .await;
}

/// No process has the log open while the policy changes, but the command that changes it.
#[tokio::test]
async fn command_that_loosens_the_policy_answers_what_waits() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        desk.propose("t1", "call_2", "bash", r#"{"command":"rm x"}"#).await;
        desk.write_file(
            "looser.toml",
            "[[rule]]\nname = \"list\"\ntool = \"bash\"\ncommand = \"ls\"\nverdict = \"allow\"\n",
        );
        assert_eq!(desk.types("policy apply looser.toml --yes --as user:ada").await.code, 0);
        let query =
            "SELECT data ->> 'toolCallId', principal, data -> 'policyChange' ->> 'principal' FROM events
                     WHERE type = 'TOOL_APPROVAL_RESPONSE'";
        let found = desk.run_program("sqlite3", &["countersign.db", query]).await;
        assert_eq!(found.trim(), "call_1|policy:list|user:ada");
    })
    .await;
}

/// A model describes the same command in other words each time.
#[tokio::test]
async fn repetition_in_other_words_gets_the_decision() {
    with_desk(async |desk| {
        let list = |id: &str, words: &str| {
            bash_in("/srv", id, &format!(r#"{{"command":"ls","description":"{words}"}}"#))
        };
        let first = desk.pipes("hook claude-code --wait 1s", &list("toolu_1", "list files")).await;
        assert!(first.stdout.contains("call toolu_1 (Bash) waits"), "{first}");
        let second = desk.pipes("hook claude-code --wait 1s", &list("toolu_2", "look around")).await;
        assert!(second.stdout.contains("call toolu_1 (Bash) waits"), "people are not asked twice: {second}");
        assert_eq!(desk.types("allow toolu_1").await.code, 0);
        let third = desk.pipes("hook claude-code --wait 1s", &list("toolu_3", "see what is there")).await;
        assert!(third.stdout.contains("see what is there"), "it runs its own arguments: {third}");
        assert!(third.stdout.contains("allowed by policy:grant"), "{third}");
        let fourth = desk.pipes("hook claude-code --wait 1s", &list("toolu_4", "again")).await;
        assert!(
            fourth.stdout.contains("call toolu_4 (Bash) waits"),
            "one approval starts one call: {fourth}"
        );
        let elsewhere = bash_in("/tmp", "toolu_5", r#"{"command":"ls","description":"again"}"#);
        let elsewhere = desk.pipes("hook claude-code --wait 1s", &elsewhere).await;
        assert!(elsewhere.stdout.contains("call toolu_5 (Bash) waits"), "{elsewhere}");
        assert_eq!(desk.types("deny toolu_4 --comment 'not now'").await.code, 0);
        let denied = desk.pipes("hook claude-code --wait 1s", &list("toolu_6", "once more")).await;
        assert!(denied.stdout.contains("Denied without asking again"), "{denied}");
        assert_eq!(desk.types("verify").await.code, 0);
    })
    .await;
}
