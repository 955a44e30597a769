//! `countersign doctor`: looks at everything that has to be right, and says of what is not how to mend it.

mod file;
mod history;
mod postgres;
mod server;

use crate::{
    args::Args,
    exit::{self, Exit},
    output::{self, visible},
    screen::{Screen, Style},
    settings::Target,
    table,
};
use countersign_gate::{Address, Clock, Timestamp};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Grade {
    Ok,
    Warn,
    Fail,
}

/// What one look found.
#[derive(Debug, Serialize)]
struct Finding {
    /// What was looked at.
    check: &'static str,
    status: Grade,
    /// What was found.
    found: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

/// All that was found.
#[derive(Debug, Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        self.0.push(Finding { check, status: Grade::Ok, found: found.into(), remedy: None });
    }

    fn warn(&mut self, check: &'static str, found: impl Into<String>, remedy: impl Into<String>) {
        let remedy = Some(remedy.into());
        self.0.push(Finding { check, status: Grade::Warn, found: found.into(), remedy });
    }

    fn fail(&mut self, check: &'static str, found: impl Into<String>, remedy: impl Into<String>) {
        let remedy = Some(remedy.into());
        self.0.push(Finding { check, status: Grade::Fail, found: found.into(), remedy });
    }

    fn worst(&self) -> Grade {
        let has = |grade| self.0.iter().any(|finding| finding.status == grade);
        if has(Grade::Fail) {
            Grade::Fail
        } else if has(Grade::Warn) {
            Grade::Warn
        } else {
            Grade::Ok
        }
    }
}

pub(crate) async fn doctor(args: &Args) -> anyhow::Result<Exit> {
    let mut findings = Findings::default();
    settings(args, &mut findings);
    policy(args, &mut findings);
    clock(&mut findings);
    match args.settings.target() {
        Ok(Target::Server(url)) => server::look(args, &url, &mut findings).await,
        Ok(Target::Database(address)) => {
            let worth_opening = match &address {
                Address::File(path) => file::look(path, &mut findings),
                Address::Postgres(postgres) => postgres::look(postgres, &mut findings).await,
            };
            if worth_opening {
                history::look(args, &address, &mut findings).await;
            }
        }
        Err(error) => findings.fail("target", format!("{error:#}"), "take one of the two away"),
    }
    print(args, &findings);
    Ok(if findings.worst() == Grade::Fail { Exit::FAILED } else { Exit::DONE })
}

fn settings(args: &Args, findings: &mut Findings) {
    match &args.settings.file {
        Some(path) => findings.ok("settings", format!("read from {}", path.display())),
        None => findings.ok("settings", "none from a file; `countersign config` shows what is in force"),
    }
}

fn policy(args: &Args, findings: &mut Findings) {
    let Some(path) = args.settings.policy_path() else {
        findings.ok("policy", "none is set: task tools are free, and the rest is asked");
        return;
    };
    match args.settings.policy() {
        Ok(policy) => findings
            .ok("policy", format!("{}, {} rules, sha256 {}", path.display(), policy.rules(), policy.hash())),
        Err(error) => {
            findings.fail("policy", format!("{error:#}"), "mend the file, or name another with --policy");
        }
    }
}

/// 2026-01-01, before which this program was not there to be run.
const FIRST: i64 = 1_767_225_600_000;

fn clock(findings: &mut Findings) {
    let now = Clock::System.now();
    if now < Timestamp::from_millis(FIRST) {
        findings.fail("clock", format!("it is {now} by this machine"), "set the clock: requests lapse by it");
    } else {
        findings.ok("clock", format!("it is {now}"));
    }
}

fn print(args: &Args, findings: &Findings) {
    if args.json {
        let said = serde_json::json!({"status": findings.worst(), "findings": findings.0});
        output::say(&said.to_string());
        return;
    }
    let screen = Screen::of(args);
    for finding in &findings.0 {
        let (style, word) = match finding.status {
            Grade::Ok => (Style::Green, "ok"),
            Grade::Warn => (Style::Yellow, "warn"),
            Grade::Fail => (Style::Red, "fail"),
        };
        let head = format!("{:<4}  {:<11}  ", word, finding.check);
        say_wrapped(&screen, &screen.paint(style, &head), head.width(), &finding.found);
        if let Some(remedy) = &finding.remedy {
            say_wrapped(&screen, &format!("{:19}", ""), 19, &format!("→ {remedy}"));
        }
    }
    output::say(match findings.worst() {
        Grade::Ok => "\nAll is well.",
        Grade::Warn => "\nIt works, with what is said above.",
        Grade::Fail => "\nSomething has to be mended.",
    });
}

fn say_wrapped(screen: &Screen, head: &str, indent: usize, text: &str) {
    let room = screen.width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(20));
    let lines = text.lines().flat_map(|line| table::wrap(&visible(line), room));
    for (index, line) in lines.enumerate() {
        let before = if index == 0 { head.to_owned() } else { " ".repeat(indent) };
        output::say(format!("{before}{line}").trim_end());
    }
}

/// Says why something could not be looked at, with the remedy that the code stands for.
fn failed(findings: &mut Findings, check: &'static str, error: &dyn std::error::Error, code: &str) {
    findings.fail(check, error.to_string(), exit::remedy(code));
}
