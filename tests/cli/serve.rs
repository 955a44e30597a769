//! `countersign serve`

use crate::desk::{with_desk, with_empty_desk};
use insta::assert_snapshot;

#[tokio::test]
async fn public_address_is_refused() {
    with_empty_desk(async |desk| {
        assert_snapshot!(desk.types("serve --listen 0.0.0.0:7878").await, @"
        ! countersign: 0.0.0.0:7878 is not a loopback address, and its traffic would not be encrypted; set --tls-certificate and --tls-key, or --behind-proxy if a proxy in front of the server provides TLS, or listen on 127.0.0.1 or [::1]
        exit 2
        ");
        assert_snapshot!(desk.types("serve --listen '[::]:7878'").await, @"
        ! countersign: [::]:7878 is not a loopback address, and its traffic would not be encrypted; set --tls-certificate and --tls-key, or --behind-proxy if a proxy in front of the server provides TLS, or listen on 127.0.0.1 or [::1]
        exit 2
        ");
        assert_snapshot!(desk.types("serve --listen localhost:7878").await, @"
        ! error: invalid value 'localhost:7878' for '--listen <ADDRESS>': an address is an IP address and a port, such as 127.0.0.1:7878, or unix: and the path of a socket
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("serve --server http://127.0.0.1:7878").await, @"
        ! countersign: serve works on a database: use --database instead of --server
        exit 2
        ");
        desk.set_variable("COUNTERSIGN_LISTEN", "somewhere");
        assert_snapshot!(desk.types("serve").await, @r#"
        ! countersign: COUNTERSIGN_LISTEN is "somewhere": an address is an IP address and a port, such as 127.0.0.1:7878, or unix: and the path of a socket
        exit 2
        "#);
        assert_eq!(desk.run_program("ls", &["-A"]).await, "", "no log is created");
    })
    .await;
}

#[tokio::test]
async fn used_port_is_reported() {
    with_desk(async |desk| {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = taken.local_addr().expect("an address");
        assert_snapshot!(desk.types(&format!("serve --listen {address}")).await, @"
        ! countersign: cannot listen on [port]: Address already in use (os error 98)
        ! hint: use another address with --listen; --reuse-port shares a port between servers that all set it
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn serve_prints_its_address_and_next_steps() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.write_file("policy.toml", "[[rule]]\nname = \"a\"\ntool = \"read\"\nverdict = \"allow\"");
        let mut server = desk.start("serve --listen 127.0.0.1:0 --policy policy.toml");
        server.wait_for_stdout("Ctrl-C stops the server").await;
        server.send_signal("INT").await;
        let exit = server.wait_for_exit().await.to_string();
        // The task that follows the policy logs it too, before or after the task that applied it.
        let (followed, others): (Vec<_>, Vec<_>) = exit.lines().partition(|line| line.contains("active_policy"));
        assert_eq!(followed.len(), 1, "{exit}");
        assert_snapshot!(others.join("\n"), @r#"
        Countersign 0.1.0

          listening  http://[port]
          pages      http://[pages]
          database   [here]/countersign.db (6 events, 1 pending)
          policy     [here]/policy.toml (1 rule; active since [time], by user:root)
                     It removes these rules, which block calls: "agents do not call the routes that decide", "agents do not decide", "agents do not open the log", "agents do not query the log".
                     To have both, start without --policy, and run: countersign policy revert 1, then countersign policy add FILE
          callers    each needs a token; the first ones are in [here]/.local/share/countersign/credentials.toml, which only you can read
                     To sign in with a browser: countersign token create --name NAME --role approver --link --url http://[pages]

        In a second terminal, propose a command:
          countersign run -- git --version
        In a third terminal, list and decide pending calls:
          countersign watch
          countersign pending
          countersign allow ID

        Ctrl-C stops the server and loses nothing.

        ! [time]  INFO countersign_gate::call_metrics: policy active hash=[sha256] source="[here]/policy.toml" by="user:root" seq=4
        ! [time]  INFO countersign_gate::call_metrics: token created [token] kind="token" name="local" role="agent" by="system:first-start" seq=5
        ! [time]  INFO countersign_gate::call_metrics: token created [token] kind="token" name="root" role="approver" by="system:first-start" seq=6
        ! [time]  INFO countersign_service::serve::service: stopping
        ! [time]  INFO countersign_service::serve: stopped; every acknowledged event is on disk
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn first_line_of_json_has_the_address() {
    with_desk(async |desk| {
        desk.set_variable("COUNTERSIGN_LISTEN", "127.0.0.1:0");
        desk.set_variable("COUNTERSIGN_LOG", "error");
        let mut server = desk.start("serve --json");
        let line: serde_json::Value = serde_json::from_str(&server.wait_for_stdout("listening").await).expect("JSON");
        let url = line["listening"].as_str().expect("an address");
        let mut run = desk.start(&format!("run --server {url} --id call_1 -- echo hi"));
        run.wait_for_stderr("is pending").await;
        desk.types(&format!("allow call_1 --server {url}")).await;
        assert_eq!(run.wait_for_exit().await.stdout, "hi\n");
        server.send_signal("TERM").await;
        assert_snapshot!(server.wait_for_exit().await, @r#"
        {"addresses":["http://[port]"],"database":"[here]/countersign.db","listening":"http://[port]","lostBlocks":[],"pages":"http://[pages]","rules":10}
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn sighup_reloads_only_a_valid_policy() {
    with_desk(async |desk| {
        desk.write_file("policy.toml", "default = \"ask\"");
        desk.set_variable("COUNTERSIGN_LOG", "info");
        let mut server =
            desk.start("serve --json --listen 127.0.0.1:0 --listen unix:here.sock --policy policy.toml");
        let line: serde_json::Value =
            serde_json::from_str(&server.wait_for_stdout("listening").await).expect("JSON");
        let url = line["listening"].as_str().expect("an address").to_owned();
        assert_eq!(line["addresses"][1], "unix:here.sock");
        desk.write_file("policy.toml", "default = \"perhaps\"");
        server.send_signal("HUP").await;
        server.wait_for_stderr("the policy before stays active").await;
        desk.write_file("policy.toml", "[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"");
        server.send_signal("HUP").await;
        server.wait_for_stderr("another policy is active").await;
        let ran = desk.types(&format!("run --server {url} -- echo hi")).await;
        assert!(ran.to_string().contains("hi"), "{ran}");
        server.send_signal("TERM").await;
        server.wait_for_exit().await;
        assert!(
            !desk.run_program("ls", &["-A"]).await.contains("here.sock"),
            "the server removes its socket"
        );
    })
    .await;
}

#[tokio::test]
async fn json_log_format_prints_nothing_else() {
    with_empty_desk(async |desk| {
        let mut server = desk.start("serve --listen 127.0.0.1:0 --log-format json");
        server.wait_for_stdout("listening").await;
        let refused = desk.types("serve --listen 0.0.0.0:7878 --log-format json").await;
        server.send_signal("TERM").await;
        let exit = server.wait_for_exit().await;
        for line in [&exit, &refused]
            .into_iter()
            .flat_map(|screen| screen.stdout.lines().chain(screen.stderr.lines()))
        {
            let read: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}"));
            assert!(read.is_object(), "{line}");
        }
        assert!(exit.stderr.lines().count() > 2, "{exit}");
        assert!(!exit.stdout.contains("csgn_"), "no secret: {exit}");
    })
    .await;
}
