//! Who may use the server without a token: callers whom a trusted proxy names, and in solo mode everyone.

use super::args::IdentityArgs;
use countersign_console::{CliError, CommandContext, SettingKey, invalid_setting};
use countersign_events::Role;
use countersign_server::{BoundListener, IdentityHeader, ListenAddress, NetworkAccess};

/// Reads the header in which a trusted proxy names the caller; `None` if no proxy does.
pub(super) fn identity_header(
    context: &CommandContext,
    args: &IdentityArgs,
    access: &NetworkAccess,
) -> anyhow::Result<Option<IdentityHeader>> {
    let settings = &context.settings;
    let (name, origin) = match (&args.header, settings.text_with_origin(SettingKey::IdentityHeader)) {
        (Some(name), _) => (name.clone(), "--identity-header".to_owned()),
        (None, Some((name, origin))) => (name.to_owned(), origin.to_string()),
        (None, None) => return Ok(None),
    };
    if access.proxies.is_empty() {
        let why = format!("{origin} needs --behind-proxy: only a named proxy may say who the caller is");
        return Err(CliError::usage(why).into());
    }
    let name = name
        .parse()
        .map_err(|_| CliError::usage(format!("{origin}: {name:?} is not the name of a header")))?;
    Ok(Some(IdentityHeader { name, roles: roles(context, args)? }))
}

/// The roles for people whom a proxy names. Together they must not include the right to propose.
fn roles(context: &CommandContext, args: &IdentityArgs) -> anyhow::Result<Vec<Role>> {
    let roles = match context.settings.texts(SettingKey::IdentityRoles) {
        _ if !args.roles.is_empty() => args.roles.clone(),
        Some((texts, origin)) => {
            let read =
                |text: &String| text.parse().map_err(|why| invalid_setting(format!("{origin}: {why}")));
            texts.iter().map(read).collect::<Result<_, _>>()?
        }
        None => vec![Role::Approver],
    };
    if roles.contains(&Role::Agent) {
        let why = "a person whom a proxy names cannot have the role agent: no caller may both propose and decide; a \
                   value such as agent:NAME names an agent";
        return Err(CliError::usage(why).into());
    }
    Ok(roles)
}

/// Returns true if callers without credentials may both propose and decide. Fails if other machines reach the server.
pub(super) fn solo_mode(
    context: &CommandContext,
    args: &IdentityArgs,
    listeners: &[BoundListener],
) -> anyhow::Result<bool> {
    if !(args.solo || context.settings.switch(SettingKey::Solo).unwrap_or(false)) {
        return Ok(false);
    }
    let is_local = |listener: &BoundListener| match listener.address() {
        ListenAddress::Tcp(address) => address.ip().is_loopback(),
        ListenAddress::Unix(_) => true,
    };
    if listeners.iter().all(is_local) {
        return Ok(true);
    }
    let why =
        "solo mode lets every caller decide, so the server must listen on 127.0.0.1 or on a socket file only";
    Err(CliError::usage(why).into())
}
