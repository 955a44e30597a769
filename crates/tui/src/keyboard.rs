//! Reads keys in a thread that stops on request, so that an editor receives every key after it.

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

/// How long stopping may take.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) struct KeyReader {
    events: mpsc::Receiver<io::Result<Event>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl KeyReader {
    pub(crate) fn read() -> Self {
        let (sender, events) = mpsc::channel(64);
        let over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            while !told.load(Ordering::SeqCst) {
                let event = match poll(POLL_INTERVAL) {
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

    /// The next terminal event. Returns `None` when the terminal is closed.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Event>> {
        self.events.recv().await
    }

    /// Stops reading: no later key is taken.
    pub(crate) fn stop(mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.events.close();
        if let Some(thread) = self.thread.take() {
            // The thread returns nothing.
            let _ = thread.join();
        }
    }
}

impl Drop for KeyReader {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
    }
}
