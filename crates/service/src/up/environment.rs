//! The environment for agents, as commands for a shell. It names the token's file, not the token itself.

use crate::process::ServiceRecord;
use countersign_console::{CommandContext, print_line};
use std::{collections::BTreeMap, path::Path};

/// A shell syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ShellSyntax {
    /// sh, bash, zsh and dash
    Sh,
    Fish,
    Powershell,
}

/// The variables for agents.
#[derive(Debug)]
pub(super) struct AgentEnvironment(pub(super) BTreeMap<&'static str, String>);

impl AgentEnvironment {
    pub(super) fn new(context: &CommandContext, record: &ServiceRecord, agent_token: Option<&Path>) -> Self {
        let mut variables = BTreeMap::from([("COUNTERSIGN_SERVER", record.address().to_owned())]);
        if let Some(path) = agent_token {
            variables.insert("COUNTERSIGN_TOKEN_FILE", path.display().to_string());
        }
        let authorities =
            context.settings.tls_authorities().filter(|_| record.address().starts_with("https:"));
        if let Some(path) = authorities.and_then(|path| std::path::absolute(path).ok()) {
            variables.insert("COUNTERSIGN_TLS_CA", path.display().to_string());
        }
        Self(variables)
    }

    /// The commands that set the variables.
    pub(super) fn commands(&self, syntax: ShellSyntax) -> Vec<String> {
        self.0.iter().map(|(name, value)| syntax.set_variable(name, value)).collect()
    }

    pub(super) fn print(&self, syntax: ShellSyntax) {
        for line in self.commands(syntax) {
            print_line(&line);
        }
    }
}

impl ShellSyntax {
    /// The command that sets a variable. Each shell quotes in its own way.
    fn set_variable(self, name: &str, value: &str) -> String {
        match self {
            Self::Sh => {
                let quoted = shlex::try_quote(value).unwrap_or_else(|_| value.into());
                format!("export {name}={quoted}")
            }
            Self::Fish => {
                format!("set -gx {name} '{}'", value.replace('\\', r"\\").replace('\'', r"\'"))
            }
            Self::Powershell => format!("$env:{name} = '{}'", value.replace('\'', "''")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_quoted_for_each_shell() {
        let set = |syntax: ShellSyntax| syntax.set_variable("X", r"/a b/it's\$(id)");
        assert_eq!(set(ShellSyntax::Sh), r#"export X="/a b/it's\\"'$(id)'"#);
        assert_eq!(set(ShellSyntax::Fish), r"set -gx X '/a b/it\'s\\$(id)'");
        assert_eq!(set(ShellSyntax::Powershell), r"$env:X = '/a b/it''s\$(id)'");
    }
}
