//! What every command receives: the settings, the output options, the clock, and the connection to the log.

use crate::{
    CallerSide, CliError, CommandExit, GlobalOptions, LogFormat, LogTarget, ProgressLine, ScreenFormat,
    SettingKey, Settings, authorize, escape_text, keep_managed_layer, present::screen::use_colours,
    read_policy, settings::notice::print_notice, webhook_sender,
};
use countersign_api::{ApprovalGate, CallerView, GateError, SendOperation, SharedGate, operations};
use countersign_client::{HttpGate, without_password};
use countersign_events::{Principal, Timestamp};
use countersign_gate::EmbeddedGate;
use countersign_policy::{Policy, PolicyText};
use countersign_store::{Clock, DatabaseUrl, StoreAccess, StoreOptions};
use std::{
    io::{IsTerminal, stderr, stdout},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// The command context.
pub struct CommandContext {
    /// Whether output and errors are JSON.
    pub json: bool,
    /// The global options as they were typed.
    pub options: GlobalOptions,
    /// The settings that apply.
    pub settings: Settings,
    /// The clock of this process.
    pub clock: Clock,
    /// The command, as a server lists its clients: `watch`, or `hook claude-code`.
    pub command: String,
    /// The gates that the command has opened, which are closed after it.
    opened: Mutex<Vec<SharedGate>>,
}

impl CommandContext {
    /// Reads the settings that apply to these options.
    pub fn from_options(options: GlobalOptions) -> anyhow::Result<Self> {
        let settings = Settings::gather(&options)?;
        Ok(Self { settings, ..Self::without_settings(options) })
    }

    /// The context of commands that work even if the settings are invalid.
    #[must_use]
    pub fn without_settings(options: GlobalOptions) -> Self {
        Self {
            json: options.json,
            options,
            settings: Settings::default(),
            clock: Clock::System,
            command: String::new(),
            opened: Mutex::default(),
        }
    }

    /// The same context, with the command's name.
    #[must_use]
    pub fn with_command(self, command: String) -> Self {
        Self { command, ..self }
    }

    /// The machine name, for call places. A log in a file belongs to one machine, so its calls name none.
    pub fn host_name(&self) -> Option<String> {
        let is_shared = match self.settings.target().ok()? {
            LogTarget::Server(_) => true,
            LogTarget::Database(database) => matches!(database, DatabaseUrl::Postgres(_)),
        };
        is_shared.then(|| whoami::hostname().ok()).flatten().filter(|name| !name.is_empty())
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The format of stdout.
    pub fn screen(&self) -> ScreenFormat {
        let format = ScreenFormat::for_stream(&stdout(), self.use_colours(stdout().is_terminal()));
        if self.json { ScreenFormat { width: None, ..format } } else { format }
    }

    /// The format of stderr.
    pub fn error_screen(&self) -> ScreenFormat {
        ScreenFormat::for_stream(&stderr(), self.use_colours(stderr().is_terminal()))
    }

    /// Returns true if this stream is coloured.
    pub fn use_colours(&self, terminal: bool) -> bool {
        use_colours(self.settings.colour(), terminal)
    }

    /// A progress line on stderr. It stays empty with `--json`.
    pub fn progress(&self, noun: &'static str) -> ProgressLine {
        ProgressLine::new(noun, !self.json)
    }

    /// Connects to decide. The database must exist.
    pub async fn connect_to_decide(&self) -> anyhow::Result<SharedGate> {
        self.open_as_person(DatabaseUse::DECIDE).await
    }

    /// Opens the database itself to change it, for commands that also use files beside it. The database must exist.
    pub async fn open_database_to_decide(&self) -> anyhow::Result<EmbeddedGate> {
        if self.options.server.is_some() {
            let why = "this works on a database: use --database instead of --server";
            return Err(CliError::usage(why).into());
        }
        let by = self.settings.principal(Principal::user)?;
        let options = StoreOptions { create: false, ..StoreOptions::default() };
        let gate = EmbeddedGate::open_with(self.settings.database()?, options, Policy::shipped()).await?;
        Ok(gate.acting_as(by))
    }

    /// Connects to propose calls. Creates a missing database, and retries while it is unavailable.
    pub async fn connect_to_propose(&self) -> anyhow::Result<SharedGate> {
        self.connect_to_propose_for(None).await
    }

    /// Connects to propose calls of an agent of this kind: on a database it is `agent:KIND`, and `agent:KIND@HOST` if several
    /// machines share that, unless the settings name a principal. A server takes the principal from the token.
    pub async fn connect_to_propose_for(&self, kind: Option<&str>) -> anyhow::Result<SharedGate> {
        let name = kind.map(|kind| match self.host_name() {
            Some(host) => format!("{kind}@{host}"),
            None => kind.to_owned(),
        });
        let principal = self.settings.principal_or(Principal::agent, name.as_deref())?;
        self.open(CallerSide::Agent, DatabaseUse::PROPOSE, principal).await
    }

    /// Connects to set up a log, which is created if it does not exist, with the shipped policy.
    pub async fn connect_to_set_up(&self) -> anyhow::Result<SharedGate> {
        self.open_as_person(DatabaseUse::SET_UP).await
    }

    /// Connects to read or to change settings of a thread. A read-only log can be read, and refuses changes.
    pub async fn connect(&self) -> anyhow::Result<SharedGate> {
        self.open_as_person(DatabaseUse::READ).await
    }

    /// Connects to follow the log. Retries while the database is unavailable.
    pub async fn connect_to_follow(&self) -> anyhow::Result<SharedGate> {
        self.open_as_person(DatabaseUse { retry: true, ..DatabaseUse::READ }).await
    }

    /// Connects to read the log only. `--policy` may name a policy for a comparison.
    pub async fn connect_to_read(&self) -> anyhow::Result<SharedGate> {
        self.connect().await
    }

    async fn open_as_person(&self, usage: DatabaseUse) -> anyhow::Result<SharedGate> {
        self.open(CallerSide::Person, usage, self.settings.principal(Principal::user)?).await
    }

    /// The only place that chooses between a database and a server. A server is always retried.
    async fn open(
        &self,
        side: CallerSide,
        usage: DatabaseUse,
        principal: Principal,
    ) -> anyhow::Result<SharedGate> {
        // A file that cannot be read is an error before anything is created.
        let policy = if usage.compare_policy { self.policy_file()? } else { None };
        let gate: SharedGate = match self.settings.target()? {
            LogTarget::Server(url) => {
                self.refuse_principal()?;
                let gate = self.connect_to_server(&url, side)?;
                Arc::new(identify(gate, side, principal).await.with_retries())
            }
            LogTarget::Database(address) => {
                let address = if usage.create { self.settings.database_to_create()? } else { address };
                let options = StoreOptions {
                    create: usage.create,
                    access: usage.access,
                    // A command does one thing at a time, and each connection reads the schema when it is opened.
                    readers: 1,
                    ..StoreOptions::default()
                };
                let gate = EmbeddedGate::open_with(address, options, Policy::shipped()).await?;
                self.announce_new_log(&gate);
                let sender = webhook_sender(&self.settings, None);
                let gate = gate.acting_as(principal).with_webhooks(sender);
                if usage.retry { Arc::new(gate.with_retries()) } else { Arc::new(gate) }
            }
        };
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&gate));
        if let Some((path, files)) = policy {
            self.compare_policy(&*gate, &path, files).await?;
        }
        Ok(gate)
    }

    /// A connection to a server, with the token of that side.
    fn connect_to_server(&self, url: &str, side: CallerSide) -> anyhow::Result<HttpGate> {
        let gate = HttpGate::connect_trusting(url, self.settings.tls_authorities().as_deref())
            .map_err(|error| suggest_scheme(url, error))?;
        authorize(self.name_program(&gate)?, &self.settings, url, side)
    }

    /// The roles and threads of the server token; `None` on a database, which its user sees completely.
    pub async fn find_server_caller(&self) -> anyhow::Result<Option<CallerView>> {
        match self.settings.target()? {
            LogTarget::Server(url) => {
                Ok(Some(self.connect_to_server(&url, CallerSide::Person)?.caller().await?))
            }
            LogTarget::Database(_) => Ok(None),
        }
    }

    /// The same gate, which tells the server that this command uses it.
    pub fn name_program(&self, gate: &HttpGate) -> Result<HttpGate, GateError> {
        let name = format!("countersign/{} ({})", env!("CARGO_PKG_VERSION"), self.command);
        gate.with_header("user-agent", &name)
    }

    /// Refuses the option `--as` with a server, which takes the principal from the credential.
    fn refuse_principal(&self) -> anyhow::Result<()> {
        if self.options.principal.is_none() {
            return Ok(());
        }
        let why = "--as names the principal on a database; a server takes it from the token (--token-file, \
                   COUNTERSIGN_TOKEN)";
        Err(CliError::usage(why).into())
    }

    /// The policy file from the settings, and its content.
    fn policy_file(&self) -> anyhow::Result<Option<(PathBuf, PolicyText)>> {
        let Some(path) = self.settings.policy_path() else { return Ok(None) };
        let text = read_policy(&path)?.text().clone();
        Ok(Some((path, text)))
    }

    /// Fails if the settings name a policy that is not the active one.
    pub async fn require_policy(&self, gate: &dyn ApprovalGate) -> anyhow::Result<()> {
        match self.policy_file()? {
            Some((path, files)) => self.compare_policy(gate, &path, files).await,
            None => Ok(()),
        }
    }

    /// Fails if the settings name a policy that is not the active one. The policy belongs to the log, so a command
    /// cannot bring its own.
    async fn compare_policy(
        &self,
        gate: &dyn ApprovalGate,
        path: &Path,
        files: PolicyText,
    ) -> anyhow::Result<()> {
        let in_force = gate.send(operations::ShowPolicy {}).await?;
        if in_force.hash == keep_managed_layer(files, &in_force).hash() {
            return Ok(());
        }
        let origin = self.settings.get(SettingKey::Policy).map(|setting| setting.origin.to_string());
        let message = format!(
            "{} names {}, but the log has another active policy: {} applied it at {} (from {}). Leave the setting out, \
             or apply the file with: {} policy apply {}",
            origin.unwrap_or_default(),
            path.display(),
            in_force.principal,
            in_force.at,
            escape_text(&in_force.source),
            self.command_prefix(),
            quote_for_shell(&path.display().to_string()),
        );
        Err(CliError { exit: CommandExit::USAGE, code: "policy_differs", message }.into())
    }

    /// Closes the gates that the command has opened. The last process to close a file moves its write-ahead log into
    /// it, so that a plain copy of the file has every event.
    pub async fn close_gates(&self) {
        let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        for gate in opened {
            gate.shut_down().await;
        }
    }

    /// Whether stderr has JSON lines only: with `--json`, and with the log format `json`.
    #[must_use]
    pub fn has_json_lines(&self) -> bool {
        self.json || self.settings.log_format() == LogFormat::Json
    }

    /// Prints where this command has created a log. A second log is easily created by mistake, and calls
    /// would then wait unseen.
    pub fn announce_new_log(&self, gate: &EmbeddedGate) {
        if gate.has_created_log() {
            print_notice(
                &format!("new log: {}", gate.database_name()),
                self.has_json_lines(),
                &self.error_screen(),
            );
        }
    }

    /// The log location as messages name it.
    pub fn log_location(&self) -> anyhow::Result<String> {
        Ok(escape_text(&self.settings.log_location()?))
    }

    /// The start of a command line that reaches the same log from another terminal.
    pub fn command_prefix(&self) -> String {
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

/// The gate with the name of its caller, as the server knows it. If the server does not answer, the name stays unknown
/// here, and the operation itself reports the failure.
async fn identify(gate: HttpGate, side: CallerSide, unknown: Principal) -> HttpGate {
    let named = gate.caller().await.ok().and_then(|caller| match side {
        CallerSide::Agent => caller.agent.or(caller.person),
        CallerSide::Person => caller.person.or(caller.agent),
    });
    gate.known_as(named.unwrap_or(unknown))
}

/// How a command uses a database.
struct DatabaseUse {
    /// Create the database if it is missing.
    create: bool,
    /// Retry while it is unavailable.
    retry: bool,
    /// Fail if the settings name another policy than the active one.
    compare_policy: bool,
    access: StoreAccess,
}

impl DatabaseUse {
    const READ: Self =
        Self { create: false, retry: false, compare_policy: false, access: StoreAccess::WriteIfPossible };
    const DECIDE: Self = Self { compare_policy: true, access: StoreAccess::Write, ..Self::READ };
    const SET_UP: Self = Self { create: true, access: StoreAccess::Write, ..Self::READ };
    const PROPOSE: Self = Self { create: true, retry: true, ..Self::DECIDE };
}

/// Suggests the scheme that a server address misses.
fn suggest_scheme(url: &str, error: GateError) -> anyhow::Error {
    if url.contains("://") || url.starts_with("unix:") {
        return error.into();
    }
    let message = format!("{url:?} has no scheme; did you mean http://{url}?");
    CliError { exit: CommandExit::USAGE, code: "bad_url", message }.into()
}

/// Quotes a word for a shell: address parameters contain `&`.
#[must_use]
pub fn quote_for_shell(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

/// How npm's launcher was called. The person types this again, not the path of the program that it started.
const LAUNCHER_VARIABLE: &str = "COUNTERSIGN_CALLED_AS";

/// `countersign` if the shell finds this program under that name, otherwise how it was launched, or its path.
fn program_name() -> String {
    let launched = std::env::var(LAUNCHER_VARIABLE).ok();
    if let Some(name) = launched.filter(|name| ["countersign", "npx countersign"].contains(&name.as_str())) {
        return name;
    }
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
