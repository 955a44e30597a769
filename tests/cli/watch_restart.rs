//! `countersign watch`: a restart of its server, its own end, colours and filters.

use crate::{
    desk::{RunningCommand, TerminalDesk, with_desk},
    tmux::TmuxTerminal,
    watch::propose_dangerous_call,
};

async fn start_server<'a>(desk: &'a TerminalDesk, address: &str) -> (RunningCommand<'a>, String) {
    let mut server = desk.start(&format!("serve --listen {address}"));
    let output = server.wait_for_stdout("listening").await;
    let url = output.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
    (server, url.to_owned())
}

#[tokio::test]
async fn restarted_server_loses_no_pending_calls() {
    with_desk(async |desk| {
        let (server, url) = start_server(desk, "127.0.0.1:0").await;
        for id in ["call_1", "call_2"] {
            desk.propose("t1", id, "bash", "{}").await;
        }
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(&format!("clear; countersign watch --server {url}")).await;
        terminal.wait_for_text("1 of 2").await;
        server.send_signal("TERM").await;
        server.wait_for_exit().await;
        terminal.wait_for_text("Reconnecting…").await;
        terminal.type_text("o").await;
        terminal.wait_for_text("Nothing was sent").await;
        desk.types("deny call_2 --as user:ben").await;
        desk.propose("t1", "call_3", "deploy", "{}").await;
        let address = url.strip_prefix("http://").expect("an address");
        let (server, _) = start_server(desk, address).await;
        terminal.wait_for_text("Connected again").await;
        terminal.wait_for_text("1 of 2").await;
        // A movement key proves that the first key was released.
        terminal.type_text("go").await;
        terminal.wait_for_text("Allowed call_1 (bash) once.").await;
        terminal.wait_for_text("deploy").await;
        terminal.type_text("q").await;
        terminal.wait_for_prompt().await;
        server.send_signal("TERM").await;
        server.wait_for_exit().await;
    })
    .await;
}

#[tokio::test]
async fn terminal_is_restored_after_watch() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("stty -a > before; countersign watch; echo left $?; stty -a > after").await;
        terminal.wait_for_text("1 of 1").await;
        terminal.presses("C-z").await;
        terminal.wait_for_line("[1]+  Stopped").await;
        terminal.types("stty -a > stopped; fg").await;
        terminal.wait_for_text("1 of 1").await;
        terminal.resize(70, 12).await;
        terminal.wait_for_text("1 of 1").await;
        terminal.type_text("q").await;
        terminal.wait_for_prompt().await;
        terminal.types("countersign watch; echo left $?").await;
        terminal.wait_for_text("1 of 1").await;
        terminal.presses("C-c").await;
        terminal.wait_for_line("left 130").await;
        let read = |name: &str| std::fs::read_to_string(desk.path(name)).expect("written");
        assert_eq!(read("stopped"), read("before"));
    })
    .await;
}

#[tokio::test]
async fn sigterm_restores_the_terminal() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal
            .types("stty -a > before; bash -c 'echo $$ > pid; exec countersign watch'; echo left $?")
            .await;
        terminal.wait_for_text("1 of 1").await;
        let pid = std::fs::read_to_string(desk.path("pid")).expect("written");
        desk.run_program("kill", &[pid.trim()]).await;
        terminal.wait_for_line("left 0").await;
        terminal.types("stty -a > after; echo written").await;
        terminal.wait_for_line("written").await;
        let read = |name: &str| std::fs::read_to_string(desk.path(name)).expect("written");
        assert_eq!(read("after"), read("before"));
    })
    .await;
}

#[tokio::test]
async fn no_color_disables_colours() {
    with_desk(async |desk| {
        propose_dangerous_call(desk).await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("countersign watch --as user:ada").await;
        terminal.wait_for_text("HIGH RISK").await;
        let coloured = terminal.screen_with_colours().await;
        assert!(coloured.contains("\x1b[38;"), "{coloured}");
        terminal.type_text("q").await;
        terminal.wait_for_prompt().await;
        terminal.types("clear; NO_COLOR=1 countersign watch --as user:ada").await;
        terminal.wait_for_text("HIGH RISK").await;
        let plain = terminal.screen_with_colours().await;
        assert!(!plain.contains("\x1b[38;"), "{plain}");
        terminal.type_text("q").await;
        terminal.wait_for_prompt().await;
        terminal.types("clear; countersign watch --as user:ada --colour never").await;
        terminal.wait_for_text("HIGH RISK").await;
        let plain = terminal.screen_with_colours().await;
        assert!(!plain.contains("\x1b[38;"), "{plain}");
    })
    .await;
}

/// The filters apply over a file and over a server.
#[tokio::test]
async fn watch_filters_apply_to_file_and_server() {
    for over_a_server in [false, true] {
        watch_with_filter(over_a_server).await;
    }
}

async fn watch_with_filter(over_a_server: bool) {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.propose("t1", "call_2", "deploy", "{}").await;
        desk.propose("t2", "call_3", "deploy", "{}").await;
        let (server, url) = start_server(desk, "127.0.0.1:0").await;
        let target = if over_a_server { format!("--server {url}") } else { String::new() };
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(&format!("clear; countersign watch --thread t1 --tool deploy {target}")).await;
        terminal.wait_for_text("in t1").await;
        terminal.wait_for_text("1 of 1").await;
        desk.propose("t1", "call_4", "bash", "{}").await;
        desk.propose("t1", "call_5", "deploy", "{}").await;
        terminal.wait_for_text("1 of 2").await;
        desk.types("deny call_2 --as user:ben --comment no").await;
        terminal.wait_for_text("No longer pending: denied by user:ben").await;
        server.send_signal("TERM").await;
        server.wait_for_exit().await;
    })
    .await;
}
