//! A provider whose documents and claims a test chooses.

use crate::{ClaimMapping, ClientCredentials, OidcProvider, ProviderAnswer, ProviderSettings};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_client::new_service_client;
use countersign_events::Timestamp;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinHandle,
};
use url::Url;

pub(super) const CLIENT: &str = "countersign";

/// What the provider answers.
#[derive(Clone, Default)]
pub(super) struct ProviderScript {
    /// The claims in the ID token besides the usual ones.
    pub(super) id_token: Value,
    pub(super) user_info: Value,
    pub(super) nonce: String,
    /// Whether the ID token is signed with a key that the provider does not publish.
    pub(super) has_other_key: bool,
    /// Whether requests for its documents get no answer.
    pub(super) is_silent: bool,
    pub(super) has_sign_out: bool,
}

/// A provider on a free port.
pub(super) struct TestProvider {
    pub(super) script: Arc<Mutex<ProviderScript>>,
    issuer: String,
    /// The paths of the requests.
    pub(super) requests: mpsc::UnboundedReceiver<String>,
    serving: JoinHandle<()>,
}

impl Drop for TestProvider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

pub(super) fn now() -> Timestamp {
    Timestamp::from_millis(1_769_860_800_000)
}

impl TestProvider {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let script = Arc::new(Mutex::new(ProviderScript { has_sign_out: true, ..ProviderScript::default() }));
        let (sender, requests) = mpsc::unbounded_channel();
        let (known, address) = (Arc::clone(&script), issuer.clone());
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&known), address.clone(), sender.clone()));
            }
        });
        Self { script, issuer, requests, serving }
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut ProviderScript)) {
        change(&mut self.script.lock().expect("no panic"));
    }

    /// The server's side. Every account is an approver; its verified address is its name.
    pub(super) fn client(&self) -> OidcProvider {
        let rules = [vec!["approver=sub:*".parse().expect("a rule")], Vec::new(), Vec::new()];
        let claims = ClaimMapping::new(None, rules, Vec::new()).expect("a mapping");
        let credentials = ClientCredentials { client_id: CLIENT.to_owned(), client_secret: "secret".into() };
        let settings = ProviderSettings::new(&self.issuer, credentials, None, claims, None);
        OidcProvider::new(settings.expect("settings"), new_service_client(None, true).expect("a client"))
    }

    /// Begins a sign-in, and returns what the browser brings back: the provider's answer, and the cookie.
    pub(super) async fn begin(&self, provider: &OidcProvider) -> (ProviderAnswer, String) {
        let start = provider.begin("http://127.0.0.1/callback", now()).await.expect("begins");
        let location = Url::parse(&start.location).expect("a URL");
        let find = |wanted: &str| {
            let mut pairs = location.query_pairs();
            pairs.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned()).expect("given")
        };
        self.change(|script| script.nonce = find("nonce"));
        let answer = ProviderAnswer {
            state: Some(find("state")),
            code: Some("code".to_owned()),
            ..ProviderAnswer::default()
        };
        (answer, start.cookie)
    }

    /// Waits until a document is asked for.
    pub(super) async fn is_asked_for_documents(&mut self) {
        while self.requests.recv().await.expect("it runs") != DISCOVERY {}
    }
}

const DISCOVERY: &str = "/.well-known/openid-configuration";

async fn serve(
    mut stream: TcpStream,
    script: Arc<Mutex<ProviderScript>>,
    issuer: String,
    requests: mpsc::UnboundedSender<String>,
) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4_096];
    // The body of a form may come after the head. No answer depends on it.
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut chunk).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&chunk[..read]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let script = script.lock().expect("no panic").clone();
    let _ = requests.send(path.clone());
    if path == DISCOVERY && script.is_silent {
        std::future::pending::<()>().await;
    }
    let body = answer(&path, &script, &issuer).to_string();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
    let text = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    let _ = stream.write_all(text.as_bytes()).await;
    // Reading to the end first keeps the connection from being reset before the answer is read.
    let _ = stream.shutdown().await;
    while matches!(stream.read(&mut chunk).await, Ok(read) if read > 0) {}
}

fn answer(path: &str, script: &ProviderScript, issuer: &str) -> Value {
    match path {
        DISCOVERY => {
            let mut document = json!({
                "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"), "userinfo_endpoint": format!("{issuer}/userinfo"),
                "jwks_uri": format!("{issuer}/jwks"), "response_types_supported": ["code"],
                "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["EdDSA"]
            });
            if script.has_sign_out {
                document["end_session_endpoint"] = format!("{issuer}/end").into();
            }
            document
        }
        "/jwks" => {
            let x = URL_SAFE_NO_PAD.encode(key(1).public_key().as_ref());
            json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": "1", "x": x}]})
        }
        "/token" => json!({
            "access_token": "access", "token_type": "Bearer", "id_token": id_token(script, issuer)
        }),
        _ => merge(json!({"sub": "ada"}), &script.user_info),
    }
}

fn id_token(script: &ProviderScript, issuer: &str) -> String {
    let seconds = now().as_millis() / 1_000;
    let usual = json!({
        "iss": issuer, "aud": CLIENT, "sub": "ada", "iat": seconds, "exp": seconds + 600, "nonce": script.nonce
    });
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = encode(&json!({"alg": "EdDSA", "kid": "1"}));
    let signed = format!("{header}.{}", encode(&merge(usual, &script.id_token)));
    let signature = key(if script.has_other_key { 2 } else { 1 }).sign(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
}

fn key(number: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[number; 32]).expect("every seed is a key")
}

fn merge(mut claims: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().into_iter().flatten() {
        claims[name] = value.clone();
    }
    claims
}
