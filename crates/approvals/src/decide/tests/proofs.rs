//! Calls whose rule asks for a proof, and each way around it, by name.

use super::*;
use crate::{ApprovalCommand, PinnedKeys, admissibility::AdmissibilityCheck, registry::AddKeyCommand};
use countersign_events::{
    ApproverKeyAdded, ApproverKeyRemoved, DecisionProof, ErasedRow, GrantAgents, Mode, ProofKind, ToolPolicy,
};
use countersign_proofs::{ApproverPublicKey, DecisionStatement, ScopeOrHash, hash_text, test_keys::TestKey};

pub(super) const POLICY: &str = r#"
[[rule]]
name = "signed"
tool = "deploy"
verdict = "ask"
proof = "any"
[[rule]]
name = "quorum"
tool = "drop"
verdict = "ask"
proof = "ssh"
quorum = 2
[[rule]]
name = "touched"
tool = "wire"
verdict = "ask"
proof = "passkey"
"#;

pub(super) const SITE: &str = "example.com";

pub(super) fn key(kind: ProofKind, number: u8) -> ApproverPublicKey {
    let key = TestKey::number(number);
    let line = if kind == ProofKind::Ssh { key.ssh_line() } else { key.passkey_line(SITE) };
    ApproverPublicKey::parse(kind, &line).expect("a key")
}

impl DecisionStory {
    pub(super) fn log_id(&self) -> Sha256 {
        self.log.first().and_then(|first| first.hash).unwrap_or(Sha256::ZERO)
    }

    pub(super) fn adds_key_as(
        &mut self,
        (by, approver): (&str, &str),
        key: &ApproverPublicKey,
        proof: Option<DecisionProof>,
        as_admin: bool,
    ) -> Result<Vec<String>, Refused> {
        let added = ApproverKeyAdded {
            id: key.id(),
            kind: key.kind(),
            approver: Principal::user(approver),
            name: None,
            public_key: key.to_string(),
            token: None,
            web_origin: None,
            proof,
        };
        let command = LogCommand::AddKey(Box::new(AddKeyCommand { added, as_admin }));
        self.person(by).execute(CommandTarget::Log, ApprovalCommand::Log(command))
    }

    pub(super) fn adds_key(&mut self, name: &str, kind: ProofKind, number: u8) -> &mut Self {
        self.adds_key_as((name, name), &key(kind, number), None, false).expect("a first key");
        self
    }

    pub(super) fn removes_key(&mut self, by: &str, key: &ApproverPublicKey) {
        let removed = ApproverKeyRemoved { id: key.id(), reason: None };
        let command = record(Body::ApproverKeyRemoved(removed));
        self.person(by).execute(CommandTarget::Log, command).expect("removed");
    }

    /// The text that this person signs for this decision.
    pub(super) fn statement(
        &self,
        name: &str,
        id: &str,
        respond: &RespondCommand,
    ) -> countersign_proofs::Statement {
        let call = self.batch.call(&thread_id(), &call_id(id)).expect("proposed");
        let scope = respond.scope.as_ref().map(GrantScope::json);
        DecisionStatement {
            on_behalf_of: None,
            log: self.log_id(),
            thread: &thread_id(),
            call: call.id(),
            tool: &call.proposal.what.name,
            arguments_hash: respond.arguments.as_ref().map_or(call.arguments_hash(), HashedArguments::hash),
            approver: &Principal::user(name),
            decision: respond.decision,
            scope: scope.as_ref().map(ScopeOrHash::Scope),
            agents: respond.agents,
            limits: respond.limits,
            comment_hash: respond.comment.as_deref().map(hash_text),
        }
        .statement()
    }

    fn responds(
        &mut self,
        name: &str,
        id: &str,
        respond: RespondCommand,
        proof: Option<DecisionProof>,
    ) -> Result<Vec<String>, Refused> {
        let proof = proof.map(Box::new);
        self.person(name).call_command(id, CallCommand::Respond(RespondCommand { proof, ..respond }))
    }

    pub(super) fn signs(&mut self, name: &str, id: &str, number: u8) -> Result<Vec<String>, Refused> {
        let allow = RespondCommand::plain(Decision::AllowOnce);
        let proof = TestKey::number(number).sign_ssh(&self.statement(name, id, &allow));
        self.responds(name, id, allow, Some(proof))
    }

