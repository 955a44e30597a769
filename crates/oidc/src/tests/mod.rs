//! Sign-ins and sign-outs at a provider on this machine.

mod test_provider;

use crate::{OidcProvider, SignInError};
use countersign_events::Timestamp;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use test_provider::{CLIENT, TestProvider, now};
use url::Url;

/// Signs in with these claims of the ID token and of the endpoint `UserInfo`, and returns the name.
async fn name_from(id_token: Value, user_info: Value) -> Result<String, SignInError> {
    let test = TestProvider::start().await;
    test.change(|script| (script.id_token, script.user_info) = (id_token, user_info));
    let provider = test.client();
    let (answer, cookie) = test.begin(&provider).await;
    provider.finish(&answer, Some(&cookie), now()).await.map(|finished| finished.person.name)
}

#[tokio::test]
async fn address_is_verified_by_its_own_document() {
    let (own, other) = ("ada@example.com", "root@example.com");
    let verified = |email: &str| json!({"email": email, "email_verified": true});
    assert_eq!(name_from(verified(own), json!({})).await.as_deref(), Ok(own));
    assert_eq!(name_from(json!({}), verified(own)).await.as_deref(), Ok(own));
    assert_eq!(name_from(json!({"email": other}), verified(own)).await.as_deref(), Ok(own));
    for (id_token, user_info) in [
        (json!({"email": other}), json!({"email_verified": true})),
        (json!({"email_verified": true}), json!({"email": other})),
        (json!({"email": other, "email_verified": false}), verified(other)),
    ] {
        let refused = name_from(id_token.clone(), user_info.clone()).await;
        assert!(matches!(refused, Err(SignInError::Refused(_))), "{id_token} {user_info}: {refused:?}");
    }
}

/// Begins a sign-in in a task of its own.
fn begins(provider: &Arc<OidcProvider>, at: Timestamp) -> tokio::task::JoinHandle<bool> {
    let provider = Arc::clone(provider);
    tokio::spawn(async move { provider.begin("http://127.0.0.1/callback", at).await.is_ok() })
}

#[tokio::test]
async fn silent_provider_holds_up_no_other_sign_in() {
    let mut test = TestProvider::start().await;
    let provider = Arc::new(test.client());
    test.begin(&provider).await;
    test.is_asked_for_documents().await;
    test.change(|script| script.is_silent = true);
    let later = now().after(Duration::from_hours(2));
    let waiting = begins(&provider, later);
    test.is_asked_for_documents().await;
    assert_eq!(begins(&provider, later).await.ok(), Some(true), "it uses the documents that are there");
    assert!(!waiting.is_finished());
    waiting.abort();
    assert_eq!(begins(&provider, later).await.ok(), Some(true), "also after the first browser has gone");
    test.requests.close();
    while let Some(path) = test.requests.recv().await {
        assert_ne!(path, "/.well-known/openid-configuration", "one request at a time asks");
    }
}

#[tokio::test]
async fn search_for_keys_holds_up_no_sign_in() {
    let mut test = TestProvider::start().await;
    let provider = Arc::new(test.client());
    let (answer, cookie) = test.begin(&provider).await;
    test.is_asked_for_documents().await;
    test.change(|script| (script.has_other_key, script.is_silent) = (true, true));
    let finishing = Arc::clone(&provider);
    let waiting = tokio::spawn(async move { finishing.finish(&answer, Some(&cookie), now()).await.is_ok() });
    test.is_asked_for_documents().await;
    assert_eq!(begins(&provider, now()).await.ok(), Some(true));
    assert!(!waiting.is_finished());
    waiting.abort();
}

const BACK: &str = "http://127.0.0.1/signed-out";

#[tokio::test]
async fn browser_signs_out_and_comes_back() {
    let test = TestProvider::start().await;
    test.change(|script| script.id_token = json!({"email": "a@example.com", "email_verified": true}));
    let provider = test.client();
    let (answer, cookie) = test.begin(&provider).await;
    let account = provider.finish(&answer, Some(&cookie), now()).await.expect("signed in").account_cookie;
    let account = account.expect("a small token");
    let cookie = provider.begin_sign_out(now()).expect("randomness");
    let find = |location: &str, wanted: &str| {
        let location = Url::parse(location).expect("a URL");
        assert_eq!(location.path(), "/end");
        let mut pairs = location.query_pairs();
        pairs.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
    };
    let location = provider.sign_out_location(Some(&cookie), Some(&account), BACK, now()).await;
    let location = location.expect("asked").expect("it has an endpoint");
    assert_eq!(find(&location, "client_id").as_deref(), Some(CLIENT));
    assert_eq!(find(&location, "post_logout_redirect_uri").as_deref(), Some(BACK));
    assert_eq!(find(&location, "id_token_hint").expect("a token").split('.').count(), 3);
    let state = find(&location, "state");
    assert_eq!(provider.finish_sign_out(state.as_deref(), Some(&cookie), now()), Ok(()));
    let late = now().after(Duration::from_mins(10));
    for (state, cookie, at, why) in [
        (None, Some(&cookie), now(), "no state"),
        (Some("other"), Some(&cookie), now(), "another state"),
        (state.as_deref(), None, now(), "another browser"),
        (state.as_deref(), Some(&account), now(), "a cookie for something else"),
        (state.as_deref(), Some(&cookie), late, "too late"),
    ] {
        let refused = provider.finish_sign_out(state, cookie.map(String::as_str), at);
        assert!(matches!(refused, Err(SignInError::Failed(_))), "{why}: {refused:?}");
    }
    let without = provider.sign_out_location(Some(&cookie), None, BACK, now()).await;
    assert_eq!(find(&without.expect("asked").expect("an endpoint"), "id_token_hint"), None);
    assert!(
        provider.sign_out_location(None, Some(&account), BACK, now()).await.is_err(),
        "not signed out here"
    );
}

#[tokio::test]
async fn provider_without_sign_out_has_no_address() {
    let test = TestProvider::start().await;
    test.change(|script| script.has_sign_out = false);
    let provider = test.client();
    let cookie = provider.begin_sign_out(now()).expect("randomness");
    assert_eq!(provider.sign_out_location(Some(&cookie), None, BACK, now()).await, Ok(None));
}
