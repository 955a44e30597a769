//! `countersign policy show`

use super::recorded_policy::{NOT_RECORDED, RecordedPolicy, read_policy_in_force, read_policy_of};
use countersign_console::{CommandContext, CommandExit, escape_lines, escape_text, print_json, print_line};
use countersign_policy::{PolicyProfile, PolicyText};

/// Options of `policy show`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first lines are comments that say who applied the policy, when and from where. A file of policy.d follows a line \
with its name.

JSON: {\"seq\", \"at\", \"principal\", \"hash\", \"source\", \"text\", \"layers\": [{\"name\", \"text\"}]}; with --hash only \
{\"seq\", \"hash\"}; with --profile {\"source\", \"hash\", \"text\"}")]
pub(crate) struct PolicyShowArgs {
    /// Print only the SHA-256, which requests and responses carry
    #[arg(long)]
    hash: bool,
    /// The policy that event N made active [default: the active policy]
    #[arg(long, value_name = "N")]
    seq: Option<i64>,
    /// The text of a profile, which `policy use` activates: coding, careful or observe
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["hash", "seq"])]
    profile: Option<PolicyProfile>,
}

pub(crate) async fn show_policy(
    context: &CommandContext,
    args: &PolicyShowArgs,
) -> anyhow::Result<CommandExit> {
    if let Some(profile) = args.profile {
        return show_profile(context, profile);
    }
    let gate = context.connect().await?;
    let policy = match args.seq {
        Some(seq) => read_policy_of(&gate, seq).await?,
        None => read_policy_in_force(&gate).await?,
    };
    match (context.json, args.hash) {
        (true, true) => {
            print_json(&serde_json::json!({"seq": policy.seq, "hash": policy.hash}))?;
        }
        (true, false) => print_json(&policy)?,
        (false, true) => print_line(&policy.hash.to_string()),
        (false, false) => print_line(&format_policy(&policy)),
    }
    Ok(CommandExit::DONE)
}

fn show_profile(context: &CommandContext, profile: PolicyProfile) -> anyhow::Result<CommandExit> {
    let text = profile.text();
    if context.json {
        let hash = PolicyText::from(text.as_str()).hash();
        print_json(&serde_json::json!({"source": format!("profile {profile}"), "hash": hash, "text": text}))?;
    } else {
        print_line(&format!("# Profile {profile}: {}\n\n{}", profile.summary(), text.trim_end()));
    }
    Ok(CommandExit::DONE)
}

fn format_policy(policy: &RecordedPolicy) -> String {
    let RecordedPolicy { seq, at, principal, hash, source, text, layers } = policy;
    let (principal, source) = (escape_text(principal.as_str()), escape_text(source));
    let origin = if policy.is_recorded() {
        format!("# Event {seq}, {at}: {principal} applied this policy, from {source}")
    } else {
        format!("# {NOT_RECORDED}\n# The next process that can write applies this policy: {source}")
    };
    let mut shown = format!("{origin}\n# SHA-256 {hash}\n\n{}", escape_lines(text));
    for layer in layers {
        let (name, text) = (escape_text(&layer.name), escape_lines(&layer.text));
        shown.extend(["\n\n# ", &name, "\n\n", &text]);
    }
    shown.trim_end().to_owned()
}
