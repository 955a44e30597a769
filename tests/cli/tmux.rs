//! A real terminal: tmux on a private socket, with a shell into which a test types.

use crate::desk::{COUNTERSIGN, TerminalDesk};

/// A terminal of 100 columns and 20 lines.
pub(crate) struct TmuxTerminal<'a> {
    desk: &'a TerminalDesk,
    socket: String,
}

impl<'a> TmuxTerminal<'a> {
    /// Opens a terminal with a shell. Its prompt is `$ `, and `countersign` runs the command under test.
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
        terminal.wait_for_prompt().await;
        terminal
    }

    async fn tmux(&self, words: &[&str]) -> String {
        self.desk.run_program("tmux", &[&["-S", &self.socket], words].concat()).await
    }

    /// Types some text, then presses Enter.
    pub(crate) async fn types(&self, text: &str) {
        self.type_text(text).await;
        self.presses("Enter").await;
    }

    /// Clears the screen, so that a later wait cannot see earlier output.
    pub(crate) async fn clear(&self) {
        self.wait_for_prompt().await;
        self.types("clear").await;
        self.wait_for_screen(|screen| screen.trim() == "$").await;
    }

    /// Presses a key, which is named as in tmux.
    pub(crate) async fn presses(&self, key: &str) {
        self.tmux(&["send-keys", key]).await;
    }

    /// Resizes the window.
    pub(crate) async fn resize(&self, columns: u16, lines: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &lines.to_string()]).await;
    }

    /// Waits until a screen line starts with `text`. Returns the screen.
    pub(crate) async fn wait_for_line(&self, text: &str) -> String {
        self.wait_for_screen(|screen| screen.lines().any(|line| line.starts_with(text))).await
    }

    /// Waits until the screen contains `text`. Returns the screen.
    pub(crate) async fn wait_for_text(&self, text: &str) -> String {
        self.wait_for_screen(|screen| screen.contains(text)).await
    }

    /// Waits until the window has this title.
    pub(crate) async fn wait_for_title(&self, title: &str) {
        while self.tmux(&["display-message", "-p", "#{pane_title}"]).await.trim_end() != title {}
    }

    /// Returns the screen with the escape sequences of its colours.
    pub(crate) async fn screen_with_colours(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"]).await
    }

    /// Types some text, without Enter.
    pub(crate) async fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]).await;
    }

    /// Waits for the shell's prompt. Returns the screen.
    pub(crate) async fn wait_for_prompt(&self) -> String {
        self.wait_for_screen(|screen| screen.lines().last() == Some("$")).await
    }

    /// Reads the screen until `seen` returns true, within the time limit of the test. Two successive reads must be
    /// equal, because tmux also returns a screen that is only partly drawn.
    async fn wait_for_screen(&self, seen: impl Fn(&str) -> bool) -> String {
        let mut before = String::new();
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]).await;
            let same = std::mem::replace(&mut before, screen.clone()) == screen;
            if same && seen(screen.trim_end()) {
                let screen = hide_log_of_watch(screen.trim_end());
                return crate::snapshot_text::hide(&self.desk.without_paths(&screen));
            }
        }
    }
}

/// Hides the log location in the `watch` bar. Its length depends on the machine, and so do the blanks after it.
fn hide_log_of_watch(screen: &str) -> String {
    const FILE: &str = "countersign.db";
    let hide = |line: &str| {
        let file = line.find(FILE).filter(|_| line.trim_start().starts_with("Countersign · "))?;
        let start = line[..file].rfind(" · ")?;
        Some(format!("{} · [log]  {}", &line[..start], line[file + FILE.len()..].trim_start()))
    };
    let lines = screen.split('\n').map(|line| hide(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

impl Drop for TmuxTerminal<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("tmux").args(["-S", &self.socket, "kill-server"]).status();
    }
}
