//! What the hook of a coding agent takes, from the start of its process to its end: over a server, and over a file with a
//! long history.

use crate::{
    fill,
    lab::{self, LabOutcome},
    server::{self, BenchServer},
    table::{BenchRow, BenchSamples, ms, times},
};
use std::{
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::{io::AsyncWriteExt, process::Command};

/// A policy that allows the call of the hook, so that nobody is waited for.
const RULE: &str =
    "[[rule]]\nname = \"status\"\ntool = \"Bash\"\ncommand = \"git status\"\nverdict = \"allow\"\n";

const AGENT: &str = "claude-code";

/// The number of finished calls in the file. Each has four events.
const FINISHED: i64 = 25_000;

pub(crate) async fn run(quick: bool) -> LabOutcome<Vec<BenchRow>> {
    let (samples, finished) = if quick { (3, 100) } else { (100, FINISHED) };
    let folder = lab::folder()?;
    let bare = measure(&folder, &["version"], samples).await?;
    let server = BenchServer::start_with_policy(&folder, RULE).await?;
    let address = format!("http://{}", server.target.address);
    let over_server = measure(&folder, &["--server", &address, "hook", AGENT], samples).await?;
    server.stop().await?;
    let other = lab::folder()?;
    let file = lab::file(&other, "log.db");
    fill::write_finished_calls(&file, finished).await?;
    let policy = server::write_policy(&other, RULE)?.display().to_string();
    server::run_command(&other, &["policy", "apply", "--yes", &policy]).await?;
    let over_file = measure(&other, &["--database", &file, "hook", AGENT], samples).await?;
    Ok(vec![
        row("a hook over a server", &over_server, &bare),
        row(&format!("a hook over a file of {} events", finished * 4), &over_file, &bare),
    ])
}

fn row(what: &str, took: &BenchSamples, bare: &BenchSamples) -> BenchRow {
    let (median, p99) = (took.median(), took.p99());
    BenchRow {
        what: format!("{what}, process start to end, median of {}", took.count()),
        measured: format!("{} (p99 {})", ms(median), ms(p99)),
        raw: format!("{}, `countersign version`", ms(bare.median())),
        ratio: Some(times(median, bare.median())),
        target: "≤ 10 ms (p99 ≤ 25 ms)",
        met: Some(median <= Duration::from_millis(10) && p99 <= Duration::from_millis(25)),
    }
}

/// Runs a command again and again. The hook gets a new call each time.
async fn measure(folder: &TempDir, words: &[&str], samples: usize) -> LabOutcome<BenchSamples> {
    let mut took = BenchSamples::default();
    // The first run creates what later ones find.
    run_once(folder.path(), words, "first").await?;
    for sample in 0..samples {
        let start = Instant::now();
        run_once(folder.path(), words, &sample.to_string()).await?;
        took.add(start.elapsed());
    }
    Ok(took)
}

async fn run_once(home: &Path, words: &[&str], id: &str) -> LabOutcome<()> {
    let mut child = Command::new(server::program()?)
        .args(words)
        .env_clear()
        .env("HOME", home)
        .env("USER", "bench")
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let message = serde_json::json!({
        "hook_event_name": "PreToolUse", "session_id": "bench", "cwd": home, "permission_mode": "default",
        "tool_name": "Bash", "tool_use_id": format!("toolu_{id}"), "tool_input": {"command": "git status"},
    });
    let mut stdin = child.stdin.take().ok_or("the command has no stdin")?;
    // A command that does not read it may have ended.
    let _ = stdin.write_all(message.to_string().as_bytes()).await;
    drop(stdin);
    let ended = child.wait_with_output().await?;
    if ended.status.success() {
        return Ok(());
    }
    Err(format!("{words:?} {}: {}", ended.status, String::from_utf8_lossy(&ended.stderr)).into())
}
