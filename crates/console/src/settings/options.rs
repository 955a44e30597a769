//! The global command-line options.

use super::value::{ColourMode, LogFormat};
use std::{ffi::OsString, path::PathBuf};

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalOptions {
    /// Print JSON, and errors as JSON too
    #[arg(long, global = true, help_heading = "Options")]
    pub json: bool,
    /// The log: a path, sqlite://… or postgres://… [default: ./countersign.db if it exists, otherwise one log per user]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub database: Option<String>,
    /// A file that contains the log's address, which may include a password
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "database")]
    pub database_file: Option<PathBuf>,
    /// Use a server instead of a database
    #[arg(
        long,
        help = "Use a server instead of a database: http://127.0.0.1:7878",
        global = true,
        value_name = "URL",
        conflicts_with_all = ["database", "database_file"]
    )]
    pub server: Option<String>,
    /// The authorities to trust for an https:// server (PEM), instead of those of the system
    #[arg(long, global = true, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
    /// The policy, a TOML file [default: task tools are allowed, other calls are asked]
    #[arg(long, global = true, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The principal of this command: user:NAME or agent:NAME [default: your login name]
    #[arg(long = "as", global = true, value_name = "PRINCIPAL")]
    pub principal: Option<String>,
    /// A file that contains the token for the server [default: `COUNTERSIGN_TOKEN`, or the file of `serve`]
    #[arg(long, global = true, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// The settings, a TOML file [default: ./countersign.toml, …]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The log level: error, warn, info, debug, or a filter
    #[arg(long, global = true, value_name = "FILTER")]
    pub log: Option<String>,
    /// The format of log lines on stderr
    #[arg(long, global = true, value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,
    /// Send traces to this collector
    #[arg(
        long,
        help = "Send traces by OTLP over HTTP: http://127.0.0.1:4318",
        global = true,
        value_name = "URL"
    )]
    pub otlp: Option<String>,
    /// When to use colours: auto (on a terminal), always or never
    #[arg(long, global = true, value_name = "WHEN", alias = "color")]
    pub colour: Option<ColourMode>,
}

impl GlobalOptions {
    /// The options for another process of this program that uses the same log with the same settings.
    #[must_use]
    pub fn arguments_for_service(&self) -> Vec<OsString> {
        let path = |path: &Option<PathBuf>| path.clone().map(PathBuf::into_os_string);
        let text = |text: &Option<String>| text.clone().map(OsString::from);
        let format = self.log_format.map(|format| OsString::from(format.as_str()));
        let given = [
            ("--database", text(&self.database)),
            ("--database-file", path(&self.database_file)),
            ("--policy", path(&self.policy)),
            ("--as", text(&self.principal)),
            ("--config", path(&self.config)),
            ("--log", text(&self.log)),
            ("--log-format", format),
            ("--otlp", text(&self.otlp)),
        ];
        let set = given.into_iter().filter_map(|(name, value)| Some([OsString::from(name), value?]));
        set.flatten().collect()
    }
}
