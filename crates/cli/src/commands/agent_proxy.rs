//! `countersign acp` and `countersign codex-app-server`: proxies between a client and its agent.

use countersign_coding_agents::{
    agents::find_started_agent,
    environment::CALL_VARIABLE,
    proxy::{AgentProtocol, LineStream, ProxyTerms, relay_lines},
};
use countersign_console::{
    CliError, CommandContext, CommandExit, TerminationSignals, escape_lines, print_error,
};
use countersign_events::id::check_actor_name;
use std::{ffi::OsString, os::unix::process::ExitStatusExt, process::Stdio, sync::Arc, time::Duration};
use tokio::{
    io::BufReader,
    process::{Child, Command},
};

/// Options of the proxies.
#[derive(Debug, clap::Args)]
pub(crate) struct AgentProxyArgs {
    /// The time after which a call's outcome is unknown if the agent reports no result, at most 1d
    #[arg(long, value_name = "DURATION", value_parser = super::run::parse_seconds, default_value = "1h")]
    lease: u32,
    /// The kind of agent, which the principal and each call's place name, such as gemini-cli [default: the known
    /// agent that the command starts]
    #[arg(long, value_name = "NAME", value_parser = parse_kind)]
    agent: Option<String>,
    /// The time after which a question that the client shows to its user is in the inbox, too
    #[arg(long, value_name = "DURATION", value_parser = super::run::parse_delay, default_value = "1m")]
    questions_after: u32,
    /// The agent's command, after --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    words: Vec<OsString>,
}

/// Runs the agent, and relays its lines until it ends.
pub(crate) async fn run_agent_proxy(
    context: &CommandContext,
    args: &AgentProxyArgs,
    protocol: impl AgentProtocol,
    executor: &'static str,
) -> anyhow::Result<CommandExit> {
    let mut signals = TerminationSignals::listen()?;
    let known = || find_started_agent(&args.words).map(|agent| agent.name().to_owned());
    let agent = args.agent.clone().or_else(known);
    let gate = context.connect_to_propose_for(agent.as_deref()).await?;
    let note = |text: &str| print_error(&format!("countersign: {}", escape_lines(text)));
    let terms = ProxyTerms {
        executor,
        lease_seconds: args.lease,
        questions_after: Duration::from_secs(u64::from(args.questions_after)),
        agent,
        host: context.host_name(),
        note: Arc::new(note),
    };
    let mut child = start_agent(&args.words)?;
    let (Some(agent_in), Some(agent_out)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(CliError::usage("the agent has no stdin or stdout").into());
    };
    let client = LineStream { reader: BufReader::new(tokio::io::stdin()), writer: tokio::io::stdout() };
    let agent = LineStream { reader: BufReader::new(agent_out), writer: agent_in };
    let relay = relay_lines(gate, protocol, terms, client, agent);
    tokio::pin!(relay);
    let relayed = tokio::select! {
        relayed = &mut relay => relayed,
        _ = signals.receive() => {
            // The relay ends when the agent output ends, and withdraws the calls that wait.
            child.start_kill()?;
            relay.await
        }
    };
    if let Err(error) = relayed {
        child.start_kill()?;
        return Err(anyhow::anyhow!("the messages between client and agent cannot be relayed: {error}"));
    }
    let status = child.wait().await?;
    let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(CommandExit(u8::try_from(code).unwrap_or(1)))
}

/// Reads a kind of agent. A slash would name a sub-agent, and `@` a machine.
fn parse_kind(text: &str) -> Result<String, String> {
    check_actor_name(text).map_err(|why| why.to_string())?;
    if text.contains(['/', '@']) { Err("a kind has no / or @".to_owned()) } else { Ok(text.to_owned()) }
}

fn start_agent(words: &[OsString]) -> anyhow::Result<Child> {
    let Some((program, rest)) = words.split_first() else {
        return Err(CliError::usage("there is no command").into());
    };
    let started = Command::new(program)
        .args(rest)
        .env(CALL_VARIABLE, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    started.map_err(|why| {
        let exit = if why.kind() == std::io::ErrorKind::NotFound {
            CommandExit::NOT_FOUND
        } else {
            CommandExit::NOT_EXECUTABLE
        };
        let message = format!("{} cannot be started: {why}", program.display());
        CliError { exit, code: "agent_not_started", message }.into()
    })
}
