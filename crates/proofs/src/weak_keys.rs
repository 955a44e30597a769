//! Keys with which others than their owner could prove a decision, and registrations that contradict themselves.

use crate::{
    ApproverPublicKey,
    base64url::{encode_ssh, encode_url},
    passkey::{PasskeyAssertion, PasskeyPublicKey, PasskeyRegistration, creation_challenge},
    public_key::{PublicKey, SignatureForm},
    test_keys::TestKey,
};
use countersign_events::{Principal, ProofKind, Sha256};

const SITE: &str = "example.com";

/// The points of Ed25519 whose order is 8 or less, with each sign and in each form, and numbers that are no usual form.
const WEAK_ED25519: [&str; 9] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

fn push(bytes: &mut Vec<u8>, string: &[u8]) {
    bytes.extend(u32::try_from(string.len()).expect("short").to_be_bytes());
    bytes.extend(string);
}

fn ssh_line(algorithm: &str, fields: &[&[u8]]) -> String {
    let mut blob = Vec::new();
    push(&mut blob, algorithm.as_bytes());
    for field in fields {
        push(&mut blob, field);
    }
    format!("{algorithm} {}", encode_ssh(&blob))
}

/// A passkey of Ed25519: {1: 1, 3: -8, -1: 6, -2: the key}.
fn ed25519_passkey(key: &[u8]) -> String {
    let cose = [&[0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20], key].concat();
    format!("passkey {SITE} AAAA {}", encode_url(&cose))
}

fn refusal(kind: ProofKind, line: &str) -> String {
    ApproverPublicKey::parse(kind, line).expect_err(line).to_string()
}

#[test]
fn constant_signature_by_weak_key_is_valid() {
    // R is the neutral point, and S is 0.
    let mut signature = [0; 64];
    signature[0] = 1;
    let neutral = PublicKey::Ed25519(hex::decode(WEAK_ED25519[1]).expect("digits"));
    for text in ["allow", "deny"] {
        assert!(
            neutral.verifies(SignatureForm::Usual, text.as_bytes(), &signature),
            "so such keys must be refused"
        );
    }
}

#[test]
fn weak_ed25519_keys_are_refused() {
    for digits in WEAK_ED25519 {
        let mut key = hex::decode(digits).expect("digits");
        for sign in [0, 0x80] {
            key[31] = key[31] & 0x7f | sign;
            let application: &[u8] = b"ssh:";
            let lines = [
                (ProofKind::Ssh, ssh_line("ssh-ed25519", &[&key])),
                (ProofKind::Ssh, ssh_line("sk-ssh-ed25519@openssh.com", &[&key, application])),
                (ProofKind::Passkey, ed25519_passkey(&key)),
            ];
            for (kind, line) in lines {
                assert_eq!(
                    refusal(kind, &line),
                    "it is a weak Ed25519 key: one signature would be valid for every text",
                    "{digits}"
                );
            }
        }
    }
}

