//! Calls that follow from what is known about tools and programs.

use super::{
    candidate::Candidate,
    fill::GoalWords,
    goal::{FileGoal, ReachGoal},
};
use crate::{
    JudgedCall,
    facts::CallFacts,
    harmless::{TabledTool, ToolKind, ToolReach},
    settings::PolicySettings,
};
use countersign_events::{Json, Principal, ThreadId, ToolName};
use countersign_patterns::command::{PathAccess, program_names};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The file of the lines from which the uses of programs are read.
const SAMPLE_FILE: &str = "/w/sample.txt";

static PROGRAM_LINES: LazyLock<Vec<ProgramLine>> = LazyLock::new(read_program_lines);

/// A command line with a gap for a file, and what the command certainly does with the file.
struct ProgramLine {
    access: PathAccess,
    line: String,
}

/// What the program table says about programs with a file as their operand, or with one word before it.
fn read_program_lines() -> Vec<ProgramLine> {
    let mut lines = Vec::new();
    for program in program_names() {
        let forms = [format!("{program} {{}}"), format!("{program} x {{}}")];
        let found = forms.into_iter().find_map(|line| {
            let access = access_of_line(&line.replace("{}", SAMPLE_FILE))?;
            Some(ProgramLine { access, line })
        });
        lines.extend(found);
    }
    lines
}

/// What the line certainly does with the sample file.
fn access_of_line(line: &str) -> Option<PathAccess> {
    let settings = PolicySettings::default();
    let thread = ThreadId::new("reach").ok()?;
    let (principal, tool) = (Principal::system("countersign"), ToolName::new("Bash").ok()?);
    let arguments = Json::encode(&json!({ "command": line })).ok()?;
    let subject = JudgedCall {
        thread: &thread,
        principal: &principal,
        tool: &tool,
        place: None,
        arguments: &arguments,
        redacted: &[],
        annotations: None,
        impact: None,
        definition: None,
    };
    let facts = CallFacts::new(&settings, &subject, &|| false);
    let effects = facts.effects();
    let is_sample = |path: &str| path == SAMPLE_FILE;
    let used = effects.files.iter().find(|used| used.is_certain && used.known_paths().any(is_sample))?;
    (effects.unread.is_none() && used.access != PathAccess::Unknown).then_some(used.access)
}

/// Commands of the program table that certainly do what the question is about.
pub(crate) fn calls_of_programs(goal: &ReachGoal, words: &GoalWords) -> Vec<Candidate> {
    let ReachGoal::File { access, .. } = goal else { return Vec::new() };
    let lines = PROGRAM_LINES.iter().filter(|line| Some(line.access) == access.access());
    let filled = lines.filter_map(|line| words.fill(&line.line, true));
    filled.map(|line| Candidate::command("Bash", &line).certain()).collect()
}

/// The tools of coding agents that do what the question is about.
pub(crate) fn tools_for(goal: &ReachGoal) -> impl Iterator<Item = TabledTool> {
    let fits = move |tool: &TabledTool| match goal {
        ReachGoal::File { access: FileGoal::Read, .. } => {
            tool.kind == ToolKind::Read && tool.reach != Some(ToolReach::Names)
        }
        ReachGoal::File { access: FileGoal::List, .. } => tool.reach == Some(ToolReach::Names),
        ReachGoal::File { access: FileGoal::Write, .. } => tool.kind == ToolKind::Edit,
        ReachGoal::Host(_) => tool.kind == ToolKind::Fetch,
        _ => false,
    };
    TabledTool::all().filter(fits)
}

/// Calls of the tools of coding agents that do what the question is about.
pub(crate) fn calls_of_tools(goal: &ReachGoal, words: &GoalWords) -> Vec<Candidate> {
    let arguments = usual_arguments(goal, words);
    let of_tool = |tool: TabledTool| {
        arguments
            .iter()
            .map(move |arguments| Candidate::new(tool.name, arguments.clone()))
            .collect::<Vec<_>>()
    };
    tools_for(goal).flat_map(of_tool).collect()
}

/// The arguments with which most tools are asked to do this.
pub(crate) fn usual_arguments(goal: &ReachGoal, words: &GoalWords) -> Vec<Value> {
    match goal {
        ReachGoal::File { access, .. } => {
            let content = (*access == FileGoal::Write).then(|| ("content", Value::from("x")));
            let spellings: Vec<_> = words.spellings().filter(|word| !word.starts_with("./")).collect();
            let keys = ["file_path", "path", "uri"];
            let each = keys.iter().flat_map(|key| spellings.iter().map(move |word| (*key, *word)));
            let arguments = |(key, word): (&str, &str)| {
                let word = if key == "uri" { format!("file://{}", words.full()) } else { word.to_owned() };
                let members = [(key, Value::from(word))].into_iter().chain(content.clone());
                Value::Object(members.map(|(key, value)| (key.to_owned(), value)).collect())
            };
            let mut found: Vec<_> = each.map(arguments).collect();
            found.dedup();
            found
        }
        ReachGoal::Host(host) => vec![
            json!({"url": format!("https://{host}/")}),
            json!({"url": format!("http://{host}/")}),
            json!({"uri": format!("https://{host}/")}),
            json!({"host": host}),
        ],
        ReachGoal::Branch { name, .. } => {
            vec![json!({"branch": name}), json!({"ref": format!("refs/heads/{name}")})]
        }
        ReachGoal::Cluster(_) => {
            let template = json!({"context": "{context}", "namespace": "{namespace}", "kind": "{kind}", "name": "{name}"});
            words.fill_arguments(&template).into_iter().collect()
        }
        ReachGoal::Table { .. } => {
            let templates = ["sql", "query", "statement"]
                .map(|key| json!({key: "{statement}", "database": "{database}"}));
            templates.iter().filter_map(|template| words.fill_arguments(template)).collect()
        }
    }
}
