//! The identity provider at which people sign in, from the options and the settings.

use super::args::OidcArgs;
use countersign_client::new_service_client;
use countersign_console::{
    CliError, CommandContext, SettingKey, invalid_setting, read_secret_file, read_variable,
};
use countersign_events::SecretValue;
use countersign_oidc::{ClaimMapping, ClaimRule, ClientCredentials, OidcProvider, ProviderSettings};
use std::{path::PathBuf, sync::Arc};

/// The variable that contains the client secret. It is not a setting, because `config` prints settings.
const SECRET_VARIABLE: &str = "COUNTERSIGN_OIDC_CLIENT_SECRET";

/// Reads the identity provider; `None` if the settings name none. The provider is not asked.
pub(crate) fn identity_provider(
    context: &CommandContext,
    args: &OidcArgs,
) -> anyhow::Result<Option<Arc<OidcProvider>>> {
    let Some(issuer) = text(context, args.issuer.as_ref(), SettingKey::OidcIssuer) else { return Ok(None) };
    let Some(id) = text(context, args.client_id.as_ref(), SettingKey::OidcClientId) else {
        let why = "--oidc-issuer needs --oidc-client-id, the id of this server as a client of the provider";
        return Err(CliError::usage(why).into());
    };
    let rules = [
        rules(context, &args.roles, SettingKey::OidcRoles)?,
        rules(context, &args.levels, SettingKey::OidcLevels)?,
        rules(context, &args.groups, SettingKey::OidcGroups)?,
    ];
    let name_claim = text(context, args.name_claim.as_ref(), SettingKey::OidcNameClaim);
    let domains = texts(context, &args.email_domains, SettingKey::OidcEmailDomains).unwrap_or_default();
    let claims = ClaimMapping::new(name_claim, rules, domains)
        .map_err(|why| invalid_setting(format!("{}: {why}", SettingKey::OidcRoles.definition().name)))?;
    let scopes = texts(context, &args.scopes, SettingKey::OidcScopes);
    let label = text(context, args.label.as_ref(), SettingKey::OidcLabel);
    let credentials = ClientCredentials { client_id: id, client_secret: client_secret(context, args)? };
    let settings = ProviderSettings::new(&issuer, credentials, scopes, claims, label);
    let settings =
        settings.map_err(|why| invalid_setting(format!("the identity provider {issuer}: {why}")))?;
    let authorities = context.settings.tls_authorities();
    let client = new_service_client(authorities.as_deref(), settings.is_plain())?;
    Ok(Some(Arc::new(OidcProvider::new(settings, client))))
}

/// The client secret, from a file or the environment.
fn client_secret(context: &CommandContext, args: &OidcArgs) -> anyhow::Result<SecretValue<String>> {
    let setting = context.settings.text_with_origin(SettingKey::OidcClientSecretFile);
    let file = match (&args.client_secret_file, setting) {
        (Some(path), _) => Some((path.clone(), "--oidc-client-secret-file".to_owned())),
        (None, setting) => setting.map(|(path, origin)| (PathBuf::from(path), origin.to_string())),
    };
    if let Some((path, origin)) = file {
        return read_secret_file(&path, &origin);
    }
    let Some(secret) = read_variable(SECRET_VARIABLE) else {
        let why = format!("--oidc-issuer needs --oidc-client-secret-file or {SECRET_VARIABLE}");
        return Err(CliError::usage(why).into());
    };
    let why = || CliError::usage(format!("{SECRET_VARIABLE} is not UTF-8"));
    Ok(secret.into_string().map_err(|_| why())?.into())
}

/// The option, or else the setting.
fn text(context: &CommandContext, given: Option<&String>, key: SettingKey) -> Option<String> {
    given.cloned().or_else(|| context.settings.text_with_origin(key).map(|(text, _)| text.to_owned()))
}

/// The values from the option, or else from the setting.
fn texts(context: &CommandContext, given: &[String], key: SettingKey) -> Option<Vec<String>> {
    if !given.is_empty() {
        return Some(given.to_vec());
    }
    context.settings.texts(key).map(|(texts, _)| texts.to_vec())
}

fn rules(context: &CommandContext, given: &[String], key: SettingKey) -> anyhow::Result<Vec<ClaimRule>> {
    let name = key.definition().name;
    let read = |text: &String| text.parse().map_err(|why| invalid_setting(format!("{name}: {why}")));
    texts(context, given, key).unwrap_or_default().iter().map(read).collect()
}
