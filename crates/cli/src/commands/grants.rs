//! `countersign grants` and `countersign revoke`

use crate::target::Gate;
use crate::{
    args::Args,
    exit::Exit,
    output::{self, ago, visible},
    screen::Screen,
    table::{Fit, Table},
    target,
};
use countersign_api as api;
use countersign_gate::{Clock, ThreadId};

/// Whose grants.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"grants\": [{\"seq\", \"tool\", \"principal\", \"at\", \"toolCallId\", \"decision\": allow_session or deny, \"match\", \"says\": that in words, \"level\", \"comment\"}], \"next\": null}, the oldest first"
)]
pub(crate) struct Grants {
    /// The thread
    thread: String,
}

/// Which grant.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: {\"grants\": […], \"next\"}, those that still stand")]
pub(crate) struct Revoke {
    /// The thread
    thread: String,
    /// The grant, by its number in `grants`
    #[arg(value_name = "GRANT")]
    grant: i64,
}

pub(crate) async fn grants(args: &Args, wish: &Grants) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let found = all_grants(&gate, &countersign_api::parse_thread_id(&wish.thread)?).await?;
    if args.json {
        output::say(&serde_json::to_string(&found)?);
    } else if found.grants.is_empty() {
        output::say(&format!("No grant stands in thread {}.", visible(&wish.thread)));
    } else {
        output::say(&as_table(&found).lay_out(&Screen::of(args)));
    }
    Ok(Exit::DONE)
}

async fn all_grants(gate: &Gate, thread: &ThreadId) -> anyhow::Result<api::GrantPage> {
    let mut all = api::GrantPage { grants: Vec::new(), next: None };
    loop {
        let page = api::PageQuery { after: all.next.unwrap_or(0), limit: api::MAX_PAGE };
        let found = gate.grants(thread, page).await?;
        all.grants.extend(found.grants);
        all.next = found.next;
        if all.next.is_none() {
            return Ok(all);
        }
    }
}

fn as_table(found: &api::GrantPage) -> Table {
    let now = Clock::System.now();
    let mut table = Table::new(&[
        ("GRANT", Fit::Number),
        ("TOOL", Fit::Wrap),
        ("ANSWER", Fit::Whole),
        ("FOR", Fit::Wrap),
        ("GIVEN BY", Fit::Wrap),
        ("WHEN", Fit::Whole),
        ("ON CALL", Fit::Cut),
    ]);
    for grant in &found.grants {
        let level = grant.level.as_ref().map_or(String::new(), |level| format!(", as {}", visible(level)));
        table.row([
            grant.seq.to_string().into(),
            visible(grant.tool.as_str()).into(),
            if grant.decision.allows() { "allow" } else { "deny" }.into(),
            (visible(&grant.says) + &level).into(),
            visible(grant.principal.as_str()).into(),
            ago(grant.at, now).into(),
            visible(grant.tool_call_id.as_str()).into(),
        ]);
    }
    table
}

pub(crate) async fn revoke(args: &Args, wish: &Revoke) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let thread = countersign_api::parse_thread_id(&wish.thread)?;
    // What is taken back a second time is no error, and does not count as having been done now.
    let stood = all_grants(&gate, &thread).await?.grants.iter().any(|grant| grant.seq == wish.grant);
    let left = gate.revoke(&thread, wish.grant).await?;
    if args.json {
        output::say(&serde_json::to_string(&left)?);
    } else {
        let (grant, thread, left) = (wish.grant, visible(&wish.thread), left.grants.len());
        output::say(&if stood {
            format!("Took back grant {grant} of thread {thread}; {left} still stand there.")
        } else {
            format!(
                "Nothing changed: grant {grant} of thread {thread} was taken back before; {left} still stand there."
            )
        });
    }
    Ok(Exit::DONE)
}
