//! The time limit of each test.

use std::{future::Future, time::Duration};

/// The time limit. It is far longer than any test takes, so that it only ends a test that hangs.
const LIMIT: Duration = Duration::from_mins(3);

/// Runs a test to its end. Panics if the test exceeds the time limit.
pub async fn in_time<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, test).await.expect("the test must end within the limit")
}

/// Runs a test within the time limit, on a multi-threaded runtime as in production.
pub fn within_the_limit(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(in_time(test));
}