    pub(super) fn findings_with(&self, pinned: Option<PinnedKeys>) -> Vec<String> {
        let mut check = pinned.map(AdmissibilityCheck::with_pinned_keys).unwrap_or_default();
        let mut found: Vec<_> = self.log.iter().cloned().flat_map(|event| check.check(event)).collect();
        found.extend(check.finish());
        found.into_iter().map(|row| format!("{}: {}", row.seq, row.reason)).collect()
    }
}

pub(super) fn is_whole(story: &DecisionStory) {
    assert_eq!(story.findings_with(None), Vec::<String>::new());
}

pub(super) fn signed_story() -> DecisionStory {
    let mut story = given(POLICY);
    story.adds_key("ada", ProofKind::Ssh, 1);
    story.proposes("a", "deploy").expect("asked");
    story
}

#[test]
fn approval_without_proof_is_refused_with_statement() {
    let mut story = signed_story();
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let expected = story.statement("ada", "a", &allow);
    let refused = story.decides("ada", "a", Decision::AllowOnce).expect_err("no proof");
    let Refused::ProofRequired { statement, .. } = &refused else { panic!("{refused:?}") };
    assert_eq!((refused.code(), statement.as_str()), ("proof_required", expected.as_str()));
    assert_eq!(story.state("a"), CallState::Pending);
}

#[test]
fn approval_with_proof_is_recorded_and_verified() {
    let mut story = signed_story();
    story.signs("ada", "a", 1).expect("proved");
    assert_eq!(story.state("a"), CallState::Allowed);
    is_whole(&story);
}

#[test]
fn denial_needs_no_proof() {
    let mut story = signed_story();
    story.decides("ada", "a", Decision::Deny).expect("denied");
    is_whole(&story);
}

#[test]
fn proof_for_another_call_is_refused() {
    let mut story = signed_story();
    story.proposes("b", "deploy").expect("asked");
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let proof = TestKey::number(1).sign_ssh(&story.statement("ada", "b", &allow));
    assert_eq!(code(story.responds("ada", "a", allow, Some(proof))), "proof_invalid");
}

#[test]
fn proof_of_another_person_is_refused() {
    let mut story = signed_story();
    story.adds_key("bob", ProofKind::Ssh, 2);
    assert_eq!(code(story.signs("bob", "a", 1)), "proof_invalid", "with the key of ada");
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let of_ada = TestKey::number(2).sign_ssh(&story.statement("ada", "a", &allow));
    assert_eq!(code(story.responds("bob", "a", allow, Some(of_ada))), "proof_invalid", "with her statement");
}

#[test]
fn proof_of_a_denial_does_not_allow() {
    let mut story = signed_story();
    let deny = RespondCommand::plain(Decision::Deny);
    let proof = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &deny));
    let allow = RespondCommand::plain(Decision::AllowOnce);
    assert_eq!(code(story.responds("ada", "a", allow, Some(proof))), "proof_invalid");
}

#[test]
fn proof_of_proposed_arguments_allows_no_edit() {
    let mut story = signed_story();
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let proof = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &allow));
    let edited = HashedArguments::new(Json::parse("{\"n\":2}").expect("valid")).expect("valid");
    let edit = RespondCommand { arguments: Some(edited), ..allow };
    assert_eq!(code(story.responds("ada", "a", edit.clone(), Some(proof))), "proof_invalid");
    let proof = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &edit));
    story.responds("ada", "a", edit, Some(proof)).expect("proved");
    is_whole(&story);
}

#[test]
fn changed_comment_voids_the_proof() {
    let mut story = signed_story();
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let proof = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &allow));
    let commented = RespondCommand { comment: Some("as agreed".to_owned()), ..allow };
    assert_eq!(code(story.responds("ada", "a", commented, Some(proof))), "proof_invalid");
}

#[test]
fn comment_with_a_secret_cannot_be_proved() {
    let mut story = signed_story();
    let comment = Some("password=hunter2hunter2".to_owned());
    let allow = RespondCommand { comment, ..RespondCommand::plain(Decision::AllowOnce) };
    let proof = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &allow));
    assert_eq!(code(story.responds("ada", "a", allow, Some(proof))), "invalid");
}

#[test]
fn removed_key_proves_nothing_more() {
    let mut story = signed_story();
    story.proposes("b", "deploy").expect("asked");
    story.signs("ada", "a", 1).expect("proved");
    story.removes_key("ada", &key(ProofKind::Ssh, 1));
    assert_eq!(code(story.signs("ada", "b", 1)), "proof_invalid");
    is_whole(&story);
}

