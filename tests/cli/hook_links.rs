//! `countersign hook`: symbolic links that lead out of the project, and the reason that people and the agent read.

use crate::desk::with_desk;
use countersign_api::ApprovalGate;
use insta::assert_snapshot;
use serde_json::json;
use std::os::unix::fs::symlink;

#[tokio::test]
async fn link_out_of_the_project_is_asked() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_eq!(desk.types("policy use coding --yes --as user:ada").await.code, 0);
        let shop = desk.path("shop");
        std::fs::create_dir_all(shop.join("docs")).expect("folders");
        symlink("/etc", shop.join("conf")).expect("a link");
        std::fs::write(shop.join("docs/a"), "x").expect("written");
        let shop = shop.canonicalize().expect("a path").display().to_string();
        desk.set_variable("CLAUDE_PROJECT_DIR", &shop);
        let message = |id: &str, command: &str| {
            json!({
                "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": shop, "tool_name": "Bash", "tool_use_id": id,
                "tool_input": {"command": command},
            })
            .to_string()
        };
        let free = desk.pipes("hook claude-code", &message("toolu_1", "cat docs/a")).await;
        assert!(!free.stdout.contains("deny"), "{free}");
        let asked = desk.pipes("hook claude-code --wait 1s", &message("toolu_2", "cat conf/hostname")).await;
        assert_snapshot!(asked, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No decision yet: call toolu_2 (Bash) waits for a person. Asked because: no rule allows it: a symbolic link leads to `/etc/hostname`, which is outside the project (rule \"reading commands in the project are free\"). They decide at: countersign allow toolu_2. Tell the user so. Repeat exactly the same call to wait again or to get the decision; people are not asked twice."}}
        exit 0
        "#);
        let shown = desk.types("show toolu_2").await;
        let asked = shown.stdout.lines().find(|line| line.contains("asked")).expect("a reason");
        assert_snapshot!(asked, @r#"  asked      no rule allows it: a symbolic link leads to `/etc/hostname`, which is outside the project (rule "reading commands in the project are free")"#);
    })
    .await;
}
