//! Everything that only reads: the operations, from the table of `crates/api` and the document of the server; the commands,
//! from their reference; and the views of the database.

use countersign_api::{
    AnyOperation, Operation,
    operations::{HttpMethod, OperationVisitor},
};
use countersign_tests::{Database, ProcessWorld, Server};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The commands that read a log, with their words. `{thread}` and `{call}` stand for each call of the log.
const READ_COMMANDS: &[&str] = &[
    "status",
    "pending",
    "show {call} --thread {thread} --full",
    "show {call} --thread {thread} --evidence -",
    "log",
    "log --proof --json",
    "calls --limit 1000",
    "thread list",
    "thread show {thread}",
    "thread mode {thread}",
    "thread policy {thread}",
    "grant list {thread}",
    "tool list",
    "tool show github__create_issue",
    "token list",
    "approver-key list",
    "delegation list",
    "webhook list",
    "advisor list",
    "policy show",
    "policy history",
    "policy replay",
    "policy replay --recorded",
    "policy suggest",
    "policy daily 2026-01-31",
    "stats",
    "verify",
    "migrate --check",
];

/// The commands that write, that need more than a log, or that read none. `doctor` also judges the machine.
const OTHER_COMMANDS: &[&str] = &[
    "up",
    "down",
    "serve",
    "run",
    "mcp",
    "mcp wrap",
    "mcp unwrap",
    "permission-prompt",
    "watch",
    "allow",
    "deny",
    "stop",
    "take-back",
    "release",
    "flag",
    "erase",
    "thread",
    "thread close",
    "grant",
    "grant prolong",
    "grant revoke",
    "tool",
    "tool accept",
    "token",
    "token create",
    "token revoke",
    "approver-key",
    "approver-key add",
    "approver-key remove",
    "delegation",
    "delegation set",
    "delegation end",
    "webhook",
    "webhook add",
    "webhook test",
    "webhook retry",
    "webhook rotate",
    "webhook end-old",
    "webhook remove",
    "advisor",
    "advisor report",
    "advisor replay",
    "advisor allow-decide",
    "advisor advise-only",
    "advisor prompt",
    "policy",
    "policy apply",
    "policy add",
    "policy use",
    "policy revert",
    "policy check",
    "policy reach",
    "policy test",
    "policy fmt",
    "policy import",
    "install",
    "uninstall",
    "hook",
    "acp",
    "codex-app-server",
    "checkpoint",
    "checkpoint key",
    "checkpoint sign",
    "archive",
    "compact",
    "backup",
    "restore",
    "copy",
    "demo",
    "doctor",
    "config",
    "completions",
    "man",
    "version",
];

/// Returns the lines of all commands that read, for each call and each thread. Those that are not about one call also print
/// JSON: the operations show each call as JSON.
pub(crate) fn read_commands<'a>(calls: impl Iterator<Item = &'a String>) -> BTreeSet<Vec<String>> {
    let calls: Vec<_> = calls.map(|name| name.split_once('/').expect("THREAD/ID")).collect();
    let fill = |line: &&str| {
        let words: Vec<_> = line.split(' ').collect();
        let fill = |(thread, call): &(&str, &str)| {
            words.iter().map(|word| word.replace("{thread}", thread).replace("{call}", call)).collect()
        };
        calls.iter().map(fill).collect::<Vec<Vec<String>>>()
    };
    let lines: BTreeSet<Vec<String>> = READ_COMMANDS.iter().flat_map(fill).collect();
    let with_json = |line: &Vec<String>| [vec!["--json".to_owned()], line.clone()].concat();
    let has_json = |line: &&Vec<String>| line[0] != "show" && !line.contains(&"--json".to_owned());
    let as_json: Vec<_> = lines.iter().filter(has_json).map(with_json).collect();
    lines.into_iter().chain(as_json).collect()
}

