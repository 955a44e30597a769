//! `countersign hook`: answers one message of a coding agent. A failure always ends with the exit code that blocks.

use super::install::{find_hook_removal, may_ask_by_rule};
use crate::call_place::project_of;
use countersign_api::Call;
use countersign_coding_agents::{
    agents::{find_agent, find_program},
    hook::{
        HookEvent, HookOrigin, HookProgram, HookTerms, MAX_MESSAGE_BYTES, PromptTerms, RuleAllowance,
        answer_hook, start_folder, withdraw_call,
    },
};
use countersign_console::{
    CliError, CommandContext, CommandExit, LogTarget, TerminationSignals, escape_lines, print_error,
    try_print_line,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::{
    fs::File,
    io::Read,
    os::{fd::AsFd, unix::fs::MetadataExt},
    sync::mpsc,
    time::Duration,
};

/// The exit code with which a hook stops the call. Agents let a call through after other failures.
pub(crate) const BLOCK: CommandExit = CommandExit::USAGE;

/// The characters that are encoded in a path segment.
const PATH_PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The time that a hook has besides waiting, before it stops the call.
const MARGIN: Duration = Duration::from_secs(20);

/// Sets an upper limit for the whole hook. It can only make the hook stop a call earlier.
const LIMIT_VARIABLE: &str = "COUNTERSIGN_HOOK_LIMIT";

/// Options of `hook`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`countersign install AGENT` writes this command into the configuration of the agent. It reads one message on stdin \
and answers on stdout, as the agent defines. It exits with 0 if it answered, and with 2, which stops the call, after any \
failure.\n\n\
The thread is the session of the agent, and the tool has the name that the agent gives it: a tool of an MCP server is \
mcp__server__tool. If no person decides in time, the call stays open, and the agent gets a message that says where to decide. \
When it repeats the same call, it gets the decision.\n\n\
Environment:\n  COUNTERSIGN_HOOK_LIMIT  a shorter time limit for the whole hook, such as 5s"
)]
pub(crate) struct HookArgs {
    /// The agent, as `countersign install` lists it; generic for any other program
    #[arg(value_name = "AGENT", value_parser = find_program)]
    caller: &'static dyn HookProgram,
    /// How long to wait for a decision; less than the hook time-out in the agent's configuration
    #[arg(long, value_name = "DURATION", value_parser = super::run::parse_seconds, default_value = "9m")]
    wait: u32,
    /// The time after which the outcome counts as unknown if the agent reports no result, at most 1d
    #[arg(long, value_name = "DURATION", value_parser = super::run::parse_seconds, default_value = "1h")]
    lease: u32,
    /// The answer to a call that a rule allows: none leaves it to the agent's own rules, which may ask or deny; allow runs it;
    /// unless-asked runs it except while the agent's settings have rules that ask
    #[arg(long, value_name = "ANSWER", default_value = "none")]
    decide: HookDecision,
    /// Where a question of the agent is asked first: in its own dialog, and later in the inbox, too; or only in the inbox. Without
    /// a person in front of the agent, it is always the inbox
    #[arg(long, value_name = "PLACE", default_value = "dialog")]
    questions: QuestionPlace,
    /// The time after which a question in the agent's own dialog is in the inbox, too; never, if it is not shorter than --wait
    #[arg(long, value_name = "DURATION", value_parser = super::run::parse_delay, default_value = "1m")]
    questions_after: u32,
    /// Answer `defer` instead of a denial if no person decides in time: `claude -p` then ends, and `--resume` asks again
    #[arg(long)]
    defer: bool,
}

/// Where a question of the agent is asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum QuestionPlace {
    Dialog,
    Inbox,
}

/// How a hook answers a call that a rule allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HookDecision {
    Allow,
    UnlessAsked,
    None,
}

impl HookArgs {
    /// The program whose message is answered.
    pub(crate) const fn caller(&self) -> &'static dyn HookProgram {
        self.caller
    }
}

/// Makes each panic of this process stop the call. The usual exit code of a panic does not.
pub(crate) fn block_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        print_error(&format!("countersign: the call is blocked, because the hook failed: {panic}"));
        std::process::exit(i32::from(BLOCK.0));
    }));
}

/// Stops the call if the hook is not done in time, also if it hangs in an operation that does not end.
fn start_time_limit(limit: Duration) -> Option<mpsc::Sender<()>> {
    let (ended, is_ended) = mpsc::channel::<()>();
    let watch = std::thread::Builder::new().name("time-limit".to_owned()).spawn(move || {
        if is_ended.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            print_error(
                "countersign: the call is blocked, because the approval service did not answer in time",
            );
            std::process::exit(i32::from(BLOCK.0));
        }
    });
    watch.ok().map(|_| ended)
}

