//! Signing in at an identity provider with OpenID Connect (<https://openid.net/specs/openid-connect-core-1_0.html>): the
//! authorization code flow with PKCE. The provider's claims give a person a name, a role, a level and groups.
//!
//! Nothing is kept between the two requests of a sign-in except a sealed cookie, so any server process of a log can
//! complete what another one started.

mod claim_mapping;
mod claim_sources;
mod cookie_key;
mod http_client;
mod id_token;
mod login_state;
mod provider;
mod provider_documents;
mod settings;
mod sign_in_error;
mod sign_out;
#[cfg(test)]
mod tests;

pub use claim_mapping::{BadRule, ClaimMapping, ClaimRule, ProviderPerson};
pub use provider::{FinishedSignIn, OidcProvider, ProviderAnswer, SignInStart};
pub use settings::{BadSettings, ClientCredentials, ProviderSettings};
pub use sign_in_error::SignInError;
