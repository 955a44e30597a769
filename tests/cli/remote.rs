//! A command has the same output over a server as over the server's file.

use crate::desk::with_desk;
use countersign_api::CallGate;
use countersign_tests::over_http;
use insta::assert_snapshot;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

#[tokio::test]
async fn server_and_file_give_the_same_output() {
    with_desk(async |desk| {
        // The server has a clock of its own, so nothing here depends on the time.
        over_http("default = \"ask\"\nremember = \"0s\"", async |world| {
            let server = format!("--server http://{}", world.service.address);
            let file = format!("--database {}", world.path().display());
            let at = |line: &str| format!("{line} {server}");
            for (id, tool) in [("call_1", "bash"), ("call_2", "mail"), ("call_3", "bash")] {
                let call =
                    countersign_api::ProposeRequest::new(id, tool, r#"{"command":"ls"}"#).expect("valid");
                world
                    .service
                    .gate
                    .propose(&countersign_api::parse_thread_id("t1").expect("valid"), &call)
                    .await
                    .expect("proposed");
            }
            assert_eq!(desk.types(&at("allow call_1 --session tool --for thread")).await.code, 0);
            assert_eq!(desk.types(&at("deny call_2 call_3 --comment no")).await.code, 0);
            assert_eq!(desk.types(&at("thread mode t1 auto_deny")).await.code, 0);
            assert_eq!(desk.types(&at("thread policy t1 mail=deny bash=require-approval")).await.code, 0);
            for asked in [
                "calls",
                "calls --state denied --tool mail",
                "calls -n 1",
                "thread list",
                "thread show t1",
                "thread show nobody",
                "log",
                "log -n 3 --by user:ada",
                "log --json --proof --since 1d",
                "log --type tool-call --type thread-mode-set --since 2026-01-01T00:00:00Z",
                "stats",
                "stats --until 2026-01-01T00:00:00Z",
                "grant list t1",
                "grant revoke t1 77",
                "thread mode t1",
                "thread policy t1",
                "pending --tool bash",
                "show call_2",
                "show call_9",
            ] {
                let [over_server, over_file] = [
                    desk.types(&format!("{asked} --json {server}")).await,
                    desk.types(&format!("{asked} --json {file}")).await,
                ];
                assert_eq!(over_server.to_string(), over_file.to_string(), "{asked}");
            }
            assert_eq!(desk.types(&at("grant revoke t1 4")).await.code, 4, "the event is not a grant");
            assert_eq!(desk.types(&at("thread close t1")).await.code, 0);
            assert_eq!(desk.types(&at("thread close t1")).await.code, 0);
        })
        .await;
    })
    .await;
}

/// A server chooses the text of its error, so control characters in it must not reach the terminal.
#[tokio::test]
async fn control_characters_of_a_server_are_escaped() {
    with_desk(async |desk| {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let server = format!("http://{}", listener.local_addr().expect("bound"));
        let answering = tokio::spawn(async move {
            // The command sends three requests: it asks who it is, reads the thread, then closes it.
            for _ in 0..3 {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked).await.expect("a request");
                let problem = r#"{"type":"about:blank","title":"No","status":409,"code":"thread_closed",
                    "detail":"\u001b[2Jdone\u202e"}"#;
                let head =
                    "HTTP/1.1 409 Conflict\r\ncontent-type: application/problem+json\r\nconnection: close";
                let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{problem}", problem.len());
                stream.write_all(answer.as_bytes()).await.expect("the command reads the response");
            }
        });
        assert_snapshot!(desk.types(&format!("thread close t1 --server {server}")).await, @r"
        ! countersign: \u{001b}[2Jdone\u{202e}
        ! hint: a thread cannot be reopened; use another thread
        exit 3
        ");
        answering.await.expect("the server finishes");
    })
    .await;
}
