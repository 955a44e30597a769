//! Sends traces to a collector in batches, by OTLP over HTTP.

use countersign_console::CliError;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    error::{OTelSdkError, OTelSdkResult},
    trace::{SdkTracer, SdkTracerProvider, SpanData},
};
use std::{sync::Arc, time::Duration};
use tokio::runtime::Handle;
use tracing_opentelemetry::OpenTelemetryLayer;

/// The time limit for a batch, so that an absent collector does not delay a command's end.
const SEND_LIMIT: Duration = Duration::from_secs(3);

/// Sends spans to a collector.
pub(crate) struct TraceExporter {
    provider: SdkTracerProvider,
}

impl TraceExporter {
    pub(crate) fn start(url: &str, runtime: &Handle) -> anyhow::Result<Self> {
        let wrong = |why: &str| {
            CliError::usage(format!(
                "{url:?} is not the address of a collector ({why}); an example is http://127.0.0.1:4318"
            ))
        };
        let rest = url.strip_prefix("http://").ok_or_else(|| wrong("only http is supported"))?;
        // The default path is used unless the address has a path.
        let path = if rest.trim_end_matches('/').contains('/') { "" } else { "/v1/traces" };
        let endpoint = format!("{}{path}", url.trim_end_matches('/'));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(countersign_client::new_http_client()?)
            .with_endpoint(endpoint)
            .with_timeout(SEND_LIMIT)
            .build()
            .map_err(|why| wrong(&why.to_string()))?;
        let exporter = RuntimeExporter { exporter: Arc::new(exporter), runtime: runtime.clone() };
        let who = Resource::builder().with_service_name("countersign").build();
        let provider = SdkTracerProvider::builder().with_resource(who).with_batch_exporter(exporter).build();
        Ok(Self { provider })
    }

    pub(crate) fn layer<S>(&self) -> OpenTelemetryLayer<S, SdkTracer>
    where
        S: tracing::Subscriber + for<'span> tracing_subscriber::registry::LookupSpan<'span>,
    {
        tracing_opentelemetry::layer()
            .with_location(false)
            .with_threads(false)
            .with_tracer(self.provider.tracer("countersign"))
    }

    pub(crate) fn end(self) {
        // Spans that cannot be sent are lost. The command does not depend on them.
        let _ = self.provider.shutdown_with_timeout(SEND_LIMIT);
    }
}

/// Sends on our runtime, because the thread that builds batches cannot use the HTTP client.
#[derive(Debug)]
struct RuntimeExporter {
    exporter: Arc<SpanExporter>,
    runtime: Handle,
}

impl opentelemetry_sdk::trace::SpanExporter for RuntimeExporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let exporter = Arc::clone(&self.exporter);
        let sent = self.runtime.spawn(async move { exporter.export(batch).await }).await;
        sent.unwrap_or_else(|why| Err(OTelSdkError::InternalFailure(why.to_string())))
    }

    fn set_resource(&mut self, resource: &Resource) {
        // Called before the first batch, so there is no other reference.
        if let Some(exporter) = Arc::get_mut(&mut self.exporter) {
            exporter.set_resource(resource);
        }
    }
}
