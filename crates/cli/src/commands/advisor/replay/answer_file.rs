//! The answers from an interrupted replay: a file with one JSON document on each line. The first line says what is
//! replayed.

use crate::commands::advisor::measured_calls::{MeasuredCallArgs, MeasuredCalls};
use countersign_console::{CliError, CommandExit};
use countersign_events::{AdviceFailure, AdviceTokens, AdviceVerdict, Sha256};
use countersign_replay::measure::MeasuredAnswer;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The longest time between an answer and its place on disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// What is replayed of the log, and the advisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReplayRun {
    /// The log, by the hash of its first event.
    pub(super) log: Option<Sha256>,
    pub(super) advisor: String,
    pub(super) configuration: Sha256,
    /// The selection as it was typed. An age means another time in the next run.
    pub(super) typed: MeasuredCallArgs,
    /// The calls in the first run, which all later runs repeat.
    pub(super) calls: MeasuredCalls,
}

/// The first line of the file.
#[derive(Serialize, Deserialize)]
struct FileHeader {
    /// The file kind and version.
    countersign_advisor_replay: u32,
    run: ReplayRun,
}

/// The answer to the question about the call that the event `seq` proposed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StoredAnswer {
    seq: i64,
    advice: AdviceVerdict,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<AdviceFailure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    elapsed_millis: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<AdviceTokens>,
}

/// The replay answers, in memory and on disk.
pub(super) struct AnswerFile {
    path: PathBuf,
    file: File,
    answers: HashMap<i64, MeasuredAnswer>,
    synced: Instant,
}

impl AnswerFile {
    /// Opens the file, or creates it. Returns the run that it belongs to. Fails if that is another one than `run`.
    pub(super) fn open(path: &Path, run: ReplayRun) -> anyhow::Result<(Self, ReplayRun)> {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path);
        let file = file.map_err(|why| unusable(path, &why))?;
        if file.try_lock().is_err() {
            return Err(refuse("state_file_in_use", format!("another process uses {}", path.display())));
        }
        let mut this = Self { path: path.to_owned(), file, answers: HashMap::new(), synced: Instant::now() };
        let mut text = String::new();
        this.file.read_to_string(&mut text).map_err(|why| unusable(path, &why))?;
        if text.is_empty() {
            this.write_line(&FileHeader { countersign_advisor_replay: 1, run: run.clone() })?;
            this.sync()?;
            return Ok((this, run));
        }
        let known = this.read_lines(&text)?;
        check_same_run(path, &known, &run)?;
        Ok((this, known))
    }

    fn read_lines(&mut self, text: &str) -> anyhow::Result<ReplayRun> {
        let (path, mut lines) = (self.path.clone(), text.split_inclusive('\n'));
        let damaged = |line: usize| {
            let message = format!("{}:{line}: it is not a line of a replay", path.display());
            refuse("bad_state_file", message)
        };
        let first = lines.next().filter(|line| line.ends_with('\n'));
        let header: Option<FileHeader> = first.and_then(|line| serde_json::from_str(line).ok());
        let header =
            header.filter(|header| header.countersign_advisor_replay == 1).ok_or_else(|| damaged(1))?;
        let mut complete = text.find('\n').map_or(text.len(), |end| end + 1);
        for (number, line) in lines.enumerate() {
            // A process that was killed may have written a part of its last line. That question is asked again.
            if !line.ends_with('\n') {
                break;
            }
            let stored: StoredAnswer = serde_json::from_str(line).map_err(|_| damaged(number + 2))?;
            self.answers.insert(stored.seq, stored.into());
            complete += line.len();
        }
        if complete < text.len() {
            let end = u64::try_from(complete).unwrap_or(u64::MAX);
            self.file.set_len(end).map_err(|why| unusable(&self.path, &why))?;
            self.file.seek(SeekFrom::End(0)).map_err(|why| unusable(&self.path, &why))?;
        }
        Ok(header.run)
    }

    /// The answer about the call that the event `seq` proposed.
    pub(super) fn get(&self, seq: i64) -> Option<&MeasuredAnswer> {
        self.answers.get(&seq)
    }

    /// Keeps an answer. It is on disk within a second, or when [`sync`](Self::sync) is called. A failure to reach the advisor
    /// says nothing about it, so it is not kept.
    pub(super) fn add_answer(&mut self, seq: i64, answer: &MeasuredAnswer) -> anyhow::Result<()> {
        if answer.failure == Some(AdviceFailure::Unreachable) {
            return Ok(());
        }
        let MeasuredAnswer { advice, failure, reason, elapsed_millis, tokens, .. } = answer.clone();
        self.write_line(&StoredAnswer { seq, advice, failure, reason, elapsed_millis, tokens })?;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        Ok(())
    }

    /// Waits until the answers are on disk.
    pub(super) fn sync(&mut self) -> anyhow::Result<()> {
        self.file.sync_data().map_err(|why| unusable(&self.path, &why))?;
        self.synced = Instant::now();
        Ok(())
    }

    fn write_line(&mut self, line: &impl Serialize) -> anyhow::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).map_err(|why| unusable(&self.path, &why))
    }
}

