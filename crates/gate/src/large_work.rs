//! Work on large values, which must not delay the other tasks of a thread.

use tokio::runtime::{Handle, RuntimeFlavor};

/// The size in bytes from which work on a value takes longer than moving the other tasks to another thread.
const LARGE: usize = 256 * 1024;

/// Runs work on a value of this many bytes. For a large value, the other tasks of this thread move to another one first,
/// if the runtime has several.
pub fn run_large<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let has_threads =
        || Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes >= LARGE && has_threads() { tokio::task::block_in_place(work) } else { work() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_work_runs_without_a_runtime() {
        assert_eq!(run_large(LARGE, || 7), 7);
    }

    #[tokio::test]
    async fn large_work_runs_on_a_single_thread() {
        assert_eq!(run_large(LARGE, || 7), 7);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn large_work_does_not_delay_other_tasks() {
        let (ask, question) = std::sync::mpsc::channel();
        let (reply, answer) = std::sync::mpsc::channel();
        let working = tokio::spawn(async move {
            run_large(LARGE, || {
                ask.send(()).expect("the other task exists");
                answer.recv().expect("the other task answers, although there is one worker")
            })
        });
        question.recv().expect("the work has begun");
        tokio::spawn(async move { reply.send(7) }).await.expect("no panic").expect("received");
        assert_eq!(working.await.expect("no panic"), 7);
    }
}