#[test]
fn ssh_key_does_not_replace_a_passkey() {
    let mut story = given(POLICY);
    story.adds_key("ada", ProofKind::Ssh, 1).adds_key("bob", ProofKind::Passkey, 2);
    story.proposes("a", "wire").expect("asked");
    assert_eq!(code(story.signs("ada", "a", 1)), "proof_invalid");
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let proof = TestKey::number(2).assert(SITE, &story.statement("bob", "a", &allow));
    story.responds("bob", "a", allow, Some(proof)).expect("proved");
    is_whole(&story);
}

#[test]
fn each_vote_needs_its_own_proof() {
    let mut story = given(POLICY);
    story.adds_key("ada", ProofKind::Ssh, 1).adds_key("bob", ProofKind::Ssh, 2);
    story.proposes("a", "drop").expect("asked");
    story.signs("ada", "a", 1).expect("a vote");
    assert_eq!(code(story.decides("bob", "a", Decision::AllowOnce)), "proof_required");
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let replayed = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &allow));
    assert_eq!(code(story.responds("bob", "a", allow, Some(replayed))), "proof_invalid");
    story.signs("bob", "a", 2).expect("the second vote");
    assert_eq!(story.state("a"), CallState::Allowed);
    is_whole(&story);
}

#[test]
fn unproved_vote_does_not_count_under_stricter_policy() {
    let mut story = given(&POLICY.replace("proof = \"ssh\"\n", ""));
    story.adds_key("bob", ProofKind::Ssh, 2).adds_key("cyd", ProofKind::Ssh, 3);
    story.proposes("a", "drop").expect("asked");
    story.decides("ada", "a", Decision::AllowOnce).expect("a vote without proof");
    story.policy = Arc::new(Policy::read(POLICY).expect("valid"));
    story.signs("bob", "a", 2).expect("a vote");
    assert_eq!(story.state("a"), CallState::Pending, "one proved vote of two");
    story.signs("cyd", "a", 3).expect("a vote");
    assert_eq!(story.state("a"), CallState::Allowed);
    is_whole(&story);
}

#[test]
fn grant_for_a_proved_tool_is_not_offered() {
    let mut story = signed_story();
    let grant = RespondCommand::for_session(GrantScope::Tool);
    let proof = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &grant));
    assert_eq!(code(story.responds("ada", "a", grant, Some(proof))), "not_offered");
}

#[test]
fn earlier_grant_does_not_replace_proof() {
    let mut story = given(&POLICY.replace("proof = \"any\"\n", ""));
    story.proposes("a", "deploy").expect("asked");
    story.decides("ada", "a", Decision::AllowSession).expect("granted");
    story.policy = Arc::new(Policy::read(POLICY).expect("valid"));
    story.proposes("b", "deploy").expect("asked");
    assert_eq!(story.state("b"), CallState::Pending);
}

#[test]
fn grant_does_not_release_call_that_needs_proof() {
    let mut story = given(&POLICY.replace("proof = \"any\"\n", ""));
    story.proposes("b", "deploy").expect("asked");
    story.policy = Arc::new(Policy::read(POLICY).expect("valid"));
    story.policy = Arc::new(Policy::read(&POLICY.replace("proof = \"any\"\n", "")).expect("valid"));
    story.proposes("a", "deploy").expect("asked");
    story.policy = Arc::new(Policy::read(POLICY).expect("valid"));
    let grant = RespondCommand {
        and_waiting: true,
        agents: Some(GrantAgents::Any),
        ..RespondCommand::for_session(GrantScope::Tool)
    };
    assert_eq!(code(story.responds("ada", "a", grant, None)), "not_offered");
    assert_eq!(story.state("b"), CallState::Pending);
}

#[test]
fn mode_and_thread_policy_replace_no_proof() {
    let mut story = given(POLICY);
    story.person("ada").thread_command(ThreadCommand::SetMode(Mode::ApproveAll)).expect("set");
    let allow = vec![(ToolName::new("deploy").expect("valid"), ToolPolicy::Allow)];
    story.person("ada").thread_command(ThreadCommand::SetPolicies(allow)).expect("set");
    story.proposes("a", "deploy").expect("asked");
    assert_eq!(story.state("a"), CallState::Pending);
    is_whole(&story);
}

