//! A real terminal: tmux on a socket of its own, with a shell in it that a test types into.

use crate::desk::{COUNTERSIGN, TerminalDesk};

/// A terminal of 100 columns and 20 lines.
pub(crate) struct TmuxTerminal<'a> {
    desk: &'a TerminalDesk,
    socket: String,
}

impl<'a> TmuxTerminal<'a> {
    /// Opens it, with a shell whose prompt is `$ ` and in which `countersign` is the command under test.
    pub(crate) async fn open(desk: &'a TerminalDesk) -> Self {
        let bin = desk.path("bin");
        std::fs::create_dir(&bin).expect("the folder is writable");
        std::os::unix::fs::symlink(COUNTERSIGN, bin.join("countersign")).expect("the folder is writable");
        let socket = desk.path("tmux").display().to_string();
        let terminal = Self { desk, socket };
        let path = format!("PATH={}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        let shell = ["env", &path, "PS1=$ ", "bash", "--norc", "--noprofile", "--noediting"];
        terminal
            .tmux(&[&["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "20"][..], &shell].concat())
            .await;
        terminal.is_back().await;
        terminal
    }

    async fn tmux(&self, words: &[&str]) -> String {
        self.desk.runs("tmux", &[&["-S", &self.socket], words].concat()).await
    }

    /// Types a text, and Enter.
    pub(crate) async fn types(&self, text: &str) {
        self.writes(text).await;
        self.presses("Enter").await;
    }

    /// Presses a key by tmux's name of it.
    pub(crate) async fn presses(&self, key: &str) {
        self.tmux(&["send-keys", key]).await;
    }

    /// Makes the window that large.
    pub(crate) async fn is_resized(&self, columns: u16, lines: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &lines.to_string()]).await;
    }

    /// Waits until a line of the screen begins with `text`, and gives the screen.
    pub(crate) async fn shows(&self, text: &str) -> String {
        self.looks_until(|screen| screen.lines().any(|line| line.starts_with(text))).await
    }

    /// Waits until `text` stands anywhere on the screen, and gives the screen.
    pub(crate) async fn has(&self, text: &str) -> String {
        self.looks_until(|screen| screen.contains(text)).await
    }

    /// Waits until the window is called that.
    pub(crate) async fn is_called(&self, title: &str) {
        while self.tmux(&["display-message", "-p", "#{pane_title}"]).await.trim_end() != title {}
    }

    /// The screen with its colours and all.
    pub(crate) async fn colours(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"]).await
    }

    /// Types a text, without Enter.
    pub(crate) async fn writes(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]).await;
    }

    /// Waits until the shell asks for the next command, and gives the screen.
    pub(crate) async fn is_back(&self) -> String {
        self.looks_until(|screen| screen.lines().last() == Some("$")).await
    }

    /// Looks again and again; the test's own time limit ends it. What is there has to be there at the next
    /// look too, and unchanged: tmux shows a screen that is half drawn as readily as a whole one.
    async fn looks_until(&self, seen: impl Fn(&str) -> bool) -> String {
        let mut before = String::new();
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]).await;
            let same = std::mem::replace(&mut before, screen.clone()) == screen;
            if same && seen(screen.trim_end()) {
                return crate::hide::hide(&self.desk.without_paths(screen.trim_end()));
            }
        }
    }
}

impl Drop for TmuxTerminal<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("tmux").args(["-S", &self.socket, "kill-server"]).status();
    }
}
