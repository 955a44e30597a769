//! `countersign watch` over servers that go, terminals that are wanted back, and with other wishes.

use crate::{
    desk::{RunningCommand, TerminalDesk, at_a_desk},
    tmux::TmuxTerminal,
    watch::proposes_something_risky,
};

async fn serves<'a>(desk: &'a TerminalDesk, address: &str) -> (RunningCommand<'a>, String) {
    let mut server = desk.starts(&format!("serve --listen {address}"));
    let said = server.says("listening").await;
    let url = said.split_whitespace().find(|word| word.starts_with("http://")).expect("an address");
    (server, url.to_owned())
}

#[tokio::test]
async fn a_server_that_goes_and_comes_back_takes_nothing_along() {
    at_a_desk(async |desk| {
        let (server, url) = serves(desk, "127.0.0.1:0").await;
        for id in ["call_1", "call_2"] {
            desk.proposes("t1", id, "bash", "{}").await;
        }
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(&format!("clear; countersign watch --as user:ada --server {url}")).await;
        terminal.has("1 of 2").await;
        server.is_sent("TERM").await;
        server.ends().await;
        terminal.has("Reconnecting…").await;
        terminal.writes("o").await;
        terminal.has("Nothing was sent").await;
        desk.types("deny call_2 --as user:ben").await;
        desk.proposes("t1", "call_3", "deploy", "{}").await;
        let address = url.strip_prefix("http://").expect("an address");
        let (server, _) = serves(desk, address).await;
        terminal.has("Connected again").await;
        terminal.has("1 of 2").await;
        terminal.writes("o").await;
        terminal.has("Allowed call_1 (bash) once.").await;
        terminal.has("deploy").await;
        terminal.writes("q").await;
        terminal.is_back().await;
        server.is_sent("TERM").await;
        server.ends().await;
    })
    .await;
}

#[tokio::test]
async fn the_terminal_is_afterwards_as_it_was() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("stty -a > before; countersign watch; echo left $?; stty -a > after").await;
        terminal.has("1 of 1").await;
        terminal.presses("C-z").await;
        terminal.shows("[1]+  Stopped").await;
        terminal.types("stty -a > stopped; fg").await;
        terminal.has("1 of 1").await;
        terminal.is_resized(70, 12).await;
        terminal.has("1 of 1").await;
        terminal.writes("q").await;
        terminal.is_back().await;
        terminal.types("countersign watch; echo left $?").await;
        terminal.has("1 of 1").await;
        terminal.presses("C-c").await;
        terminal.shows("left 130").await;
        let read = |name: &str| std::fs::read_to_string(desk.path(name)).expect("written");
        assert_eq!(read("stopped"), read("before"));
    })
    .await;
}

#[tokio::test]
async fn being_told_to_end_gives_the_terminal_back() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal
            .types("stty -a > before; bash -c 'echo $$ > pid; exec countersign watch'; echo left $?")
            .await;
        terminal.has("1 of 1").await;
        let pid = std::fs::read_to_string(desk.path("pid")).expect("written");
        desk.runs("kill", &[pid.trim()]).await;
        terminal.shows("left 0").await;
        terminal.types("stty -a > after; echo written").await;
        terminal.shows("written").await;
        let read = |name: &str| std::fs::read_to_string(desk.path(name)).expect("written");
        assert_eq!(read("after"), read("before"));
    })
    .await;
}

#[tokio::test]
async fn colours_can_be_turned_off() {
    at_a_desk(async |desk| {
        proposes_something_risky(desk).await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("countersign watch --as user:ada").await;
        terminal.has("HIGH RISK").await;
        let coloured = terminal.colours().await;
        assert!(coloured.contains("\x1b[38;"), "{coloured}");
        terminal.writes("q").await;
        terminal.is_back().await;
        terminal.types("clear; NO_COLOR=1 countersign watch --as user:ada").await;
        terminal.has("HIGH RISK").await;
        let plain = terminal.colours().await;
        assert!(!plain.contains("\x1b[38;"), "{plain}");
        terminal.writes("q").await;
        terminal.is_back().await;
        terminal.types("clear; countersign watch --as user:ada --colour never").await;
        terminal.has("HIGH RISK").await;
        let plain = terminal.colours().await;
        assert!(!plain.contains("\x1b[38;"), "{plain}");
    })
    .await;
}

/// Over a file and over a server alike.
#[tokio::test]
async fn only_what_is_wanted_is_shown() {
    for over_a_server in [false, true] {
        only_what_is_wanted(over_a_server).await;
    }
}

async fn only_what_is_wanted(over_a_server: bool) {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        desk.proposes("t1", "call_2", "deploy", "{}").await;
        desk.proposes("t2", "call_3", "deploy", "{}").await;
        let (server, url) = serves(desk, "127.0.0.1:0").await;
        let place = if over_a_server { format!("--server {url}") } else { String::new() };
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types(&format!("clear; countersign watch --thread t1 --tool deploy {place}")).await;
        terminal.has("in t1").await;
        terminal.has("1 of 1").await;
        desk.proposes("t1", "call_4", "bash", "{}").await;
        desk.proposes("t1", "call_5", "deploy", "{}").await;
        terminal.has("1 of 2").await;
        desk.types("deny call_2 --as user:ben --comment no").await;
        terminal.has("No longer pending: denied by user:ben").await;
        server.is_sent("TERM").await;
        server.ends().await;
    })
    .await;
}
