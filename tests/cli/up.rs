//! `countersign up` and `countersign down`: one service in the background for each log.

use crate::{
    desk::{TerminalDesk, with_empty_desk},
    tmux::TmuxTerminal,
};
use insta::assert_snapshot;
use rustix::{
    fs::{FlockOperation, fcntl_lock},
    process::{Pid, PidfdFlags, Signal, pidfd_open},
};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

/// The command that starts the service on a free port.
const UP: &str = "up --listen 127.0.0.1:0";

/// A service that a test started. It is killed if the test fails before `down`.
struct StartedService {
    facts: Value,
    pid: Pid,
    /// The handle of this process alone, even if its id is used again.
    handle: std::os::fd::OwnedFd,
}

impl StartedService {
    /// Starts the service, or finds the one that runs.
    async fn start(desk: &TerminalDesk, line: &str) -> Self {
        let printed = raw_stdout(desk, &format!("{line} --json")).await;
        Self::from_json(&printed)
    }

    fn from_json(printed: &str) -> Self {
        let facts: Value = serde_json::from_str(printed).unwrap_or_else(|why| panic!("{why}: {printed}"));
        let pid = facts["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        let pid = pid.expect("a process id");
        let handle = pidfd_open(pid, PidfdFlags::empty()).expect("the service runs");
        Self { facts, pid, handle }
    }

    fn text(&self, name: &str) -> String {
        self.facts[name].as_str().unwrap_or_default().to_owned()
    }

    fn token_file(&self) -> String {
        self.facts["environment"]["COUNTERSIGN_TOKEN_FILE"].as_str().unwrap_or_default().to_owned()
    }

    fn signal(&self, signal: Signal) {
        let _ = rustix::process::pidfd_send_signal(&self.handle, signal);
    }

    /// Waits until the process has ended: the kernel then releases its lock.
    async fn wait_until_ended(&self) {
        let path = std::path::Path::new(&self.token_file()).with_file_name("service.lock");
        let file = std::fs::File::options().read(true).write(true).open(path).expect("a lock");
        let ended = tokio::task::spawn_blocking(move || fcntl_lock(&file, FlockOperation::LockExclusive));
        ended.await.expect("no panic").expect("the lock is free");
    }
}

impl Drop for StartedService {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// Command output with nothing hidden; the command must succeed.
async fn raw_stdout(desk: &TerminalDesk, line: &str) -> String {
    let words = shlex::split(line).expect("a line that a shell can read");
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    desk.run_program(crate::desk::COUNTERSIGN, &words).await
}

/// Hides the process id and the service folder name.
fn stable(service: &StartedService, text: &str) -> String {
    let text = text.replace(&service.pid.to_string(), "[pid]");
    let Some(at) = text.find("/countersign/countersign-") else { return text };
    let hash = text[at + "/countersign/countersign-".len()..].split('/').next().unwrap_or_default();
    text.replace(&format!("countersign-{hash}"), "countersign-[hash]")
}

#[tokio::test]
async fn up_prints_the_same_twice() {
    with_empty_desk(async |desk| {
        let first = desk.types(UP).await;
        let service = StartedService::start(desk, "up").await;
        assert_eq!(service.facts["started"], false);
        assert_snapshot!(stable(&service, &first.to_string()), @r#"
        Countersign 0.1.0 runs in process [pid] since [time].

          address    http://[port]
          pages      http://[pages]
          log        [here]/.local/share/countersign/countersign.db
          approver   user:root; the sign-in link is printed to a terminal, and with --json
          messages   [here]/.local/state/countersign/countersign-[hash]/service.log
          status     countersign status
          stop       countersign down

        For agents, in the shell that starts them:
        export COUNTERSIGN_SERVER=http://[port]
        export COUNTERSIGN_TOKEN_FILE=[here]/.local/state/countersign/countersign-[hash]/agent.token

        or in one line:  eval "$(countersign up --env)"
        Decide in a browser, or in a terminal without these variables.
        exit 0
        "#);
        assert_eq!(desk.types("up").await.to_string(), first.to_string());
        let again = StartedService::start(desk, "up").await;
        assert_eq!(again.facts, service.facts, "the link is the same until it is used");
        let mode = |path: &str| std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!(mode(&service.token_file()), 0o600);
        assert_eq!(mode(&service.text("messages")), 0o600);
        let token = std::fs::read_to_string(service.token_file()).expect("readable");
        assert!(!first.stdout.contains(token.trim()), "no token on the screen");
        assert_snapshot!(stable(&service, &desk.types("down").await.to_string()), @"
        Stopped the service at http://[port] (process [pid]). The log keeps pending calls: [here]/.local/share/countersign/countersign.db
        exit 0
        ");
        service.wait_until_ended().await;
        assert_snapshot!(desk.types("down").await, @"
        No service runs for [here]/.local/share/countersign/countersign.db.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn environment_lets_an_agent_propose() {
    with_empty_desk(async |desk| {
        let service = StartedService::start(desk, UP).await;
        let bin = crate::desk::COUNTERSIGN;
        let run = format!(
            "eval \"$({bin} up --env)\"; {bin} run --id call_1 --expires 1s -- true; {bin} allow call_1"
        );
        let refused = desk.try_program("sh", &["-c", &run]).await;
        assert!(refused.stderr.contains("call_1 is pending in http://"), "{refused}");
        assert!(refused.stderr.contains("the role agent may not decide"), "{refused}");
        assert!(desk.types("calls").await.stdout.contains("agent:local"));
        service.signal(Signal::TERM);
        service.wait_until_ended().await;
    })
    .await;
}

#[tokio::test]
async fn sign_in_link_is_replaced_once_used() {
    with_empty_desk(async |desk| {
        let service = StartedService::start(desk, UP).await;
        let link = service.text("signInLink");
        let (pages, secret) = link.split_once("/sign-in/#").expect("a link");
        let url = service.text("address");
        assert_eq!(pages, url.replace("127.0.0.1", "countersign.localhost"));
        let body = format!(r#"{{"token":"{secret}"}}"#);
        let client = countersign_client::new_http_client().expect("a client");
        let request = client.post(format!("{url}/v1/sessions")).header("content-type", "application/json");
        let answer = request.body(body).send().await.expect("an answer");
        assert_eq!(answer.status(), 201);
        let again = StartedService::start(desk, "up").await;
        assert_ne!(again.text("signInLink"), link);
        assert_eq!(again.token_file(), service.token_file());
        assert!(desk.types("status").await.stdout.contains("1 browser"), "the person is signed in");
    })
    .await;
}

#[tokio::test]
async fn concurrent_ups_start_one_service() {
    with_empty_desk(async |desk| {
        let line = format!("{UP} --json");
        let started = tokio::join!(
            raw_stdout(desk, &line),
            raw_stdout(desk, &line),
            raw_stdout(desk, &line),
            raw_stdout(desk, &line)
        );
        let all =
            [started.0, started.1, started.2, started.3].map(|printed| StartedService::from_json(&printed));
        assert!(all.iter().all(|service| service.pid == all[0].pid), "one process");
        assert_eq!(all.iter().filter(|service| service.facts["started"] == true).count(), 1);
        let tokens: Value = serde_json::from_str(&raw_stdout(desk, "token list --json").await).expect("JSON");
        assert_eq!(
            tokens["tokens"].as_array().map(Vec::len),
            Some(3),
            "one agent, one person, one link: {tokens}"
        );
    })
    .await;
}

#[tokio::test]
async fn killed_service_is_started_again() {
    with_empty_desk(async |desk| {
        let first = StartedService::start(desk, UP).await;
        let (address, tokens) = (first.text("address"), std::fs::read(first.token_file()).expect("readable"));
        first.signal(Signal::KILL);
        first.wait_until_ended().await;
        // The killed service's record is still there, with another process's id.
        let record = std::path::Path::new(&first.token_file()).with_file_name("service.json");
        let stale = std::fs::read_to_string(&record).expect("the record remains");
        let own = std::process::id();
        std::fs::write(&record, stale.replace(&first.pid.to_string(), &own.to_string())).expect("written");
        assert!(desk.types("status").await.stdout.starts_with("service  none runs for this log"));
        assert_eq!(desk.types("down").await.code, 0, "it signals no process");
        let listen = address.trim_start_matches("http://").to_owned();
        let second = StartedService::start(desk, &format!("up --listen {listen}")).await;
        assert_eq!((second.facts["started"].as_bool(), second.text("address")), (Some(true), address));
        assert_eq!(std::fs::read(second.token_file()).expect("readable"), tokens);
        assert_ne!(second.pid, first.pid);
    })
    .await;
}

#[tokio::test]
async fn tokens_survive_another_port() {
    with_empty_desk(async |desk| {
        let first = StartedService::start(desk, UP).await;
        let token = std::fs::read(first.token_file()).expect("readable");
        assert_eq!(desk.types("down").await.code, 0);
        let second = StartedService::start(desk, UP).await;
        assert_eq!(std::fs::read(second.token_file()).expect("readable"), token);
        assert!(desk.types("status").await.stdout.starts_with("service  Countersign 0.1.0 at http://"));
    })
    .await;
}

#[tokio::test]
async fn used_port_is_explained() {
    with_empty_desk(async |desk| {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = taken.local_addr().expect("an address");
        assert_snapshot!(desk.types(&format!("up --listen {address}")).await, @"
        ! countersign: cannot listen on [port]: Address already in use (os error 98): another program listens there; end it, or choose another address with --listen 127.0.0.1:0
        ! hint: use another address with --listen; --reuse-port shares a port between servers that all set it
        exit 1
        ");
        drop(taken);
        let service = StartedService::start(desk, UP).await;
        let address = service.text("address").trim_start_matches("http://").to_owned();
        assert_snapshot!(desk.types(&format!("--database other.db up --listen {address}")).await, @"
        ! countersign: cannot listen on [port]: Address already in use (os error 98): Countersign 0.1.0 listens there for another log or another user; use it with --server http://[port], or choose another address with --listen 127.0.0.1:0
        ! hint: use another address with --listen; --reuse-port shares a port between servers that all set it
        exit 1
        ");
        assert!(!desk.path("other.db").exists(), "no log is created");
    })
    .await;
}

#[tokio::test]
async fn bad_settings_start_nothing() {
    with_empty_desk(async |desk| {
        desk.write_file("policy.toml", "[[rule]]\nname = 1");
        let broken = desk.types("--policy policy.toml up").await;
        assert_eq!((broken.code, broken.stdout.as_str()), (2, ""), "{broken}");
        assert!(broken.stderr.contains("policy.toml"), "{broken}");
        assert_eq!(desk.types("up --server http://127.0.0.1:1").await.code, 2);
        desk.write_file("text.db", &"this is a text file and no database. ".repeat(100));
        let foreign = desk.types(&format!("--database text.db {UP} --json")).await;
        assert_eq!(foreign.code, 5, "{foreign}");
        assert!(foreign.stderr.contains(r#""code":"not_countersign""#), "{foreign}");
        desk.write_file("blocked", "a file where a folder must be");
        desk.set_variable("XDG_STATE_HOME", &desk.path("blocked").display().to_string());
        let blocked = desk.types(&format!("{UP} --json")).await;
        assert_eq!(blocked.code, 1, "{blocked}");
        assert!(blocked.stderr.contains(r#""code":"state_folder""#), "{blocked}");
        desk.set_variable("HOME", "");
        desk.set_variable("XDG_STATE_HOME", "");
        assert_snapshot!(desk.types("--database x.db up").await, @"
        ! countersign: there is no folder for the state of the service: neither HOME nor XDG_STATE_HOME is an absolute path; set one of them
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn agents_and_sudo_are_refused() {
    with_empty_desk(async |desk| {
        desk.set_variable("CLAUDECODE", "1");
        assert_snapshot!(desk.types("up").await, @"
        ! countersign: this command runs inside Claude Code (CLAUDECODE is set), and an agent may not start the service that approves its calls; a person does it in a terminal of their own
        exit 3
        ");
        assert_snapshot!(desk.types("down").await, @"
        ! countersign: this command runs inside Claude Code (CLAUDECODE is set), and an agent may not stop the service that approves its calls; a person does it in a terminal of their own
        exit 3
        ");
        desk.set_variable("CLAUDECODE", "");
        if rustix::process::geteuid().is_root() {
            desk.set_variable("SUDO_UID", "1000");
            assert_eq!(desk.types("up").await.code, 3);
        }
        assert!(!desk.path(".local").exists(), "nothing was created");
    })
    .await;
}

#[tokio::test]
async fn other_addresses_are_refused_while_running() {
    with_empty_desk(async |desk| {
        let service = StartedService::start(desk, UP).await;
        assert_eq!(desk.types(UP).await.code, 0, "any port of this host is served");
        assert_snapshot!(desk.types("up --listen 127.0.0.2:0").await, @"
        ! countersign: the service of this log runs already, with other options, at http://[port]; end it first with `countersign down`
        exit 3
        ");
        assert_eq!(desk.types(&format!("{UP} --solo")).await.code, 3);
        drop(service);
    })
    .await;
}

#[tokio::test]
async fn service_of_a_terminal_is_not_stopped() {
    with_empty_desk(async |desk| {
        let mut server = desk.start("serve --listen 127.0.0.1:0");
        server.wait_for_stdout("Ctrl-C stops the server").await;
        let found = StartedService::start(desk, "up").await;
        assert_eq!(
            (found.facts["started"].as_bool(), found.text("startedBy")),
            (Some(false), "serve".to_owned())
        );
        assert_snapshot!(stable(&found, &desk.types("down").await.to_string()), @"
        ! countersign: the service (process [pid]) was started by countersign serve, not by `countersign up`; end it with Ctrl-C in its terminal
        exit 3
        ");
        server.send_signal("INT").await;
        assert_eq!(server.wait_for_exit().await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn foreign_process_with_the_id_survives_down() {
    with_empty_desk(async |desk| {
        let service = StartedService::start(desk, UP).await;
        let record = std::path::Path::new(&service.token_file()).with_file_name("service.json");
        let text = std::fs::read_to_string(&record).expect("a record");
        let own = std::process::id();
        std::fs::write(&record, text.replace(&service.pid.to_string(), &own.to_string())).expect("written");
        let refused = desk.types("down --json").await;
        assert_eq!(refused.code, 3, "the record is not that of the process with the lock: {refused}");
        assert!(rustix::process::test_kill_process(service.pid).is_ok(), "it still runs");
    })
    .await;
}

#[tokio::test]
async fn service_stays_when_the_terminal_closes() {
    with_empty_desk(async |desk| {
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; countersign up --listen 127.0.0.1:0 | head -1").await;
        terminal.wait_for_line("Countersign 0.1.0 runs").await;
        terminal.wait_for_prompt().await;
        let service = StartedService::start(desk, "up").await;
        terminal.clear().await;
        terminal.types("countersign up").await;
        let screen = terminal.wait_for_text("Decide in a browser").await;
        assert!(screen.contains("/sign-in/#csgn_"), "a terminal shows the link: {screen}");
        drop(terminal);
        assert!(desk.types("status").await.stdout.contains("ready"));
        let again = StartedService::start(desk, "up").await;
        assert_eq!(again.facts, service.facts);
        assert_eq!(desk.types("down").await.code, 0);
        service.wait_until_ended().await;
    })
    .await;
}
