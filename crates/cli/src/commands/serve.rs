//! `countersign serve`

mod service;
mod sockets;

use crate::{
    args::{Args, Serve},
    exit::{Exit, Said},
    output, target,
};
use countersign_api::{self as api, ApprovalGate, LogFilter};
use countersign_gate::{Address, EmbeddedGate, Options};
use countersign_server::{Listener, Options as ServerOptions};
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub(crate) async fn serve(args: &Args, serve: &Serve) -> anyhow::Result<Exit> {
    if args.target.server.is_some() {
        return Err(Said::usage("a server serves a database: use --database instead of --server").into());
    }
    let address = args.settings.database()?;
    let policy = args.settings.policy()?;
    let rules = policy.rules();
    // The sockets first: where nothing can be served, no file is made.
    let listeners = sockets::listeners(args, serve)?;
    let gate = EmbeddedGate::open_with(address.clone(), Options::default(), policy).await?;
    let urls: Vec<_> =
        listeners.iter().map(Listener::address).map(countersign_server::Address::url).collect();
    let stop = CancellationToken::new();
    service::obey_signals(args, &gate, &stop)?;
    let database = match address {
        Address::File(path) => path.canonicalize().unwrap_or(path).display().to_string(),
        elsewhere @ Address::Postgres(_) => elsewhere.to_string(),
    };
    if args.json {
        let said =
            json!({"listening": urls.first(), "addresses": urls, "database": database, "rules": rules});
        output::say(&said.to_string());
    } else {
        greet(args, &gate, &urls, &database, rules).await?;
    }
    service::ready();
    countersign_server::serve(listeners, gate.clone(), ServerOptions::default(), stop).await?;
    gate.shut_down().await;
    tracing::info!("stopped; what was acknowledged is on disk");
    Ok(Exit::DONE)
}

async fn greet(
    args: &Args,
    gate: &EmbeddedGate,
    urls: &[String],
    database: &str,
    rules: usize,
) -> anyhow::Result<()> {
    let events = gate.tip(None).await?;
    let waiting =
        gate.pending(&LogFilter::default(), api::PageQuery { after: 0, limit: api::MAX_PAGE }).await?;
    let more = if waiting.next.is_some() { "more than " } else { "" };
    let waiting = waiting.pending.len();
    let policy = args.settings.policy_path().map_or_else(
        || "none is set: task tools are free, and the rest is asked (--policy FILE)".to_owned(),
        |path| format!("{} ({rules} {})", path.display(), if rules == 1 { "rule" } else { "rules" }),
    );
    let how = target::how_to_call(args);
    let listening = urls.join("\n             ");
    let curl = match urls.first().and_then(|url| url.strip_prefix("unix:")) {
        Some(path) => format!("--unix-socket {path} http://localhost"),
        None => urls.first().cloned().unwrap_or_default(),
    };
    output::say(&format!(
        "Countersign {version}\n\
         \n  listening  {listening}\
         \n  database   {database} ({events} events, {more}{waiting} waiting for a decision)\
         \n  policy     {policy}\n\
         \nIn a second terminal, propose a command:\
         \n  {how} run -- git --version\
         \nIn a third, see what waits and decide:\
         \n  {how} watch\
         \n  {how} pending\
         \n  {how} allow ID          or: curl {curl}/v1/approvals/pending\n\
         \nCtrl-C stops the server and loses nothing.\n",
        version = env!("CARGO_PKG_VERSION"),
    ));
    Ok(())
}
