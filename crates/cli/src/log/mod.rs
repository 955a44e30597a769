//! What the program tells about itself: to stderr, so that stdout stays what was asked for, and to a
//! collector of traces if there is one. Neither hears what a call's arguments are.

mod json;
mod otlp;

use crate::{
    args::{Args, Command},
    exit::Said,
    screen,
    settings::{LogFormat, distance},
};
use countersign_gate::NEVER_LOGGED;
use std::io::IsTerminal;
use tokio::runtime::Handle;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt, FilterFn, LevelFilter},
    fmt::writer::BoxMakeWriter,
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

/// The target of the span that the whole command is in.
pub(crate) const COMMAND: &str = "countersign_command";

/// How many lines of a server's log may wait to be read before the next are lost.
const LINES_AHEAD: usize = 16_384;

/// Kept for as long as anything may be told.
pub(crate) struct Log {
    traces: Option<otlp::Traces>,
    /// Writes what is left when it goes.
    _last_words: Option<WorkerGuard>,
}

impl Log {
    /// Starts telling. What is sent away is sent on that runtime.
    pub(crate) fn start(args: &Args, runtime: &Handle) -> anyhow::Result<Self> {
        // The command's own span is for traces: in every line it would say what everybody knows.
        let filter = filter(args)?
            .and(FilterFn::new(|about| about.target() != COMMAND && !NEVER_LOGGED.contains(&about.target())));
        let (writer, last_words) = writer(args);
        let lines = match args.settings.log_format() {
            LogFormat::Json => tracing_subscriber::fmt::layer()
                .fmt_fields(json::Fields)
                .event_format(json::Lines)
                .with_writer(writer)
                .with_filter(filter)
                .boxed(),
            LogFormat::Human => tracing_subscriber::fmt::layer()
                .with_ansi(screen::colours(args, std::io::stderr().is_terminal()))
                .with_writer(writer)
                .with_filter(filter)
                .boxed(),
        };
        let traces = args.settings.otlp().map(|url| otlp::Traces::start(url, runtime)).transpose()?;
        // Only what we ourselves do is worth a trace: sending one would make more of them.
        let ours = FilterFn::new(|about| {
            about.target().starts_with("countersign") && *about.level() <= tracing::Level::INFO
        });
        let spans = traces.as_ref().map(|traces| traces.layer().with_filter(ours));
        // Only one log can be started in a process, and this is where.
        let _ = tracing_subscriber::registry().with(lines).with(spans).try_init();
        Ok(Self { traces, _last_words: last_words })
    }

    /// Sends what is left. Not from within the runtime, which has to carry it.
    pub(crate) fn end(self) {
        if let Some(traces) = self.traces {
            traces.end();
        }
    }
}

/// A server tells so much that whoever reads it may fall behind, or stop reading: then lines are lost, and
/// nobody waits for them. Everybody else writes a line or two, in their order among the rest.
fn writer(args: &Args) -> (BoxMakeWriter, Option<WorkerGuard>) {
    if !matches!(args.command, Command::Serve(_)) {
        return (BoxMakeWriter::new(std::io::stderr), None);
    }
    let (writer, last_words) =
        NonBlockingBuilder::default().buffered_lines_limit(LINES_AHEAD).finish(std::io::stderr());
    (BoxMakeWriter::new(writer), Some(last_words))
}

fn filter(args: &Args) -> anyhow::Result<EnvFilter> {
    let Some((named, origin)) = args.settings.log() else {
        let usual = if matches!(args.command, Command::Serve(_)) { "info" } else { "error" };
        return Ok(EnvFilter::new(usual));
    };
    if let Some(word) = named.split(',').map(str::trim).find(|word| !can_be_meant(word)) {
        let meant = LEVELS.iter().min_by_key(|level| distance(word, level));
        let meant = meant.filter(|level| distance(word, level) <= 1 + level.len() / 3);
        let instead = meant.map_or_else(
            || {
                format!(
                    "a level is one of {}, and a part of the program a filter such as {word}=debug",
                    LEVELS.join(", ")
                )
            },
            |level| format!("did you mean {level}?"),
        );
        return Err(Said::usage(format!("{origin} is {named:?}: {word:?} is no level; {instead}")).into());
    }
    EnvFilter::try_new(named).map_err(|why| Said::usage(format!("{origin} is {named:?}: {why}")).into())
}

/// The levels, the quietest first.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Whether a part of a filter says anything. A lone word that is no level would be taken for the name of a
/// part of the program, and where there is no such part nothing at all would be logged.
fn can_be_meant(word: &str) -> bool {
    word.is_empty()
        || word.contains(['=', '[', '{', '}', ']'])
        || word.starts_with("countersign")
        || word.parse::<LevelFilter>().is_ok()
}