pub(crate) async fn run_hook(context: &CommandContext, args: &HookArgs) -> anyhow::Result<CommandExit> {
    let wait = Duration::from_secs(u64::from(args.wait));
    let set = countersign_console::read_variable(LIMIT_VARIABLE).and_then(|text| text.into_string().ok());
    let set = set.map(|text| super::run::parse_seconds(&text)).transpose().map_err(CliError::usage)?;
    let limit =
        set.map_or(wait + MARGIN, |seconds| Duration::from_secs(u64::from(seconds)).min(wait + MARGIN));
    let in_time = start_time_limit(limit);
    if in_time.is_none() {
        return Err(CliError::usage("the system starts no thread for the time limit").into());
    }
    let mut signals = TerminationSignals::listen()?;
    let text = read_message()?;
    let message = args.caller.read_message(&text)?;
    if message.event == HookEvent::ConfigChange {
        return check_configuration(args.caller);
    }
    let borrower = args.caller.borrower(&has_value);
    let kind = borrower.or(args.caller.kind());
    let gate = context.connect_to_propose_for(kind).await?;
    let place = decision_place(context)?;
    let host = context.host_name();
    let project = project_of_agent();
    let terms = HookTerms {
        wait,
        lease_seconds: args.lease,
        rule_answer: rule_answer(args, borrower),
        origin: HookOrigin { agent: kind, project: project.as_deref(), host: host.as_deref() },
        ignores_edits: borrower.is_some(),
        defers: args.defer || !args.caller.has_own_rules(),
        prompts: PromptTerms {
            is_attended: args.caller.is_attended(&read_text_variable),
            own_time: (args.questions == QuestionPlace::Dialog)
                .then(|| Duration::from_secs(u64::from(args.questions_after))),
        },
        decision_place: &place,
    };
    let answer = tokio::select! {
        answer = answer_hook(&*gate, args.caller, &message, terms) => answer?,
        _ = signals.receive() => {
            let withdrawn = withdraw_call(&*gate, args.caller, &message, terms).await;
            if let Err(error) = withdrawn {
                print_error(&format!("countersign: {}", escape_lines(&error.to_string())));
            }
            return Err(CliError::usage("the agent stopped waiting for the decision").into());
        }
    };
    let is_told = answer.is_empty() || stdout_is_read() && try_print_line(&answer);
    if !is_told {
        return Err(CliError::usage("the answer could not be written to stdout").into());
    }
    // The sender ends the time limit when it is dropped.
    drop(in_time);
    Ok(CommandExit::DONE)
}

/// What a call that a rule allows is answered. The rules of an agent that borrows this hook are not known.
fn rule_answer(args: &HookArgs, borrower: Option<&str>) -> RuleAllowance {
    let started = start_folder(read_text_variable);
    let may_ask = || match find_agent(args.caller.name()) {
        Ok(agent) => borrower.is_some() || may_ask_by_rule(agent, started.as_deref()),
        Err(_) => true,
    };
    match args.decide {
        HookDecision::UnlessAsked if may_ask() => RuleAllowance::None,
        HookDecision::None if args.caller.has_own_rules() => RuleAllowance::None,
        HookDecision::UnlessAsked => RuleAllowance::UnlessRefused,
        HookDecision::Allow | HookDecision::None => RuleAllowance::Allow,
    }
}

/// Refuses a change of the configuration after which the hook would not run.
fn check_configuration(caller: &dyn HookProgram) -> anyhow::Result<CommandExit> {
    match find_hook_removal(find_agent(caller.name())?) {
        None => Ok(CommandExit::DONE),
        Some(why) => {
            let message = format!("the change of the configuration is refused: {}", escape_lines(&why));
            Err(CliError::usage(message).into())
        }
    }
}

/// The value of an environment variable, if it is text.
fn read_text_variable(name: &str) -> Option<String> {
    countersign_console::read_variable(name).and_then(|value| value.into_string().ok())
}

/// The project in which the agent that runs this hook was started.
fn project_of_agent() -> Option<String> {
    let start = start_folder(read_text_variable).or_else(|| std::env::current_dir().ok())?;
    project_of(&start)
}

/// Returns true if this environment variable has a value.
fn has_value(name: &str) -> bool {
    countersign_console::read_variable(name).is_some_and(|value| !value.is_empty())
}

/// Whether someone can read what is written to stdout. The Rust runtime replaces a closed stdout with the null device,
/// and an agent reads a silent hook as consent.
fn stdout_is_read() -> bool {
    let device = |file: File| file.metadata().map(|found| found.rdev());
    let stdout = std::io::stdout().as_fd().try_clone_to_owned().map(File::from).and_then(device);
    match (stdout, File::open("/dev/null").and_then(device)) {
        (Ok(stdout), Ok(null)) => stdout != null,
        (Ok(_), Err(_)) => true,
        (Err(_), _) => false,
    }
}

/// Reads the message. It ends with stdin.
fn read_message() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let most = u64::try_from(MAX_MESSAGE_BYTES)? + 1;
    std::io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).map_err(|_| CliError::usage("stdin is not UTF-8"))?)
}

/// Says where a person decides: on the call page, or with a command if there is no server.
pub(crate) fn decision_place(
    context: &CommandContext,
) -> anyhow::Result<impl Fn(&Call) -> String + Send + Sync + use<>> {
    let server = match context.settings.target()? {
        LogTarget::Server(url) if url.starts_with("http") => Some(countersign_client::without_password(&url)),
        _ => None,
    };
    let prefix = context.command_prefix();
    Ok(move |call: &Call| {
        let encode = |text: &str| utf8_percent_encode(text, PATH_PART).to_string();
        match &server {
            Some(url) => {
                let (thread, id) = (encode(call.thread_id.as_str()), encode(call.id.as_str()));
                format!("{}/calls/{thread}/{id}", url.trim_end_matches('/'))
            }
            None => format!("{prefix} allow {}", call.id),
        }
    })
}
