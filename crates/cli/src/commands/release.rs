//! `countersign release`

use super::print_call;
use crate::{
    args::{Args, Which},
    exit::Exit,
    find,
    output::{self, visible},
    target,
};
use countersign_api as api;
use countersign_gate::Principal;

/// Which call, and why.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Whether a call whose executor was lost has run, nobody here knows. Released, it may run a second time: \
look first at what it would have done.\n\n\
JSON: the call, as the API has it"
)]
pub(crate) struct Release {
    #[command(flatten)]
    which: Which,
    /// How you know that it may run: the log keeps it
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

pub(crate) async fn release(args: &Args, wish: &Release) -> anyhow::Result<Exit> {
    let gate = target::deciding(args, Principal::user, false).await?;
    let call = find::find(&gate, &wish.which).await?;
    let release = api::ReleaseRequest { comment: wish.comment.clone() };
    let released = gate.release(&call.thread_id, &call.id, &release).await?;
    if args.json {
        return print_call(args, &released);
    }
    let lost = call.execution.as_ref().map_or("nobody", |lost| lost.executor.as_str());
    let (id, lost) = (visible(released.id.as_str()), visible(lost));
    output::say(&format!("Released {id}: another executor may take it over from {lost}."));
    Ok(Exit::DONE)
}
