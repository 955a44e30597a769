//! Takes over the terminal, and restores it however the program ends.

use crate::{draw::draw_picture, painter::ColourTheme, picture::InboxPicture};
use crossterm::{
    cursor::Show,
    event::{
        DisableBracketedPaste, EnableBracketedPaste, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
        PushKeyboardEnhancementFlags, poll, read,
    },
    execute,
    style::Print,
    terminal::{
        EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
        supports_keyboard_enhancement,
    },
};
use ratatui::{Terminal, backend::CrosstermBackend};
use rustix::{
    process::{Signal, kill_current_process_group},
    termios::{QueueSelector, tcflush},
};
use std::{
    io::{self, Stdout, stdout},
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::signal::unix::{SignalKind, signal};

/// Asks the terminal to save its title, and to restore it later.
const KEEP_TITLE: &str = "\x1b[22;0t";
const RESTORE_TITLE: &str = "\x1b[23;0t";

/// Whether the inbox uses the terminal now.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Whether the terminal reports keys as events now, with repetitions and releases.
static REPORTS_EVENTS: AtomicBool = AtomicBool::new(false);

pub(crate) struct FullScreen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    theme: ColourTheme,
    title: String,
    /// Whether the terminal can report repetitions and releases of keys (the kitty keyboard protocol).
    reports_releases: bool,
}

impl FullScreen {
    pub(crate) fn enter(theme: ColourTheme) -> io::Result<Self> {
        static HOOK: Once = Once::new();
        // A panic message needs a normal terminal.
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore_terminal();
                before(panic);
            }));
        });
        enter_screen()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()));
        let terminal = terminal.inspect_err(|_| restore_terminal())?;
        // A terminal that does not answer the question reports no releases.
        let reports_releases = supports_keyboard_enhancement().unwrap_or(false);
        discard_typed_keys().inspect_err(|_| restore_terminal())?;
        Ok(Self { terminal, theme, title: String::new(), reports_releases })
    }

    /// Makes the terminal report every key as an event, if it can, or as text again.
    pub(crate) fn report_key_events(&self, wanted: bool) -> io::Result<()> {
        if !self.reports_releases || REPORTS_EVENTS.swap(wanted, Ordering::SeqCst) == wanted {
            return Ok(());
        }
        if wanted {
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES
                | KeyboardEnhancementFlags::REPORT_EVENT_TYPES
                | KeyboardEnhancementFlags::REPORT_ALTERNATE_KEYS
                | KeyboardEnhancementFlags::REPORT_ALL_KEYS_AS_ESCAPE_CODES;
            execute!(stdout(), PushKeyboardEnhancementFlags(flags))
        } else {
            execute!(stdout(), PopKeyboardEnhancementFlags)
        }
    }

    pub(crate) fn size(&self) -> io::Result<(usize, usize)> {
        let size = self.terminal.size()?;
        Ok((usize::from(size.width), usize::from(size.height)))
    }

    pub(crate) fn show(&mut self, view: &InboxPicture) -> io::Result<()> {
        let theme = self.theme;
        self.terminal.draw(|frame| draw_picture(frame, view, theme))?;
        Ok(())
    }

    /// Sets the window title, if it changed.
    pub(crate) fn name(&mut self, title: &str) -> io::Result<()> {
        if self.title != title {
            title.clone_into(&mut self.title);
            execute!(stdout(), Print(format!("\x1b]0;{title}\x07")))?;
        }
        Ok(())
    }

    /// Suspends the program, as Ctrl-Z suspends any program, until the shell continues it.
    pub(crate) async fn suspend(&mut self) -> io::Result<()> {
        // Listen before stopping, or the signal is missed.
        let mut resumed = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
        restore_terminal();
        kill_current_process_group(Signal::TSTP)?;
        resumed.recv().await;
        self.resume()
    }

    /// Takes over the terminal again and redraws it.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        enter_screen()?;
        self.title.clear();
        self.terminal.clear()
    }
}

/// Restores the terminal for another program, until `resume`.
pub(crate) fn lend_terminal() {
    restore_terminal();
}

pub(crate) fn ring_bell() -> io::Result<()> {
    execute!(stdout(), Print("\x07"))
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

fn enter_screen() -> io::Result<()> {
    enable_raw_mode()?;
    IN_USE.store(true, Ordering::SeqCst);
    let taken = execute!(stdout(), Print(KEEP_TITLE), EnterAlternateScreen, EnableBracketedPaste);
    taken.inspect_err(|_| restore_terminal())
}

/// Discards keys that were typed before the first call is drawn, because no call was on the screen.
fn discard_typed_keys() -> io::Result<()> {
    tcflush(io::stdin(), QueueSelector::IFlush)?;
    while poll(Duration::ZERO)? {
        read()?;
    }
    Ok(())
}

/// Restores the terminal once. Errors are ignored, because no one could read them.
fn restore_terminal() {
    // A second restore would move the cursor onto text that was printed since.
    if !IN_USE.swap(false, Ordering::SeqCst) {
        return;
    }
    if REPORTS_EVENTS.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), PopKeyboardEnhancementFlags);
    }
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Print(RESTORE_TITLE), Show);
    let _ = disable_raw_mode();
}