#[test]
fn approval_does_not_move_to_a_repeated_call() {
    let mut story = signed_story();
    story.signs("ada", "a", 1).expect("proved");
    let repeated = ProposeCommand { replaces: Some(call_id("a")), ..propose("b", "deploy", "{\"n\":1}") };
    story.agent().call_command("b", CallCommand::Propose(repeated)).expect("asked");
    assert_eq!(story.state("b"), CallState::Pending);
}

#[test]
fn silence_under_newer_policy_replaces_no_proof() {
    let silent = "[[rule]]\nname = \"r\"\ntool = \"deploy\"\nverdict = \"ask\"\nexpires = \"1m\"\nonExpiry = \"allow\"\n";
    let mut story = given(silent);
    story.proposes("a", "deploy").expect("asked");
    story.policy = Arc::new(Policy::read(POLICY).expect("valid"));
    story.later(61);
    story.call_command("a", CallCommand::Due).expect("expired");
    assert_eq!(story.state("a"), CallState::Denied);
}

#[test]
fn erased_comment_and_pattern_keep_the_proof_checkable() {
    let mut story = given(POLICY);
    story.adds_key("ada", ProofKind::Ssh, 1);
    story.proposes("a", "bash").expect("asked");
    let deny =
        RespondCommand { comment: Some("an old name".to_owned()), ..RespondCommand::plain(Decision::Deny) };
    let proof = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &deny));
    story.responds("ada", "a", deny, Some(proof)).expect("denied");
    let rows: Vec<_> = story.log.iter().filter(|event| event.kind.is_about_a_call()).collect();
    let rows = rows.into_iter().filter_map(ErasedRow::of_event).collect();
    let erase = crate::decide::EraseCommand { reason: "a request".to_owned(), rows, archive: None };
    story.person("root").call_command("a", CallCommand::Erase(erase)).expect("erased");
    for event in story.log.iter_mut().filter(|event| event.kind.is_about_a_call()) {
        event.data = countersign_events::sealed::erase_texts(event.kind, &event.data);
    }
    assert!(story.log.iter().all(|event| !event.data.as_str().contains("an old name")));
    is_whole(&story);
}

#[test]
fn verify_names_a_forged_proof() {
    let mut story = signed_story();
    story.signs("ada", "a", 1).expect("proved");
    let allow = RespondCommand::plain(Decision::AllowOnce);
    let forged = TestKey::number(9).sign_ssh(&story.statement("ada", "a", &allow));
    let genuine = TestKey::number(1).sign_ssh(&story.statement("ada", "a", &allow));
    let last = story.log.last_mut().expect("the response");
    let quote = |text: &str| Json::string(text).as_str().to_owned();
    let data = last.data.as_str().replace(&quote(&genuine.signature), &quote(&forged.signature));
    last.data = Json::stored(data).expect("valid");
    insta::assert_snapshot!(story.findings_with(None).join("\n"), @"4: the proof is not accepted: the signature is by another SSH key");
}

#[test]
fn verify_names_approval_whose_proof_was_removed() {
    let mut story = signed_story();
    story.signs("ada", "a", 1).expect("proved");
    let last = story.log.last_mut().expect("the response");
    let Ok(Body::ApprovalResponse(response)) = Body::read(last.seq, last.kind, &last.data) else {
        panic!("{last:?}")
    };
    let without = countersign_events::ApprovalResponse { proof: None, ..response };
    last.data = Body::ApprovalResponse(without).data().expect("JSON");
    insta::assert_snapshot!(story.findings_with(None).join("\n"), @"4: this needs a proof of an SSH key or a passkey: sign `statement` with a key of yours, for example with `countersign allow --sign-with KEYFILE`");
}

#[test]
fn pinned_keys_find_key_of_an_administrator() {
    let mut story = given(POLICY);
    story.adds_key("ada", ProofKind::Ssh, 1);
    story.proposes("a", "deploy").expect("asked");
    story
        .adds_key_as(("root", "ada"), &key(ProofKind::Ssh, 9), None, true)
        .expect("an administrator of the file");
    story.signs("ada", "a", 9).expect("in her name");
    is_whole(&story);
    let pinned =
        PinnedKeys::parse(&format!("user:ada {}\n", TestKey::number(1).ssh_line())).expect("readable");
    insta::assert_snapshot!(story.findings_with(Some(pinned)).join("\n"), @"5: its proof is by the key 768c620129499ca4, which is not one of the pinned keys of user:ada");
}
