//! The metrics of the store: commits, batches, queries and followers.

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

/// The instruments. Cloning them clones handles.
#[derive(Debug, Clone)]
pub(crate) struct StoreMetrics {
    commits: Histogram,
    batches: Histogram,
    queries: Family<[(&'static str, &'static str); 1], Histogram>,
    rereads: Counter,
    positions: Arc<Mutex<Vec<Weak<AtomicI64>>>>,
}

/// The position of a follower, while it lives.
pub(crate) struct FollowerPosition(Arc<AtomicI64>);

impl FollowerPosition {
    /// It has all there is: what comes from now on for others does not put it behind.
    pub(crate) fn set_caught_up(&self) {
        self.set(i64::MAX);
    }

    /// It has come so far, and there is more.
    pub(crate) fn set(&self, seq: i64) {
        self.0.store(seq, Ordering::Relaxed);
    }
}

/// From 0.1 ms to 3.3 s: a commit takes about one, a query less, a full disk's queue much more.
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
    /// A batch of so many orders was carried out, in a transaction that took so long.
    #[expect(clippy::cast_precision_loss, reason = "a batch has a few hundred commands at most")]
    pub(crate) fn record_commit(&self, commands: usize, took: Duration) {
        self.commits.observe(took.as_secs_f64());
        self.batches.observe(commands as f64);
    }

    /// A query was answered.
    pub(crate) fn record_query(&self, query: &'static str, began: Instant) {
        self.queries.get_or_create(&[("query", query)]).observe(began.elapsed().as_secs_f64());
    }

    /// A follower needs more than the feed has at hand.
    pub(crate) fn count_reread(&self) {
        self.rereads.inc();
    }

    /// A follower begins after that event.
    pub(crate) fn follow(&self, after: i64) -> FollowerPosition {
        let position = Arc::new(AtomicI64::new(after));
        let mut positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        // Those who left are cleared away when the list would grow, so that each costs nothing much.
        if positions.len() == positions.capacity() {
            positions.retain(|position| position.strong_count() > 0);
        }
        positions.push(Arc::downgrade(&position));
        FollowerPosition(position)
    }

    /// How far behind the slowest follower is.
    fn lag(&self, tip: i64) -> i64 {
        let positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        let slowest =
            positions.iter().filter_map(Weak::upgrade).map(|position| position.load(Ordering::Relaxed)).min();
        slowest.map_or(0, |slowest| (tip - slowest).max(0))
    }

    pub(crate) fn register(&self, registry: &mut Registry, feed: Arc<EventFeed>) {
        let Self { commits, batches, queries, rereads, .. } = self.clone();
        registry.register("commit_seconds", "A batch, from its turn to write to its commit", commits);
        registry.register("batch_orders", "Orders that shared a commit", batches);
        registry.register("query_seconds", "Queries, by name", queries);
        registry.register("feed_rereads", "Times a follower was behind what the feed had at hand", rereads);
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
        gauge("feed_waiters", "Executors that wait for a decision", count(waiting))?;
        gauge("feed_subscribers", "Readers that follow the log", count(following))?;
        gauge("feed_lag_events", "How far behind the slowest subscriber is", self.metrics.lag(tip))?;
        gauge("feed_tip", "The last event that the feed has handed out", tip)
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
