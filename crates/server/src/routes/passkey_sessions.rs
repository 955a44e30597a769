//! `POST /v1/sessions/passkey/challenge` and `POST /v1/sessions/passkey`

use super::sessions::{NewSession, SignedIn, answer_sign_in};
use crate::{
    AppState,
    extract::{JsonBody, NoQuery, RequestSource},
    identity::SESSION_SPANS,
    problem::ProblemResponse,
};
use axum::{Json, extract::State, http::StatusCode};
use countersign_api::{self as api, ErrorCode, fill_random};
use countersign_events::Sha256;
use countersign_gate::{GateFailure, PasskeySignIn, SessionPages};
use countersign_proofs::passkey::{PasskeyAssertion, SignInSecret, encode_bytes, read_origin};
use serde::{Deserialize, Serialize};

/// A request for a challenge.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({})))]
pub(super) struct ChallengeRequest {}

/// A sign-in challenge.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(examples(json!({"challenge": "Q291bnRlcnNpZ24gc2lnbi1pbiA…"})))]
pub(super) struct SignInChallenge {
    /// The bytes that the passkey signs, in base64url. It is used once, within five minutes.
    challenge: String,
}

/// The passkey assertion that signs a person in.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(examples(json!({"credentialId": "dGVzdA", "clientData": "eyJ0…", "authenticatorData": "SZYN…", "signature": "MEUC…"})))]
pub(super) struct PasskeySignInRequest {
    /// The credential id in base64url.
    #[schema(max_length = 2_048)]
    credential_id: String,
    /// The client data in base64url.
    #[schema(max_length = 8_192)]
    client_data: String,
    /// The authenticator data in base64url.
    #[schema(max_length = 8_192)]
    authenticator_data: String,
    /// The signature in base64url.
    #[schema(max_length = 8_192)]
    signature: String,
}

/// Makes the challenge for a passkey sign-in.
///
/// It names no one. Each process of the log recognises it.
#[utoipa::path(
    post,
    path = "/v1/sessions/passkey/challenge",
    operation_id = "beginPasskeySignIn",
    tag = "access",
    request_body(content = ChallengeRequest),
    responses((status = 201, description = "The challenge.", body = SignInChallenge))
)]
pub(super) async fn begin(
    State(app): State<AppState>,
    _: NoQuery,
    JsonBody(ChallengeRequest {}): JsonBody<ChallengeRequest>,
) -> Result<(StatusCode, Json<SignInChallenge>), ProblemResponse> {
    let mut random = [0; 16];
    fill_random(&mut random).map_err(|why| {
        ProblemResponse::new(ErrorCode::Internal, format!("the system has no randomness: {why}"))
    })?;
    let challenge = find_secret(&app).await?.issue(random, app.options.clock.now());
    Ok((StatusCode::CREATED, Json(SignInChallenge { challenge: encode_bytes(&challenge) })))
}

/// Signs a person in with a passkey, and sets a session cookie.
///
/// The session has the rights of the token or link under which the person registered the passkey. It ends when the passkey
/// is removed, and with that token.
#[utoipa::path(
    post,
    path = "/v1/sessions/passkey",
    operation_id = "signInWithPasskey",
    tag = "access",
    request_body(content = PasskeySignInRequest),
    responses((status = 201, description = "The person who is signed in.", body = api::CallerView, headers(
        ("set-cookie" = String, description = "The session, closed to scripts and to other sites."),
        ("countersign-page-key" = String, description = "The key that the page sends with each request."),
    )))
)]
pub(super) async fn sign_in(
    State(app): State<AppState>,
    source: RequestSource,
    _: NoQuery,
    JsonBody(request): JsonBody<PasskeySignInRequest>,
) -> Result<SignedIn, ProblemResponse> {
    let refuse = |why: &str| ProblemResponse::new(ErrorCode::Unauthenticated, why);
    let (origin, challenge) = read_origin(&request.client_data).map_err(|why| refuse(&why.to_string()))?;
    if !find_secret(&app).await?.recognises(&challenge, app.options.clock.now()) {
        return Err(refuse("the challenge is unknown or too old; try again"));
    }
    app.guard.own.check_page(&origin)?;
    let found = app.gate.find_passkeys(&request.credential_id).await?;
    let assertion = PasskeyAssertion {
        client_data: &request.client_data,
        authenticator_data: &request.authenticator_data,
        signature: &request.signature,
    };
    let mut refusal = refuse("no passkey of this log, or one that signs no one in");
    let key = found.into_iter().find_map(|(id, key)| match assertion.check(&key, &challenge) {
        Ok(()) => Some(id),
        Err(why) => {
            refusal = refuse(&why.to_string());
            None
        }
    });
    let sign_in = PasskeySignIn { key: key.ok_or(refusal)?, sign_in: Sha256::digest(&challenge) };
    let pages = SessionPages::new(Some(origin))?;
    let (secret, created, holder) = app.gate.start_passkey_session(&sign_in, &pages, SESSION_SPANS).await?;
    let session = NewSession { secret: &secret, pages: &pages, created };
    Ok(answer_sign_in(&app, &source, session, &holder))
}

/// The log secret, which never changes, so it is read once.
async fn find_secret(app: &AppState) -> Result<&SignInSecret, GateFailure> {
    app.sign_in_secret.get_or_try_init(|| app.gate.sign_in_secret()).await
}
