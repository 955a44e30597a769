//! Permissions of the advisors that this program asks.

use crate::{context::CommandContext, settings::keys::SettingKey};
use countersign_advisors::AdvisorAccess;

/// The permissions of advisors. Programs need `--advisor-commands` or the setting.
pub fn advisor_access(context: &CommandContext, commands: bool) -> anyhow::Result<AdvisorAccess> {
    let commands = commands || context.settings.switch(SettingKey::AdvisorCommands).unwrap_or(false);
    // `main` begins with the guard.
    Ok(AdvisorAccess::new(commands).with_program_guard()?)
}
