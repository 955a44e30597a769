//! `countersign policy reach`

use super::{
    agent_place::agent_place,
    reach_words::{describe_others, describe_witnesses, list_gaps, report_json},
    source::PolicySource,
};
use countersign_coding_agents::agents::{find_program, names};
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_json, print_line};
use countersign_events::{Place, Principal};
use countersign_policy::{PolicyProfile, ReachCaller, ReachLimits, ReachQuestion, ReachReport};

/// Options of `policy reach`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The question is one of:\n  \
read FILE, write FILE, delete FILE, list FILE, run FILE\n  \
connect HOST\n  \
push BRANCH, force BRANCH, delete branch BRANCH\n  \
kubernetes VERB [KIND[/NAME]] [in NAMESPACE] [of CONTEXT]\n  \
sql read|write|schema TABLE [of DATABASE]\n\n\
It makes calls that do this, with the tools and programs that Countersign knows and from the rules of the policy, and judges each. \
Every call that it shows as allowed was judged; nothing is run. A call that it did not make may still be allowed: it says what it did \
not try. Only the policy judges: the policy, grants and mode of a thread do not apply. The calls run in this folder and its \
project. It exits with 0 if no call that it made is allowed, and with 1 if one is.

JSON: {\"question\", \"reachable\": whether a call is allowed, \"witnesses\": [{\"does\": true if it certainly does it, false if it may, \
\"rules\": those that allow it, \"basis\": rule, zone, tool or default, \"reason\", \"call\": {\"form\": command, tool or mcpTool, \"name\", \
\"arguments\", \"server\": if a rule needs one, \"threadId\": if a rule needs one}}], \"others\": [{\"verdict\": ask or block, \
\"rule\": or null, \"basis\", \"reason\", \"advisor\": if one may answer, \"calls\": how many, \"example\": one of them}], \"tried\": how many calls \
were judged, \"isComplete\": false if there were too many, \"notCovered\": [texts], \"policy\": {\"file\": null if it is the active one \
or a profile, \"name\", \"sha256\"}}")]
pub(crate) struct PolicyReachArgs {
    /// What a call would do, such as: read ~/.aws/credentials
    #[arg(value_name = "QUESTION", required = true)]
    question: Vec<String>,
    /// Ask a profile instead of the policy from the settings or the active one: coding, careful or observe
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PolicyProfile>,
    /// The kind of agent that makes the calls, as `countersign install` lists it
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

pub(super) async fn run_policy_reach(
    context: &CommandContext,
    args: &PolicyReachArgs,
) -> anyhow::Result<CommandExit> {
    let question: ReachQuestion = args.question.join(" ").parse().map_err(|why| bad_question(&why))?;
    if let Some(agent) = &args.agent {
        find_program(agent).map_err(|_| {
            CliError::usage(format!(
                "{agent:?} is not an agent; known are {}, and generic",
                names().join(", ")
            ))
        })?;
    }
    let meant = find_policy(context, args.profile).await?;
    let caller = PresumedCaller::of_command(context, args.agent.as_deref())?;
    let report = meant.policy.search_reach(&question, caller.as_caller(), ReachLimits::QUESTION);
    if context.json {
        print_json(&report_json(&question, &report, &meant))?;
    } else {
        print_report(context, &question, &report, &meant);
    }
    Ok(if report.witnesses.is_empty() { CommandExit::DONE } else { CommandExit::FAILED })
}

fn bad_question(why: &countersign_policy::BadQuestion) -> CliError {
    CliError { exit: CommandExit::USAGE, code: "bad_question", message: why.to_string() }
}

async fn find_policy(
    context: &CommandContext,
    profile: Option<PolicyProfile>,
) -> anyhow::Result<PolicySource> {
    let Some(profile) = profile else { return PolicySource::find(context).await };
    if let Some(file) = &context.options.policy {
        let message = format!("ask {} or the profile {profile}, not both: remove one option", file.display());
        return Err(CliError::usage(message).into());
    }
    Ok(PolicySource::from_profile(profile))
}

/// An agent in this folder.
pub(super) struct PresumedCaller {
    thread: countersign_events::ThreadId,
    principal: Principal,
    place: Place,
    home: Option<String>,
}

impl PresumedCaller {
    /// An agent of this kind, or the principal of the command.
    fn of_command(context: &CommandContext, agent: Option<&str>) -> anyhow::Result<Self> {
        let principal = context.settings.principal_or(Principal::agent, agent)?;
        Self::new(context, principal, agent)
    }

    /// Any agent. Whoever changes a policy is a person, and the calls are not theirs.
    pub(super) fn of_any_agent(context: &CommandContext) -> anyhow::Result<Self> {
        Self::new(context, Principal::agent("any"), None)
    }

    fn new(context: &CommandContext, principal: Principal, agent: Option<&str>) -> anyhow::Result<Self> {
        let thread = countersign_api::parse_thread_id("terminal")?;
        let place = Place { agent: agent.map(str::to_owned), ..agent_place(context)? };
        Ok(Self { thread, principal, place, home: std::env::var("HOME").ok() })
    }

    pub(super) fn as_caller(&self) -> ReachCaller<'_> {
        let Self { thread, principal, place, home } = self;
        ReachCaller { thread, principal, place, home: home.as_deref() }
    }
}

fn print_report(
    context: &CommandContext,
    question: &ReachQuestion,
    report: &ReachReport,
    meant: &PolicySource,
) {
    let shown = escape_text(&question.to_string());
    let policy = escape_text(meant.name());
    match (report.witnesses.first(), report.tried) {
        (Some(_), _) => print_line(&format!("{shown}: {policy} can allow it.")),
        (None, 0) => print_line(&format!("{shown}: no call is known that would do this.")),
        (None, _) => print_line(&format!("{shown}: {policy} allows no call that was tried.")),
    }
    for line in describe_witnesses(&report.witnesses, &context.screen()) {
        print_line(&line);
    }
    for line in describe_others(&report.others, &context.screen()) {
        print_line(&line);
    }
    print_line("");
    for gap in list_gaps(report) {
        print_line(&format!("Not covered: {}", escape_text(&gap)));
    }
}
