//! Every statement in SQL on the pages runs on the databases that it is for.

use countersign_api::{self as api, ApprovalGate, CallGate};
use countersign_events::{Principal, ThreadId};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_tests::{Database, World, on_each_database};
use std::{fs, path::Path};

on_each_database! { statements_of_the_pages_run }

/// Words of one dialect. A page with such a statement shows the same for the other database.
const SQLITE_WORDS: &[&str] = &["strftime"];
const POSTGRES_WORDS: &[&str] = &["to_char", "interval"];

/// A page's statements: its blocks in SQL, and the indented blocks that start with a statement.
fn statements(page: &str) -> Vec<String> {
    let fenced =
        page.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next().map(str::to_owned));
    let mut blocks: Vec<String> = fenced.collect();
    let mut is_open = false;
    for line in page.split("```").step_by(2).flat_map(str::lines) {
        let code = line.strip_prefix("    ");
        let starts = code.is_some_and(|code| code.starts_with("SELECT ") || code.starts_with("INSERT "));
        match (code, blocks.last_mut()) {
            (Some(code), Some(block)) if is_open => block.extend(["\n", code]),
            (Some(code), _) if starts => {
                blocks.push(code.to_owned());
                is_open = true;
            }
            (Some(_), _) => {}
            (None, _) => is_open = false,
        }
    }
    blocks
}

fn pages() -> Vec<(String, String)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let read_folder = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("the folder is readable");
        let paths = entries.map(|entry| entry.expect("the entry is readable").path());
        let pages = paths.filter(|path| path.extension().is_some_and(|end| end == "md"));
        pages
            .map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("readable")))
            .collect::<Vec<_>>()
    };
    [read_folder(&docs), read_folder(&docs.join("guides"))].concat()
}

async fn statements_of_the_pages_run(world: &mut World) {
    let first = Policy::read("default = \"ask\"\n").expect("a valid policy");
    let gate = EmbeddedGate::open_with(world.address(), world.options(), first).await.expect("opens");
    // The call that the page about events decides.
    let request = api::ProposeRequest::new("call_1", "bash", r#"{"command":"make"}"#).expect("valid");
    let thread = ThreadId::new("thread").expect("valid");
    gate.acting_as(Principal::agent("bot")).propose(&thread, &request).await.expect("proposed");
    gate.shut_down().await;
    let others = if world.database() == Database::Sqlite { POSTGRES_WORDS } else { SQLITE_WORDS };
    let mut count = 0;
    for (page, text) in pages() {
        for statement in statements(&text) {
            if others.iter().any(|word| statement.contains(word)) {
                continue;
            }
            let answer = world.run_shell(&statement).await;
            assert!(answer.is_ok(), "{page}: {answer:?}\n{statement}");
            count += 1;
        }
    }
    assert!(count > 35, "{count} statements were found");
}
