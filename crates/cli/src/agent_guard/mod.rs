//! Refuses commands that decide or loosen inside an agent's environment. It stops an agent that runs commands as its
//! user from deciding by accident or because hostile content asks for it. A program that removes the variable passes
//! it: only a decision proof stops such a program.

use crate::{
    args::CliCommand,
    commands::{
        advisor::AdvisorSubcommand, approver_key::ApproverKeySubcommand, checkpoint::CheckpointCommand,
        delegation::DelegationCommand, grant::GrantCommand, policy::PolicyCommand, thread::ThreadSubcommand,
        token::TokenSubcommand, tool::ToolSubcommand, webhook::WebhookSubcommand,
    },
};
use countersign_approvals::access::Right;
use countersign_coding_agents::environment::find_agent_variable;
use countersign_console::{CliError, CommandExit, read_variable};

/// What a command does, as far as an agent is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommandEffect {
    /// It uses the log with this right, as the API's operation does.
    Uses(Right),
    /// It changes what guards the agent, beside the log: this is what an agent may not do.
    Guards(&'static str),
    /// It uses no log of another, and changes nothing that guards the agent.
    Local,
}

impl CommandEffect {
    /// What the command does that an agent may not do.
    const fn refused_action(self) -> Option<&'static str> {
        match self {
            Self::Local | Self::Uses(Right::Read | Right::ReadPolicy | Right::Execute | Right::Converse) => {
                None
            }
            // A command acts in a person's name, so it closes the threads of other agents, too.
            Self::Uses(right @ (Right::Close | Right::Decide | Right::ManageKeys | Right::Administer)) => {
                Some(right.describe())
            }
            Self::Guards(action) => Some(action),
        }
    }
}

/// Fails if an agent runs this process, and the command is not known to be harmless.
pub(crate) fn refuse_inside_agent(command: &CliCommand) -> anyhow::Result<()> {
    let Some(action) = effect_of(command).refused_action() else { return Ok(()) };
    let found = find_agent_variable(|name| read_variable(name).is_some());
    let Some(variable) = found else { return Ok(()) };
    let message = format!(
        "this command runs inside {} ({} is set), and an agent may not {action}; a person does it in a terminal of \
         their own",
        variable.agent, variable.name
    );
    Err(CliError { exit: CommandExit::REFUSED, code: "agent_environment", message }.into())
}

/// The effect of each command. A new command does not compile before it has one.
const fn effect_of(command: &CliCommand) -> CommandEffect {
    use CommandEffect::{Guards, Local, Uses};
    match command {
        CliCommand::Mcp(args) if args.changes_client() => Guards("change its own MCP servers"),
        CliCommand::Install(args) if args.only_reads() => Local,
        CliCommand::Install(_) | CliCommand::Uninstall(_) => Guards("change its own hooks"),
        // The command line of a server chooses its policy, whom it believes, and who gets the first link.
        CliCommand::Up(_) | CliCommand::Serve(_) => Guards("start the service that approves its calls"),
        CliCommand::Down(_) => Guards("stop the service that approves its calls"),
        CliCommand::Archive(args) if !args.only_lists() => Guards("archive threads"),
        // Callers wait for it.
        CliCommand::Compact => Guards("rewrite the database"),
        CliCommand::Restore(_) => Guards("restore a backup"),
        CliCommand::Copy(_) => Guards("copy a log"),
        CliCommand::Checkpoint(CheckpointCommand::Key(_) | CheckpointCommand::Sign(_)) => {
            Guards("sign the log")
        }
        CliCommand::Demo(_)
        | CliCommand::Config(_)
        | CliCommand::Completions(_)
        | CliCommand::Man(_)
        | CliCommand::Version
        | CliCommand::Reference => Local,
        CliCommand::Thread(command) => effect_of_thread(command),
        CliCommand::Advisor(command) => effect_of_advisor(command),
        CliCommand::Policy(command) => effect_of_policy(command),
        CliCommand::Grant(command) => Uses(right_of_grants(command)),
        CliCommand::Tool(command) => Uses(right_of_tools(command)),
        CliCommand::Token(command) => Uses(right_of_tokens(command)),
        CliCommand::Delegation(command) => Uses(right_of_delegations(command)),
        CliCommand::ApproverKey(command) => Uses(right_of_keys(command)),
        CliCommand::Webhook(command) => Uses(right_of_webhooks(command)),
        CliCommand::Run(_)
        | CliCommand::Mcp(_)
        | CliCommand::PermissionPrompt(_)
        | CliCommand::Hook(_)
        | CliCommand::Acp(_)
        | CliCommand::CodexAppServer(_) => Uses(Right::Execute),
        CliCommand::Status(_)
        | CliCommand::Pending(_)
        | CliCommand::Show(_)
        | CliCommand::Log(_)
        | CliCommand::Calls(_)
        | CliCommand::Stats(_)
        | CliCommand::Doctor(_)
        | CliCommand::Verify(_)
        | CliCommand::Archive(_)
        // Every command migrates an unused log that it opens.
        | CliCommand::Migrate(_)
        | CliCommand::Backup(_) => Uses(Right::Read),
        CliCommand::Watch(_)
        | CliCommand::Allow(_)
        | CliCommand::Deny(_)
        | CliCommand::Stop(_)
        | CliCommand::TakeBack(_)
        | CliCommand::Release(_)
        | CliCommand::Flag(_) => Uses(Right::Decide),
        CliCommand::Erase(_) => Uses(Right::Administer),
    }
}

