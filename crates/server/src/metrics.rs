//! The server's metrics, in one registry with those of the gate.

use crate::{CheckpointMonitor, connection::ConnectionStep};
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
use utoipa::openapi::OpenApi;

/// A counter by route, method and status.
type RequestLabels = Family<[(&'static str, String); 3], Counter>;

/// A histogram by route and method.
type DurationLabels = Family<[(&'static str, String); 2], Histogram, fn() -> Histogram>;

/// The metrics, and the registry that publishes them.
#[derive(Debug)]
pub(crate) struct ServerMetrics {
    registry: Registry,
    requests: RequestLabels,
    durations: DurationLabels,
    streams: Gauge,
    waits: Gauge,
    connections: Gauge,
    timeouts: Family<[(&'static str, &'static str); 1], Counter>,
    /// Connections beyond the maximum.
    pub(crate) refused_connections: Counter,
    /// Handshakes of TLS that failed.
    pub(crate) failed_handshakes: Counter,
    /// System failures to accept a connection.
    pub(crate) failed_accepts: Counter,
    open: Gauge,
    oldest: Gauge<f64, std::sync::atomic::AtomicU64>,
    /// Approval requests that a returning reader has received: from a stream that it resumed, or from a list of pending calls.
    pub(crate) recovered: Counter,
    /// Approval requests that a returning reader had to receive.
    pub(crate) missed: Counter,
}

/// Creates a histogram with bounds from half a millisecond to about 16 seconds.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.000_5, 2.0, 16))
}

impl ServerMetrics {
    pub(crate) fn new(
        gate: &EmbeddedGate,
        checkpoints: Option<&CheckpointMonitor>,
        document: &OpenApi,
    ) -> Self {
        let mut registry = Registry::with_prefix("countersign");
        gate.register_metrics(&mut registry);
        if let Some(checkpoints) = checkpoints {
            checkpoints.register(&mut registry);
        }
        let mut metrics = Self {
            registry,
            requests: Family::default(),
            durations: Family::new_with_constructor(histogram),
            streams: Gauge::default(),
            waits: Gauge::default(),
            connections: Gauge::default(),
            timeouts: Family::default(),
            refused_connections: Counter::default(),
            failed_handshakes: Counter::default(),
            failed_accepts: Counter::default(),
            open: Gauge::default(),
            oldest: Gauge::default(),
            recovered: Counter::default(),
            missed: Counter::default(),
        };
        metrics.register();
        metrics.start_at_zero(document);
        metrics
    }

    /// Creates each operation's series for failures of the server, whose first one counts: a series that appears with its first response
    /// has a rate that misses that response. The other series appear when they are needed, because a monitoring system pays
    /// for each one.
    fn start_at_zero(&self, document: &OpenApi) {
        for step in ConnectionStep::TIMED {
            drop(self.timeouts.get_or_create(&[("step", step.as_str())]));
        }
        for (route, item) in &document.paths.paths {
            let operations =
                [("GET", &item.get), ("PUT", &item.put), ("POST", &item.post), ("DELETE", &item.delete)];
            for (method, operation) in operations {
                if operation.is_some() {
                    let labels = [("route", route.as_str()), ("method", method), ("status", "500")];
                    drop(self.requests.get_or_create(&labels.map(|(name, value)| (name, value.to_owned()))));
                }
            }
        }
    }

    fn register(&mut self) {
        let all = &mut self.registry;
        all.register("http_requests", "Requests by route, method and status", self.requests.clone());
        let help = "The time until a response began, by route and method: for a waiting request the whole wait, \
                    for a stream until it was open";
        all.register_with_unit("http_request_duration", help, Unit::Seconds, self.durations.clone());
        all.register("http_streams", "Open streams of events", self.streams.clone());
        all.register("http_waits", "Requests that wait until a call is decided", self.waits.clone());
        all.register("http_connections", "Open connections", self.connections.clone());
        let help = "Connections that were closed because the client took too long, by step";
        all.register("http_connection_timeouts", help, self.timeouts.clone());
        let help = "Connections beyond the maximum, which were refused";
        all.register("http_connections_refused", help, self.refused_connections.clone());
        let help =
            "TLS handshakes that failed, for example with a client that does not trust the certificate";
        all.register("http_handshake_errors", help, self.failed_handshakes.clone());
        let help = "Failed attempts to accept a connection, for example with too many open files";
        all.register("http_accept_errors", help, self.failed_accepts.clone());
        all.register("open_requests", "Approval requests that are pending", self.open.clone());
        let help = "The age of the oldest pending approval request";
        all.register_with_unit("oldest_open_request_age", help, Unit::Seconds, self.oldest.clone());
        let help =
            "Approval requests that readers received later: from a resumed stream or a list of pending calls";
        all.register("recovered_requests", help, self.recovered.clone());
        let help =
            "Approval requests that readers had to receive later, of which some may not be recovered yet";
        all.register("missed_requests", help, self.missed.clone());
    }

    /// Counts a response and its duration.
    pub(crate) fn record_answer(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        // A client may send any word as the method, and each word would become a permanent series.
        let method = match method.as_str() {
            known @ ("GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "OPTIONS" | "PATCH") => known,
            _ => "other",
        };
        let (route, method) = (("route", route.to_owned()), ("method", method.to_owned()));
        let status = ("status", status.as_str().to_owned());
        self.requests.get_or_create(&[route.clone(), method.clone(), status]).inc();
        self.durations.get_or_create(&[route, method]).observe(took.as_secs_f64());
    }

    /// Counts an open stream until the returned guard is dropped.
    pub(crate) fn count_stream(&self) -> HeldGauge {
        HeldGauge::new(&self.streams)
    }

    /// Counts an open connection until the returned guard is dropped.
    pub(crate) fn count_connection(&self) -> HeldGauge {
        HeldGauge::new(&self.connections)
    }

    /// Counts a connection whose client took too long.
    pub(crate) fn record_timeout(&self, step: ConnectionStep) {
        tracing::debug!(step = step.as_str(), "a client took too long and was disconnected");
        self.timeouts.get_or_create(&[("step", step.as_str())]).inc();
    }

    /// Counts a waiting request until the returned guard is dropped.
    pub(crate) fn count_wait(&self) -> HeldGauge {
        HeldGauge::new(&self.waits)
    }

    /// Returns all metrics as OpenMetrics text. `open` is the current number of open requests, and `oldest` the age of
    /// the oldest one.
    pub(crate) fn text(&self, open: i64, oldest: Option<Duration>) -> Result<String, std::fmt::Error> {
        self.open.set(open);
        self.oldest.set(oldest.unwrap_or_default().as_secs_f64());
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// A guard that counts one in a gauge until it is dropped.
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
