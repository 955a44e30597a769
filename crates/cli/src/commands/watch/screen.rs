//! The terminal: taken whole, and given back as it was, however we leave.

use super::{
    draw::{Theme, draw},
    view::View,
};
use crossterm::{
    cursor::Show,
    event::{DisableBracketedPaste, EnableBracketedPaste},
    execute,
    style::Print,
    terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
};
use ratatui::{Terminal, backend::CrosstermBackend};
use rustix::process::{Signal, kill_current_process_group};
use std::{
    io::{self, Stdout, stdout},
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::signal::unix::{SignalKind, signal};

/// Terminals that know it keep the title that was there, and bring it back.
const KEEP_TITLE: &str = "\x1b[22;0t";
const BRING_TITLE_BACK: &str = "\x1b[23;0t";

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    theme: Theme,
    title: String,
}

impl Screen {
    pub(super) fn enter(theme: Theme) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        // A panic speaks on the terminal, so that has to be a terminal again before it does.
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        take()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()));
        let terminal = terminal.inspect_err(|_| give_back())?;
        Ok(Self { terminal, theme, title: String::new() })
    }

    pub(super) fn size(&self) -> io::Result<(usize, usize)> {
        let size = self.terminal.size()?;
        Ok((usize::from(size.width), usize::from(size.height)))
    }

    pub(super) fn show(&mut self, view: &View) -> io::Result<()> {
        let theme = self.theme;
        self.terminal.draw(|frame| draw(frame, view, theme))?;
        Ok(())
    }

    /// Names the window, where that changes anything.
    pub(super) fn name(&mut self, title: &str) -> io::Result<()> {
        if self.title != title {
            title.clone_into(&mut self.title);
            execute!(stdout(), Print(format!("\x1b]0;{title}\x07")))?;
        }
        Ok(())
    }

    /// Stops as Ctrl-Z stops any program, and comes back when the shell says so.
    pub(super) async fn suspend(&mut self) -> io::Result<()> {
        // Listened for before we stop, or it would have come and gone.
        let mut resumed = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        give_back();
        kill_current_process_group(Signal::TSTP)?;
        resumed.recv().await;
        self.take_back()
    }

    /// Takes it back, and draws all of it anew.
    pub(super) fn take_back(&mut self) -> io::Result<()> {
        take()?;
        self.title.clear();
        self.terminal.clear()
    }
}

/// Gives the terminal to another program, until it is taken back.
pub(super) fn lend() {
    give_back();
}

pub(super) fn ring() -> io::Result<()> {
    execute!(stdout(), Print("\x07"))
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let taken = execute!(stdout(), Print(KEEP_TITLE), EnterAlternateScreen, EnableBracketedPaste);
    taken.inspect_err(|_| give_back())
}

/// Gives it back, once, and as well as can be: whoever leaves has nobody to complain to.
fn give_back() {
    // A second time would take the cursor back to where it once was, onto what was printed since.
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Print(BRING_TITLE_BACK), Show);
    let _ = disable_raw_mode();
}
