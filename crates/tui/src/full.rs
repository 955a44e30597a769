//! The inbox on the whole screen: keys and events come in, pictures go out.

use crate::{
    EndNotice, WatchError, WatchExit, WatchOptions,
    feed::{CallFilter, PendingFeed},
    inbox::{
        message::{InboxAction, InboxCallKey, InboxEvent},
        state::InboxState,
    },
    keyboard::KeyReader,
    log_access::{limit_time, preview_scopes, send_to_log, take_back},
    options::wait_for_end,
    painter::ColourTheme,
    picture::InboxHints,
    screen::{FullScreen, lend_terminal, ring_bell},
    view::{build_picture, window_title},
};
use countersign_api::SharedGate;
use countersign_console::{TerminationSignals, edit_arguments};
use countersign_events::Json;
use countersign_store::Clock;
use crossterm::event::{Event, KeyCode, KeyEventKind};
use std::{io, sync::Arc, time::Duration};
use tokio::sync::{Notify, mpsc};

/// How often ages and remaining times are redrawn.
const REDRAW_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) async fn run(options: WatchOptions) -> Result<WatchExit, WatchError> {
    let (feed, calls) = PendingFeed::start(options.gate.clone(), CallFilter::from_options(&options)).await?;
    let mut inbox = InboxState::new(options.gate.principal().clone());
    inbox.order = options.order;
    inbox.apply_event(InboxEvent::Loaded(calls), Clock::System.now());
    // Keys that were typed earlier are discarded, so the first call takes a decision at once.
    inbox.guard.lift();
    let (sender, news) = mpsc::channel(64);
    let reload = Arc::new(Notify::new());
    let feed = tokio::spawn(feed.run(sender.clone(), Arc::clone(&reload)));
    let mut session = InboxSession {
        screen: FullScreen::enter(ColourTheme { colours: options.colours })?,
        inbox,
        gate: options.gate,
        news,
        sender,
        reload,
        hints: InboxHints { log: options.log, command_prefix: options.command_prefix },
        bell: options.bell,
        leaving: None,
    };
    let exit = session.run(options.end_notice).await;
    feed.abort();
    exit
}

struct InboxSession {
    screen: FullScreen,
    inbox: InboxState,
    gate: SharedGate,
    news: mpsc::Receiver<InboxEvent>,
    sender: mpsc::Sender<InboxEvent>,
    reload: Arc<Notify>,
    hints: InboxHints,
    bell: bool,
    leaving: Option<WatchExit>,
}

impl InboxSession {
    /// Draws after each event and before the next, so that a key acts on what is on the screen.
    async fn run(&mut self, mut end_notice: Option<EndNotice>) -> Result<WatchExit, WatchError> {
        let mut keys = KeyReader::read();
        let mut signals = TerminationSignals::listen()?;
        loop {
            if let Some(left) = self.leaving.filter(|_| self.inbox.sending.is_none()) {
                return Ok(left);
            }
            self.draw()?;
            if let Some(action) = self.inbox.read_presence(Clock::System.now()) {
                self.perform(action).await?;
            }
            let next_redraw = self.next_redraw();
            let actions = tokio::select! {
                event = keys.next() => self.event(event.ok_or_else(|| io::Error::other("the terminal is closed"))??),
                Some(news) = self.news.recv() => self.inbox.apply_event(news, Clock::System.now()),
                _ = signals.receive() => return Ok(WatchExit::Quit),
                text = wait_for_end(&mut end_notice) => self.inbox.apply_event(InboxEvent::Notice(text), Clock::System.now()),
                () = Clock::System.sleep_until(next_redraw) => Vec::new(),
            };
            for action in actions {
                match action {
                    InboxAction::Edit(call, arguments) => {
                        // The editor receives keys and Ctrl-C until it ends.
                        keys.stop();
                        self.run_editor(call, &arguments).await?;
                        (keys, signals) = (KeyReader::read(), TerminationSignals::listen()?);
                    }
                    action => self.perform(action).await?,
                }
            }
        }
    }