#[test]
fn weak_rsa_keys_are_refused() {
    let odd = |bits: usize| {
        let mut n = vec![0xff; bits.div_ceil(8)];
        n[0] = u8::try_from(0xff_u16 >> ((8 - bits % 8) % 8)).expect("a byte");
        n
    };
    // The number of ones makes the modulus a multiple of 3 or not: 2^n - 1.
    let usual: &[u8] = &[1, 0, 1];
    let refused = |n: &[u8], e: &[u8]| refusal(ProofKind::Ssh, &ssh_line("ssh-rsa", &[e, n]));
    let even = [odd(2_047), vec![0]].concat();
    insta::assert_snapshot!([
        refused(&odd(2_047), usual),
        refused(&odd(8_193), usual),
        refused(&even, usual),
        refused(&odd(2_048), usual),
        refused(&odd(2_203), &[1]),
        refused(&odd(2_203), &[3]),
        refused(&odd(2_203), &[1, 0, 0]),
        refused(&odd(2_203), &[2, 0, 0, 0, 1]),
        refused(&odd(2_203), &[1; 9]),
    ]
    .join("\n"), @"
    an RSA key must have 2,048 to 8,192 bits
    an RSA key must have 2,048 to 8,192 bits
    the modulus of the RSA key has a small factor
    the modulus of the RSA key has a small factor
    the public exponent of the RSA key must be odd, from 65,537 to 2^33
    the public exponent of the RSA key must be odd, from 65,537 to 2^33
    the public exponent of the RSA key must be odd, from 65,537 to 2^33
    the public exponent of the RSA key must be odd, from 65,537 to 2^33
    the public exponent of the RSA key must be odd, from 65,537 to 2^33
    ");
    // {1: 3, 3: -257, -1: n, -2: e}
    let weak = [
        &[0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x58, 0x80],
        [0xff; 128].as_slice(),
        &[0x21, 0x43, 1, 0, 1],
    ];
    let line = format!("passkey {SITE} AAAA {}", encode_url(&weak.concat()));
    assert_eq!(refusal(ProofKind::Passkey, &line), "an RSA key must have 2,048 to 8,192 bits");
}

/// What a browser sends for a new passkey whose authenticator data has these flags and this end.
fn registration(key: &TestKey, flags: u8, end: &[u8]) -> (String, String) {
    let challenge = creation_challenge(Sha256::ZERO, &Principal::user("ada"));
    let client_data = format!(
        r#"{{"type":"webauthn.create","challenge":"{}","origin":"https://{SITE}"}}"#,
        encode_url(challenge.as_bytes())
    );
    let cose = [&[0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20], key.public_bytes()].concat();
    let site = Sha256::digest(SITE.as_bytes());
    let data = [site.as_bytes(), [flags].as_slice(), &[0; 4], &[0; 16], &[0, 2, 7, 7], &cose, end].concat();
    let length = u8::try_from(data.len()).expect("short");
    // {"authData": data}
    let object = [&[0xa1, 0x68], b"authData".as_slice(), &[0x58, length], &data].concat();
    (encode_url(client_data.as_bytes()), encode_url(&object))
}

fn registered(flags: u8, end: &[u8]) -> Result<PasskeyPublicKey, String> {
    let (client_data, attestation) = registration(&TestKey::number(1), flags, end);
    let registration = PasskeyRegistration { client_data: &client_data, attestation: &attestation };
    registration.check(Sha256::ZERO, &Principal::user("ada"), SITE).map_err(|why| why.to_string())
}

#[test]
fn registration_with_inconsistent_data_is_refused() {
    registered(0x45, &[]).expect("present, verified, with a credential");
    registered(0x5d, &[]).expect("a synced passkey");
    registered(0xc5, &[0xa0]).expect("with extensions");
    insta::assert_snapshot!([
        registered(0x55, &[]).expect_err("copied, and cannot be copied"),
        registered(0x45, &[0xa0]).expect_err("extensions that no flag announces"),
        registered(0xc5, &[]).expect_err("no extensions"),
        registered(0xc5, &[0xa0, 0]).expect_err("more than extensions"),
    ]
    .join("\n"), @"
    the authenticator data says that a passkey that cannot be copied was copied
    the authenticator data has another end than its flags say
    the authenticator data has another end than its flags say
    the authenticator data has another end than its flags say
    ");
}

#[test]
fn assertion_with_inconsistent_data_is_refused() {
    let key = TestKey::number(1);
    let own = PasskeyPublicKey::parse(&key.passkey_line(SITE)).expect("a key");
    let used = |flags: u8, end: &[u8]| {
        let (client_data, data, signature) = key.assert_data(SITE, b"challenge", flags, end);
        let assertion =
            PasskeyAssertion { client_data: &client_data, authenticator_data: &data, signature: &signature };
        assertion.check(&own, b"challenge").map_err(|why| why.to_string())
    };
    assert_eq!((used(0x05, &[]), used(0x1d, &[]), used(0x85, &[0xa0])), (Ok(()), Ok(()), Ok(())));
    insta::assert_snapshot!([
        used(0x15, &[]).expect_err("copied, and cannot be copied"),
        used(0x05, &[0]).expect_err("another end"),
        used(0x85, &[]).expect_err("no extensions"),
    ]
    .join("\n"), @"
    the authenticator data says that a passkey that cannot be copied was copied
    the authenticator data has another end than its flags say
    the authenticator data has another end than its flags say
    ");
}
