//! Passkey sign-in: the session has the rights of the token under which the passkey was registered.

use super::{
    proofs::{POLICY, is_whole, key},
    *,
};
use crate::{ApprovalCommand, registry::AddKeyCommand};
use countersign_events::{ApproverKeyAdded, ProofKind, TokenCreated};
use countersign_proofs::ApproverPublicKey;

/// A token, link or session with these members besides those of every approver's token.
fn token(story: &DecisionStory, id: &str, kind: &str, parent: Option<&str>) -> TokenCreated {
    let ends = story.now.after(Duration::from_mins(15));
    let is_session = kind == "session";
    let text = serde_json::json!({
        "id": id, "kind": kind, "name": "ada", "role": "approver", "hash": Sha256::digest(id.as_bytes()),
        "expiresAt": ends, "endsAt": is_session.then_some(ends), "parent": parent,
        "signIn": (is_session && parent != Some("link") && parent != Some("second")).then(|| Sha256::digest(id.as_bytes())),
    });
    serde_json::from_value(text).expect("a token")
}

impl DecisionStory {
    fn creates_token(&mut self, by: Principal, token: &TokenCreated) -> Result<Vec<String>, Refused> {
        self.set_by(by);
        let create = record(Body::TokenCreated(token.clone()));
        self.execute(CommandTarget::Log, create)
    }

    /// Ada signs in with a link, and registers a passkey in that session.
    fn registers_passkey(&mut self) -> ApproverPublicKey {
        let (link, first) =
            (token(self, "link", "link", None), token(self, "first", "session", Some("link")));
        self.creates_token(Principal::user("root"), &link).expect("a link");
        self.creates_token(Principal::system("sign-in"), &first).expect("signs in");
        let passkey = key(ProofKind::Passkey, 1);
        let added = ApproverKeyAdded {
            id: passkey.id(),
            kind: ProofKind::Passkey,
            approver: Principal::user("ada"),
            name: None,
            public_key: passkey.to_string(),
            token: Some("link".to_owned()),
            web_origin: None,
            proof: None,
        };
        let command = LogCommand::AddKey(Box::new(AddKeyCommand { added, as_admin: false }));
        self.person("ada").execute(CommandTarget::Log, ApprovalCommand::Log(command)).expect("registered");
        passkey
    }
}

#[test]
fn passkey_signs_in_after_its_link_expired() {
    let mut story = given(POLICY);
    let passkey = story.registers_passkey();
    story.later(86_400);
    let session = token(&story, "second", "session", Some(&passkey.id()));
    story.creates_token(Principal::system("sign-in"), &session).expect("signs in");
    let more = TokenCreated {
        level: Some("admin".to_owned()),
        ..token(&story, "third", "session", Some(&passkey.id()))
    };
    assert_eq!(
        code(story.creates_token(Principal::system("sign-in"), &more)),
        "invalid",
        "not with more rights"
    );
    let forged = token(&story, "fourth", "session", Some(&passkey.id()));
    assert_eq!(
        code(story.creates_token(Principal::user("ada"), &forged)),
        "invalid",
        "only the service signs in"
    );
    is_whole(&story);
}

#[test]
fn removed_passkey_signs_no_one_in() {
    let mut story = given(POLICY);
    let passkey = story.registers_passkey();
    let session = token(&story, "second", "session", Some(&passkey.id()));
    story.creates_token(Principal::system("sign-in"), &session).expect("signs in");
    story.removes_key("ada", &passkey);
    let next = token(&story, "third", "session", Some(&passkey.id()));
    assert_eq!(code(story.creates_token(Principal::system("sign-in"), &next)), "unauthenticated");
    let continued = token(&story, "fourth", "session", Some("second"));
    assert_eq!(code(story.creates_token(Principal::system("sign-in"), &continued)), "unauthenticated");
    is_whole(&story);
}

#[test]
fn ssh_key_signs_no_one_in() {
    let mut story = given(POLICY);
    story.adds_key("ada", ProofKind::Ssh, 1);
    let session = token(&story, "first", "session", Some(&key(ProofKind::Ssh, 1).id()));
    assert_eq!(code(story.creates_token(Principal::system("sign-in"), &session)), "unknown_token");
}
