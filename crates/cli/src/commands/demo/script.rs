//! The calls of the demo: one of every kind, all of them harmless.

use countersign_api as api;
use countersign_api::{ErrorCode, GateError};
use countersign_gate::{CallId, Json, ToolName, event::RiskLevel};
use serde_json::{Value, json};
use std::path::Path;

/// The policy of the demo.
pub(crate) const POLICY: &str = r#"# The policy of the demo: calls that match no rule are asked.
default = "ask"

[[rule]]
name = "reading is allowed"
tool = ["list-files", "read-*"]
verdict = "allow"

[[rule]]
name = "no force pushes"
tool = "git-push-force"
verdict = "block"
reason = "history is shared"
"#;

/// The thread of the demo.
pub(crate) const THREAD: &str = "demo";

/// The answer of the scripted person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScriptAnswer {
    Once(&'static str),
    Session,
    Deny(&'static str),
    /// No answer: a rule, a grant or the expiry decides.
    Nothing,
}

/// A call and the answer of the scripted person.
#[derive(Debug, Clone)]
pub(crate) struct ScriptStep {
    pub(crate) call: api::ProposeRequest,
    pub(crate) answer: ScriptAnswer,
}

impl ScriptStep {
    fn new(id: &str, tool: &str, arguments: &Value, why: &str, answer: ScriptAnswer) -> anyhow::Result<Self> {
        let call = api::ProposeRequest {
            id: CallId::new(id)?,
            name: ToolName::new(tool)?,
            arguments: Json::encode(arguments)?,
            annotations: None,
            impact: None,
            description: Some(why.to_owned()),
            place: None,
            definition: None,
            expires_in_seconds: None,
            replaces: None,
        };
        Ok(Self { call, answer })
    }
}

/// Creates the files of the demo.
pub(crate) fn furnish(work: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(work.join("build"))?;
    for name in ["app.o", "lib.o", "parts.o"] {
        std::fs::write(work.join("build").join(name), "not a real object\n")?;
    }
    for (number, words) in [(1, 12), (2, 30), (3, 21)] {
        std::fs::write(work.join(format!("chapter-{number}.txt")), "word ".repeat(words))?;
    }
    Ok(())
}

/// All steps. The steps of one list run in order, and the lists run concurrently. The unanswered call expires after
/// `patience` seconds.
pub(crate) fn script(work: &Path, patience: u32) -> anyhow::Result<Vec<Vec<ScriptStep>>> {
    let cwd = work.to_str().ok_or_else(|| {
        GateError::new(ErrorCode::BadUrl, format!("{}: the folder's name must be Unicode", work.display()))
    })?;
    Ok(vec![
        looking(cwd)?,
        vec![ScriptStep::new(
            "demo_notes",
            "write-file",
            &json!({"path": "notes.txt", "text": "Bought: tea, milk.\nStill to buy: bread.\n"}),
            "Keep the shopping list",
            ScriptAnswer::Once("go ahead"),
        )?],
        removing(cwd)?,
        counting(cwd)?,
        invoicing()?,
        paging(patience)?,
        vec![ScriptStep::new(
            "demo_script",
            "write-script",
            &json!({"path": "deploy.sh", "text": long_script(), "executable": true}),
            "A deployment script, longer than the window: scroll to its end",
            ScriptAnswer::Once("read to the end"),
        )?],
    ])
}

/// Calls that the policy decides.
fn looking(cwd: &str) -> anyhow::Result<Vec<ScriptStep>> {
    Ok(vec![
        ScriptStep::new(
            "demo_look",
            "list-files",
            &json!({"command": "ls", "cwd": cwd}),
            "List the files",
            ScriptAnswer::Nothing,
        )?,
        ScriptStep::new(
            "demo_push",
            "git-push-force",
            &json!({"command": "git push --force", "cwd": cwd}),
            "Publish and overwrite the remote history",
            ScriptAnswer::Nothing,
        )?,
    ])
}

fn removing(cwd: &str) -> anyhow::Result<Vec<ScriptStep>> {
    let mut step = ScriptStep::new(
        "demo_clean",
        "remove-folder",
        &json!({"command": "rm -r build", "cwd": cwd}),
        "Tidy up before the release",
        ScriptAnswer::Deny("the build is still needed"),
    )?;
    step.call.annotations = Some(Json::encode(&json!({"destructiveHint": true}))?);
    step.call.impact = Some(api::ProposedImpact {
        message: Some("Deletes the folder build with its files".to_owned()),
        risk_level: Some(RiskLevel::High),
        reversible: Some(false),
        affected_resources: ["build/app.o", "build/lib.o", "build/parts.o"].map(str::to_owned).to_vec(),
        estimated_impact: Some("3 files".to_owned()),
    });
    Ok(vec![step])
}

/// Three calls of one tool: a session grant on the first answers the others.
fn counting(cwd: &str) -> anyhow::Result<Vec<ScriptStep>> {
    let one = |number: u32, answer| {
        ScriptStep::new(
            &format!("demo_count_{number}"),
            "count-words",
            &json!({"command": format!("wc -w chapter-{number}.txt"), "cwd": cwd}),
            "How long is the book? There are three chapters to count",
            answer,
        )
    };
    Ok(vec![one(1, ScriptAnswer::Session)?, one(2, ScriptAnswer::Nothing)?, one(3, ScriptAnswer::Nothing)?])
}

/// A call with structured arguments instead of a shell command.
fn invoicing() -> anyhow::Result<Vec<ScriptStep>> {
    let arguments = json!({
        "to": "ada@example.com",
        "currency": "EUR",
        "total": 1249.50,
        "lines": [
            {"text": "Consulting, November", "hours": 12, "rate": 95.0},
            {"text": "Train to Vienna and back", "amount": 109.50},
        ],
    });
    let why = "November's invoice is due";
    let mut step = ScriptStep::new(
        "demo_invoice",
        "send-invoice",
        &arguments,
        why,
        ScriptAnswer::Once("the sum is right"),
    )?;
    step.call.impact = Some(api::ProposedImpact {
        message: Some("The demo only writes it to the folder outbox".to_owned()),
        risk_level: Some(RiskLevel::Medium),
        reversible: Some(true),
        affected_resources: Vec::new(),
        estimated_impact: None,
    });
    Ok(vec![step])
}

fn paging(patience: u32) -> anyhow::Result<Vec<ScriptStep>> {
    let mut step = ScriptStep::new(
        "demo_page",
        "page-oncall",
        &json!({"who": "ben", "text": "The build is slow. Wake up?"}),
        "Without an answer in time, this call is denied automatically",
        ScriptAnswer::Nothing,
    )?;
    step.call.expires_in_seconds = Some(patience);
    Ok(vec![step])
}

fn long_script() -> String {
    let mut text = "#!/bin/sh\nset -eu\n\n".to_owned();
    for (number, host) in
        ["amber", "birch", "cedar", "dune", "elm", "fern", "gorse", "holly"].iter().enumerate()
    {
        let number = number + 1;
        text.extend([
            format!("# {number}. {host}\n"),
            format!("echo 'stopping the service on {host}'\n"),
            format!("echo 'copying the release to {host}, and checking each file of it against its sum'\n"),
            format!("echo 'starting the service on {host}'\n\n"),
        ]);
    }
    text.push_str("echo 'done: eight hosts'\n");
    text
}
