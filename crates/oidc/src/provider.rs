//! The two steps of a sign-in: sending the browser to the provider, and reading the provider's answer.

use crate::{
    ProviderPerson, ProviderSettings, SignInError,
    claim_sources::merge_claims,
    cookie_key::{CookieKey, CookiePurpose},
    http_client::{RequestFailure, send_request},
    id_token::{
        ProviderClaims, ProviderClient, ProviderIdToken, ProviderTokens, ProviderUserInfo, claims_as_json,
        describe_rejection, verify_id_token,
    },
    login_state::{LoginState, is_recent},
    provider_documents::{ProviderDocument, ProviderDocuments, read_documents},
};
use countersign_events::{ProviderAccount, Sha256, Timestamp};
use openidconnect::{
    AccessToken, AuthType, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError, ClientId,
    ClientSecret, CsrfToken, HttpRequest, HttpResponse, Nonce, OAuth2TokenResponse, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope, TokenResponse,
    core::{CoreClientAuthMethod, CoreResponseType},
};
use reqwest::Client;
use serde_json::{Map, Value};
use std::{fmt, sync::Arc};

/// The most characters in a parameter of the provider's answer.
const MAX_PARAMETER: usize = 4_000;

/// A provider at which people sign in.
pub struct OidcProvider {
    pub(crate) settings: ProviderSettings,
    pub(crate) client: Client,
    pub(crate) key: CookieKey,
    pub(crate) documents: ProviderDocuments,
}

impl fmt::Debug for OidcProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcProvider").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The first step of a sign-in.
#[derive(Debug)]
pub struct SignInStart {
    /// The provider's address to which the browser goes.
    pub location: String,
    /// The value of the cookie that the browser sends back: letters, digits, `_` and `-`.
    pub cookie: String,
}

/// A sign-in that the provider confirmed.
#[derive(Debug)]
pub struct FinishedSignIn {
    /// The person, as the provider's claims say.
    pub person: ProviderPerson,
    /// The account.
    pub account: ProviderAccount,
    /// The SHA-256 of the `state`, which makes one session.
    pub sign_in: Sha256,
    /// The value of the cookie with which the browser signs out at the provider, too; `None` if the ID token is too
    /// large for a cookie.
    pub account_cookie: Option<String>,
}

/// The parameters with which the provider sends the browser back.
#[derive(Debug, Clone, Default, serde::Deserialize)]
pub struct ProviderAnswer {
    /// The first step's `state`.
    #[serde(default)]
    pub state: Option<String>,
    /// The code that the provider exchanges for an ID token.
    #[serde(default)]
    pub code: Option<String>,
    /// The provider's error code, if it refuses.
    #[serde(default)]
    pub error: Option<String>,
    /// The issuer (RFC 9207).
    #[serde(default)]
    pub iss: Option<String>,
}

impl OidcProvider {
    /// Makes a provider that is asked with this client, which must not follow redirects. Nothing is sent yet.
    #[must_use]
    pub fn new(settings: ProviderSettings, client: Client) -> Self {
        let key = CookieKey::new(settings.client_secret.clone(), &settings.issuer, &settings.client_id);
        Self { settings, client, key, documents: ProviderDocuments::default() }
    }

