//! Fuzzes the commands among arguments: a command in parts is allowed only if its script is, and more of it never is.
#![cfg_attr(fuzzing, no_main)]

use countersign_events::{Json, Principal, ThreadId, ToolName, Verdict};
use countersign_policy::{JudgedCall, Policy};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Allows `ls` and blocks everything else.
static ALLOWS: LazyLock<Policy> = LazyLock::new(|| {
    let rule = "[[rule]]\nname = \"ls\"\ntool = \"t\"\ncommand = \"ls **\"\nverdict = \"allow\"\n";
    Policy::read(&format!("default = \"block\"\n{rule}")).expect("a policy")
});

/// Text in which the rest of a line need not be a command.
const HIDES: &[char] = &['#', '\'', '"', '\\', '<', '`', '$', '(', '\n'];

fuzz_target!(|input: (&str, &str)| {
    let (program, extra) = input;
    if let Ok(arguments) = Json::parse(extra) {
        judge(&arguments);
    }
    let script = is_allowed(&json!({"command": format!("{program} {extra}")}));
    for arguments in shapes(program, &[extra]) {
        assert!(script || !is_allowed(&arguments), "only the parts are allowed: {arguments}");
    }
    if !program.contains(HIDES) && !extra.contains(HIDES) {
        for arguments in shapes(program, &[extra, "; rm -rf /"]) {
            assert!(!is_allowed(&arguments), "{arguments}");
        }
    }
});

/// The command in every form that tools use. An empty argument is left out, because the script does not show it.
fn shapes(program: &str, arguments: &[&str]) -> Vec<Value> {
    let words: Vec<&str> = arguments.iter().copied().filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let list = [&[program], words.as_slice()].concat();
    vec![
        json!({"command": list}),
        json!({"command": program, "args": words}),
        json!({"cmd": program, "arguments": words}),
        json!({"program": [program], "argv": words}),
        json!({"executable": program, "args": words, "argv": null}),
    ]
}

fn is_allowed(arguments: &Value) -> bool {
    let arguments = Json::encode(arguments).expect("JSON");
    judge(&arguments) == Verdict::Allow
}

fn judge(arguments: &Json) -> Verdict {
    let subject = JudgedCall {
        thread: &ThreadId::new("t").expect("a name"),
        principal: &Principal::agent("bot"),
        tool: &ToolName::new("t").expect("a name"),
        place: None,
        arguments,
        redacted: &[],
        annotations: None,
        impact: None,
        definition: None,
    };
    ALLOWS.judge(&subject, &|| false).verdict
}