impl From<StoredAnswer> for MeasuredAnswer {
    fn from(stored: StoredAnswer) -> Self {
        let StoredAnswer { advice, failure, reason, elapsed_millis, tokens, .. } = stored;
        Self { advice, failure, reason, elapsed_millis, tokens, cached: false }
    }
}

/// Refuses to continue a run with other calls or another advisor.
fn check_same_run(path: &Path, known: &ReplayRun, run: &ReplayRun) -> anyhow::Result<()> {
    let difference = if known.log != run.log {
        "another log"
    } else if known.advisor != run.advisor {
        "another advisor"
    } else if known.configuration != run.configuration {
        "other settings of the advisor"
    } else if known.typed.since != run.typed.since {
        "another --since"
    } else if known.typed.until != run.typed.until {
        "another --until"
    } else if known.typed.thread != run.typed.thread {
        "another --thread"
    } else {
        return Ok(());
    };
    let message = format!(
        "{} has the answers of a replay with {difference}; continue that one, or name a new file",
        path.display()
    );
    Err(refuse("replay_differs", message))
}

fn unusable(path: &Path, why: &std::io::Error) -> anyhow::Error {
    let message = format!("{} cannot be used: {why}", path.display());
    CliError { exit: CommandExit::FAILED, code: "state_file_unusable", message }.into()
}

fn refuse(code: &'static str, message: String) -> anyhow::Error {
    CliError { exit: CommandExit::REFUSED, code, message }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn run() -> ReplayRun {
        ReplayRun {
            log: Some(Sha256::digest(b"log")),
            advisor: "judge".to_owned(),
            configuration: Sha256::digest(b"settings"),
            typed: MeasuredCallArgs::default(),
            calls: calls(70),
        }
    }

    fn calls(up_to: i64) -> MeasuredCalls {
        MeasuredCalls { since: None, until: None, thread: None, up_to }
    }

    fn typed(change: impl FnOnce(&mut MeasuredCallArgs)) -> ReplayRun {
        let mut run = run();
        change(&mut run.typed);
        run
    }

    fn answer(advice: AdviceVerdict) -> MeasuredAnswer {
        let tokens = Some(AdviceTokens { input: 9, output: 2 });
        MeasuredAnswer {
            advice,
            failure: None,
            reason: Some("two\nlines".to_owned()),
            elapsed_millis: 12,
            tokens,
            cached: false,
        }
    }

    #[test]
    fn answers_are_read_back_without_a_torn_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state");
        let (mut file, _) = AnswerFile::open(&path, run()).expect("created");
        for seq in [3, 9] {
            file.add_answer(seq, &answer(AdviceVerdict::Deny)).expect("written");
        }
        let unreachable =
            MeasuredAnswer { failure: Some(AdviceFailure::Unreachable), ..answer(AdviceVerdict::Ask) };
        file.add_answer(12, &unreachable).expect("left out");
        drop(file);
        let whole = fs::read_to_string(&path).expect("a file");
        fs::write(&path, format!("{whole}{{\"seq\":15,\"adv")).expect("a file");
        let (mut file, known) =
            AnswerFile::open(&path, ReplayRun { calls: calls(99), ..run() }).expect("continued");
        assert_eq!(known.calls.up_to, 70, "the same calls");
        assert_eq!(file.get(9), Some(&answer(AdviceVerdict::Deny)));
        assert!(file.get(12).is_none() && file.get(15).is_none());
        file.add_answer(15, &answer(AdviceVerdict::Allow)).expect("written");
        drop(file);
        let (file, _) = AnswerFile::open(&path, run()).expect("continued");
        assert_eq!(file.get(15), Some(&answer(AdviceVerdict::Allow)));
    }

    #[test]
    fn other_run_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state");
        drop(AnswerFile::open(&path, run()).expect("created"));
        let others = [
            (ReplayRun { log: None, ..run() }, "another log"),
            (ReplayRun { advisor: "x".to_owned(), ..run() }, "another advisor"),
            (ReplayRun { configuration: Sha256::ZERO, ..run() }, "other settings"),
            (typed(|typed| typed.since = Some("7d".to_owned())), "another --since"),
            (typed(|typed| typed.until = Some("1d".to_owned())), "another --until"),
            (typed(|typed| typed.thread = Some("t1".to_owned())), "another --thread"),
        ];
        for (other, expected) in others {
            let why = AnswerFile::open(&path, other).err().expect(expected).to_string();
            assert!(why.contains(expected), "{why}");
        }
        let held = AnswerFile::open(&path, run()).expect("opened");
        let why = AnswerFile::open(&path, run()).err().expect("locked").to_string();
        assert!(why.contains("another process"), "{why}");
        drop(held);
        fs::write(&path, "a letter to my aunt\n").expect("a file");
        assert!(AnswerFile::open(&path, run()).is_err());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "a letter to my aunt\n", "it is left alone");
    }
}