    fn next_redraw(&self) -> countersign_events::Timestamp {
        let now = Clock::System.now();
        let tick = now.after(REDRAW_INTERVAL);
        self.inbox.guard.end(now).filter(|end| *end < tick).unwrap_or(tick)
    }

    fn draw(&mut self) -> Result<(), WatchError> {
        let (columns, lines) = self.screen.size()?;
        let view = build_picture(&mut self.inbox, columns, lines, Clock::System.now(), &self.hints);
        self.screen.name(&window_title(&self.inbox))?;
        // Text needs the usual reports: with key events, dead keys and compositions would be lost.
        self.screen.report_key_events(!self.inbox.takes_text())?;
        Ok(self.screen.show(&view)?)
    }

    fn event(&mut self, event: Event) -> Vec<InboxAction> {
        match event {
            // A modifier key alone has no meaning, and a release only ends the repetitions.
            Event::Key(key)
                if key.kind != KeyEventKind::Release && !matches!(key.code, KeyCode::Modifier(_)) =>
            {
                self.inbox.handle_key(key, Clock::System.now()).into_iter().collect()
            }
            Event::Paste(text) => {
                self.inbox.paste(&text);
                Vec::new()
            }
            // The next drawing uses the new size.
            _ => Vec::new(),
        }
    }

    /// Opens the arguments in the person's editor.
    async fn run_editor(&mut self, call: InboxCallKey, arguments: &Json) -> Result<(), WatchError> {
        lend_terminal();
        let written = edit_arguments(arguments).await.map_err(|error| error.to_string());
        self.screen.resume()?;
        self.inbox.apply_event(InboxEvent::Edited(call, written), Clock::System.now());
        Ok(())
    }

    async fn perform(&mut self, action: InboxAction) -> Result<(), WatchError> {
        match action {
            InboxAction::Decide(sent) => {
                let (gate, sender) = (self.gate.clone(), self.sender.clone());
                tokio::spawn(async move {
                    let answer = send_to_log(&gate, &sent).await;
                    // Sending fails only if the session has ended.
                    let _ = sender.send(InboxEvent::Answered(sent, answer)).await;
                });
            }
            InboxAction::TakeBack(call) => {
                let (gate, sender) = (self.gate.clone(), self.sender.clone());
                tokio::spawn(async move {
                    let answer = take_back(&gate, &call).await;
                    let _ = sender.send(InboxEvent::TakenBack(call, answer)).await;
                });
            }
            InboxAction::Preview(call, scopes, level) => {
                let (gate, sender) = (self.gate.clone(), self.sender.clone());
                tokio::spawn(async move {
                    let previews = preview_scopes(&gate, &call, scopes, level.as_deref()).await;
                    let _ = sender.send(InboxEvent::Previewed(call, previews)).await;
                });
            }
            InboxAction::ReadPresence((thread, id)) => {
                let (gate, sender) = (self.gate.clone(), self.sender.clone());
                tokio::spawn(async move {
                    // Without an answer, the feed reports the lost connection.
                    if let Ok(call) = limit_time(gate.call(&thread, &id)).await {
                        let _ = sender.send(InboxEvent::Seen(Box::new(call))).await;
                    }
                });
            }
            InboxAction::Reload => self.reload.notify_one(),
            InboxAction::Ring if self.bell => ring_bell()?,
            // The loop itself handles the editor, because it owns the keys.
            InboxAction::Ring | InboxAction::Edit(..) => {}
            InboxAction::Suspend => {
                self.screen.suspend().await?;
                // Keys that were meant for the shell may still arrive.
                self.inbox.guard.start(Clock::System.now());
            }
            InboxAction::Quit => self.leave(WatchExit::Quit),
            InboxAction::Interrupt => self.leave(WatchExit::Interrupted),
        }
        Ok(())
    }

    /// Leaves once a decision on its way is answered. A second request leaves at once.
    fn leave(&mut self, how: WatchExit) {
        if self.leaving.replace(how).is_some() {
            self.inbox.sending = None;
        }
    }
}
