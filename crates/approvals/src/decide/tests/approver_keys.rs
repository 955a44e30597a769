//! Who may add and remove the keys that prove decisions.

use super::{
    proofs::{POLICY, is_whole, key, signed_story},
    *,
};
use countersign_events::ProofKind;
use countersign_proofs::{KeyStatement, test_keys::TestKey};

#[test]
fn token_thief_cannot_add_second_key() {
    let mut story = signed_story();
    let second = key(ProofKind::Ssh, 2);
    let refused = story.adds_key_as(("ada", "ada"), &second, None, false);
    assert_eq!(code(refused), "proof_required");
    let statement =
        KeyStatement { log: story.log_id(), approver: &Principal::user("ada"), key_hash: second.hash() }
            .statement();
    let by_itself = TestKey::number(2).sign_ssh(&statement);
    assert_eq!(code(story.adds_key_as(("ada", "ada"), &second, Some(by_itself), false)), "proof_invalid");
    let by_first = TestKey::number(1).sign_ssh(&statement);
    story.adds_key_as(("ada", "ada"), &second, Some(by_first), false).expect("proved by the first key");
    story.signs("ada", "a", 2).expect("the second key proves");
    is_whole(&story);
}

#[test]
fn removed_keys_make_no_other_key_first() {
    let mut story = signed_story();
    story.removes_key("ada", &key(ProofKind::Ssh, 1));
    let thief = key(ProofKind::Ssh, 2);
    assert_eq!(code(story.adds_key_as(("ada", "ada"), &thief, None, false)), "proof_required");
    story.adds_key_as(("root", "ada"), &thief, None, true).expect("an admin adds one");
    is_whole(&story);
}

#[test]
fn only_admin_adds_key_of_another_person() {
    let mut story = given(POLICY);
    let of_ada = key(ProofKind::Ssh, 1);
    assert_eq!(code(story.adds_key_as(("bob", "ada"), &of_ada, None, false)), "not_permitted");
    let mut story = given(&format!("approverKeys = \"admin\"\n{POLICY}"));
    assert_eq!(code(story.adds_key_as(("ada", "ada"), &of_ada, None, false)), "not_permitted");
    story.adds_key_as(("root", "ada"), &of_ada, None, true).expect("an admin");
    assert_eq!(
        code(story.adds_key_as(("bob", "bob"), &of_ada, None, true)),
        "invalid",
        "a key has one person"
    );
}
