//! The variables by which a command recognises that a coding agent runs it.

/// A variable that an agent sets for the commands that it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentVariable {
    /// The variable. It counts with any value but an empty one.
    pub name: &'static str,
    /// The agent. Of a variable that several agents set, what they are.
    pub agent: &'static str,
}

const fn set_by(agent: &'static str, name: &'static str) -> AgentVariable {
    AgentVariable { name, agent }
}

/// The variable that `countersign run` sets for the command that it runs.
pub const CALL_VARIABLE: &str = "COUNTERSIGN_CALL";

/// The known variables. The names of agents come before the conventions that several agents follow, so that a message
/// names the agent.
pub const AGENT_VARIABLES: &[AgentVariable] = &[
    set_by("countersign run", CALL_VARIABLE),
    set_by("Amp", "AMP_CURRENT_THREAD_ID"),
    set_by("Antigravity", "ANTIGRAVITY_AGENT"),
    set_by("Auggie", "AUGMENT_AGENT"),
    set_by("Claude Code", "CLAUDECODE"),
    set_by("Claude Code", "CLAUDE_CODE"),
    set_by("Claude Code", "CLAUDE_CODE_ENTRYPOINT"),
    set_by("Claude Cowork", "CLAUDE_CODE_IS_COWORK"),
    set_by("Cline", "CLINE_ACTIVE"),
    set_by("Codex", "CODEX_SANDBOX"),
    set_by("Codex", "CODEX_SANDBOX_NETWORK_DISABLED"),
    set_by("Codex", "CODEX_CI"),
    set_by("Codex", "CODEX_THREAD_ID"),
    set_by("Crush", "CRUSH"),
    set_by("Cursor", "CURSOR_AGENT"),
    set_by("Gemini CLI", "GEMINI_CLI"),
    set_by("GitHub Copilot", "COPILOT_AGENT"),
    set_by("GitHub Copilot", "COPILOT_AGENT_SESSION_ID"),
    set_by("GitHub Copilot", "COPILOT_CLI"),
    set_by("Goose", "GOOSE_TERMINAL"),
    set_by("Hermes Agent", "HERMES_SESSION_ID"),
    set_by("Kilo Code", "KILOCODE_FEATURE"),
    set_by("Kiro", "AGENT_CONTEXT_OUT"),
    set_by("Kiro", "KIRO_AGENT_PATH"),
    set_by("OpenClaw", "OPENCLAW_SHELL"),
    set_by("opencode", "OPENCODE"),
    set_by("opencode", "OPENCODE_CLIENT"),
    set_by("Pi", "PI_CODING_AGENT"),
    set_by("Qwen Code", "QWEN_CODE"),
    set_by("Replit", "REPL_ID"),
    set_by("Roo Code", "ROO_ACTIVE"),
    set_by("Trae", "TRAE_AI_SHELL_ID"),
    set_by("VT Code", "VTCODE"),
    set_by("a coding agent", "AGENT"),
    set_by("a coding agent", "AI_AGENT"),
];

/// Finds the first known variable that has a value. `is_set` says whether one has.
pub fn find_agent_variable(is_set: impl Fn(&str) -> bool) -> Option<AgentVariable> {
    AGENT_VARIABLES.iter().find(|variable| is_set(variable.name)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_variable_names_its_agent() {
        for variable in AGENT_VARIABLES {
            assert_eq!(find_agent_variable(|name| name == variable.name), Some(*variable));
        }
        let names: BTreeSet<_> = AGENT_VARIABLES.iter().map(|variable| variable.name).collect();
        assert_eq!(names.len(), AGENT_VARIABLES.len(), "a variable has one agent");
    }

    #[test]
    fn other_variables_name_no_agent() {
        assert_eq!(find_agent_variable(|name| name == "SSH_AGENT_PID" || name == "CLAUDE_CONFIG_DIR"), None);
    }

    #[test]
    fn own_variable_of_agent_is_named_first() {
        let both = |name: &str| name == "AGENT" || name == "CRUSH";
        assert_eq!(find_agent_variable(both).map(|found| found.agent), Some("Crush"));
    }
}
