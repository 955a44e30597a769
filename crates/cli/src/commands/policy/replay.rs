//! `countersign policy replay`

use super::{
    Meant,
    check::style,
    count,
    history::{self, Which},
    word,
};
use crate::{
    args::Args,
    exit::Exit,
    output::{self, visible},
    screen::{Screen, Style},
    story,
    table::{Cell, Fit, Table},
};
use countersign_gate::{
    event::{Basis, Source},
    replay::{self, Case, Listed, Report},
};

/// Which calls, and by which policy: --policy names it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Nothing is decided anew: it reads the log, judges each call by the policy that is set (--policy names another), and \
compares. A call that a grant, a mode or a thread's own policy answered was no prompt, and is none now.

JSON: {\"policy\", \"calls\": how many could be compared, \"masked\", \"unsettled\", \"then\" and \"now\": {\"asked\", \
\"allowed\", \"blocked\", \"answered\"}, \"unchanged\", \"saved\": {\"allowed\", \"blocked\"}, \"added\", \
\"allowedThoughDenied\", \"blockedThoughRun\", \"askedThoughRun\" and \"askedOtherwise\": {\"count\", \"calls\": the first 1000, each with \
\"seq\", \"threadId\", \"id\", \"name\", \"arguments\", \"then\" and \"now\"}, \"rules\" and \"shadow\": [{\"rule\", \
\"basis\", \"verdict\", \"calls\"}]}")]
pub(crate) struct Replay {
    #[command(flatten)]
    which: Which,
    /// How many calls of each list to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

pub(crate) async fn replay(args: &Args, wish: &Replay) -> anyhow::Result<Exit> {
    let meant = Meant::by(args)?;
    let name = meant.name().to_owned();
    let mut replay = replay::Replay::new(meant.policy);
    let damaged = history::each(args, &wish.which, |call| replay.take(call, &|| false)).await?;
    let report = replay.report();
    if args.json {
        output::say(&output::json_line(&report)?);
    } else {
        say(&report, &name, wish.limit, &Screen::of(args));
    }
    if damaged > 0 {
        let calls = count(damaged, "call");
        output::complain(&format!("{calls} cannot be read and were left out: countersign verify"));
    }
    Ok(Exit::DONE)
}

fn say(report: &Report, name: &str, limit: usize, screen: &Screen) {
    if report.calls + report.masked == 0 {
        output::say("No calls were proposed then.");
        return;
    }
    let calls = count(report.calls, "call");
    output::say(&format!("{calls}, judged by {}:\n", visible(name)));
    output::say(&ways(report).lay_out(screen));
    output::say(&format!("\n{}", summary(report)));
    list(
        &report.allowed_though_denied,
        "It would have allowed what was denied, lapsed, or was changed",
        limit,
        screen,
    );
    list(&report.blocked_though_run, "It would have blocked what ran", limit, screen);
    list(&report.asked_though_run, "It would have asked about what ran unasked", limit, screen);
    list(&report.asked_otherwise, "It would have asked other people, more or fewer", limit, screen);
    output::say(&format!("\n{}", rules(report).lay_out(screen)));
}

fn ways(report: &Report) -> Table {
    let mut table = Table::new(&[("", Fit::Whole), ("THEN", Fit::Number), ("NOW", Fit::Number)]);
    let (then, now) = (&report.then, &report.now);
    let rows = [
        ("people asked", then.asked, now.asked),
        ("allowed by the policy", then.allowed, now.allowed),
        ("blocked by the policy", then.blocked, now.blocked),
        ("answered by the thread", then.answered, now.answered),
    ];
    for (what, then, now) in rows {
        let style = if then == now { Style::Plain } else { Style::Bold };
        table.row([what.into(), then.to_string().into(), Cell::styled(style, now.to_string())]);
    }
    table
}

fn summary(report: &Report) -> String {
    if !report.differs() {
        return format!("Nothing would have been different.{}", left_out(report));
    }
    let saved = report.saved.allowed + report.saved.blocked;
    let how = match saved {
        0 => String::new(),
        _ => format!(" ({} allowed, {} blocked)", report.saved.allowed, report.saved.blocked),
    };
    format!(
        "{} saved{how}, {} added; {} of {} would have been answered otherwise.{}",
        count(saved, "prompt"),
        report.added,
        report.calls - report.unchanged,
        count(report.calls, "call"),
        left_out(report)
    )
}

fn left_out(report: &Report) -> String {
    let reasons = [
        (report.masked, ", as what is masked in the log may matter to the policy"),
        (report.unsettled, " that nothing answered"),
    ];
    let told = reasons.into_iter().filter(|(number, _)| *number > 0);
    told.map(|(number, why)| format!("\nNot compared: {}{why}.", count(number, "call")))
        .collect::<Vec<_>>()
        .concat()
}

fn list(listed: &Listed, title: &str, limit: usize, screen: &Screen) {
    if listed.count == 0 {
        return;
    }
    output::say(&format!("\n{}", screen.paint(Style::Bold, &format!("{title}: {}", listed.count))));
    let mut table = Table::new(&[
        ("SEQ", Fit::Number),
        ("THREAD", Fit::Cut),
        ("ID", Fit::Whole),
        ("TOOL", Fit::Whole),
        ("THEN", Fit::Wrap),
        ("NOW", Fit::Wrap),
        ("ARGUMENTS", Fit::Cut),
    ]);
    for case in listed.calls.iter().take(limit) {
        table.row([
            case.seq.to_string().into(),
            visible(case.thread_id.as_str()).into(),
            visible(case.id.as_str()).into(),
            visible(case.name.as_str()).into(),
            then(case).into(),
            Cell::styled(style(case.now.verdict), now(case)),
            story::in_a_line(&case.arguments).into(),
        ]);
    }
    output::say(&table.lay_out(screen));
    let shown = limit.min(listed.calls.len()) as u64;
    if listed.count > shown {
        output::say(&format!("… and {} more: -n shows more, --json up to 1000.", listed.count - shown));
    }
}

fn then(case: &Case) -> String {
    let said = &case.then;
    let Some(by) = said.by.as_ref().map(|by| visible(by.as_str())) else { return "not decided".to_owned() };
    let what = match said.source {
        _ if said.changed => "changed by",
        Some(Source::Expiry) => "lapsed,",
        _ if said.denied => "denied by",
        _ => "allowed by",
    };
    let comment = said.comment.as_ref().map_or(String::new(), |comment| format!(": {}", visible(comment)));
    format!("{what} {by}{comment}")
}

fn now(case: &Case) -> String {
    let by = case.now.rule.as_ref().map_or_else(|| said(case.now.basis), |rule| visible(rule));
    let terms = case.now.terms.as_ref().map_or(String::new(), |terms| format!(": {}", visible(terms)));
    format!("{} by {by}{terms}", word(case.now.verdict))
}

fn said(basis: Basis) -> String {
    match basis {
        Basis::Tool => "the tool's own word".to_owned(),
        _ => "default".to_owned(),
    }
}

fn rules(report: &Report) -> Table {
    let mut table = Table::new(&[("RULE", Fit::Wrap), ("SAYS", Fit::Whole), ("CALLS", Fit::Number)]);
    for row in &report.rules {
        let name =
            row.rule.as_ref().map_or_else(|| said(row.basis.unwrap_or(Basis::Default)), |rule| visible(rule));
        let says = Cell::styled(style(row.verdict), word(row.verdict));
        table.row([name.into(), says, row.calls.to_string().into()]);
    }
    for row in &report.shadow {
        let name = row.rule.as_ref().map_or(String::new(), |rule| visible(rule));
        let says = Cell::styled(Style::Dim, format!("shadow: {}", word(row.verdict)));
        table.row([name.into(), says, row.calls.to_string().into()]);
    }
    table
}
