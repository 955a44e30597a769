//! What is typed, read in a thread that lets go of the terminal when it is told to: an editor that gets it next has to
//! get every key.

use crossterm::event::{Event, poll, read};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};
use tokio::sync::mpsc;

/// How long it may take until the terminal is let go.
const LOOK: Duration = Duration::from_millis(100);

pub(super) struct Typed {
    events: mpsc::Receiver<io::Result<Event>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Typed {
    pub(super) fn read() -> Self {
        let (sender, events) = mpsc::channel(64);
        let over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            while !told.load(Ordering::SeqCst) {
                let event = match poll(LOOK) {
                    Ok(false) => continue,
                    Ok(true) => read(),
                    Err(why) => Err(why),
                };
                let failed = event.is_err();
                if sender.blocking_send(event).is_err() || failed {
                    return;
                }
            }
        });
        Self { events, over, thread: Some(thread) }
    }

    /// What is typed next; nothing once the terminal is gone.
    pub(super) async fn next(&mut self) -> Option<io::Result<Event>> {
        self.events.recv().await
    }

    /// Lets go of the terminal: nothing of what is typed from now on is taken.
    pub(super) fn let_go(mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.events.close();
        if let Some(thread) = self.thread.take() {
            // It ends by itself and has nothing to say.
            let _ = thread.join();
        }
    }
}

impl Drop for Typed {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
    }
}