/// A new command must be in one of the lists.
#[test]
fn each_command_reads_golden_logs_or_not() {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/commands.md");
    let reference = fs::read_to_string(reference).expect("reads");
    let names = reference.lines().filter_map(|line| line.strip_prefix("## `countersign ")?.strip_suffix('`'));
    for name in names {
        if OTHER_COMMANDS.contains(&name) {
            continue;
        }
        let reads = READ_COMMANDS.iter().any(|line| line == &name || line.starts_with(&format!("{name} ")));
        assert!(reads, "{name}: add it to the commands that read a log, or to the others");
    }
}

/// The operations that read, and the values of their path parts.
pub(crate) struct ReadWalk {
    /// The paths by the ids of the operations, with the statuses that the document names.
    paths: BTreeMap<String, (String, Vec<String>)>,
    calls: Vec<(String, String)>,
    tools: Vec<String>,
}

/// Collects the ids of the operations of the table that read.
#[derive(Default)]
struct ReadOperations(Vec<&'static str>);

impl OperationVisitor for ReadOperations {
    fn visit<O: Operation>(&mut self) {
        if O::ROW.method == HttpMethod::Get {
            self.0.push(O::ROW.id);
        }
    }
}

impl ReadWalk {
    pub(crate) async fn over<'a>(server: &Server, calls: impl Iterator<Item = &'a String>) -> Self {
        let document = server.get("/openapi.json").await.json();
        let mut paths = BTreeMap::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            let Some(id) = item["get"]["operationId"].as_str() else { continue };
            let responses = item["get"]["responses"].as_object().expect("responses");
            paths.insert(id.to_owned(), (path.clone(), responses.keys().cloned().collect()));
        }
        let mut table = ReadOperations::default();
        AnyOperation::visit_all(&mut table);
        for id in table.0 {
            assert!(paths.contains_key(id), "the document has {id}");
        }
        let tools = server.get("/v1/tools?limit=1000").await.json();
        let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
        let tools = tools["tools"].as_array().expect("tools").iter().map(name).collect();
        let name = |call: &String| {
            let (thread, id) = call.split_once('/').expect("THREAD/ID");
            (thread.to_owned(), id.to_owned())
        };
        Self { paths, calls: calls.map(name).collect(), tools }
    }

    /// Returns the paths of an operation, for each value of its parts.
    fn fill(&self, path: &str) -> BTreeSet<String> {
        let of_call = |(thread, id): &(String, String)| path.replace("{thread}", thread).replace("{id}", id);
        let filled = self.calls.iter().map(of_call);
        filled.flat_map(|path| self.tools.iter().map(move |tool| path.replace("{tool}", tool))).collect()
    }

    /// Sends every operation that reads. Each succeeds: it names nothing that the log does not have.
    pub(crate) async fn read_everything(&self, server: &Server) {
        assert!(!self.calls.is_empty() && !self.tools.is_empty(), "each part of a path has a value");
        for (id, (path, _)) in &self.paths {
            for path in self.fill(path) {
                assert!(!path.contains('{'), "the test has a value for each part of {path}");
                let answer = server.get(&path).await;
                assert_eq!(answer.status, 200, "{id}: {path}: {answer}");
            }
        }
    }
}

/// Reads all columns of all rows of each view. Returns the views without rows.
pub(crate) async fn read_views(world: &ProcessWorld) -> Vec<String> {
    let names = match world.database() {
        Database::Sqlite => "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1;",
        Database::Postgres => "SELECT viewname FROM pg_views WHERE schemaname = 'public' ORDER BY 1;",
    };
    let names = world.run_shell(names).await.expect("reads");
    assert!(names.lines().count() > 8, "{names}");
    let mut empty = Vec::new();
    for name in names.lines() {
        let rows = world.run_shell(&format!("SELECT * FROM {name};")).await;
        if rows.unwrap_or_else(|why| panic!("{name}: {why}")).is_empty() {
            empty.push(name.to_owned());
        }
    }
    empty
}
