//! `countersign mcp`: replaces an MCP server in a client configuration, and asks before each tool call.

mod listen;
mod server_process;
mod server_source;
mod wrap;

pub(crate) use wrap::{count_wrapped_servers, unwrapped_servers};

use crate::{
    call_place::{current_place, default_thread},
    commands::run::{parse_delay, parse_seconds},
};
use countersign_api as api;
use countersign_console::{CliError, CommandContext, CommandExit, LogTarget, TerminationSignals};
use countersign_mcp::{GatewayOptions, GatewayStreams, run_gateway};
use countersign_store::Clock;
use server_source::{ServerArgs, ServerSource};
use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

/// Options of `mcp`.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Put this command before the command of a server in the configuration of an MCP client. Every message passes \
unchanged, but each call of a tool is proposed, decided and recorded like those of countersign run. A client stops waiting after \
about 60 s. If people have not decided after --hold, the answer therefore says that the call is pending, and the same call, \
repeated, gets the decision. A client that sends a progress token gets progress notifications meanwhile.\n\nThe exit code is that of the server."
)]
pub(crate) struct McpArgs {
    /// The calls' thread; session grants apply within it [default: one for this server in this folder; in the home
    /// folder and in /, one for each start]
    #[arg(long, value_name = "THREAD")]
    thread: Option<String>,
    /// The server's name: its tools are then called `NAME__TOOL` in policies and in the log, and people see it as the
    /// call's place
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Record the hints of this server that make a tool look harmless, so that the policy may believe them
    #[arg(long)]
    trust_hints: bool,
    /// How long a call waits for people before its answer says that it is pending; 0s answers at once
    #[arg(long, value_name = "DURATION", value_parser = parse_delay, default_value = "45s")]
    hold: u32,
    /// The time after which a form that the client shows to its user is in the inbox, too. A client that shows none leaves it to
    /// the inbox at once
    #[arg(long, value_name = "DURATION", value_parser = parse_delay, default_value = "1m")]
    questions_after: u32,
    /// The time between progress notifications, at least 1s
    #[arg(long, value_name = "DURATION", value_parser = parse_seconds, default_value = "10s")]
    progress_every: u32,
    /// The lease, renewed while the server runs a call: if this process is lost, the outcome counts as unknown after this time
    #[arg(long, value_name = "DURATION", value_parser = parse_seconds, default_value = "60s")]
    lease: u32,
    /// Serve clients on streamable HTTP at this address of this machine, path /mcp, instead of stdin and stdout; each session
    /// gets servers of its own
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// A file with the token that clients of --listen must send [default: `COUNTERSIGN_MCP_TOKEN`, or a new one, which is printed]
    #[arg(long, value_name = "FILE", requires = "listen")]
    listen_token_file: Option<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
    #[command(subcommand)]
    command: Option<McpSubcommand>,
}

impl McpArgs {
    /// Returns true if `--config` names servers.
    pub(crate) const fn has_config(&self) -> bool {
        self.server.config.is_some()
    }

    /// Whether the command changes an MCP client configuration.
    pub(crate) const fn changes_client(&self) -> bool {
        match self.command {
            None => false,
            Some(McpSubcommand::Wrap(_) | McpSubcommand::Unwrap(_)) => true,
        }
    }
}

#[derive(Debug, clap::Subcommand)]
enum McpSubcommand {
    /// Put the gateway before each server in an MCP client's configuration
    Wrap(wrap::WrapArgs),
    /// Remove the gateway from an MCP client's configuration
    Unwrap(wrap::WrapArgs),
}

pub(crate) async fn run_mcp_command(context: &CommandContext, args: &McpArgs) -> anyhow::Result<CommandExit> {
    match &args.command {
        Some(McpSubcommand::Wrap(args)) => wrap::wrap_client(context, args),
        Some(McpSubcommand::Unwrap(args)) => wrap::unwrap_client(context, args),
        None => run_mcp_gateway(context, args).await,
    }
}

async fn run_mcp_gateway(context: &CommandContext, args: &McpArgs) -> anyhow::Result<CommandExit> {
    let source = ServerSource::from_args(&args.server)?;
    let options = gateway_options(context, args, &source)?;
    if let Some(address) = args.listen {
        let served = listen::ServedGateway { options, source };
        return listen::serve_clients(context, served, address, args.listen_token_file.as_deref()).await;
    }
    let mut signals = TerminationSignals::listen()?;
    let gate = context.connect_to_propose().await?;
    let servers = source.start()?;
    let streams = GatewayStreams {
        client_input: Box::new(tokio::io::stdin()),
        client_output: Box::new(tokio::io::stdout()),
        server_output: servers.output,
        server_input: servers.input,
    };
    let mut gateway = std::pin::pin!(run_gateway(gate, options, streams));
    loop {
        tokio::select! {
            () = &mut gateway => break,
            signal = signals.receive() => if !servers.exit.pass_signal(signal) { break },
        }
    }
    servers.exit.wait().await
}

fn gateway_options(
    context: &CommandContext,
    args: &McpArgs,
    source: &ServerSource,
) -> anyhow::Result<GatewayOptions> {
    if let Some(name) = &args.name {
        countersign_events::ToolName::new(name).map_err(|why| CliError::usage(format!("--name: {why}")))?;
    }
    if args.progress_every == 0 {
        return Err(CliError::usage("--progress-every must be at least 1s").into());
    }
    let server = match context.settings.target()? {
        LogTarget::Server(url) if url.starts_with("http") => Some(countersign_client::without_password(&url)),
        _ => None,
    };
    let tools_location = match &server {
        Some(base) => base.clone(),
        None => format!("a person decides with `countersign watch`, in the log {}", context.log_location()?),
    };
    let place = tools_location.clone();
    let describe_location: Arc<dyn Fn(&api::Call) -> String + Send + Sync> = Arc::new(move |call| {
        let link =
            |base: &String| countersign_webhooks::call_link(base, call.thread_id.as_str(), call.id.as_str());
        server.as_ref().map_or_else(|| place.clone(), link)
    });
    let clock = context.clock.clone();
    let here = current_place(context)?;
    let places = source.places(args.name.as_deref(), &here);
    let begin = args.name.as_ref().map_or_else(|| "mcp".to_owned(), |name| format!("mcp-{name}"));
    let thread = args.thread.clone().unwrap_or_else(|| default_thread(&begin, places.digest(), &here));
    Ok(GatewayOptions {
        thread: api::parse_thread_id(&thread)?,
        places,
        server_name: args.name.clone(),
        trust_hints: args.trust_hints,
        hold: Duration::from_secs(args.hold.into()),
        questions_after: Duration::from_secs(args.questions_after.into()),
        progress_interval: Duration::from_secs(args.progress_every.into()),
        lease_seconds: args.lease,
        now: Arc::new(move || Clock::now(&clock)),
        tools_location,
        describe_location,
    })
}
