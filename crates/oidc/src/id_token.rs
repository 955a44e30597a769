//! Checks ID tokens (OpenID Connect Core, 3.1.3.7), and defines the library types with all provider claims.

use countersign_events::Timestamp;
use openidconnect::{
    AdditionalClaims, ClaimsVerificationError, Client, EmptyExtraTokenFields, EndpointMaybeSet,
    EndpointNotSet, EndpointSet, IdToken, IdTokenClaims, IdTokenFields, Nonce, StandardErrorResponse,
    StandardTokenResponse, UserInfoClaims,
    core::{
        CoreAuthDisplay, CoreAuthPrompt, CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey,
        CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreRevocableToken,
        CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// The accepted clock difference between the provider and this machine.
const LEEWAY: Duration = Duration::from_mins(1);

/// The accepted signatures. Without a shared secret, only the provider can make them; `none` means no signature.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// The claims that the library does not know by name.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OtherClaims {
    #[serde(flatten)]
    all: Map<String, Value>,
}

impl AdditionalClaims for OtherClaims {}

pub(crate) type ProviderIdToken =
    IdToken<OtherClaims, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;

pub(crate) type ProviderClaims = IdTokenClaims<OtherClaims, CoreGenderClaim>;

pub(crate) type ProviderUserInfo = UserInfoClaims<OtherClaims, CoreGenderClaim>;

type TokenFields = IdTokenFields<
    OtherClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

/// The tokens that the provider gives for a code.
pub(crate) type ProviderTokens = StandardTokenResponse<TokenFields, CoreTokenType>;

/// The client for a provider whose document was read.
pub(crate) type ProviderClient = Client<
    OtherClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    ProviderTokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Checks the issuer, the audience, the authorized party, the signature, the expiry and the nonce of an ID token.
pub(crate) fn verify_id_token<'a>(
    client: &ProviderClient,
    token: &'a ProviderIdToken,
    nonce: &str,
    now: Timestamp,
) -> Result<&'a ProviderClaims, ClaimsVerificationError> {
    let late = now.before(LEEWAY).as_millis();
    let verifier = client
        .id_token_verifier()
        .set_allowed_algs(ALGORITHMS)
        .set_time_fn(move || chrono::DateTime::from_timestamp_millis(late).unwrap_or_default());
    let claims = token.claims(&verifier, &Nonce::new(nonce.to_owned()))?;
    // The library leaves this check out.
    if claims.authorized_party().is_some_and(|party| party != client.client_id()) {
        return Err(ClaimsVerificationError::InvalidAudience("azp".to_owned()));
    }
    Ok(claims)
}

/// The check that an ID token did not pass, in a short message that repeats nothing from the token.
pub(crate) const fn describe_rejection(why: &ClaimsVerificationError) -> &'static str {
    match why {
        ClaimsVerificationError::Expired(_) => "it has expired; are the clocks right?",
        ClaimsVerificationError::InvalidAudience(_) => "it was made for another client",
        ClaimsVerificationError::InvalidIssuer(_) => "it is from another issuer",
        ClaimsVerificationError::InvalidNonce(_) => "it was made for another sign-in",
        ClaimsVerificationError::SignatureVerification(_) => "it has no valid signature of the provider",
        _ => "it is not valid",
    }
}

/// The claims as JSON.
pub(crate) fn claims_as_json(claims: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(claims) {
        Ok(Value::Object(claims)) => claims,
        // The library's types are objects.
        _ => Map::new(),
    }
}
