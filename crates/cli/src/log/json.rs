//! One JSON object a line: `at`, `level`, `target`, `message`, the event's own fields under `fields`, and
//! the spans it happened in, the outermost first.

use countersign_gate::Clock;
use serde_json::{Map, Value, json};
use std::fmt;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::Record,
};
use tracing_subscriber::{
    field::RecordFields,
    fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields, format::Writer},
    registry::{LookupSpan, Scope},
};

/// The fields of a span, kept as the text of an object.
pub(super) struct Fields;

/// See the module.
pub(super) struct Lines;

#[derive(Default)]
struct Collected(Map<String, Value>);

impl Visit for Collected {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_i128(&mut self, field: &Field, value: i128) {
        self.put(field, i64::try_from(value).map_or_else(|_| value.to_string().into(), Value::from));
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.put(field, u64::try_from(value).map_or_else(|_| value.to_string().into(), Value::from));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }
}

impl Collected {
    fn put(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().to_owned(), value);
    }
}

impl<'writer> FormatFields<'writer> for Fields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut collected = Collected::default();
        fields.record(&mut collected);
        write!(writer, "{}", Value::Object(collected.0))
    }

    fn add_fields(&self, current: &'writer mut FormattedFields<Self>, fields: &Record<'_>) -> fmt::Result {
        let mut collected = Collected(serde_json::from_str(&current.fields).unwrap_or_default());
        fields.record(&mut collected);
        current.fields = Value::Object(collected.0).to_string();
        Ok(())
    }
}

impl<S> FormatEvent<S, Fields> for Lines
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, Fields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Collected::default();
        event.record(&mut fields);
        let about = event.metadata();
        let mut line = json!({
            "at": Clock::System.now(),
            "level": about.level().as_str().to_ascii_lowercase(),
            "target": about.target(),
            "message": fields.0.remove("message"),
        });
        if !fields.0.is_empty() {
            line["fields"] = fields.0.into();
        }
        let spans = context.event_scope().into_iter().flat_map(Scope::from_root).map(|span| {
            let extensions = span.extensions();
            let own = extensions.get::<FormattedFields<Fields>>();
            let mut known: Map<String, Value> =
                own.and_then(|own| serde_json::from_str(&own.fields).ok()).unwrap_or_default();
            known.insert("name".to_owned(), span.name().into());
            known
        });
        let spans: Vec<_> = spans.collect();
        if !spans.is_empty() {
            line["spans"] = json!(spans);
        }
        writeln!(writer, "{line}")
    }
}
