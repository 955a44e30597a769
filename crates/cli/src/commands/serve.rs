//! `countersign serve`

use crate::{
    args::{Args, Serve},
    exit::{Exit, Said},
    output, target,
};
use countersign_gate::{Filter, Gate, Options, api};
use serde_json::json;
use std::net::SocketAddr;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

pub(crate) async fn serve(args: &Args, serve: &Serve) -> anyhow::Result<Exit> {
    if args.target.server.is_some() {
        return Err(Said::usage("a server serves a file: use --database instead of --server").into());
    }
    let address = address(args, serve)?;
    let database = args.settings.database()?;
    let policy = args.settings.policy()?;
    let rules = policy.rules();
    // The address first: where nothing can be served, no file is made.
    let listener = bind(address).await?;
    let gate = Gate::open_with(&database, Options::default(), policy).await?;
    let bound = listener.local_addr()?;
    let stop = CancellationToken::new();
    stop_on_signals(stop.clone())?;
    let database = database.canonicalize().unwrap_or(database);
    if args.json {
        output::say(
            &json!({"listening": format!("http://{bound}"), "database": database, "rules": rules})
                .to_string(),
        );
    } else {
        greet(args, &gate, bound, &database.display().to_string(), rules).await?;
    }
    countersign_server::serve(listener, gate.clone(), stop).await?;
    gate.shut_down().await;
    tracing::info!("stopped; what was acknowledged is on disk");
    Ok(Exit::DONE)
}

async fn bind(address: SocketAddr) -> anyhow::Result<tokio::net::TcpListener> {
    countersign_server::bind(address).await.map_err(|error| match error {
        countersign_server::Error::NotLoopback(_) => Said::usage(error.to_string()).into(),
        other => other.into(),
    })
}

fn address(args: &Args, serve: &Serve) -> anyhow::Result<SocketAddr> {
    if let Some(address) = serve.listen {
        return Ok(address);
    }
    let Some((named, origin)) = args.settings.listen() else {
        return Ok(SocketAddr::from(([127, 0, 0, 1], 7878)));
    };
    let named = named.first().map_or("", String::as_str);
    let found = crate::args::address(named);
    Ok(found.map_err(|why| Said::usage(format!("{origin} is {named:?}, and {why}")))?)
}

/// The first signal ends streams and waits and lets what is under way finish; the second ends at once.
fn stop_on_signals(stop: CancellationToken) -> anyhow::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        for last in [false, true] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if last {
                std::process::exit(i32::from(Exit::INTERRUPTED.0));
            }
            tracing::info!("stopping");
            stop.cancel();
        }
    });
    Ok(())
}

async fn greet(
    args: &Args,
    gate: &Gate,
    bound: SocketAddr,
    database: &str,
    rules: usize,
) -> anyhow::Result<()> {
    let events = gate.ready().await?.events;
    let waiting = gate.pending(&Filter::default(), api::PageOf { after: 0, limit: api::MAX_PAGE }).await?;
    let more = if waiting.next.is_some() { "more than " } else { "" };
    let waiting = waiting.pending.len();
    let policy = args.settings.policy_path().map_or_else(
        || "none, so every call is asked about (--policy FILE)".to_owned(),
        |path| format!("{} ({rules} {})", path.display(), if rules == 1 { "rule" } else { "rules" }),
    );
    let how = target::how_to_call(args);
    output::say(&format!(
        "Countersign {version}\n\
         \n  listening  http://{bound}\
         \n  database   {database} ({events} events, {more}{waiting} waiting for a decision)\
         \n  policy     {policy}\n\
         \nIn a second terminal, propose a command:\
         \n  {how} run -- git --version\
         \nIn a third, see what waits and decide:\
         \n  {how} pending\
         \n  {how} allow ID          or: curl http://{bound}/v1/approvals/pending\n\
         \nCtrl-C stops the server and loses nothing.\n",
        version = env!("CARGO_PKG_VERSION"),
    ));
    Ok(())
}
