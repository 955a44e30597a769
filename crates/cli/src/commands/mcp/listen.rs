//! `countersign mcp --listen`: the gateway for clients on streamable HTTP.

use super::server_source::ServerSource;
use countersign_api::{SharedGate, random_id};
use countersign_console::{
    CliError, CommandContext, CommandExit, TerminationSignals, escape_text, print_error,
};
use countersign_mcp::{
    BearerToken, ClientEndpoint, ClientSessionStreams, EndpointOptions, GatewayOptions, GatewayStreams,
    client_router, run_gateway,
};
use countersign_server::guard_router;
use std::{fs, net::SocketAddr, path::Path, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::mpsc};

/// The most sessions at a time: each has servers of its own.
const MAX_SESSIONS: usize = 64;

/// The time after which a session that is not used makes room for others.
const IDLE_LIMIT: Duration = Duration::from_mins(30);

/// The shortest token in characters.
const MIN_TOKEN: usize = 16;

/// The variable with the token of clients.
const TOKEN_VARIABLE: &str = "COUNTERSIGN_MCP_TOKEN";

/// The bytes that wait between an endpoint and a gateway.
const PIPE_BYTES: usize = 64 * 1024;

/// The gateways behind the endpoint.
pub(super) struct ServedGateway {
    pub(super) options: GatewayOptions,
    pub(super) source: ServerSource,
}

/// Serves clients until a signal.
pub(super) async fn serve_clients(
    context: &CommandContext,
    served: ServedGateway,
    address: SocketAddr,
    token_file: Option<&Path>,
) -> anyhow::Result<CommandExit> {
    if !address.ip().is_loopback() {
        let why = "--listen takes addresses of this machine only, such as 127.0.0.1:7879: clients call tools without TLS";
        return Err(CliError::usage(why).into());
    }
    let token = read_token(token_file)?;
    let mut signals = TerminationSignals::listen()?;
    let gate = context.connect_to_propose().await?;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|why| CliError::usage(format!("--listen {address}: {why}")))?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let (ended, mut gateways) = mpsc::channel(1);
    let now = Arc::clone(&served.options.now);
    let served = Arc::new(served);
    let endpoint = ClientEndpoint::new(EndpointOptions {
        token: BearerToken::new(&token.text),
        max_sessions: MAX_SESSIONS,
        idle_limit: IDLE_LIMIT,
        now,
        start: Arc::new(move || {
            let started = start_gateway(Arc::clone(&gate), &served, ended.clone());
            Box::pin(async move { started.map_err(|why| why.to_string()) })
        }),
    });
    let serving =
        countersign_mcp::serve_endpoint(listener, guard_router(client_router(Arc::clone(&endpoint))));
    print_error(&format!("countersign: MCP clients are served at {url}"));
    if token.is_new {
        print_error(&format!("countersign: clients send the header Authorization: Bearer {}", token.text));
    }
    tokio::select! {
        served = serving => served?,
        _ = signals.receive() => {}
    }
    endpoint.close().await;
    drop(endpoint);
    // The gateways end with their clients, and their servers with them.
    while gateways.recv().await.is_some() {}
    Ok(CommandExit::DONE)
}

/// Starts a session's servers, and a gateway in front of them.
fn start_gateway(
    gate: SharedGate,
    served: &ServedGateway,
    ended: mpsc::Sender<()>,
) -> anyhow::Result<ClientSessionStreams> {
    let servers = served.source.start()?;
    let (input, client_input) = tokio::io::duplex(PIPE_BYTES);
    let (client_output, output) = tokio::io::duplex(PIPE_BYTES);
    let streams = GatewayStreams {
        client_input: Box::new(client_input),
        client_output: Box::new(client_output),
        server_output: servers.output,
        server_input: servers.input,
    };
    let gateway = run_gateway(gate, served.options.clone(), streams);
    tokio::spawn(async move {
        gateway.await;
        if let Err(why) = servers.exit.wait().await {
            tracing::warn!("the end of a server cannot be read: {why}");
        }
        // Dropped at the end, which `serve_clients` waits for.
        drop(ended);
    });
    Ok(ClientSessionStreams { output: Box::new(output), input: Box::new(input) })
}

/// The token for clients.
struct ClientToken {
    text: String,
    is_new: bool,
}

fn read_token(file: Option<&Path>) -> anyhow::Result<ClientToken> {
    let text = match file {
        Some(path) => {
            let shown = escape_text(&path.display().to_string());
            let text = fs::read_to_string(path)
                .map_err(|why| CliError::usage(format!("--listen-token-file {shown}: {why}")))?;
            Some(text.trim().to_owned())
        }
        None => std::env::var(TOKEN_VARIABLE).ok(),
    };
    let Some(text) = text else { return Ok(ClientToken { text: random_id("mcp_"), is_new: true }) };
    if text.len() < MIN_TOKEN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        let why = format!(
            "the token for --listen must have at least {MIN_TOKEN} characters, without spaces; make one with: openssl rand -hex 16"
        );
        return Err(CliError::usage(why).into());
    }
    Ok(ClientToken { text, is_new: false })
}