    /// The provider's display name.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.settings.label
    }

    /// The provider's address.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.settings.issuer
    }

    /// Checks that the provider can be used: reads its documents.
    pub async fn check(&self) -> Result<(), SignInError> {
        read_documents(&self.settings, &self.client).await.map(drop)
    }

    /// Starts a sign-in, after which the provider sends the browser to `redirect_uri`.
    pub async fn begin(&self, redirect_uri: &str, now: Timestamp) -> Result<SignInStart, SignInError> {
        let documents = self.documents.current(&self.settings, &self.client, now).await?;
        let client = self.client_for(&documents, redirect_uri)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let flow = AuthenticationFlow::<CoreResponseType>::AuthorizationCode;
        let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
        let request = client.authorize_url(flow, CsrfToken::new_random, Nonce::new_random).add_scopes(scopes);
        let (location, state, nonce) = request.set_pkce_challenge(challenge).url();
        let state = LoginState {
            state: state.into_secret(),
            nonce: nonce.secret().clone(),
            verifier: verifier.into_secret(),
            redirect_uri: redirect_uri.to_owned(),
            began_at: now.as_millis(),
        };
        let cookie = self.key.seal(CookiePurpose::SignIn, &state);
        let cookie = cookie.ok_or_else(|| SignInError::failed("the system has no randomness"))?;
        Ok(SignInStart { location: location.into(), cookie })
    }

    /// Reads the provider's answer to the browser that has this cookie.
    pub async fn finish(
        &self,
        answer: &ProviderAnswer,
        cookie: Option<&str>,
        now: Timestamp,
    ) -> Result<FinishedSignIn, SignInError> {
        let state = self.check_answer(answer, cookie, now)?;
        let Some(code) = answer.code.as_ref().filter(|code| code.len() <= MAX_PARAMETER) else {
            return Err(SignInError::failed(describe_error(answer.error.as_deref())));
        };
        let documents = self.documents.current(&self.settings, &self.client, now).await?;
        let client = self.client_for(&documents, &state.redirect_uri)?;
        let tokens = self.exchange_code(&client, code, &state).await?;
        let id_token = tokens.id_token().ok_or_else(|| rejected("it is missing"))?;
        let claims = self.verify(client.clone(), id_token, &state, now).await?;
        let account =
            ProviderAccount { issuer: self.settings.issuer.clone(), subject: claims.subject().to_string() };
        let mut all = claims_as_json(claims);
        if self.settings.claims.lacks_claims(&all) {
            all = self.add_user_info(&client, tokens.access_token().clone(), &account.subject, all).await?;
        }
        let person = self.settings.claims.find_person(&all).map_err(SignInError::Refused)?;
        let sign_in = Sha256::digest(state.state.as_bytes());
        let account_cookie = self.key.seal(CookiePurpose::Account, &id_token.to_string());
        Ok(FinishedSignIn { person, account, sign_in, account_cookie })
    }

    /// Exchanges the code for the provider's tokens.
    async fn exchange_code(
        &self,
        client: &ProviderClient,
        code: &str,
        state: &LoginState,
    ) -> Result<ProviderTokens, SignInError> {
        let request = client.exchange_code(AuthorizationCode::new(code.to_owned()));
        let request = request.map_err(|_| self.fails("has no token endpoint"))?;
        let http = |request: HttpRequest| self.send(request);
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(state.verifier.clone()));
        request.request_async(&http).await.map_err(|error| self.describe_exchange(&error))
    }

    /// Verifies the ID token, if necessary with the provider's new keys.
    async fn verify<'a>(
        &self,
        mut client: ProviderClient,
        token: &'a ProviderIdToken,
        state: &LoginState,
        now: Timestamp,
    ) -> Result<&'a ProviderClaims, SignInError> {
        let mut checked = verify_id_token(&client, token, &state.nonce, now);
        if let Err(ClaimsVerificationError::SignatureVerification(_)) = checked {
            let documents = self.documents.reload(&self.settings, &self.client, now).await?;
            client = self.client_for(&documents, &state.redirect_uri)?;
            checked = verify_id_token(&client, token, &state.nonce, now);
        }
        checked.map_err(|why| rejected(describe_rejection(&why)))
    }

    /// Checks that the answer belongs to a sign-in of this browser, and comes from the provider.
    fn check_answer(
        &self,
        answer: &ProviderAnswer,
        cookie: Option<&str>,
        now: Timestamp,
    ) -> Result<LoginState, SignInError> {
        let unknown = "this sign-in took longer than 10 minutes, was used before, or was begun in another browser; \
                       sign in again";
        let state = cookie.and_then(|cookie| self.key.open(CookiePurpose::SignIn, cookie));
        let state: LoginState = state.ok_or_else(|| SignInError::failed(unknown))?;
        if !is_recent(state.began_at, now) {
            return Err(SignInError::failed(unknown));
        }
        let given = Sha256::digest(answer.state.as_deref().unwrap_or_default().as_bytes());
        if !given.equals_in_constant_time(&Sha256::digest(state.state.as_bytes())) {
            return Err(SignInError::failed(unknown));
        }
        if answer.iss.as_ref().is_some_and(|issuer| *issuer != self.settings.issuer) {
            return Err(SignInError::failed("another identity provider answered; sign in again"));
        }
        Ok(state)
    }

    /// Adds the claims that the provider sends only on request.
    async fn add_user_info(
        &self,
        client: &ProviderClient,
        access: AccessToken,
        subject: &str,
        claims: Map<String, Value>,
    ) -> Result<Map<String, Value>, SignInError> {
        let subject = openidconnect::SubjectIdentifier::new(subject.to_owned());
        let Ok(request) = client.user_info(access, Some(subject)) else { return Ok(claims) };
        let http = |request: HttpRequest| self.send(request);
        let more: Result<ProviderUserInfo, _> = request.request_async(&http).await;
        let more = more.map_err(|_| self.fails("does not send the claims of the account"))?;
        Ok(merge_claims(claims, claims_as_json(&more)))
    }

    fn client_for(
        &self,
        documents: &Arc<ProviderDocument>,
        redirect_uri: &str,
    ) -> Result<ProviderClient, SignInError> {
        let (id, secret) = (self.settings.client_id.clone(), self.settings.client_secret.expose().clone());
        let redirect = RedirectUrl::new(redirect_uri.to_owned());
        let redirect =
            redirect.map_err(|_| SignInError::failed("the address of this server is not a URL"))?;
        let methods = documents.token_endpoint_auth_methods_supported();
        let in_body = methods.is_some_and(|methods| {
            methods.contains(&CoreClientAuthMethod::ClientSecretPost)
                && !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
        });
        let auth = if in_body { AuthType::RequestBody } else { AuthType::BasicAuth };
        let documents = ProviderDocument::clone(documents);
        let client: ProviderClient = openidconnect::Client::from_provider_metadata(
            documents,
            ClientId::new(id),
            Some(ClientSecret::new(secret)),
        );
        Ok(client.set_redirect_uri(redirect).set_auth_type(auth))
    }

    fn send(
        &self,
        request: HttpRequest,
    ) -> impl Future<Output = Result<HttpResponse, RequestFailure>> + use<> {
        send_request(self.client.clone(), request, !self.settings.is_plain())
    }

    pub(crate) fn fails(&self, why: &str) -> SignInError {
        SignInError::unavailable(&self.settings.issuer, why)
    }

    fn describe_exchange<T>(&self, error: &RequestTokenError<RequestFailure, T>) -> SignInError
    where
        T: openidconnect::ErrorResponse + 'static,
    {
        match error {
            RequestTokenError::Request(failure) => self.fails(&failure.to_string()),
            RequestTokenError::ServerResponse(_) => {
                let why = "the identity provider does not accept its code, or the client secret of this server; sign \
                           in again, and tell an administrator if it stays so";
                SignInError::failed(why)
            }
            _ => self.fails("does not answer as OpenID Connect requires"),
        }
    }
}

fn rejected(why: &str) -> SignInError {
    SignInError::failed(format!("the ID token of the identity provider is not accepted: {why}"))
}

/// The provider error for people. A string that does not have the form of an error code is left out, because any page
/// can send one.
fn describe_error(error: Option<&str>) -> String {
    let is_code = |error: &&str| {
        (1..=64).contains(&error.len()) && error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    match error.filter(is_code) {
        Some("access_denied") => "the identity provider denied the sign-in, or you cancelled it".to_owned(),
        Some(error) => format!("the identity provider answered {error}; sign in again"),
        None => "the identity provider sent neither a code nor an error; sign in again".to_owned(),
    }
}
