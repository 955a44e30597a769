//! Attacks on proofs, by name, and damaged input.

use crate::{
    ApproverPublicKey, KeyStatement, Statement, check_proof,
    passkey::{PasskeyAssertion, PasskeyPublicKey, SIGN_IN_PREFIX},
    pinned::PinnedKeys,
    ssh::{SshPublicKey, SshSignature},
    test_keys::{AssertionParts, TestKey},
};
use countersign_events::{DecisionProof, Principal, ProofKind, Sha256};

const SITE: &str = "example.com";

fn statement(name: &str) -> Statement {
    KeyStatement { log: Sha256::ZERO, approver: &Principal::user(name), key_hash: Sha256::ZERO }.statement()
}

fn ssh_key(key: &TestKey) -> ApproverPublicKey {
    ApproverPublicKey::parse(ProofKind::Ssh, &key.ssh_line()).expect("a key")
}

fn passkey(key: &TestKey) -> ApproverPublicKey {
    ApproverPublicKey::parse(ProofKind::Passkey, &key.passkey_line(SITE)).expect("a key")
}

fn refusal(key: &ApproverPublicKey, proof: &DecisionProof) -> String {
    check_proof(key, proof, &statement("ada")).expect_err("a proof of another statement").to_string()
}

#[test]
fn signature_of_the_statement_is_a_proof() {
    let key = TestKey::number(1);
    let ada = statement("ada");
    assert_eq!(check_proof(&ssh_key(&key), &key.sign_ssh(&ada), &ada), Ok(()));
    assert_eq!(check_proof(&passkey(&key), &key.assert(SITE, &ada), &ada), Ok(()));
}

#[test]
fn signature_of_another_statement_is_refused() {
    let (key, bob) = (TestKey::number(1), statement("bob"));
    insta::assert_snapshot!(refusal(&ssh_key(&key), &key.sign_ssh(&bob)), @"the SSH signature is not one of this statement");
    insta::assert_snapshot!(refusal(&passkey(&key), &key.assert(SITE, &bob)), @"the passkey signed another challenge than the one of this statement");
}

#[test]
fn signature_by_another_key_is_refused() {
    let (key, other, ada) = (TestKey::number(1), TestKey::number(2), statement("ada"));
    insta::assert_snapshot!(refusal(&ssh_key(&key), &other.sign_ssh(&ada)), @"the signature is by another SSH key");
    insta::assert_snapshot!(refusal(&passkey(&key), &other.assert(SITE, &ada)), @"the signature is not one of this passkey");
}

#[test]
fn signature_for_git_is_refused() {
    let key = TestKey::number(1);
    let proof = key.sign_ssh_for("git", statement("ada").as_str());
    insta::assert_snapshot!(refusal(&ssh_key(&key), &proof), @"the signature has another namespace; sign with `ssh-keygen -Y sign -n countersign`");
}

#[test]
fn proof_of_wrong_kind_is_refused() {
    let (key, ada) = (TestKey::number(1), statement("ada"));
    insta::assert_snapshot!(refusal(&ssh_key(&key), &key.assert(SITE, &ada)), @"the proof is of another kind than its key");
    let without_data = DecisionProof { client_data: None, ..key.assert(SITE, &ada) };
    insta::assert_snapshot!(refusal(&passkey(&key), &without_data), @"the proof of a passkey needs clientData");
}

