//! Traces, sent to a collector in batches by OTLP over HTTP.

use crate::exit::Said;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    error::{OTelSdkError, OTelSdkResult},
    trace::{SdkTracer, SdkTracerProvider, SpanData},
};
use std::{sync::Arc, time::Duration};
use tokio::runtime::Handle;
use tracing_opentelemetry::OpenTelemetryLayer;

/// How long the last batch may take. Whoever has nothing to wait for but a collector that is away does not
/// wait for long.
const PATIENCE: Duration = Duration::from_secs(3);

/// See the module.
pub(super) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    pub(super) fn start(url: &str, runtime: &Handle) -> anyhow::Result<Self> {
        let wrong = |why: &str| {
            Said::usage(format!(
                "{url:?} is no collector's address ({why}); it looks like http://127.0.0.1:4318"
            ))
        };
        let rest = url.strip_prefix("http://").ok_or_else(|| wrong("only http is spoken"))?;
        // A collector is named by its host; whoever names a path means just that.
        let path = if rest.trim_end_matches('/').contains('/') { "" } else { "/v1/traces" };
        let endpoint = format!("{}{path}", url.trim_end_matches('/'));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(endpoint)
            .with_timeout(PATIENCE)
            .build()
            .map_err(|why| wrong(&why.to_string()))?;
        let exporter = OnRuntime { exporter: Arc::new(exporter), runtime: runtime.clone() };
        let who = Resource::builder().with_service_name("countersign").build();
        let provider = SdkTracerProvider::builder().with_resource(who).with_batch_exporter(exporter).build();
        Ok(Self { provider })
    }

    pub(super) fn layer<S>(&self) -> OpenTelemetryLayer<S, SdkTracer>
    where
        S: tracing::Subscriber + for<'span> tracing_subscriber::registry::LookupSpan<'span>,
    {
        tracing_opentelemetry::layer()
            .with_location(false)
            .with_threads(false)
            .with_tracer(self.provider.tracer("countersign"))
    }

    pub(super) fn end(self) {
        // What cannot be sent is lost: nothing that was asked for depends on it.
        let _ = self.provider.shutdown_with_timeout(PATIENCE);
    }
}

/// Sends on our runtime: batches are made on a thread of their own, where no HTTP can be spoken.
#[derive(Debug)]
struct OnRuntime {
    exporter: Arc<SpanExporter>,
    runtime: Handle,
}

impl opentelemetry_sdk::trace::SpanExporter for OnRuntime {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let exporter = Arc::clone(&self.exporter);
        let sent = self.runtime.spawn(async move { exporter.export(batch).await }).await;
        sent.unwrap_or_else(|why| Err(OTelSdkError::InternalFailure(why.to_string())))
    }

    fn set_resource(&mut self, resource: &Resource) {
        // Called before anything is sent, so nobody else has it yet.
        if let Some(exporter) = Arc::get_mut(&mut self.exporter) {
            exporter.set_resource(resource);
        }
    }
}
