//! What is asked of a server is answered as over its file.

use crate::desk::at_a_desk;
use countersign_tests::api::story;

#[tokio::test]
async fn a_server_and_its_file_say_the_same() {
    at_a_desk(async |desk| {
        story("default = \"ask\"", async |town| {
            let server = format!("--server http://{}", town.address);
            let file = format!("--database {}", town.database().display());
            let at = |line: &str| format!("{line} {server} --as user:ada");
            for (id, tool) in [("call_1", "bash"), ("call_2", "mail"), ("call_3", "bash")] {
                let call =
                    countersign_gate::api::Propose::new(id, tool, r#"{"command":"ls"}"#).expect("valid");
                town.gate
                    .propose(&countersign_gate::name("t1").expect("valid"), &call)
                    .await
                    .expect("proposed");
            }
            assert_eq!(desk.types(&at("allow call_1 --session")).await.code, 0);
            assert_eq!(desk.types(&at("deny call_2 call_3 --comment no")).await.code, 0);
            assert_eq!(desk.types(&at("mode t1 auto_deny")).await.code, 0);
            assert_eq!(desk.types(&at("thread-policy t1 mail=deny bash=require-approval")).await.code, 0);
            for asked in [
                "calls",
                "calls --state denied --tool mail",
                "calls -n 1",
                "threads",
                "threads t1",
                "threads nobody",
                "log",
                "log -n 3 --by user:ada",
                "log --type tool-call --type thread-mode-set --since 2026-01-01T00:00:00Z",
                "stats",
                "stats --until 2026-01-01T00:00:00Z",
                "grants t1",
                "revoke t1 77",
                "mode t1",
                "thread-policy t1",
                "pending --tool bash",
                "show call_2",
                "show call_9",
            ] {
                let [far, near] = [
                    desk.types(&format!("{asked} --json {server}")).await,
                    desk.types(&format!("{asked} --json {file}")).await,
                ];
                assert_eq!(far.to_string(), near.to_string(), "{asked}");
            }
            assert_eq!(desk.types(&at("revoke t1 4")).await.code, 4, "it is no grant");
            assert_eq!(desk.types(&at("close t1")).await.code, 0);
            assert_eq!(desk.types(&at("close t1")).await.code, 0);
        })
        .await;
    })
    .await;
}
