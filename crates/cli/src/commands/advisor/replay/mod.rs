//! `countersign advisor replay`

mod answer_file;
mod past_questions;
mod question_rate;

use super::{
    measured_advisor::{MeasuredAdvisor, MeasuredExtent},
    measured_calls::{MeasuredCallArgs, print_hidden_threads},
    measured_table::print_measurement,
};
use answer_file::{AnswerFile, ReplayRun};
use countersign_api::{self as api, LogFilter, SharedGate};
use countersign_console::{
    CommandContext, CommandExit, advisor_access, count_words, escape_text, print_error, print_json,
    print_line,
};
use countersign_events::{ReportSource, Sha256};
use past_questions::{PastQuestions, ReplayedAnswers};
use question_rate::QuestionRate;
use serde_json::json;
use std::{path::PathBuf, sync::Arc};

/// Options of `advisor replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It asks the advisor of the policy from --policy or the settings, or else of the active policy, about each past call that it \
applies to and that a person decided, as it would have been asked then. The answers decide nothing. The measurement is \
recorded in the log, and counts for the thresholds of the policy; --dry-run leaves that out. With --until, it covers the log as \
it was then. On a server, recording needs the token of an admin.

With --resume, the answers are kept in a file. The same command continues after an interruption, over the same calls; questions \
that could not reach the advisor are asked again. If the settings of the advisor have changed, it is refused.

JSON: as in `advisor report`, with \"source\": \"replay\", without \"drift\", and with \"skipped\": the calls whose content was erased")]
pub(crate) struct AdvisorReplayArgs {
    /// The advisor
    name: String,
    #[command(flatten)]
    calls: MeasuredCallArgs,
    /// The most questions in a time, such as 5/s, 100/m or 1000/h
    #[arg(long, value_name = "RATE", default_value = "5/s")]
    rate: QuestionRate,
    /// The most questions at the same time; that of the policy, if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    concurrency: Option<u32>,
    /// Keep the answers in this file, and continue if it has any
    #[arg(long, value_name = "STATE-FILE")]
    resume: Option<PathBuf>,
    /// Record nothing in the log
    #[arg(long)]
    dry_run: bool,
    /// Start the program that the policy names, as the user who types this
    #[arg(long)]
    advisor_commands: bool,
}

pub(super) async fn replay_advisor(
    context: &CommandContext,
    args: &AdvisorReplayArgs,
) -> anyhow::Result<CommandExit> {
    if args.dry_run {
        print_hidden_threads(context).await?;
    } else {
        args.calls.check_may_record(context, "add --dry-run").await?;
    }
    let gate = context.connect_to_read().await?;
    let advisor = MeasuredAdvisor::find(context, &gate, &args.name).await?;
    let run = ReplayRun {
        log: read_log_id(&gate).await?,
        advisor: args.name.clone(),
        configuration: advisor.settings.configuration,
        typed: args.calls.clone(),
        calls: args.calls.find_calls(&gate).await?,
    };
    let (file, run) = match &args.resume {
        Some(path) => {
            let (file, run) = AnswerFile::open(path, run)?;
            (Some(file), run)
        }
        None => (None, run),
    };
    let questions = PastQuestions {
        gate: gate.clone(),
        advisor: Arc::clone(&advisor.settings),
        policy: Arc::clone(&advisor.policy),
        access: Arc::new(advisor_access(context, args.advisor_commands)?),
        concurrency: args.concurrency.unwrap_or(advisor.settings.concurrency),
        rate: args.rate,
    };
    let answers = questions.ask_all(context, &run, file).await?;
    let extent = run.calls.extent(ReportSource::Replay, answers.first);
    if !args.dry_run {
        advisor.record(&gate, extent, &answers.measured).await?;
    }
    print_replay(context, &advisor, extent, &answers, !args.dry_run)?;
    Ok(CommandExit::DONE)
}

/// The first event's hash, which no other log has.
async fn read_log_id(gate: &SharedGate) -> anyhow::Result<Option<Sha256>> {
    let page = api::PageQuery { after: 0, limit: 1 };
    let found = gate.events(&LogFilter::default(), page).await?;
    Ok(found.events.first().and_then(|event| event.hash))
}

fn print_replay(
    context: &CommandContext,
    advisor: &MeasuredAdvisor,
    extent: MeasuredExtent,
    answers: &ReplayedAnswers,
    recorded: bool,
) -> anyhow::Result<()> {
    let measured = &answers.measured;
    if context.json {
        let mut json = advisor.describe_in_json(extent, measured);
        json["skipped"] = answers.skipped.into();
        json["recorded"] = recorded.into();
        json["thread"] = json!(answers.thread);
        print_json(&json)?;
    } else if measured.total.calls == 0 {
        print_line("No person has decided a call that the advisor applies to.");
    } else {
        let calls = count_words(measured.total.calls, "call");
        let name = escape_text(advisor.name());
        print_line(&format!("{calls} that people decided, judged by {name} of {}:\n", advisor.policy_name));
        print_measurement(measured, &context.screen());
        if answers.skipped > 0 {
            let skipped = count_words(answers.skipped, "call");
            print_line(&format!("\nNot asked: {skipped}, because the content was erased or archived."));
        }
        let met = match advisor.check_thresholds(extent, measured) {
            Ok(()) => "It meets the thresholds of the policy.".to_owned(),
            Err(unmet) => format!("It does not meet the thresholds of the policy: {unmet}."),
        };
        let stored = if recorded { " The measurement is in the log." } else { "" };
        print_line(&format!("\n{met}{stored}"));
    }
    if answers.damaged > 0 {
        let calls = count_words(answers.damaged, "call");
        print_error(&format!("{calls} cannot be read and were left out: countersign verify"));
    }
    Ok(())
}
