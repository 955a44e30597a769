//! Replaces the identity provider in a build without the feature `oidc`.

use super::args::OidcArgs;
use countersign_console::{CliError, CommandContext, SettingKey};

/// Fails if the options or the settings name an identity provider.
pub(crate) fn refuse_identity_provider(context: &CommandContext, args: &OidcArgs) -> anyhow::Result<()> {
    if args.issuer.is_none() && context.settings.get(SettingKey::OidcIssuer).is_none() {
        return Ok(());
    }
    let why = "this build cannot sign people in at an identity provider; leave `oidc_issuer` out, or build with \
               --features oidc";
    Err(CliError::usage(why).into())
}
