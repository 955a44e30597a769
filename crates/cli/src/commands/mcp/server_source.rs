//! The servers behind the gateway: a command, an address, or those of a configuration.

use super::server_process::{KeptProcess, ServerProgram};
use countersign_api::Place;
use countersign_console::{CliError, CommandExit, escape_text, print_error};
use countersign_mcp::{
    ClientReader, ClientWriter, HttpTarget, HubOptions, HubServer, MAX_SERVER_CONFIG_BYTES, ServerEntry,
    ServerPlaces, ServerTarget, connect_http_server, expand_variables, read_server_config, run_hub,
};
use rustix::process::Signal;
use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The time within which a configured server must answer its greeting and each list request.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// The time in which a configuration end's processes after their input.
const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// The bytes that wait between the gateway and the hub.
const PIPE_BYTES: usize = 64 * 1024;

/// The options that name the servers.
#[derive(Debug, clap::Args)]
pub(super) struct ServerArgs {
    /// The servers of this file, in the form of clients (`mcpServers`), as one server: their tools are called `SERVER__TOOL`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["words", "url", "name"])]
    pub(super) config: Option<PathBuf>,
    /// A server address for streamable HTTP, instead of a command; https, or http on this machine
    // The other names remember which configuration member `mcp wrap` replaced.
    #[arg(long, aliases = ["server-url", "http-url"], value_name = "URL", conflicts_with = "words")]
    pub(super) url: Option<String>,
    /// A header for the server at --url, such as 'Authorization: Bearer ${TOKEN}'; `${NAME}` is an environment variable
    #[arg(long = "header", value_name = "HEADER", requires = "url")]
    pub(super) headers: Vec<String>,
    /// A header whose value is the environment variable of the same name
    #[arg(long = "header-env", value_name = "NAME", requires = "url")]
    pub(super) header_variables: Vec<String>,
    /// The type of the server at --url, as client configurations name it
    #[arg(long = "type", value_name = "TYPE", requires = "url", value_parser = ["http", "streamable-http", "streamableHttp", "remote"])]
    pub(super) kind: Option<String>,
    /// The server command and its arguments. Write -- before a server whose name is `wrap`, `unwrap` or `help`
    #[arg(trailing_var_arg = true, required_unless_present_any = ["config", "url"], value_name = "COMMAND")]
    pub(super) words: Vec<OsString>,
}

/// The servers behind a gateway, which can be started several times.
#[derive(Debug, Clone)]
pub(super) enum ServerSource {
    Command(Vec<OsString>),
    Http(HttpTarget),
    Configured(Vec<ServerEntry>),
}

impl ServerSource {
    /// Reads the servers that the command line names.
    pub(super) fn from_args(args: &ServerArgs) -> anyhow::Result<Self> {
        if let Some(path) = &args.config {
            return Ok(Self::Configured(read_config_file(path)?));
        }
        let Some(url) = &args.url else { return Ok(Self::Command(args.words.clone())) };
        let bad = |option: &str, why: &dyn std::fmt::Display| CliError::usage(format!("{option}: {why}"));
        let url = expand_variables(url, &variable).map_err(|why| bad("--url", &why))?;
        tracing::debug!(kind = args.kind, "a server on streamable HTTP");
        let mut target = HttpTarget::new(&url).map_err(|why| bad("--url", &why))?;
        for header in &args.headers {
            let header = expand_variables(header, &variable).map_err(|why| bad("--header", &why))?;
            let Some((name, value)) = header.split_once(':') else {
                return Err(bad("--header", &"write NAME: VALUE").into());
            };
            target.add_header(name, value).map_err(|why| bad("--header", &why))?;
        }
        for name in &args.header_variables {
            let missing = || bad("--header-env", &format!("the environment variable {name:?} is not set"));
            let value = variable(name).ok_or_else(missing)?;
            target.add_header(name, &value).map_err(|why| bad("--header-env", &why))?;
        }
        Ok(Self::Http(target))
    }

    /// Where server calls run. `here` is this process's place.
    pub(super) fn places(&self, name: Option<&str>, here: &Place) -> ServerPlaces {
        let server = name.map(str::to_owned);
        match self {
            Self::Command(words) => {
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                let line =
                    shlex::try_join(words.iter().map(|word| &**word)).unwrap_or_else(|_| words.join(" "));
                ServerPlaces::One(Box::new(Place { server, address: Some(line), ..here.clone() }))
            }
            Self::Http(target) => {
                ServerPlaces::One(Box::new(Place { server, address: Some(target.address()), ..here.clone() }))
            }
            Self::Configured(entries) => ServerPlaces::of_entries(entries, here),
        }
    }

