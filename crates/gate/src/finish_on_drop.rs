//! A future that runs to completion even if its caller drops it.

use std::{
    pin::Pin,
    task::{Context, Poll},
};
use tokio_util::task::TaskTracker;

/// Runs a future in the caller's task. If the caller drops this before the end, the rest runs in a separate task. A
/// task for each future would cost more than most futures do.
pub(crate) struct FinishOnDrop<F: Future + Send + 'static>
where
    F::Output: Send,
{
    /// `None` once it has ended.
    future: Option<Pin<Box<F>>>,
    tasks: TaskTracker,
}

impl<F: Future + Send + 'static> FinishOnDrop<F>
where
    F::Output: Send,
{
    /// Creates the future. `tasks` tracks the task, if there is one.
    pub(crate) fn new(future: F, tasks: TaskTracker) -> Self {
        Self { future: Some(Box::pin(future)), tasks }
    }
}

impl<F: Future + Send + 'static> Future for FinishOnDrop<F>
where
    F::Output: Send,
{
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // As for any future, a poll after the end is a caller mistake. This future then never ends.
        let Some(future) = &mut self.future else { return Poll::Pending };
        let polled = future.as_mut().poll(context);
        if polled.is_ready() {
            self.future = None;
        }
        polled
    }
}

impl<F: Future + Send + 'static> Drop for FinishOnDrop<F>
where
    F::Output: Send,
{
    fn drop(&mut self) {
        // Without a runtime the process ends, and nothing can run to its end.
        if let (Some(future), Ok(runtime)) = (self.future.take(), tokio::runtime::Handle::try_current()) {
            self.tasks.spawn_on(future, &runtime);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn dropped_future_runs_to_its_end() {
        let (begin, start) = oneshot::channel::<()>();
        let (end, outcome) = oneshot::channel();
        let tasks = TaskTracker::new();
        let work = async move {
            start.await.expect("begun");
            end.send(7).expect("received");
        };
        let mut running = FinishOnDrop::new(work, tasks.clone());
        assert!((&mut running).now_or_never().is_none(), "it waits");
        drop(running);
        begin.send(()).expect("received");
        assert_eq!(outcome.await, Ok(7));
        tasks.close();
        tasks.wait().await;
    }

    #[tokio::test]
    async fn ended_future_starts_no_task() {
        let tasks = TaskTracker::new();
        assert_eq!(FinishOnDrop::new(async { 7 }, tasks.clone()).await, 7);
        assert!(tasks.is_empty());
    }
}
