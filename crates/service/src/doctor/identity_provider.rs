//! Checks of the identity provider at which people sign in.

use crate::{
    doctor::results::CheckResults,
    serve::{args::OidcArgs, oidc::identity_provider},
};
use countersign_console::CommandContext;

/// Checks the identity provider that the settings name for `serve` on this machine.
pub(super) async fn check_identity_provider(context: &CommandContext, results: &mut CheckResults) {
    let provider = match identity_provider(context, &OidcArgs::default()) {
        Ok(Some(provider)) => provider,
        Ok(None) => return,
        Err(error) => return results.fail("sign-in", format!("{error:#}"), "correct the settings oidc_…"),
    };
    match provider.check().await {
        Ok(()) => results.ok("sign-in", format!("people can sign in at {}", provider.issuer())),
        Err(error) => results.warn(
            "sign-in",
            error.to_string(),
            "start the provider, or correct oidc_issuer; links and tokens sign people in meanwhile",
        ),
    }
}
