//! Starting `serve` as a process that stays when the terminal closes.

use super::args::UpArgs;
use crate::{
    process::{RunningService, ServiceFiles, ServiceRecord},
    serve::sockets::DEFAULT_ADDRESS,
};
use countersign_api::ApprovalGate;
use countersign_client::HttpGate;
use countersign_console::{CliError, CommandContext, CommandExit, ServiceStartError};
use serde::Deserialize;
use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom},
    os::unix::fs::OpenOptionsExt,
    process::Stdio,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// The time within which a service starts. Upgrading a long log may take a while.
const START_LIMIT: Duration = Duration::from_mins(2);

/// The time for the program at a taken address to say that it is Countersign. The user waits for the error meanwhile.
const HOLDER_LIMIT: Duration = Duration::from_secs(2);

/// The size from which the messages of earlier services are moved aside, in bytes.
const MANY_MESSAGES: u64 = 10 * 1024 * 1024;

/// The most bytes of messages in which a failed start's error is searched.
const MAX_ERROR_BYTES: u64 = 64 * 1024;

/// Variables of a service manager that belong to this process, not to the service.
const MANAGER_VARIABLES: [&str; 6] =
    ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"];

/// A command error, as `--json` prints it.
#[derive(Deserialize)]
struct PrintedError {
    code: String,
    detail: String,
}

/// Starts the service, and returns its description as soon as it listens. The service keeps `lock` until then, even if
/// this process is killed.
pub(super) async fn start_in_background(
    context: &CommandContext,
    args: &UpArgs,
    files: &ServiceFiles,
    lock: &File,
) -> anyhow::Result<ServiceRecord> {
    let (messages, begin) = open_messages(files)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["serve", "--background", "--json", "--colour", "never"]);
    command.args(context.options.arguments_for_service());
    for address in &args.listen {
        command.args(["--listen", &address.to_string()]);
    }
    if args.solo {
        command.arg("--solo");
    }
    for variable in MANAGER_VARIABLES {
        command.env_remove(variable);
    }
    command.stdin(Stdio::from(lock.try_clone()?)).stdout(Stdio::piped()).stderr(Stdio::from(messages));
    let mut service = command.spawn()?;
    // Its only line says that it listens. The end of its output without it says that it failed.
    let line = read_first_line(&mut service).await?;
    if line.is_some()
        && let Some(RunningService { record: Some(record), .. }) = RunningService::find(files)?
    {
        return Ok(record);
    }
    let status = service.wait().await?;
    let exit = status.code().and_then(|code| u8::try_from(code).ok());
    Err(explain_failure(context, args, files, begin, exit).await)
}

async fn read_first_line(service: &mut Child) -> anyhow::Result<Option<String>> {
    let Some(output) = service.stdout.take() else { return Ok(None) };
    let mut lines = BufReader::new(output).lines();
    let Ok(line) = tokio::time::timeout(START_LIMIT, lines.next_line()).await else {
        service.kill().await?;
        return Ok(None);
    };
    Ok(line?)
}

/// Opens the message file. Also returns the length of the earlier messages.
fn open_messages(files: &ServiceFiles) -> anyhow::Result<(File, u64)> {
    let path = files.messages();
    if std::fs::metadata(&path).is_ok_and(|found| found.len() > MANY_MESSAGES) {
        std::fs::rename(&path, path.with_extension("log.1"))?;
    }
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
    let begin = file.metadata()?.len();
    Ok((file, begin))
}

/// The error for a service that did not start: its own, with the program that holds the address, if that is the reason.
async fn explain_failure(
    context: &CommandContext,
    args: &UpArgs,
    files: &ServiceFiles,
    begin: u64,
    exit: Option<u8>,
) -> anyhow::Error {
    let shown = files.messages().display().to_string();
    let Some(PrintedError { code, detail }) = read_error(files, begin) else {
        let message = format!("the service did not start; its messages are in {shown}");
        return CliError { exit: CommandExit::FAILED, code: "service_failed", message }.into();
    };
    let detail = match code.as_str() {
        "address_in_use" => format!("{detail}: {}", describe_holder(context, args).await),
        _ => detail,
    };
    ServiceStartError { exit: CommandExit(exit.unwrap_or(CommandExit::FAILED.0)), code, detail }.into()
}

fn read_error(files: &ServiceFiles, begin: u64) -> Option<PrintedError> {
    let mut file = File::open(files.messages()).ok()?;
    file.seek(SeekFrom::Start(begin)).ok()?;
    let mut text = Vec::new();
    file.take(MAX_ERROR_BYTES).read_to_end(&mut text).ok()?;
    String::from_utf8_lossy(&text).lines().rev().find_map(|line| serde_json::from_str(line).ok())
}

/// The program that holds an address which the service wants, in a sentence.
async fn describe_holder(context: &CommandContext, args: &UpArgs) -> String {
    let from_settings = || context.settings.listen().map(|(named, _)| named.to_vec());
    let wanted: Vec<String> = if args.listen.is_empty() {
        from_settings().unwrap_or_else(|| vec![std::net::SocketAddr::from(DEFAULT_ADDRESS).to_string()])
    } else {
        args.listen.iter().map(ToString::to_string).collect()
    };
    for address in wanted {
        let url = if address.starts_with("unix:") { address } else { format!("http://{address}") };
        let Ok(gate) = HttpGate::connect(&url) else { continue };
        if let Ok(Ok(ready)) = tokio::time::timeout(HOLDER_LIMIT, gate.ready()).await {
            return format!(
                "Countersign {} listens there for another log or another user; use it with --server {url}, or choose \
                 another address with --listen 127.0.0.1:0",
                ready.version
            );
        }
    }
    "another program listens there; end it, or choose another address with --listen 127.0.0.1:0".to_owned()
}
