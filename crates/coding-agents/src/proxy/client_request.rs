//! What an Agent Client Protocol agent has its client do: `fs/write_text_file` and `terminal/create`. Such a
//! request is a separate call, unless it carries out a tool call that was just approved.

use super::{proposed_tool::add_other_fields, recent_map::RecentMap};
use serde_json::{Value, json};

/// The most approved tool calls whose work is kept.
const MOST_APPROVED: usize = 100;

pub(super) const WRITE_FILE: &str = "fs/write_text_file";
pub(super) const CREATE_TERMINAL: &str = "terminal/create";

/// Whether the client acts on the request. Reading a file, and reading from a terminal or ending it, changes nothing.
pub(super) fn is_work(method: &str) -> bool {
    matches!(method, WRITE_FILE | CREATE_TERMINAL)
}

/// The tool and arguments of a request, as people see them.
pub(super) fn read_work(method: &str, params: &Value) -> (&'static str, Value) {
    if method == WRITE_FILE {
        let mut arguments = json!({"path": params["path"], "content": params["content"]});
        add_other_fields(&mut arguments, params, &["sessionId", "path", "content", "_meta"]);
        return ("acp:edit", arguments);
    }
    let mut arguments = json!({"command": command_line(params)});
    add_other_fields(&mut arguments, params, &["sessionId", "command", "args", "outputByteLimit", "_meta"]);
    ("acp:execute", arguments)
}

/// The command line of a terminal, quoted for a shell.
fn command_line(params: &Value) -> String {
    let words = words(params);
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

fn words(params: &Value) -> Vec<String> {
    let args = params["args"].as_array().into_iter().flatten();
    std::iter::once(&params["command"])
        .chain(args)
        .map(|word| word.as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The tool calls that people or the policy allowed, and what each of them is to do. Each does it once.
#[derive(Debug)]
pub(super) struct ApprovedWork {
    /// By session and item: the tool call's fields.
    calls: RecentMap<(String, String), Value>,
}

impl Default for ApprovedWork {
    fn default() -> Self {
        Self { calls: RecentMap::with_limit(MOST_APPROVED) }
    }
}

impl ApprovedWork {
    /// Notes that a tool call was allowed.
    pub(super) fn add(&mut self, session: &str, item: &str, call: Value) {
        *self.calls.get_or_insert_with((session.to_owned(), item.to_owned()), Value::default) = call;
    }

    /// Whether an approved tool call of the session asked for just this. It then covers no other request.
    pub(super) fn take(&mut self, session: &str, folder: Option<&str>, method: &str, params: &Value) -> bool {
        let covers = |call: &Value| match method {
            WRITE_FILE => writes_file(call, params),
            _ => runs_command(call, folder, params),
        };
        let found = self.calls.find(|(of, _), call| of == session && covers(call));
        found.is_some_and(|key| self.calls.remove(&key).is_some())
    }
}

/// Whether the call shows this content for this file: as an argument, or as the new text of a difference.
fn writes_file(call: &Value, params: &Value) -> bool {
    let (path, content) = (&params["path"], &params["content"]);
    let input = &call["rawInput"];
    let names_path = ["path", "file_path", "filePath", "abs_path"].iter().any(|key| input[*key] == *path);
    let shows_content = ["content", "contents", "file_text"].iter().any(|key| input[*key] == *content);
    let is_difference =
        |part: &Value| part["type"] == "diff" && part["path"] == *path && part["newText"] == *content;
    let differences = call["content"].as_array().into_iter().flatten();
    path.is_string()
        && content.is_string()
        && (names_path && shows_content || differences.into_iter().any(is_difference))
}

/// Whether the call runs this command: word by word, or as a shell script.
fn runs_command(call: &Value, folder: Option<&str>, params: &Value) -> bool {
    let Some(approved) = call["rawInput"]["command"].as_str() else { return false };
    let is_elsewhere = params["cwd"].as_str().is_some_and(|cwd| Some(cwd) != folder);
    let has_environment = params["env"].as_array().is_some_and(|env| !env.is_empty());
    if is_elsewhere || has_environment {
        return false;
    }
    let words = words(params);
    let is_script = matches!(&words[1..], [option, script] if matches!(option.as_str(), "-c" | "-lc") && script == approved)
        && is_shell(&words[0]);
    is_script || words == [approved] || shlex::split(approved).is_some_and(|split| split == words)
}

/// Returns true if the program is a system shell. A file with that name in another folder may be any program.
fn is_shell(program: &str) -> bool {
    let name =
        ["/usr/bin/", "/bin/"].iter().find_map(|folder| program.strip_prefix(folder)).unwrap_or(program);
    matches!(name, "sh" | "bash" | "zsh" | "dash")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(call: &Value, method: &str, params: &Value) -> bool {
        let mut approved = ApprovedWork::default();
        approved.add("s", "i", call.clone());
        let first = approved.take("s", Some("/w"), method, params);
        assert!(!approved.take("s", Some("/w"), method, params), "an approval covers one request");
        first
    }

    #[test]
    fn approved_command_is_covered_once() {
        let call = json!({"rawInput": {"command": "npm test"}});
        for (params, expected) in [
            (json!({"command": "npm", "args": ["test"]}), true),
            (json!({"command": "npm test"}), true),
            (json!({"command": "/bin/bash", "args": ["-lc", "npm test"], "cwd": "/w"}), true),
            (json!({"command": "npm", "args": ["test"], "cwd": "/other"}), false),
            (json!({"command": "npm", "args": ["test"], "env": [{"name": "PATH", "value": "/tmp"}]}), false),
            (json!({"command": "npm", "args": ["publish"]}), false),
            (json!({"command": "env", "args": ["-c", "npm test"]}), false),
            (json!({"command": "/tmp/bash", "args": ["-c", "npm test"]}), false),
            (json!({}), false),
        ] {
            assert_eq!(taken(&call, CREATE_TERMINAL, &params), expected, "{params}");
        }
    }

    #[test]
    fn approved_content_is_covered_once() {
        let call = json!({"rawInput": {"path": "/w/a", "content": "x"}});
        let shown = json!({"content": [{"type": "diff", "path": "/w/a", "oldText": "", "newText": "x"}]});
        for (call, params, expected) in [
            (&call, json!({"path": "/w/a", "content": "x"}), true),
            (&call, json!({"path": "/w/a", "content": "y"}), false),
            (&call, json!({"path": "/w/b", "content": "x"}), false),
            (&shown, json!({"path": "/w/a", "content": "x"}), true),
            (&shown, json!({"path": "/w/a", "content": "y"}), false),
        ] {
            assert_eq!(taken(call, WRITE_FILE, &params), expected, "{params}");
        }
    }

    #[test]
    fn work_is_shown_as_a_call() {
        let params = json!({"sessionId": "s", "command": "make", "args": ["a b"], "env": [{"name": "A", "value": "b"}], "cwd": "/w"});
        let shown = json!({"command": "make 'a b'", "env": [{"name": "A", "value": "b"}], "cwd": "/w"});
        assert_eq!(read_work(CREATE_TERMINAL, &params), ("acp:execute", shown));
        assert!(!is_work("fs/read_text_file") && !is_work("terminal/output"));
    }
}
