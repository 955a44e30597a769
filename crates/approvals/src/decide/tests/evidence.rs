//! Evidence that is missing, about other arguments, or by another policy does not count.

use super::*;
use countersign_events::Decision;

const ARGUMENTS: &str = "{\"n\":1}";

fn target() -> CommandTarget {
    CommandTarget::Call(thread_id(), call_id("a"))
}

fn claim_of(arguments: &str) -> ApprovalCommand {
    CallCommand::Claim(ClaimCommand {
        executor: "w".to_owned(),
        arguments_hash: hash(arguments),
        lease: None,
        arguments: None,
        definition_hash: None,
    })
    .into()
}

fn edit_to(arguments: &str) -> RespondCommand {
    let arguments = HashedArguments::new(Json::parse(arguments).expect("valid")).expect("admitted");
    RespondCommand { arguments: Some(arguments), ..RespondCommand::plain(Decision::AllowOnce) }
}

fn policy(text: &str) -> Arc<Policy> {
    Arc::new(Policy::read(text).expect("valid"))
}

impl DecisionStory {
    fn evidence(&self, command: &ApprovalCommand) -> CommandEvidence {
        let ApprovalCommand::Call(command) = command else { panic!("a call's command") };
        let call = self.batch.call(&thread_id(), &call_id("a"));
        evidence_for(&self.policy, (&self.by, &thread_id()), call, command)
    }
}

#[test]
fn claim_under_the_same_policy_needs_no_evidence() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(story.evidence(&claim_of(ARGUMENTS)), CommandEvidence::NotNeeded);
    story.agent().execute_with(target(), claim_of(ARGUMENTS), CommandEvidence::NotNeeded).expect("claimed");
}

#[test]
fn claim_under_a_new_policy_needs_its_judgement() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.policy = policy("lapses = \"1h\"");
    let old = story.evidence(&claim_of(ARGUMENTS));
    story.policy = policy("lapses = \"2h\"");
    for evidence in [CommandEvidence::NotNeeded, old] {
        let refused = story.agent().execute_with(target(), claim_of(ARGUMENTS), evidence);
        assert_eq!(code(refused), "invalid");
    }
    let new = story.evidence(&claim_of(ARGUMENTS));
    story.execute_with(target(), claim_of(ARGUMENTS), new).expect("claimed");
}

#[test]
fn claim_after_silence_needs_the_new_judgement() {
    let lapse = "[[rule]]\nname = \"lapse\"\ntool = \"bash\"\nverdict = \"ask\"\nexpires = \"1m\"\nonExpiry = \"allow\"\n";
    let mut story = given(lapse);
    story.proposes("a", "bash").expect("asked");
    story.policy = policy(&format!("lapses = \"1h\"\n{lapse}"));
    story.later(60);
    let known = story.log.len();
    let refused = story.agent().execute_with(target(), claim_of(ARGUMENTS), CommandEvidence::NotNeeded);
    assert_eq!(code(refused), "invalid");
    assert_eq!(story.log.len(), known, "the call did not expire without the judgement");
    let evidence = story.evidence(&claim_of(ARGUMENTS));
    story.execute_with(target(), claim_of(ARGUMENTS), evidence).expect("allowed by silence, and claimed");
}

#[test]
fn claim_with_evidence_about_replaced_arguments_is_refused() {
    let mut story = given("[[rule]]\nname = \"two\"\ntool = \"bash\"\nverdict = \"ask\"\nquorum = 2\n");
    story.proposes("a", "bash").expect("asked");
    let before_edit = story.evidence(&claim_of("{\"n\":2}"));
    story.person("ada").call_command("a", CallCommand::Respond(edit_to("{\"n\":2}"))).expect("voted");
    let seen =
        RespondCommand { about: Some(hash("{\"n\":2}")), ..RespondCommand::plain(Decision::AllowOnce) };
    story.person("bob").call_command("a", CallCommand::Respond(seen)).expect("allowed");
    let refused = story.agent().execute_with(target(), claim_of("{\"n\":2}"), before_edit);
    assert_eq!(code(refused), "arguments_changed");
}

#[test]
fn proposal_without_a_judgement_is_refused() {
    let mut story = given("");
    let command = CallCommand::Propose(propose("a", "bash", ARGUMENTS));
    let refused = story.execute_with(target(), command.into(), CommandEvidence::NotNeeded);
    assert_eq!(code(refused), "invalid");
    assert!(story.log.is_empty());
}

#[test]
fn edit_that_the_schema_rejects_is_refused() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    let command = ApprovalCommand::Call(CallCommand::Respond(edit_to("{\"n\":2}")));
    let CommandEvidence::Edit(review) = story.evidence(&command) else { panic!("an edit") };
    let schema_error = Some("the tool does not take them: 2 is not 1".to_owned());
    let rejected = CommandEvidence::Edit(EditReview { schema_error, ..review.clone() });
    for (evidence, expected) in [
        (rejected, "arguments: the tool does not take them: 2 is not 1"),
        (
            CommandEvidence::NotNeeded,
            "evidence: the review of the edited arguments is missing; work it out before the command is queued",
        ),
    ] {
        let refused = story.person("ada").execute_with(target(), command.clone(), evidence);
        assert_eq!(refused.expect_err("refused").to_string(), expected);
    }
    story.execute_with(target(), command, CommandEvidence::Edit(review)).expect("allowed");
}

#[test]
fn thread_command_to_a_call_is_refused() {
    let mut story = given("");
    let refused = story.person("ada").execute(target(), ThreadCommand::Close.into());
    assert_eq!(code(refused), "invalid");
}
