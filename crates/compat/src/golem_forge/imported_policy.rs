//! What is known of the configuration of another system, and its text as a policy.

use toml::Value;

/// A policy that was read from the configuration of another system.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ImportedPolicy {
    /// The operation of each tool that zones judge.
    pub operations: Vec<(&'static str, &'static str)>,
    /// The folders with verdicts of their own.
    pub zones: Vec<ImportedZone>,
    /// The verdicts on tools.
    pub rules: Vec<ImportedRule>,
    /// What could not be carried over.
    pub notes: Vec<String>,
}

/// A folder with a verdict for each operation.
#[derive(Debug, PartialEq, Eq)]
pub struct ImportedZone {
    /// Its name.
    pub name: String,
    /// The folder.
    pub root: String,
    /// The verdict on writing.
    pub write: &'static str,
    /// The verdict on deleting.
    pub delete: &'static str,
    /// Why operations are blocked, if some are.
    pub reason: Option<String>,
}

/// A verdict on a tool, or on some of its commands.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ImportedRule {
    /// Its name. Two rules of one name are the same rule.
    pub name: String,
    /// The tool.
    pub tool: String,
    /// The pattern of its commands.
    pub command: Option<String>,
    /// The regular expression of its commands, where a pattern cannot say it.
    pub matches: Option<String>,
    /// The regular expression of the commands that the rule is not about.
    pub except: Option<String>,
    /// The verdict.
    pub verdict: &'static str,
    /// The reason that the agent gets.
    pub reason: Option<String>,
}

impl ImportedPolicy {
    /// Adds a rule, unless it is there.
    pub(super) fn add_rule(&mut self, rule: ImportedRule) {
        if self.rules.iter().all(|other| other.name != rule.name) {
            self.rules.push(rule);
        }
    }

    /// The policy source. `source` is the name of the file that it comes from.
    #[must_use]
    pub fn to_toml(&self, source: &str) -> String {
        let source: String = source.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut parts = vec![format!(
            "# Imported from {source}.\n# What is not mentioned here is asked, as a tool that needs approval.\ndefault = \"ask\"\n"
        )];
        // In Golem Forge, the tool itself says whether it needs approval, unless the configuration does.
        parts.push(
            "# A tool that no rule and no zone names runs if its own `needsApproval` is false. Name fewer tools to trust fewer.\n[trust]\ntools = [\"*\"]\n"
                .to_owned(),
        );
        parts.extend(self.zones.iter().map(ImportedZone::to_toml));
        parts.extend(
            self.operations
                .iter()
                .map(|(tool, operation)| format!("[tools.{tool}]\noperation = {}\n", quote(operation))),
        );
        parts.extend(self.rules.iter().map(ImportedRule::to_toml));
        parts.join("\n")
    }
}

impl ImportedZone {
    fn to_toml(&self) -> String {
        let Self { name, root, write, delete, reason } = self;
        let reason =
            reason.as_ref().map(|reason| format!("reason = {}\n", quote(reason))).unwrap_or_default();
        format!(
            "[zones.{}]\nroot = {}\nread = \"allow\"\nwrite = {}\ndelete = {}\n{reason}",
            quote_key(name),
            quote(root),
            quote(write),
            quote(delete)
        )
    }
}

impl ImportedRule {
    /// The verdict on all calls of a tool.
    pub(super) fn of_tool(tool: &str, verdict: &'static str, reason: Option<String>) -> Self {
        Self { name: format!("{tool}: {verdict}"), tool: tool.to_owned(), verdict, reason, ..Self::default() }
    }

    fn to_toml(&self) -> String {
        let Self { name, tool, command, matches, except, verdict, reason } = self;
        let argument = |regex: &String| format!("args = {{ \"/command\" = {{ regex = {} }} }}", quote(regex));
        let lines = [
            Some(format!("[[rule]]\nname = {}\ntool = {}", quote(name), quote(tool))),
            command.as_ref().map(|command| format!("command = {}", quote(command))),
            matches.as_ref().map(argument),
            except.as_ref().map(|except| format!("unless = {{ {} }}", argument(except))),
            Some(format!("verdict = {}", quote(verdict))),
            reason.as_ref().map(|reason| format!("reason = {}", quote(reason))),
        ];
        lines.into_iter().flatten().map(|line| line + "\n").collect()
    }
}

/// A string as TOML.
fn quote(text: &str) -> String {
    Value::String(text.replace(['\n', '\r'], " ")).to_string()
}

/// A table name.
fn quote_key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_bare { name.to_owned() } else { quote(name) }
}
