//! What every command receives: the settings, the output options, the clock, and the connection to the log.

use crate::{
    exit::{CliError, CommandExit},
    present::{
        progress::ProgressLine,
        screen::{ScreenFormat, use_colours},
    },
    settings::{effective::Settings, log_target::LogTarget, options::GlobalOptions},
};
use countersign_gate::{Clock, Error, Gate, Options, Policy, Principal, Timestamp, without_password};
use std::{
    io::{IsTerminal, stderr, stdout},
    path::PathBuf,
};

/// The surroundings of a command.
#[derive(Debug)]
pub(crate) struct Context {
    /// True if output and errors are JSON.
    pub(crate) json: bool,
    /// The global options as they were typed.
    pub(crate) options: GlobalOptions,
    pub(crate) settings: Settings,
    pub(crate) clock: Clock,
}

impl Context {
    /// Reads the settings that apply to these options.
    pub(crate) fn from_options(options: GlobalOptions) -> anyhow::Result<Self> {
        let settings = Settings::gather(&options)?;
        Ok(Self { settings, ..Self::without_settings(options) })
    }

    /// The context of commands that work even if the settings are invalid.
    pub(crate) fn without_settings(options: GlobalOptions) -> Self {
        Self { json: options.json, options, settings: Settings::default(), clock: Clock::System }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The format of stdout.
    pub(crate) fn screen(&self) -> ScreenFormat {
        let format = ScreenFormat::for_stream(&stdout(), self.use_colours(stdout().is_terminal()));
        if self.json { ScreenFormat { width: None, ..format } } else { format }
    }

    /// The format of stderr.
    pub(crate) fn error_screen(&self) -> ScreenFormat {
        ScreenFormat::for_stream(&stderr(), self.use_colours(stderr().is_terminal()))
    }

    /// True if a stream is coloured.
    pub(crate) fn use_colours(&self, terminal: bool) -> bool {
        use_colours(self.settings.colour(), terminal)
    }

    /// A progress line on stderr. It stays empty with `--json`.
    pub(crate) fn progress(&self, noun: &'static str) -> ProgressLine {
        ProgressLine::new(noun, !self.json)
    }

    /// Connects to propose or to decide, under the policy from the settings. A missing database is created only if
    /// `create` is set.
    pub(crate) async fn connect_to_act(
        &self,
        kind: fn(&str) -> Principal,
        create: bool,
    ) -> anyhow::Result<Gate> {
        self.open(kind, create, Settings::policy).await
    }

    /// Connects to read or to change settings of a thread. The policy judges nothing then, so an invalid one is
    /// ignored.
    pub(crate) async fn connect(&self) -> anyhow::Result<Gate> {
        let policy = |settings: &Settings| Ok(settings.policy().unwrap_or_else(|_| Policy::shipped()));
        self.open(Principal::user, false, policy).await
    }

    /// Connects to read the log only. `--policy` may name a policy for a comparison, so it is not used.
    pub(crate) async fn connect_to_read(&self) -> anyhow::Result<Gate> {
        self.open(Principal::user, false, |_| Ok(Policy::ask_always())).await
    }

    async fn open(
        &self,
        kind: fn(&str) -> Principal,
        create: bool,
        policy: impl Fn(&Settings) -> anyhow::Result<Policy>,
    ) -> anyhow::Result<Gate> {
        let principal = self.settings.principal(kind)?;
        let gate = match self.settings.target()? {
            LogTarget::Server(url) => Gate::connect(&url).map_err(|error| suggest_scheme(&url, error))?,
            LogTarget::Database(address) => {
                let options = Options { create, ..Options::default() };
                Gate::open_with(address, options, policy(&self.settings)?).await?
            }
        };
        Ok(gate.acting_as(principal))
    }

    /// The beginning of a command line that reaches the same log from another terminal.
    pub(crate) fn command_prefix(&self) -> String {
        let mut words = vec![program_name()];
        words.extend(self.options.config.iter().map(|path| format!("--config {}", path.display())));
        let GlobalOptions { server, database, database_file, .. } = &self.options;
        let (option, named) = match (server, database, database_file) {
            (Some(server), ..) => ("--server", server.clone()),
            // People copy this text, so it contains no password.
            (_, Some(database), _) => ("--database", without_password(database)),
            (.., Some(file)) => ("--database-file", file.display().to_string()),
            _ => return words.join(" "),
        };
        words.extend([option.to_owned(), quote_for_shell(&named)]);
        words.join(" ")
    }
}

/// Suggests the scheme that an address of a server lacks.
fn suggest_scheme(url: &str, error: Error) -> anyhow::Error {
    if url.contains("://") || url.starts_with("unix:") {
        return error.into();
    }
    let message = format!("{url:?} has no scheme; did you mean http://{url}?");
    CliError { exit: CommandExit::USAGE, code: "bad_url", message }.into()
}

/// Quotes a word for a shell: the parameters of an address contain `&`.
fn quote_for_shell(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

/// `countersign` if the shell finds this program under that name, otherwise its path.
fn program_name() -> String {
    let not_installed = std::env::current_exe().ok().filter(|exe| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let installed = |folder: PathBuf| folder.join("countersign").canonicalize().ok();
        !std::env::split_paths(&folders).any(|folder| installed(folder).as_ref() == Some(exe))
    });
    not_installed.map_or_else(
        || "countersign".to_owned(),
        |exe| {
            let here = std::env::current_dir().unwrap_or_default();
            exe.strip_prefix(&here).unwrap_or(&exe).display().to_string()
        },
    )
}
