//! `countersign serve`

mod addresses;
pub(crate) mod args;
pub(crate) mod certificate_file;
mod chats;
mod checkpoints;
mod first_start;
mod identity;
mod limits;
pub(crate) mod network;
pub(crate) mod oidc;
mod policy_file;
mod policy_notes;
mod push;
mod registration;
mod service;
pub(crate) mod sockets;
mod watched_files;

use addresses::ServerAddresses;
pub use args::ServeArgs;
use certificate_file::CertificateFollower;
use checkpoints::CheckpointSchedule;
use countersign_advisors::{AdvisorDesk, AdvisorRunner};
use countersign_api::{self as api, ApprovalGate, LogFilter, SendOperation, operations};
use countersign_console::{
    CliError, CommandContext, CommandExit, SettingKey, advisor_access, count_words, escape_text,
    locate_database, print_line,
};
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_push::PushRunner;
use countersign_server::ServerOptions;
use countersign_store::{Clock, StoreOptions};
use countersign_webhooks::deliver_webhooks;
use first_start::{describe_callers, prepare_credentials};
use policy_file::PolicyFile;
use policy_notes::PolicyNotes;
use registration::{ServiceTerms, leave_terminal, register_service, release_start_lock};
use serde_json::json;
use sockets::ServerSockets;
use std::{
    io::{IsTerminal, stdout},
    sync::Arc,
    time::Duration,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The time for the last writes of a server that was told to stop. With the five seconds of the connections before it, the
/// process ends before a supervisor kills it, which is after ten seconds with most of them.
const LAST_WRITES: Duration = Duration::from_secs(3);

/// Runs `countersign serve`.
pub async fn serve(context: &CommandContext, args: &ServeArgs) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        return Err(CliError::usage("serve works on a database: use --database instead of --server").into());
    }
    leave_terminal(args.background);
    context.settings.database()?;
    // A file that cannot be read is an error before anything is created.
    context.settings.policy()?;
    let mut options = server_options(context, args)?;
    let schedule = CheckpointSchedule::read(context, &args.checkpoints)?;
    options.checkpoints = schedule.as_ref().map(|schedule| schedule.monitor.clone());
    // Bind the sockets first: if that fails, no database is created.
    let shared = args.reuse_port || context.settings.switch(SettingKey::ReusePort).unwrap_or(false);
    let protection = network::listen_options(&options.access, options.certificate.as_ref(), shared);
    let ServerSockets { named, twins } = sockets::bind_listeners(context, &args.listen, &protection)?;
    network::warn_about_missing_name(&options.access, &named);
    options.solo = identity::solo_mode(context, &args.identity, &named)?;
    let address = context.settings.database_to_create()?;
    let gate = EmbeddedGate::open_with(address.clone(), StoreOptions::default(), Policy::shipped()).await?;
    context.announce_new_log(&gate);
    let addresses = ServerAddresses::new(&named, &options.access);
    let gate = gate.acting_as(context.settings.principal(Principal::user)?);
    let (gate, sender) = chats::add_sender(context, addresses.pages.as_deref(), &gate, &mut options);
    let (gate, notifier) = push::add_sender(context, addresses.pages.as_deref(), &gate);
    let mut file = PolicyFile::from_settings(&context.settings, gate.clone());
    let mut notes = PolicyNotes::default();
    if let Some(file) = &mut file {
        let (seq, before) = (gate.send(operations::ShowPolicy {}).await?.seq, gate.policy_in_force()?);
        file.apply().await?;
        notes = PolicyNotes::compare(&before, seq, &*gate.policy_in_force()?);
    }
    let rules = gate.policy_in_force()?.rules();
    let stop = CancellationToken::new();
    let certificate = options.certificate.clone().map(CertificateFollower::new);
    if let Some(provider) = options.oidc.clone() {
        // A provider that is down stops no one from signing in otherwise. The attempt writes why to the log.
        tokio::spawn(async move { provider.check().await.is_ok() });
    }
    let changes =
        file.iter().map(PolicyFile::changed).chain(certificate.iter().map(CertificateFollower::changed));
    service::handle_signals(changes.collect(), &stop)?;
    file.map(|file| tokio::spawn(file.follow(stop.clone())));
    certificate.map(|certificate| tokio::spawn(certificate.follow(stop.clone())));
    // Otherwise they would be in the service manager's log.
    let prints_secrets = !context.has_json_lines() && stdout().is_terminal();
    // `up` creates the credentials for a service in the background, and prints the link.
    let credentials = if options.solo || args.background {
        None
    } else {
        prepare_credentials(&gate, &addresses, prints_secrets).await?
    };
    let callers = describe_callers(context, &addresses, options.solo, credentials.as_ref(), prints_secrets);
    let database = locate_database(&address);
    let terms = ServiceTerms { background: args.background, solo: options.solo };
    let registration = register_service(context, &address, &addresses, terms)?;
    print_introduction(context, &gate, &addresses, &ServerFacts { database, callers, rules, notes }).await?;
    let served = CancellationToken::new();
    let checkpoints = schedule.map(|schedule| tokio::spawn(schedule.follow(gate.clone(), served.clone())));
    let webhooks = tokio::spawn(deliver_webhooks(gate.clone(), sender, served.clone()));
    let push = tokio::spawn(PushRunner::new(gate.clone(), notifier, options.solo).run(served.clone()));
    let advisors = tokio::spawn(advisor_runner(context, args, &gate)?.run(served.clone()));
    release_start_lock(args.background)?;
    service::notify_ready();
    let listeners = named.into_iter().chain(twins).collect();
    countersign_server::serve(listeners, gate.clone(), options, stop).await?;
    served.cancel();
    end_tasks([Some(webhooks), Some(push), Some(advisors), checkpoints], &gate).await?;
    drop(registration);
    tracing::info!("stopped; every acknowledged event is on disk");
    Ok(CommandExit::DONE)
}

