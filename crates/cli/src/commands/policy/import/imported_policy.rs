//! What is known of the configuration of another system, and its text as a policy.

use toml::Value;

/// A policy that was read from the configuration of another system.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ImportedPolicy {
    /// The operation of each tool that zones judge.
    pub(super) operations: Vec<(&'static str, &'static str)>,
    pub(super) zones: Vec<ImportedZone>,
    pub(super) rules: Vec<ImportedRule>,
    /// What could not be carried over.
    pub(super) notes: Vec<String>,
}

/// A folder with a verdict for each operation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ImportedZone {
    pub(super) name: String,
    pub(super) root: String,
    pub(super) write: &'static str,
    pub(super) delete: &'static str,
    /// Why operations are blocked, if some are.
    pub(super) reason: Option<String>,
}

/// A verdict on a tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ImportedRule {
    pub(super) tool: String,
    pub(super) verdict: &'static str,
    pub(super) reason: Option<String>,
}

impl ImportedPolicy {
    /// The text of the policy. `source` is the name of the file that it comes from.
    pub(super) fn to_toml(&self, source: &str) -> String {
        let source: String = source.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut parts = vec![format!(
            "# Imported from {source}.\n# What is not mentioned here is asked, as a tool that needs approval.\ndefault = \"ask\"\n"
        )];
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
    fn to_toml(&self) -> String {
        let Self { tool, verdict, reason } = self;
        let name = quote(&format!("{tool}: {verdict}"));
        let reason =
            reason.as_ref().map(|reason| format!("reason = {}\n", quote(reason))).unwrap_or_default();
        format!("[[rule]]\nname = {name}\ntool = {}\nverdict = {}\n{reason}", quote(tool), quote(verdict))
    }
}

/// A text as TOML.
fn quote(text: &str) -> String {
    Value::String(text.replace(['\n', '\r'], " ")).to_string()
}

/// The name of a table.
fn quote_key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if is_bare { name.to_owned() } else { quote(name) }
}
