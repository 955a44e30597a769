//! The server's own metrics, beside those of the gate.

use axum::http::{Method, StatusCode};
use countersign_gate::EmbeddedGate;
use prometheus_client::{
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::{Registry, Unit},
};
use std::time::Duration;

/// By route, method and status.
type RequestLabels = Family<[(&'static str, String); 3], Counter>;

/// By route and method.
type DurationLabels = Family<[(&'static str, String); 2], Histogram, fn() -> Histogram>;

/// The metrics, and the registry that shows them.
#[derive(Debug)]
pub(crate) struct ServerMetrics {
    registry: Registry,
    requests: RequestLabels,
    durations: DurationLabels,
    streams: Gauge,
    waits: Gauge,
    open: Gauge,
    oldest: Gauge<f64, std::sync::atomic::AtomicU64>,
    /// Requests for approval that a reader who came back was brought although they were opened before.
    pub(crate) recovered: Counter,
}

/// From half a millisecond to about 16 seconds.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.000_5, 2.0, 16))
}

impl ServerMetrics {
    pub(crate) fn new(gate: &EmbeddedGate) -> Self {
        let mut registry = Registry::with_prefix("countersign");
        gate.register_metrics(&mut registry);
        let mut metrics = Self {
            registry,
            requests: Family::default(),
            durations: Family::new_with_constructor(histogram),
            streams: Gauge::default(),
            waits: Gauge::default(),
            open: Gauge::default(),
            oldest: Gauge::default(),
            recovered: Counter::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let all = &mut self.registry;
        all.register("http_requests", "Requests, by route, method and status", self.requests.clone());
        let what = "How long it took until an answer began, by route and method; a wait as long as it was \
                    held, a stream until it was open";
        all.register_with_unit("http_request_duration", what, Unit::Seconds, self.durations.clone());
        all.register("http_streams", "Streams of events that are open", self.streams.clone());
        all.register("http_waits", "Requests that are held until a call is decided", self.waits.clone());
        all.register("open_requests", "Requests that wait for people", self.open.clone());
        let what = "The age of the oldest request that waits for people";
        all.register_with_unit("oldest_open_request_age", what, Unit::Seconds, self.oldest.clone());
        let what =
            "Requests for approval that a stream brought to a reader who came back, opened before it did";
        all.register("recovered_requests", what, self.recovered.clone());
    }

    /// Counts an answer.
    pub(crate) fn record_answer(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        // Any word may stand where a method does, and each would become a permanent series of its own.
        let method = match method.as_str() {
            known @ ("GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "OPTIONS" | "PATCH") => known,
            _ => "other",
        };
        let (route, method) = (("route", route.to_owned()), ("method", method.to_owned()));
        let status = ("status", status.as_str().to_owned());
        self.requests.get_or_create(&[route.clone(), method.clone(), status]).inc();
        self.durations.get_or_create(&[route, method]).observe(took.as_secs_f64());
    }

    /// Counts a stream for as long as what is returned lives.
    pub(crate) fn count_stream(&self) -> HeldGauge {
        HeldGauge::new(&self.streams)
    }

    /// Counts a wait for as long as what is returned lives.
    pub(crate) fn count_wait(&self) -> HeldGauge {
        HeldGauge::new(&self.waits)
    }

    /// Everything as text, with what waits at this moment.
    pub(crate) fn text(&self, open: i64, oldest: Option<Duration>) -> Result<String, std::fmt::Error> {
        self.open.set(open);
        self.oldest.set(oldest.unwrap_or_default().as_secs_f64());
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// One more of something that lasts.
pub(crate) struct HeldGauge(Gauge);

impl HeldGauge {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for HeldGauge {
    fn drop(&mut self) {
        self.0.dec();
    }
}
