//! Log lines on stderr, and traces for a collector. Neither contains a call's arguments.

mod paced_writer;
mod traces;

use countersign_console::{CliError, CommandContext, LogFormat, edit_distance};
use countersign_gate::NEVER_LOGGED;
use paced_writer::PacedWriter;
use std::io::IsTerminal;
use tokio::runtime::Handle;
use traces::TraceExporter;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt, FilterFn, LevelFilter},
    fmt::writer::BoxMakeWriter,
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

/// The span target for the whole command.
pub(crate) const COMMAND_TARGET: &str = "countersign_command";

/// The number of log lines that a server buffers. Later lines are lost while no one reads them.
const BUFFERED_LINES: usize = 16_384;

/// Writes log lines and traces until it is dropped.
pub(crate) struct Logging {
    traces: Option<TraceExporter>,
    /// Writes buffered lines when it is dropped.
    _writer_guard: Option<WorkerGuard>,
}

impl Logging {
    /// Starts logging. Traces are sent on this runtime.
    pub(crate) fn start(context: &CommandContext, is_server: bool, runtime: &Handle) -> anyhow::Result<Self> {
        // The command's span is for traces. In log lines it would repeat the command name.
        let filter = parse_filter(context, is_server)?.and(FilterFn::new(|about| {
            about.target() != COMMAND_TARGET && !NEVER_LOGGED.contains(&about.target())
        }));
        let (writer, writer_guard) = create_writer(is_server);
        let lines = match context.settings.log_format() {
            LogFormat::Json => tracing_subscriber::fmt::layer()
                .json()
                .with_current_span(false)
                .with_span_list(true)
                .with_writer(writer)
                .with_filter(filter)
                .boxed(),
            LogFormat::Human => tracing_subscriber::fmt::layer()
                .with_ansi(context.use_colours(std::io::stderr().is_terminal()))
                .with_writer(writer)
                .with_filter(filter)
                .boxed(),
        };
        let traces = context.settings.otlp().map(|url| TraceExporter::start(url, runtime)).transpose()?;
        // Trace only our own spans: the HTTP client that sends traces would otherwise create more.
        let ours = FilterFn::new(|about| {
            about.target().starts_with("countersign") && *about.level() <= tracing::Level::INFO
        });
        let spans = traces.as_ref().map(|traces| traces.layer().with_filter(ours));
        // A second start in the same process fails and is ignored.
        let _ = tracing_subscriber::registry().with(lines).with(spans).try_init();
        Ok(Self { traces, _writer_guard: writer_guard })
    }

    /// Sends the remaining traces. Call it outside the runtime, which must still run.
    pub(crate) fn end(self) {
        if let Some(traces) = self.traces {
            traces.end();
        }
    }
}

/// A server writes from a buffer, so that a slow reader of its log loses lines and does not delay requests. Other
/// commands write directly, so that log lines keep their place in the output.
fn create_writer(is_server: bool) -> (BoxMakeWriter, Option<WorkerGuard>) {
    if !is_server {
        return (BoxMakeWriter::new(std::io::stderr), None);
    }
    let (writer, writer_guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(BUFFERED_LINES)
        .finish(PacedWriter::new(std::io::stderr()));
    (BoxMakeWriter::new(writer), Some(writer_guard))
}

fn parse_filter(context: &CommandContext, is_server: bool) -> anyhow::Result<EnvFilter> {
    let Some((named, origin)) = context.settings.log() else {
        let default = if is_server { "info" } else { "error" };
        return Ok(EnvFilter::new(default));
    };
    if let Some(word) = named.split(',').map(str::trim).find(|word| !is_valid_directive(word)) {
        let meant = LEVELS.iter().min_by_key(|level| edit_distance(word, level));
        let meant = meant.filter(|level| edit_distance(word, level) <= 1 + level.len() / 3);
        let instead = meant.map_or_else(
            || format!("use one of {}, or a filter such as {word}=debug", LEVELS.join(", ")),
            |level| format!("did you mean {level}?"),
        );
        return Err(
            CliError::usage(format!("{origin} is {named:?}: {word:?} is not a level; {instead}")).into()
        );
    }
    EnvFilter::try_new(named).map_err(|why| CliError::usage(format!("{origin} is {named:?}: {why}")).into())
}

/// The levels, the quietest first.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Returns true if this filter directive is meaningful. A misspelt level would be read as a module name, and
/// nothing would be logged.
fn is_valid_directive(word: &str) -> bool {
    word.is_empty()
        || word.contains(['=', '[', '{', '}', ']'])
        || word.starts_with("countersign")
        || word.parse::<LevelFilter>().is_ok()
}
