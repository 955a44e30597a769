//! Test vectors from the specifications: those of Web Authentication Level 3, and the signatures in OpenSSH's tests.

use crate::{
    base64url::encode_url,
    passkey::{PasskeyAssertion, PasskeyRegistration, signed_by},
    ssh::{SshPublicKey, SshSignature},
};
use serde::Deserialize;

const WEBAUTHN: &str = include_str!("../vectors/webauthn.json");

/// The vectors' site.
const SITE: &str = "example.org";

#[derive(Deserialize)]
struct VectorFile {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    title: String,
    registration: Registration,
    assertion: Assertion,
}

/// Each member in hexadecimal digits.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Registration {
    challenge: String,
    client_data: String,
    attestation: String,
}

/// Each member in hexadecimal digits.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    challenge: String,
    client_data: String,
    authenticator_data: String,
    signature: String,
}

fn bytes(digits: &str) -> Vec<u8> {
    hex::decode(digits).expect("hexadecimal digits")
}

fn base64url(digits: &str) -> String {
    encode_url(&bytes(digits))
}

fn read_vectors() -> Vec<Vector> {
    serde_json::from_str::<VectorFile>(WEBAUTHN).expect("the file is JSON").vectors
}

impl Vector {
    /// The expected outcome of the registration and the assertion. Most vectors verify no person, so they end there.
    fn outcome(&self) -> String {
        let (client_data, attestation) =
            (base64url(&self.registration.client_data), base64url(&self.registration.attestation));
        let registration = PasskeyRegistration { client_data: &client_data, attestation: &attestation };
        let key = match registration.check_challenge(&bytes(&self.registration.challenge), SITE) {
            Ok(key) => key,
            Err(why) => return format!("{}: not registered, {why}", self.title),
        };
        let (client_data, data, signature) = (
            base64url(&self.assertion.client_data),
            base64url(&self.assertion.authenticator_data),
            base64url(&self.assertion.signature),
        );
        let assertion =
            PasskeyAssertion { client_data: &client_data, authenticator_data: &data, signature: &signature };
        let used = assertion.check(&key, &bytes(&self.assertion.challenge));
        format!(
            "{}: registered, {}",
            self.title,
            used.map_or_else(|why| why.to_string(), |()| "used".to_owned())
        )
    }
}

#[test]
fn webauthn_vectors_have_their_outcomes() {
    let outcomes: Vec<_> = read_vectors().iter().map(Vector::outcome).collect();
    let outcomes = outcomes.join("\n").replace("; use another authenticator", "");
    insta::assert_snapshot!(outcomes, @r#"
    ES256 Credential with No Attestation: not registered, the authenticator did not verify the person by a PIN, a finger or a face
    ES256 Credential with Self Attestation: registered, the authenticator did not verify the person by a PIN, a finger or a face
    ES256 Credential with "crossOrigin": true in clientDataJSON: not registered, the passkey was used on a page that is not of example.org
    ES256 Credential with "topOrigin" in clientDataJSON: not registered, the passkey was used on a page that is not of example.org
    ES256 Credential with very long credential ID: not registered, the authenticator did not verify the person by a PIN, a finger or a face
    Packed Attestation with ES256 Credential: registered, used
    Packed Attestation with ES384 Credential: not registered, the authenticator did not verify the person by a PIN, a finger or a face
    Packed Attestation with ES512 Credential: not registered, the passkey is not of ES256, EdDSA or RS256
    Packed Attestation with RS256 Credential: registered, the authenticator did not verify the person by a PIN, a finger or a face
    Packed Attestation with Ed25519 Credential: not registered, the authenticator did not verify the person by a PIN, a finger or a face
    Packed Attestation with Ed448 Credential: not registered, the authenticator did not verify the person by a PIN, a finger or a face
    TPM Attestation with ES256 Credential: registered, used
    Android Key Attestation with ES256 Credential: registered, the authenticator did not verify the person by a PIN, a finger or a face
    Apple Anonymous Attestation with ES256 Credential: not registered, the authenticator did not verify the person by a PIN, a finger or a face
    FIDO U2F Attestation with ES256 Credential: not registered, the authenticator did not verify the person by a PIN, a finger or a face
    "#);
}

#[test]
fn webauthn_vector_signatures_are_checked() {
    let mut checked = Vec::new();
    for vector in read_vectors() {
        let Vector { title, registration, assertion } = vector;
        let (data, client_data) = (bytes(&assertion.authenticator_data), bytes(&assertion.client_data));
        let mut signature = bytes(&assertion.signature);
        let Some(is_signed) = signed_by(&bytes(&registration.attestation), &data, &client_data, &signature)
        else {
            continue;
        };
        assert!(is_signed, "{title}");
        if let Some(last) = signature.last_mut() {
            *last ^= 1;
        }
        let changed = signed_by(&bytes(&registration.attestation), &data, &client_data, &signature);
        assert_eq!(changed, Some(false), "{title} with another signature");
        checked.push(title);
    }
    assert_eq!(checked.len(), 12, "{checked:?}");
}

#[test]
fn openssh_vectors_are_checked() {
    const VECTORS: [(&str, &str, &str); 5] = [
        ("ed25519", include_str!("../vectors/ssh/ed25519.pub"), include_str!("../vectors/ssh/ed25519.sig")),
        ("ecdsa", include_str!("../vectors/ssh/ecdsa.pub"), include_str!("../vectors/ssh/ecdsa.sig")),
        ("rsa", include_str!("../vectors/ssh/rsa.pub"), include_str!("../vectors/ssh/rsa.sig")),
        (
            "ecdsa_sk",
            include_str!("../vectors/ssh/ecdsa_sk.pub"),
            include_str!("../vectors/ssh/ecdsa_sk.sig"),
        ),
        (
            "ed25519_sk",
            include_str!("../vectors/ssh/ed25519_sk.pub"),
            include_str!("../vectors/ssh/ed25519_sk.sig"),
        ),
    ];
    for (name, key, signature) in VECTORS {
        let key = SshPublicKey::parse(key).expect(name);
        let signature = SshSignature::parse(signature).expect(name);
        let message = b"This is a test, this is only a test";
        assert_eq!(signature.check_namespace("unittest", &key, message), Ok(()), "{name}");
        signature.check_namespace("unittest", &key, b"This is another test").expect_err(name);
        signature.check(&key, message).expect_err("it is in another namespace");
    }
}

#[test]
fn openssh_signature_by_a_browser_is_refused() {
    let key = SshPublicKey::parse(include_str!("../vectors/ssh/ecdsa_sk_webauthn.pub")).expect("a key");
    let refused = SshSignature::parse(include_str!("../vectors/ssh/ecdsa_sk_webauthn.sig"))
        .and_then(|signature| {
            signature.check_namespace("unittest", &key, b"This is a test, this is only a test")
        })
        .expect_err("it has parts that are not read");
    insta::assert_snapshot!(refused, @"the SSH signature is damaged");
}