/// Waits for the last writes of the background tasks and of the log, for at most [`LAST_WRITES`]. What was not acknowledged
/// may be lost, as by a crash, but nothing that waits keeps the process alive.
async fn end_tasks(tasks: [Option<JoinHandle<()>>; 4], gate: &EmbeddedGate) -> anyhow::Result<()> {
    let ended = async {
        for task in tasks.into_iter().flatten() {
            task.await?;
        }
        gate.shut_down().await;
        anyhow::Ok(())
    };
    tokio::select! {
        ended = ended => ended,
        () = Clock::System.sleep(LAST_WRITES) => {
            tracing::warn!("the log takes no writes; stopped without them");
            Ok(())
        }
    }
}

/// Asks the policy's advisors while the server runs.
fn advisor_runner(
    context: &CommandContext,
    args: &ServeArgs,
    gate: &EmbeddedGate,
) -> anyhow::Result<AdvisorRunner> {
    let access = advisor_access(context, args.advisor_commands)?;
    Ok(AdvisorRunner::new(gate.clone(), Arc::new(AdvisorDesk::new(access))))
}

/// Reads the server's options: its limits, and its protection.
fn server_options(context: &CommandContext, args: &ServeArgs) -> anyhow::Result<ServerOptions> {
    let access = network::network_access(context, &args.network)?;
    Ok(ServerOptions {
        oidc: oidc::identity_provider(context, &args.oidc)?,
        identity_header: identity::identity_header(context, &args.identity, &access)?,
        access,
        certificate: network::certificate(context, &args.network)?,
        interfaces: Some(countersign_compat::routes),
        ..limits::server_options(context, args)?
    })
}

/// What the introduction says of the server beside its addresses.
struct ServerFacts {
    database: String,
    callers: String,
    rules: usize,
    notes: PolicyNotes,
}

async fn print_introduction(
    context: &CommandContext,
    gate: &EmbeddedGate,
    ServerAddresses { urls, pages }: &ServerAddresses,
    ServerFacts { database, callers, rules, notes }: &ServerFacts,
) -> anyhow::Result<()> {
    if context.has_json_lines() {
        let said = json!({
            "listening": urls.first(), "addresses": urls, "pages": pages, "database": database, "rules": rules,
            "lostBlocks": notes.lost_blocks,
        });
        print_line(&said.to_string());
        return Ok(());
    }
    let events = count_words(gate.tip(None).await?.unsigned_abs(), "event");
    let waiting =
        gate.pending(&LogFilter::default(), api::PageQuery { after: 0, limit: api::MAX_PAGE }).await?;
    let more = if waiting.next.is_some() { "more than " } else { "" };
    let waiting = waiting.pending.len();
    let policy = describe_policy(&gate.send(operations::ShowPolicy {}).await?, *rules);
    let how = context.command_prefix();
    let lost = notes.describe(&how).map_or_else(String::new, |lost| format!("\n             {lost}"));
    let listening = urls.join("\n             ");
    let pages = pages.as_ref().map_or_else(String::new, |pages| format!("\n  pages      {pages}"));
    print_line(&format!(
        "Countersign {version}\n\
         \n  listening  {listening}{pages}\
         \n  database   {database} ({events}, {more}{waiting} pending)\
         \n  policy     {policy}{lost}\
         \n  callers    {callers}\n\
         \nIn a second terminal, propose a command:\
         \n  {how} run -- git --version\
         \nIn a third terminal, list and decide pending calls:\
         \n  {how} watch\
         \n  {how} pending\
         \n  {how} allow ID\n\
         \nCtrl-C stops the server and loses nothing.\n",
        version = env!("CARGO_PKG_VERSION"),
    ));
    Ok(())
}

/// The active policy, on one line.
fn describe_policy(policy: &api::PolicyInForce, rules: usize) -> String {
    if policy.source == "shipped" {
        return "the shipped one: task tools are allowed, other calls are asked (--policy FILE)".to_owned();
    }
    format!(
        "{} ({}; active since {}, by {})",
        escape_text(&policy.source),
        count_words(u64::try_from(rules).unwrap_or(u64::MAX), "rule"),
        policy.at,
        policy.principal
    )
}
