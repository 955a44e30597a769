//! The store's metrics: commits, batches, queries and followers.

use crate::feed::EventFeed;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{
        counter::Counter,
        family::Family,
        gauge::ConstGauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

/// Store metrics. A clone shares the counters of the original.
#[derive(Debug, Clone)]
pub(crate) struct StoreMetrics {
    commits: Histogram,
    batches: Histogram,
    queries: Family<[(&'static str, &'static str); 1], Histogram>,
    rereads: Counter,
    positions: Arc<Mutex<Vec<Weak<AtomicI64>>>>,
}

/// A follower's position, which the metrics include until this value is dropped.
pub(crate) struct FollowerPosition(Arc<AtomicI64>);

impl FollowerPosition {
    /// Marks the follower as caught up. New events do not count as lag until it reads again.
    pub(crate) fn set_caught_up(&self) {
        self.set(i64::MAX);
    }

    /// Sets a follower's position; it may have more events to read.
    pub(crate) fn set(&self, seq: i64) {
        self.0.store(seq, Ordering::Relaxed);
    }
}

/// Buckets from 0.1 ms to 3.3 s. A commit takes about 1 ms, a query less, and a commit on a busy disk much more.
fn seconds_histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.000_1, 2.0, 16))
}

impl Default for StoreMetrics {
    fn default() -> Self {
        Self {
            commits: seconds_histogram(),
            batches: Histogram::new(exponential_buckets(1.0, 2.0, 9)),
            queries: Family::new_with_constructor(seconds_histogram),
            rereads: Counter::default(),
            positions: Arc::default(),
        }
    }
}

impl StoreMetrics {
    /// Records a committed batch: the number of its commands, and the duration since the transaction started.
    #[expect(clippy::cast_precision_loss, reason = "a batch has a few hundred commands at most")]
    pub(crate) fn record_commit(&self, commands: usize, took: Duration) {
        self.commits.observe(took.as_secs_f64());
        self.batches.observe(commands as f64);
    }

    /// Records the duration of a query that started at `began`.
    pub(crate) fn record_query(&self, query: &'static str, began: Instant) {
        self.queries.get_or_create(&[("query", query)]).observe(began.elapsed().as_secs_f64());
    }

    /// Counts a follower that must read the table, because the feed no longer has its next event in memory.
    pub(crate) fn count_reread(&self) {
        self.rereads.inc();
    }

    /// Registers a follower that starts after the event `after`.
    pub(crate) fn follow(&self, after: i64) -> FollowerPosition {
        let position = Arc::new(AtomicI64::new(after));
        let mut positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        // Remove dropped followers only when the list would grow, so that the cost per follower stays constant.
        if positions.len() == positions.capacity() {
            positions.retain(|position| position.strong_count() > 0);
        }
        positions.push(Arc::downgrade(&position));
        FollowerPosition(position)
    }

    /// The number of events that the slowest follower is behind the feed.
    fn lag(&self, tip: i64) -> i64 {
        let positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        let slowest =
            positions.iter().filter_map(Weak::upgrade).map(|position| position.load(Ordering::Relaxed)).min();
        slowest.map_or(0, |slowest| (tip - slowest).max(0))
    }

    pub(crate) fn register(&self, registry: &mut Registry, feed: Arc<EventFeed>) {
        let Self { commits, batches, queries, rereads, .. } = self.clone();
        registry.register("commit_seconds", "Time from the start of a transaction to its commit", commits);
        registry.register("batch_orders", "Commands that shared a commit", batches);
        registry.register("query_seconds", "Time of a query, by name", queries);
        registry.register(
            "feed_rereads",
            "Times a follower read the table because the feed had dropped its next event",
            rereads,
        );
        registry.register_collector(Box::new(FollowerGauge { metrics: self.clone(), feed }));
    }
}

/// The gauges that are computed at each scrape.
struct FollowerGauge {
    metrics: StoreMetrics,
    feed: Arc<EventFeed>,
}

impl fmt::Debug for FollowerGauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Followers")
    }
}

impl Collector for FollowerGauge {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let (waiting, following) = self.feed.count();
        let tip = self.feed.tip();
        let mut gauge = |name: &str, help: &str, value: i64| {
            let gauge = ConstGauge::new(value);
            let metric = encoder.encode_descriptor(name, help, None, gauge.metric_type())?;
            gauge.encode(metric)
        };
        gauge("feed_waiters", "Waiters for events of one call", count(waiting))?;
        gauge("feed_subscribers", "Followers of a thread or of the log", count(following))?;
        gauge(
            "feed_lag_events",
            "Events that the slowest subscriber is behind the feed",
            self.metrics.lag(tip),
        )?;
        gauge("feed_tip", "The seq of the last event that the feed delivered", tip)
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