#[test]
fn forged_parts_of_an_assertion_are_refused() {
    let (key, honest) = (TestKey::number(1), AssertionParts::honest(SITE));
    let challenge = statement("ada").challenge();
    let refused = |parts: AssertionParts| {
        refusal(&passkey(&key), &key.assert_challenge(SITE, challenge.as_bytes(), &parts))
    };
    let forged = [
        ("registration", AssertionParts { purpose: "webauthn.create", ..honest.clone() }),
        ("page of another site", AssertionParts { origin: "https://evil.net".to_owned(), ..honest.clone() }),
        ("page without TLS", AssertionParts { origin: format!("http://{SITE}"), ..honest.clone() }),
        ("page of a subdomain", AssertionParts { origin: format!("https://a.{SITE}"), ..honest.clone() }),
        ("authenticator for another site", AssertionParts { site: "evil.net".to_owned(), ..honest.clone() }),
        ("no touch", AssertionParts { flags: 0x04, ..honest.clone() }),
        ("no check of the person", AssertionParts { flags: 0x01, ..honest }),
    ];
    let refusals: Vec<_> = forged.map(|(name, parts)| format!("{name}: {}", refused(parts))).to_vec();
    insta::assert_snapshot!(refusals.join("\n"), @"
    registration: the passkey was used for another purpose than webauthn.get
    page of another site: the passkey was used on a page that is not of example.com
    page without TLS: the passkey was used on a page that is not of example.com
    page of a subdomain: the passkey was used on a page that is not of example.com
    authenticator for another site: the passkey was used for another site
    no touch: nobody touched the authenticator
    no check of the person: the authenticator did not verify the person by a PIN, a finger or a face
    ");
}

#[test]
fn assertion_of_a_sign_in_is_no_decision() {
    let key = TestKey::number(1);
    let challenge = [SIGN_IN_PREFIX, &[7; 32]].concat();
    let proof = key.assert_challenge(SITE, &challenge, &AssertionParts::honest(SITE));
    insta::assert_snapshot!(refusal(&passkey(&key), &proof), @"the passkey signed another challenge than the one of this statement");
    let own = PasskeyPublicKey::parse(&key.passkey_line(SITE)).expect("a key");
    let parts = (proof.client_data.expect("there"), proof.authenticator_data.expect("there"));
    let assertion =
        PasskeyAssertion { client_data: &parts.0, authenticator_data: &parts.1, signature: &proof.signature };
    assert_eq!(assertion.check(&own, &challenge), Ok(()), "it signs in");
}

#[test]
fn changed_byte_of_a_signature_is_refused() {
    let (key, ada) = (TestKey::number(1), statement("ada"));
    let proof = key.sign_ssh(&ada);
    let lines: Vec<_> = proof.signature.lines().collect();
    for position in 0..lines[1].len() {
        let mut body = lines[1].as_bytes().to_vec();
        body[position] = if body[position] == b'A' { b'B' } else { b'A' };
        let body = String::from_utf8(body).expect("ASCII");
        let signature = format!("{}\n{body}\n{}\n", lines[0], lines[2]);
        let changed = DecisionProof { signature, ..proof.clone() };
        check_proof(&ssh_key(&key), &changed, &ada).expect_err("it is changed");
    }
}

#[test]
fn damaged_texts_are_refused_without_a_panic() {
    let key = TestKey::number(1);
    for length in 0..key.ssh_line().len() {
        let cut = key.ssh_line().chars().take(length).collect::<String>();
        SshPublicKey::parse(&cut).expect_err("it is cut");
    }
    let line = key.passkey_line(SITE);
    for length in 0..line.len() {
        PasskeyPublicKey::parse(&line[..length]).expect_err("it is cut");
    }
    let signature = key.sign_ssh(&statement("ada")).signature;
    for length in 0..signature.trim_end().len() {
        SshSignature::parse(&signature[..length]).expect_err("it is cut");
    }
    SshSignature::parse(&signature.repeat(100)).expect_err("it is too long");
    let secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----";
    insta::assert_snapshot!(SshPublicKey::parse(secret).expect_err("it is secret"), @"this is a private key: keep it secret, and send the line of the .pub file");
    insta::assert_snapshot!(SshPublicKey::parse("ssh-dss AAAAB3NzaC1kc3M=").expect_err("it is weak"), @r#"keys of type "ssh-dss" cannot prove a decision; use one of ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa, sk-ssh-ed25519@openssh.com, sk-ecdsa-sha2-nistp256@openssh.com"#);
}

#[test]
fn pinned_keys_are_read_from_allowed_signers() {
    let (one, two) = (TestKey::number(1), TestKey::number(2));
    let text = format!(
        "# people\n\nuser:ada,user:bob namespaces=\"git,countersign\" {} laptop\nuser:ada {}\nuser:eve namespaces=\"git\" {}\n",
        one.ssh_line(),
        two.passkey_line(SITE),
        two.ssh_line(),
    );
    let pinned = PinnedKeys::parse(&text).expect("readable");
    let (ada, bob, eve) = (Principal::user("ada"), Principal::user("bob"), Principal::user("eve"));
    assert_eq!(pinned.count(), 3);
    assert!(pinned.contain(&ada, &ssh_key(&one)) && pinned.contain(&bob, &ssh_key(&one)));
    assert!(pinned.contain(&ada, &passkey(&two)) && !pinned.contain(&bob, &passkey(&two)));
    assert!(!pinned.contain(&eve, &ssh_key(&two)), "that line is for git alone");
    insta::assert_snapshot!(PinnedKeys::parse("\nada ssh-ed25519 AAAA").expect_err("no key"), @r#"line 2: keys of type "" cannot prove a decision; use one of ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa, sk-ssh-ed25519@openssh.com, sk-ecdsa-sha2-nistp256@openssh.com"#);
    let nobody = format!("ada {}", one.ssh_line());
    insta::assert_snapshot!(PinnedKeys::parse(&nobody).expect_err("no person"), @r#"line 1: "ada" is not a person such as "user:ada": "ada" does not begin with user:, agent:, policy:, advisor: or system:"#);
}
