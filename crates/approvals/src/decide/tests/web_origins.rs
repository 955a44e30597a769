//! The pages on which passkeys are used: only pages of the log's servers, which its events name.

use super::{
    proofs::{POLICY, SITE, is_whole, key},
    *,
};
use crate::{ApprovalCommand, admissibility::AdmissibilityCheck, registry::AddKeyCommand};
use countersign_events::{ApproverKeyAdded, DecisionProof, ProofKind, TokenCreated};
use countersign_proofs::{
    ApproverPublicKey, KeyStatement, Statement,
    test_keys::{AssertionParts, TestKey},
};

const OWN: &str = "https://example.com";
const OTHER_PORT: &str = "https://example.com:3000";

/// The assertion of this key over a statement, on a page of this origin.
fn touch(number: u8, statement: &Statement, origin: &str) -> DecisionProof {
    let parts = AssertionParts { origin: origin.to_owned(), ..AssertionParts::honest(SITE) };
    TestKey::number(number).assert_challenge(SITE, statement.challenge().as_bytes(), &parts)
}

impl DecisionStory {
    fn registers(
        &mut self,
        name: &str,
        key: &ApproverPublicKey,
        web_origin: Option<&str>,
        proof: Option<DecisionProof>,
    ) -> Result<Vec<String>, Refused> {
        let added = ApproverKeyAdded {
            id: key.id(),
            kind: key.kind(),
            approver: Principal::user(name),
            name: None,
            public_key: key.to_string(),
            token: None,
            web_origin: web_origin.map(str::to_owned),
            proof,
        };
        let command = LogCommand::AddKey(Box::new(AddKeyCommand { added, as_admin: false }));
        self.person(name).execute(CommandTarget::Log, ApprovalCommand::Log(command))
    }

    /// Ada signs in on a page of this origin.
    fn signs_in_at(&mut self, id: &str, origin: &str) {
        let ends = self.now.after(Duration::from_mins(15));
        let token = serde_json::json!({
            "id": format!("token-{id}"), "kind": "token", "name": "ada", "role": "approver", "hash": Sha256::digest(b"t"),
        });
        let session = serde_json::json!({
            "id": id, "kind": "session", "name": "ada", "role": "approver", "hash": Sha256::digest(id.as_bytes()),
            "expiresAt": ends, "endsAt": ends, "parent": format!("token-{id}"), "webOrigin": origin,
        });
        for (by, token) in [(Principal::user("root"), token), (Principal::system("sign-in"), session)] {
            let token: TokenCreated = serde_json::from_value(token).expect("a token");
            self.set_by(by);
            let create = record(Body::TokenCreated(token));
            self.execute(CommandTarget::Log, create).expect("created");
        }
    }

    /// Ada allows the call `a` with a touch on a page of this origin.
    fn touches_at(&mut self, origin: &str) -> Result<Vec<String>, Refused> {
        let allow = RespondCommand::plain(Decision::AllowOnce);
        let proof = touch(1, &self.statement("ada", "a", &allow), origin);
        let respond = RespondCommand { proof: Some(Box::new(proof)), ..allow };
        self.person("ada").call_command("a", CallCommand::Respond(respond))
    }

    fn unknown_origins(&self) -> u64 {
        let mut check = AdmissibilityCheck::default();
        for event in self.log.iter().cloned() {
            assert!(check.check(event).is_empty());
        }
        assert!(check.finish().is_empty());
        check.proof_counts().unknown_origin
    }
}

fn waiting_story(registered_at: Option<&str>) -> DecisionStory {
    let mut story = given(POLICY);
    story.registers("ada", &key(ProofKind::Passkey, 1), registered_at, None).expect("a first key");
    story.proposes("a", "wire").expect("asked");
    story
}

