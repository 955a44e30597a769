//! The inbox on a whole screen: keys and news in, pictures out.

use super::{
    Left, Watch,
    draw::Theme,
    feed::{self, Feed},
    inbox::{Inbox, Key, News, Wish},
    screen::{self, Screen},
    typed::Typed,
    view::{Hints, title, view},
};
use crate::target::Gate;
use crate::{edit, told::Told};
use anyhow::Context as _;
use countersign_gate::{Clock, Json};
use crossterm::event::{Event, KeyEventKind};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Notify, mpsc};

/// How often ages and what is left are drawn anew.
const TICK: Duration = Duration::from_secs(1);

pub(super) async fn run(watch: Watch) -> anyhow::Result<Left> {
    let (feed, calls) = Feed::start(watch.gate.clone(), watch.wanted.clone()).await?;
    let mut inbox = Inbox::new(watch.gate.principal().clone());
    inbox.hear(News::Loaded(calls), Clock::System.now());
    // The first call is looked at from the beginning: nobody pressed a key for anything else yet.
    inbox.hold = None;
    let (sender, news) = mpsc::channel(64);
    let reload = Arc::new(Notify::new());
    let feed = tokio::spawn(feed.run(sender.clone(), Arc::clone(&reload)));
    let mut desk = Desk {
        screen: Screen::enter(Theme { colours: watch.colours })?,
        inbox,
        gate: watch.gate,
        news,
        sender,
        reload,
        hints: watch.hints,
        bell: watch.bell,
        leaving: None,
    };
    let left = desk.work(watch.over).await;
    feed.abort();
    left
}

struct Desk {
    screen: Screen,
    inbox: Inbox,
    gate: Gate,
    news: mpsc::Receiver<News>,
    sender: mpsc::Sender<News>,
    reload: Arc<Notify>,
    hints: Hints,
    bell: bool,
    leaving: Option<Left>,
}

impl Desk {
    /// Each event is drawn before the next one is taken, so that a key meets what is on the screen.
    async fn work(&mut self, over: Option<super::Over>) -> anyhow::Result<Left> {
        let mut keys = Typed::read();
        let mut signals = Told::listen()?;
        let mut over = over;
        loop {
            if let Some(left) = self.leaving.filter(|_| self.inbox.sending.is_none()) {
                return Ok(left);
            }
            self.draw()?;
            let next_look = self.next_look();
            let wishes = tokio::select! {
                event = keys.next() => self.event(event.context("the terminal is gone")??),
                Some(news) = self.news.recv() => self.inbox.hear(news, Clock::System.now()),
                () = signals.told() => return Ok(Left::Quit),
                text = super::is_over(&mut over) => self.inbox.hear(News::Notice(text), Clock::System.now()),
                () = Clock::System.sleep_until(next_look) => Vec::new(),
            };
            for wish in wishes {
                match wish {
                    Wish::Edit(call, arguments) => {
                        // Keys and Ctrl-C are the editor's until it has ended.
                        keys.let_go();
                        self.edit(call, &arguments).await?;
                        (keys, signals) = (Typed::read(), Told::listen()?);
                    }
                    wish => self.grant(wish).await?,
                }
            }
        }
    }

    fn next_look(&self) -> countersign_gate::Timestamp {
        let now = Clock::System.now();
        let tick = now.after(TICK);
        self.inbox.hold.filter(|end| now < *end && *end < tick).unwrap_or(tick)
    }

    fn draw(&mut self) -> anyhow::Result<()> {
        let (columns, lines) = self.screen.size()?;
        let view = view(&mut self.inbox, columns, lines, Clock::System.now(), &self.hints);
        self.screen.name(&title(&self.inbox))?;
        Ok(self.screen.show(&view)?)
    }

    fn event(&mut self, event: Event) -> Vec<Wish> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                self.inbox.press(key, Clock::System.now()).into_iter().collect()
            }
            Event::Paste(text) => {
                self.inbox.paste(&text);
                Vec::new()
            }
            // A new size is drawn, as everything is.
            _ => Vec::new(),
        }
    }

    /// Has somebody change what would run, in their editor.
    async fn edit(&mut self, call: Key, arguments: &Json) -> anyhow::Result<()> {
        screen::lend();
        let written = edit::in_editor(arguments).await.map_err(|why| format!("{why:#}"));
        self.screen.take_back()?;
        self.inbox.hear(News::Edited(call, written), Clock::System.now());
        Ok(())
    }

    async fn grant(&mut self, wish: Wish) -> anyhow::Result<()> {
        match wish {
            Wish::Decide(sent) => {
                let (gate, sender) = (self.gate.clone(), self.sender.clone());
                tokio::spawn(async move {
                    let answer = feed::decide(&gate, &sent).await;
                    // Nobody listens only where nobody is left.
                    let _ = sender.send(News::Answered(sent, answer)).await;
                });
            }
            Wish::Reload => self.reload.notify_one(),
            Wish::Ring if self.bell => screen::ring()?,
            // Only the loop itself can let go of the keys for an editor.
            Wish::Ring | Wish::Edit(..) => {}
            Wish::Suspend => self.screen.suspend().await?,
            Wish::Quit => self.leave(Left::Quit),
            Wish::Interrupt => self.leave(Left::Interrupted),
        }
        Ok(())
    }

    /// A decision that is on its way is waited for, unless somebody says so twice.
    fn leave(&mut self, how: Left) {
        if self.leaving.replace(how).is_some() {
            self.inbox.sending = None;
        }
    }
}
