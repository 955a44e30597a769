//! Signing out at the provider (<https://openid.net/specs/openid-connect-rpinitiated-1_0.html>), after the session here
//! has ended.

use crate::{
    OidcProvider, SignInError,
    cookie_key::CookiePurpose,
    id_token::ProviderIdToken,
    login_state::{LogoutState, is_recent},
};
use countersign_events::{Sha256, Timestamp};
use openidconnect::{ClientId, CsrfToken, LogoutRequest, PostLogoutRedirectUrl};

impl OidcProvider {
    /// Starts a sign-out. Returns the value of a cookie for the browser whose session has ended; `None` if the system
    /// has no randomness. Without the cookie, any page could sign people out at the provider.
    #[must_use]
    pub fn begin_sign_out(&self, now: Timestamp) -> Option<String> {
        let state = LogoutState { state: CsrfToken::new_random().into_secret(), began_at: now.as_millis() };
        self.key.seal(CookiePurpose::SignOut, &state)
    }

    /// Returns the provider's address at which the browser with this cookie signs out, and from which it comes back to
    /// `redirect_uri`; `None` if the provider has none. `account` is the account's cookie: without it, providers ask
    /// the person.
    pub async fn sign_out_location(
        &self,
        cookie: Option<&str>,
        account: Option<&str>,
        redirect_uri: &str,
        now: Timestamp,
    ) -> Result<Option<String>, SignInError> {
        let state = self.open_sign_out(cookie, now).ok_or_else(unknown_sign_out)?;
        let documents = self.documents.current(&self.settings, &self.client, now).await?;
        let Some(endpoint) = documents.additional_metadata().end_session_endpoint.clone() else {
            return Ok(None);
        };
        if !self.settings.is_plain() && endpoint.url().scheme() != "https" {
            return Err(self.fails("sends people who sign out to an address without https"));
        }
        let redirect = PostLogoutRedirectUrl::new(redirect_uri.to_owned())
            .map_err(|_| SignInError::failed("the address of this server is not a URL"))?;
        let request = LogoutRequest::from(endpoint)
            .set_client_id(ClientId::new(self.settings.client_id.clone()))
            .set_post_logout_redirect_uri(redirect)
            .set_state(CsrfToken::new(state.state));
        let hint =
            account.and_then(|cookie| self.key.open::<ProviderIdToken>(CookiePurpose::Account, cookie));
        let request = match &hint {
            Some(token) => request.set_id_token_hint(token),
            None => request,
        };
        Ok(Some(request.http_get_url().into()))
    }

    /// Checks that the provider sent the browser with this cookie back from its sign-out.
    pub fn finish_sign_out(
        &self,
        state: Option<&str>,
        cookie: Option<&str>,
        now: Timestamp,
    ) -> Result<(), SignInError> {
        let known = self.open_sign_out(cookie, now).ok_or_else(unknown_sign_out)?;
        let given = Sha256::digest(state.unwrap_or_default().as_bytes());
        if given.equals_in_constant_time(&Sha256::digest(known.state.as_bytes())) {
            return Ok(());
        }
        Err(unknown_sign_out())
    }

    fn open_sign_out(&self, cookie: Option<&str>, now: Timestamp) -> Option<LogoutState> {
        let state: LogoutState = self.key.open(CookiePurpose::SignOut, cookie?)?;
        is_recent(state.began_at, now).then_some(state)
    }
}

fn unknown_sign_out() -> SignInError {
    SignInError::failed(
        "this browser has not signed out in the last 10 minutes; sign out in the settings, and then at the identity \
         provider",
    )
}