#[test]
fn touch_on_another_port_is_refused() {
    let mut story = waiting_story(Some(OWN));
    let refused = story.touches_at(OTHER_PORT).expect_err("another server's page");
    insta::assert_snapshot!(refused, @"the proof is not accepted: the passkey was used on a page of https://example.com:3000, which is no server of this log");
    assert_eq!(refused.code(), "proof_invalid");
    story.touches_at(OWN).expect("its own page");
    assert_eq!(story.unknown_origins(), 0);
    is_whole(&story);
}

#[test]
fn sign_in_makes_an_origin_known() {
    let mut story = waiting_story(Some(OWN));
    story.signs_in_at("s1", OTHER_PORT);
    story.touches_at(OTHER_PORT).expect("a server of the log is there");
    is_whole(&story);
}

#[test]
fn verify_names_a_touch_on_another_port() {
    let mut story = waiting_story(None);
    story.touches_at(OTHER_PORT).expect("the log knows no origin");
    assert_eq!(story.unknown_origins(), 1);
    let mut known = waiting_story(Some(OWN));
    known.touches_at(OWN).expect("its own page");
    // The same row, written by a program that does not compare origins.
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let foreign = touch(1, &waiting_story(Some(OWN)).statement("ada", "a", &allow), OTHER_PORT);
    let row = known.log.last_mut().expect("the response");
    let data = row.data.as_str().replace(
        &serde_json::to_string(&touch(1, &waiting_story(Some(OWN)).statement("ada", "a", &allow), OWN))
            .expect("JSON"),
        &serde_json::to_string(&foreign).expect("JSON"),
    );
    assert_ne!(data, row.data.as_str());
    row.data = Json::stored(data).expect("JSON");
    insta::assert_snapshot!(known.findings_with(None).join("\n"), @"4: the proof is not accepted: the passkey was used on a page of https://example.com:3000, which is no server of this log");
}

#[test]
fn further_key_is_proved_where_it_is_registered() {
    let mut story = waiting_story(Some(OWN));
    let second = key(ProofKind::Passkey, 2);
    let ada = Principal::user("ada");
    let statement = KeyStatement { log: story.log_id(), approver: &ada, key_hash: second.hash() }.statement();
    let register = |story: &mut DecisionStory, proved_at, registered_at| {
        story.registers("ada", &second, Some(registered_at), Some(touch(1, &statement, proved_at)))
    };
    let refused = register(&mut story, OTHER_PORT, OWN).expect_err("another server's page");
    assert_eq!(refused.code(), "proof_invalid");
    register(&mut story, OTHER_PORT, OTHER_PORT).expect("the server has moved to that port");
    story.touches_at(OTHER_PORT).expect("known now");
    is_whole(&story);
}

#[test]
fn registration_at_another_site_is_refused() {
    let mut story = given(POLICY);
    for (kind, origin) in [(ProofKind::Passkey, "https://example.net"), (ProofKind::Ssh, OWN)] {
        let refused = story.registers("ada", &key(kind, 1), Some(origin), None);
        assert!(matches!(refused, Err(Refused::Invalid { field: "webOrigin", .. })), "{origin}");
    }
}

#[test]
fn credential_id_of_another_passkey_is_refused() {
    let mut story = waiting_story(Some(OWN));
    let line = |number| TestKey::number(number).passkey_line(SITE);
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (own, others) = (words(&line(1)), words(&line(2)));
    let copied = format!("passkey {SITE} {} {}", own[2], others[3]);
    let copied = ApproverPublicKey::parse(ProofKind::Passkey, &copied).expect("a key");
    let refused = story.registers("eve", &copied, Some(OWN), None).expect_err("it is Ada's credential");
    insta::assert_snapshot!(refused, @"publicKey: the log has a passkey with this credential id already, and signing in could not tell them apart");
    story.removes_key("ada", &key(ProofKind::Passkey, 1));
    let again = story.registers("eve", &copied, Some(OWN), None);
    assert_eq!(again, Err(refused), "also after it was removed");
}