const fn right_of_grants(command: &GrantCommand) -> Right {
    match command {
        GrantCommand::List(_) => Right::Read,
        GrantCommand::Revoke(_) | GrantCommand::Prolong(_) => Right::Decide,
    }
}

const fn right_of_tools(command: &ToolSubcommand) -> Right {
    match command {
        ToolSubcommand::List(_) | ToolSubcommand::Show(_) => Right::ReadPolicy,
        ToolSubcommand::Accept(_) => Right::Decide,
    }
}

/// To list tokens takes the right to administer on a server. It changes nothing.
const fn right_of_tokens(command: &TokenSubcommand) -> Right {
    match command {
        TokenSubcommand::List(_) => Right::Read,
        TokenSubcommand::Create(_) | TokenSubcommand::Revoke(_) => Right::Administer,
    }
}

const fn right_of_delegations(command: &DelegationCommand) -> Right {
    match command {
        DelegationCommand::List(_) => Right::ReadPolicy,
        DelegationCommand::Set(_) => Right::Decide,
        DelegationCommand::End(_) => Right::ManageKeys,
    }
}

const fn right_of_keys(command: &ApproverKeySubcommand) -> Right {
    match command {
        ApproverKeySubcommand::List(_) => Right::ReadPolicy,
        ApproverKeySubcommand::Add(_) | ApproverKeySubcommand::Remove(_) => Right::ManageKeys,
    }
}

const fn right_of_webhooks(command: &WebhookSubcommand) -> Right {
    match command {
        WebhookSubcommand::List(_) => Right::Read,
        WebhookSubcommand::Add(_)
        | WebhookSubcommand::Test(_)
        | WebhookSubcommand::Retry(_)
        | WebhookSubcommand::Rotate(_)
        | WebhookSubcommand::EndOld(_)
        | WebhookSubcommand::Remove(_) => Right::Administer,
    }
}
const fn effect_of_thread(command: &ThreadSubcommand) -> CommandEffect {
    CommandEffect::Uses(match command {
        ThreadSubcommand::List(_) | ThreadSubcommand::Show(_) => Right::Read,
        ThreadSubcommand::Mode(args) if args.only_shows() => Right::Read,
        ThreadSubcommand::Policy(args) if args.only_shows() => Right::Read,
        ThreadSubcommand::Mode(_) | ThreadSubcommand::Policy(_) => Right::Administer,
        ThreadSubcommand::Close(_) => Right::Close,
    })
}

const fn effect_of_advisor(command: &AdvisorSubcommand) -> CommandEffect {
    match command {
        AdvisorSubcommand::Prompt(_) => CommandEffect::Local,
        AdvisorSubcommand::List(_) => CommandEffect::Uses(Right::ReadPolicy),
        AdvisorSubcommand::Report(args) if !args.records() => CommandEffect::Uses(Right::ReadPolicy),
        // A measurement proves an advisor. A replay also starts its program.
        AdvisorSubcommand::Report(_) | AdvisorSubcommand::Replay(_) => {
            CommandEffect::Guards("measure an advisor")
        }
        AdvisorSubcommand::AllowDecide(_) => CommandEffect::Guards("let an advisor decide"),
        AdvisorSubcommand::AdviseOnly(_) => CommandEffect::Guards("change the mode of an advisor"),
    }
}

const fn effect_of_policy(command: &PolicyCommand) -> CommandEffect {
    match command {
        PolicyCommand::Check(_)
        | PolicyCommand::Reach(_)
        | PolicyCommand::Test(_)
        | PolicyCommand::Fmt(_)
        | PolicyCommand::Import(_) => CommandEffect::Local,
        PolicyCommand::Show(_)
        | PolicyCommand::History(_)
        | PolicyCommand::Replay(_)
        | PolicyCommand::Suggest(_)
        | PolicyCommand::Daily(_) => CommandEffect::Uses(Right::ReadPolicy),
        PolicyCommand::Add(_)
        | PolicyCommand::Apply(_)
        | PolicyCommand::Revert(_)
        | PolicyCommand::Use(_) => CommandEffect::Uses(Right::Administer),
    }
}

#[cfg(test)]
mod tests;
