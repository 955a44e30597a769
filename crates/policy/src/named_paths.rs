//! The paths and branches that a call names, for a proposer that looks at their files and their repository.

use crate::{
    JudgedCall, command_operand::CommandOperand, facts::CallFacts, settings::PolicySettings,
    value::OrderedValue,
};
use countersign_events::{Json, Principal, ThreadId, ToolName};

/// The longest argument that may be a path as a whole, in bytes.
const MAX_PATH_BYTES: usize = 1024;

/// Everything in a call that may be a path, as written: in its commands and patches, and arguments of one line. A part that
/// only a shell knows is `*`.
#[must_use]
pub fn named_paths(tool: &ToolName, arguments: &Json) -> Vec<String> {
    with_facts(tool, arguments, list_paths).unwrap_or_default()
}

/// What a proposer should say about the repository in which a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BranchNeeds {
    /// The call may change a branch, so the default branch of its repository matters.
    pub default: bool,
    /// The call changes the branch that is checked out, without naming it.
    pub current: bool,
}

/// What a proposer should say about the repository in which a call with these arguments runs.
#[must_use]
pub fn branch_needs(tool: &ToolName, arguments: &Json) -> BranchNeeds {
    let read = |facts: &CallFacts<'_>| {
        let uses = &facts.effects().git;
        BranchNeeds { default: !uses.is_empty(), current: uses.iter().any(|used| used.is_current) }
    };
    with_facts(tool, arguments, read).unwrap_or_default()
}

/// The result of a function of the facts that tool and arguments alone give.
fn with_facts<T>(tool: &ToolName, arguments: &Json, read: impl FnOnce(&CallFacts<'_>) -> T) -> Option<T> {
    let settings = PolicySettings::default();
    let (thread, principal) = (ThreadId::new("paths").ok()?, Principal::system("countersign"));
    let subject = JudgedCall {
        thread: &thread,
        principal: &principal,
        tool,
        place: None,
        arguments,
        redacted: &[],
        annotations: None,
        impact: None,
        definition: None,
    };
    Some(read(&CallFacts::new(&settings, &subject, &|| false)))
}

fn list_paths(facts: &CallFacts<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for script in facts.commands().found.iter().flat_map(CommandOperand::scripts) {
        found.extend(script.named_paths());
    }
    found.extend(facts.paths().found.iter().map(|path| path.as_str().to_owned()));
    if let Some(args) = facts.args() {
        collect_texts(args, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

fn collect_texts(value: &OrderedValue, found: &mut Vec<String>) {
    match value {
        OrderedValue::Text(text) if text.len() <= MAX_PATH_BYTES && !text.contains('\n') => {
            found.push(text.clone());
        }
        OrderedValue::List(values) => values.iter().for_each(|value| collect_texts(value, found)),
        OrderedValue::Map(members) => members.iter().for_each(|(_, value)| collect_texts(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(tool: &str, arguments: &str) -> Vec<String> {
        let tool = ToolName::new(tool).expect("a name");
        named_paths(&tool, &Json::parse(arguments).expect("JSON"))
    }

    #[test]
    fn paths_in_commands_patches_and_arguments_are_found() {
        let in_command = paths("Bash", r#"{"command":"cat 'a b'/*.rs --file=c > d && cd e","workdir":"f"}"#);
        for path in ["a b/*.rs", "c", "d", "e", "f"] {
            assert!(in_command.iter().any(|found| found == path), "{path}: {in_command:?}");
        }
        let patch = r#"{"input":"*** Begin Patch\n*** Update File: a/b\n*** End Patch"}"#;
        assert_eq!(paths("apply_patch", patch), ["a/b"]);
        assert_eq!(paths("Glob", r#"{"pattern":"x/*","options":{"in":["y"]},"n":1}"#), ["x/*", "y"]);
        assert_eq!(paths("Read", "[]"), Vec::<String>::new());
    }
}
