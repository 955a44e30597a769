//! One person is one vote, in whatever spelling a credential names the person.

use super::*;
use crate::admissibility::AdmissibilityCheck;
use countersign_events::chain;

const TWO: &str = "[[rule]]\nname = \"two\"\ntool = \"bash\"\nverdict = \"ask\"\nquorum = 2\n";

/// Spellings of `ada` and `zoë`.
const SPELLINGS: [(&str, &str); 5] = [
    ("ada", "Ada"),
    ("ada", "\u{ff41}da"),
    ("zo\u{eb}", "zoe\u{308}"),
    ("ada", "ADA"),
    ("a@x.org", "a@X.org"),
];

#[test]
fn second_spelling_of_voter_is_refused() {
    for (one, other) in SPELLINGS {
        let mut story = given(TWO);
        story.proposes("a", "bash").expect("proposed");
        story.decides(one, "a", Decision::AllowOnce).expect("voted");
        let refused = story.decides(other, "a", Decision::AllowOnce);
        assert_eq!(code(refused), "name_taken", "{other}");
        assert_eq!(story.state("a"), CallState::Pending, "{other}");
        story.decides("bob", "a", Decision::AllowOnce).expect("voted");
        assert_eq!(story.state("a"), CallState::Allowed);
    }
}

#[test]
fn second_spelling_of_denier_is_refused() {
    let mut story = given(&TWO.replace("quorum", "denials"));
    story.proposes("a", "bash").expect("proposed");
    story.decides("ada", "a", Decision::Deny).expect("voted");
    assert_eq!(code(story.decides("Ada", "a", Decision::Deny)), "name_taken");
    assert_eq!(story.state("a"), CallState::Pending);
}

#[test]
fn other_spelling_of_proposer_cannot_decide() {
    for (one, other) in SPELLINGS {
        let mut story = given("");
        let command = CallCommand::Propose(propose("a", "bash", "{}"));
        story.person(one).call_command("a", command).expect("proposed");
        assert_eq!(code(story.decides(other, "a", Decision::AllowOnce)), "self_approval", "{other}");
    }
}

#[test]
fn votes_under_two_spellings_count_once() {
    let mut story = given(&TWO.replace('2', "3"));
    story.proposes("a", "bash").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("voted");
    // An earlier version counted the second spelling as a second person.
    let vote = story.log.last().expect("voted").clone();
    let seq = vote.seq + 1;
    let mut forged = Event { seq, principal: Principal::user("Ada"), hash: None, ..vote.clone() };
    forged.hash = Some(chain::link(vote.hash.expect("sealed"), &forged));
    story.log.push(forged.clone());
    let mut check = AdmissibilityCheck::default();
    let mut findings: Vec<_> = story.log.iter().cloned().flat_map(|event| check.check(event)).collect();
    findings.extend(check.finish());
    assert!(findings.iter().any(|finding| finding.seq == seq), "verify names the second vote: {findings:?}");
    let mut batch = BatchState::new(0, Sha256::ZERO);
    let wanted = ReadSet {
        directories: true,
        calls: [(thread_id(), call_id("a"))].into(),
        threads: [thread_id()].into(),
        ..ReadSet::default()
    };
    batch.load(&wanted, &story.log).expect("the old log loads");
    let call = batch.call(&thread_id(), &call_id("a")).expect("proposed");
    assert_eq!(call.course.votes.len(), 2);
    assert_eq!(call.course.counting().count(), 1);
}