    /// Starts the servers. One of a configuration that cannot be started does not stop the others.
    pub(super) fn start(&self) -> anyhow::Result<RunningServers> {
        match self {
            Self::Command(words) => {
                let name = words.first().map(|program| program.to_string_lossy()).unwrap_or_default();
                let (process, streams) = KeptProcess::start(ServerProgram::Words(words.clone()), &name)?;
                let exit = ServerExit::Command(process);
                Ok(RunningServers { output: streams.output, input: streams.input, exit })
            }
            Self::Http(target) => {
                let streams = connect_http_server(target.clone())?;
                let exit = ServerExit::Others(Vec::new());
                Ok(RunningServers { output: streams.output, input: streams.input, exit })
            }
            Self::Configured(entries) => start_configured(entries),
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn read_config_file(path: &Path) -> anyhow::Result<Vec<ServerEntry>> {
    let shown = escape_text(&path.display().to_string());
    let bad = |why: String| CliError::usage(format!("{shown}: {}", escape_text(&why)));
    let metadata = fs::metadata(path).map_err(|why| bad(why.to_string()))?;
    if metadata.len() > MAX_SERVER_CONFIG_BYTES {
        return Err(bad(format!("it has more than {MAX_SERVER_CONFIG_BYTES} bytes")).into());
    }
    let text = fs::read_to_string(path).map_err(|why| bad(why.to_string()))?;
    Ok(read_server_config(&text, &variable).map_err(|why| bad(why.to_string()))?)
}

fn start_configured(entries: &[ServerEntry]) -> anyhow::Result<RunningServers> {
    let note = |text: &str| print_error(&format!("countersign: {}", escape_text(text)));
    let (mut servers, mut processes) = (Vec::new(), Vec::new());
    for entry in entries {
        match start_entry(entry) {
            Ok((server, process)) => {
                servers.push(server);
                processes.extend(process);
            }
            Err(why) => note(&format!("the server {} is left out: {why}", entry.name.as_str())),
        }
    }
    if servers.is_empty() {
        return Err(CliError::usage("no server of the configuration can be started").into());
    }
    let options = HubOptions { answer_limit: ANSWER_LIMIT, note: Arc::new(note) };
    let (input, hub_input) = tokio::io::duplex(PIPE_BYTES);
    let (hub_output, output) = tokio::io::duplex(PIPE_BYTES);
    tokio::spawn(run_hub(servers, options, Box::new(hub_input), Box::new(hub_output)));
    let exit = ServerExit::Others(processes);
    Ok(RunningServers { output: Box::new(output), input: Box::new(input), exit })
}

fn start_entry(entry: &ServerEntry) -> anyhow::Result<(HubServer, Option<KeptProcess>)> {
    let name = entry.name.clone();
    match &entry.target {
        ServerTarget::Command(command) => {
            let program = ServerProgram::Configured(command.clone());
            let (process, streams) = KeptProcess::start(program, name.as_str())?;
            Ok((HubServer { name, output: streams.output, input: streams.input }, Some(process)))
        }
        ServerTarget::Http(target) => {
            let streams = connect_http_server(target.clone())?;
            Ok((HubServer { name, output: streams.output, input: streams.input }, None))
        }
    }
}

/// Servers that run.
pub(super) struct RunningServers {
    pub(super) output: ClientReader,
    pub(super) input: ClientWriter,
    pub(super) exit: ServerExit,
}

/// The processes of servers, and their end.
pub(super) enum ServerExit {
    /// The exit code is that of this server.
    Command(KeptProcess),
    /// Servers of which each may end alone.
    Others(Vec<KeptProcess>),
}

impl ServerExit {
    /// Passes a signal on. Returns true if the gateway ends when the server ends.
    pub(super) fn pass_signal(&self, signal: Signal) -> bool {
        match self {
            Self::Command(process) => {
                process.pass_signal(signal);
                true
            }
            Self::Others(processes) => {
                for process in processes {
                    process.pass_signal(signal);
                }
                false
            }
        }
    }

    /// Waits until the processes end, and returns the exit code.
    pub(super) async fn wait(self) -> anyhow::Result<CommandExit> {
        match self {
            Self::Command(process) => process.exit().await,
            Self::Others(processes) => {
                for process in processes {
                    // A process that does not end is killed when it is dropped.
                    let _ = tokio::time::timeout(EXIT_LIMIT, process.exit()).await;
                }
                Ok(CommandExit::DONE)
            }
        }
    }
}
