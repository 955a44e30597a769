//! `countersign up`: starts a log's service in the background, or finds the one that runs.

mod args;
mod credentials;
mod environment;
mod introduction;
mod readiness;
mod start;

use crate::process::{RunningService, ServiceFiles, ServiceRecord, lock_start};
pub use args::UpArgs;
use countersign_api::ApprovalGate;
use countersign_console::{CliError, CommandContext, CommandExit};
use countersign_server::ListenAddress;
use credentials::prepare_credentials;
use environment::AgentEnvironment;
use introduction::{ServiceSummary, print_introduction};
use readiness::require_ready;

/// Runs `countersign up`.
pub async fn start_service(context: &CommandContext, args: &UpArgs) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        return Err(CliError::usage("up works on a database: use --database instead of --server").into());
    }
    refuse_other_user()?;
    // A file that cannot be read is an error before anything is created.
    context.settings.policy()?;
    let files = ServiceFiles::for_log(&context.settings.database_to_create()?)?;
    files.create_folder()?;
    let lock = lock_start(&files).await?;
    let previous = ServiceRecord::read(&files).map(|record| record.address().to_owned());
    let (record, started) = match RunningService::find(&files)? {
        Some(running) => (require_record(running, &files)?, false),
        None => (start::start_in_background(context, args, &files, &lock).await?, true),
    };
    if !started {
        refuse_other_addresses(args, &record)?;
    }
    require_ready(context, &record, &files).await?;
    let gate = context.open_database_to_decide().await?;
    if !started {
        context.require_policy(&gate).await?;
    }
    let prepared = prepare_credentials(context, &gate, &files, &record, previous.as_deref()).await;
    gate.shut_down().await;
    let credentials = prepared?;
    let environment = AgentEnvironment::new(context, &record, credentials.agent_token.as_deref());
    drop(lock);
    if let Some(syntax) = args.env {
        environment.print(syntax);
        return Ok(CommandExit::DONE);
    }
    let summary = ServiceSummary { record: &record, files: &files, started };
    print_introduction(context, &summary, &credentials, &environment)?;
    Ok(CommandExit::DONE)
}

/// Fails for a user who became root with `sudo`: files in the other user's folders would belong to root.
fn refuse_other_user() -> anyhow::Result<()> {
    if !rustix::process::geteuid().is_root() || std::env::var_os("SUDO_UID").is_none_or(|uid| uid == "0") {
        return Ok(());
    }
    let message =
        "run it as your own user, without sudo; for a service of the whole machine, use systemd (see \
                   docs/guides/service.md)"
            .to_owned();
    Err(CliError { exit: CommandExit::REFUSED, code: "other_user", message }.into())
}

fn require_record(running: RunningService, files: &ServiceFiles) -> anyhow::Result<ServiceRecord> {
    let pid = running.pid;
    running.record.ok_or_else(|| {
        let message = format!(
            "process {pid} holds the lock of the service of {}, but has not described itself; it may be starting: try \
             again, or end it",
            files.log
        );
        CliError { exit: CommandExit::UNAVAILABLE, code: "service_not_ready", message }.into()
    })
}

/// Fails if the service runs with other addresses than this command asks for.
fn refuse_other_addresses(args: &UpArgs, record: &ServiceRecord) -> anyhow::Result<()> {
    let is_served = |wanted: &ListenAddress| {
        let wanted = wanted.to_string();
        let any_port = wanted.strip_suffix(":0");
        record.addresses.iter().any(|url| {
            let address = url.split_once("://").map_or(url.as_str(), |(_, address)| address);
            address == wanted
                || any_port.is_some_and(|host| address.rsplit_once(':').is_some_and(|(name, _)| name == host))
        })
    };
    if args.listen.iter().all(is_served) && (!args.solo || record.solo) {
        return Ok(());
    }
    let message = format!(
        "the service of this log runs already, with other options, at {}; end it first with `countersign down`",
        record.addresses.join(", ")
    );
    Err(CliError { exit: CommandExit::REFUSED, code: "already_running", message }.into())
}
