//! Advisors: what they record, what they may answer, and when they only advise.

use super::*;
use crate::{admissibility::AdmissibilityCheck, decide::AdviceCommand, registry::SetPolicyCommand};
use countersign_events::{
    AdviceFailure, AdviceVerdict, AdvisorMode, AdvisorModeSet, AdvisorReported, ApprovalAdvice, Mode,
    ReportSource, Source, ToolPolicy,
};

pub(super) const POLICY: &str = r#"
remember = "5m"

[[advisor]]
name = "judge"
url = "https://judge.example"
mode = "decide"
outcomes = ["deny", "allow"]
minCases = 10

[[advisor]]
name = "shadow"
url = "https://shadow.example"

[[rule]]
name = "deploys"
tool = "deploy"
verdict = "advised"
advisor = "judge"

[[rule]]
name = "payments"
tool = "pay"
verdict = "ask"

[[rule]]
name = "never"
tool = "never"
verdict = "block"
"#;

const ARGUMENTS: &str = "{\"n\":1}";

impl DecisionStory {
    pub(super) fn configuration(&self, advisor: &str) -> Sha256 {
        self.policy.advisor(advisor).expect("an advisor").configuration
    }

    pub(super) fn advice(&self, advisor: &str, advice: AdviceVerdict) -> AdviceCommand {
        AdviceCommand {
            advisor: advisor.to_owned(),
            configuration: self.configuration(advisor),
            advice,
            reason: Some("it is routine".to_owned()),
            confidence: Some("0.9".parse().expect("valid")),
            labels: vec!["routine".to_owned()],
            failure: None,
            elapsed_millis: 12,
            tokens: None,
            cached: false,
            arguments_hash: hash(ARGUMENTS),
        }
    }

    pub(super) fn gives(&mut self, id: &str, advice: AdviceCommand) -> Result<Vec<String>, Refused> {
        self.set_by(Principal::advisor(&advice.advisor));
        self.call_command(id, CallCommand::Advise(advice))
    }

    pub(super) fn advises(&mut self, id: &str, advice: AdviceVerdict) -> Result<Vec<String>, Refused> {
        let advice = self.advice("judge", advice);
        self.gives(id, advice)
    }

    pub(super) fn reports(&mut self, agreed: u64, false_allows: u64) -> Result<Vec<String>, Refused> {
        let report = AdvisorReported {
            advisor: "judge".to_owned(),
            configuration: self.configuration("judge"),
            source: ReportSource::Replay,
            cases: agreed + false_allows,
            agreed,
            false_allows,
            false_denials: 0,
            asked: 0,
            failed: 0,
            elapsed_millis: None,
            tokens: None,
            after: None,
            up_to: 0,
        };
        self.person("root");
        self.execute(CommandTarget::Log, record(Body::AdvisorReported(report)))
    }

    pub(super) fn sets_advisor(
        &mut self,
        by: Principal,
        mode: AdvisorMode,
        text: Option<&str>,
    ) -> Result<Vec<String>, Refused> {
        let text = text.map(str::to_owned);
        let (reason, statement) = if mode == AdvisorMode::Decide { (None, text) } else { (text, None) };
        let configuration = self.configuration("judge");
        let set = AdvisorModeSet {
            advisor: "judge".to_owned(),
            configuration,
            mode,
            reason,
            overrides: false,
            statement,
        };
        self.set_by(by);
        self.execute(CommandTarget::Log, record(Body::AdvisorModeSet(set)))
    }

    pub(super) fn puts_in_force(&mut self, text: &str) {
        let replaces = self.batch.policy();
        self.policy = Arc::new(Policy::read(text).expect("valid"));
        let policy = Arc::clone(&self.policy);
        let command = SetPolicyCommand { policy, source: "test".to_owned(), replaces };
        self.person("root");
        self.execute(CommandTarget::Log, ApprovalCommand::Log(LogCommand::SetPolicy(command)))
            .expect("active");
    }

    pub(super) fn last_advice(&self) -> ApprovalAdvice {
        let bodies = self.log.iter().rev().map(|e| Body::read(e.seq, e.kind, &e.data).expect("readable"));
        bodies
            .into_iter()
            .find_map(|body| if let Body::ApprovalAdvice(advice) = body { Some(advice) } else { None })
            .expect("advice")
    }

    pub(super) fn inadmissible_rows(&self) -> Vec<String> {
        let mut check = AdmissibilityCheck::default();
        let mut found: Vec<_> = self.log.iter().flat_map(|event| check.check(event.clone())).collect();
        found.extend(check.finish());
        found.into_iter().map(|row| format!("{}: {}", row.seq, row.reason)).collect()
    }
}

/// A story in which the advisor is proven and the call is pending.
pub(super) fn proven() -> DecisionStory {
    let mut story = given(POLICY);
    story.puts_in_force(POLICY);
    story.reports(10, 0).expect("recorded");
    story.proposes("c", "deploy").expect("asked");
    story
}

pub(super) const ADVICE: &str = "TOOL_APPROVAL_ADVICE by advisor:judge";
pub(super) const RESPONSE: &str = "TOOL_APPROVAL_RESPONSE by advisor:judge";

#[test]
fn proven_advisor_allows_a_call_of_its_rule() {
    let mut story = proven();
    assert_eq!(story.advises("c", AdviceVerdict::Allow), Ok(vec![ADVICE.into(), RESPONSE.into()]));
    assert_eq!(story.state("c"), CallState::Allowed);
    let call = story.batch.call(&thread_id(), &call_id("c")).expect("proposed");
    let response = &call.response().expect("decided").what;
    assert_eq!((response.source, response.decision), (Source::Advisor, Decision::AllowOnce));
    assert_eq!(response.comment.as_deref(), Some("it is routine"));
    assert_eq!(response.rule.as_deref(), Some("deploys"));
    assert!(story.claims("c", "w", ARGUMENTS).is_ok());
    assert_eq!(story.inadmissible_rows(), Vec::<String>::new());
}

#[test]
fn proven_advisor_denies_a_call_with_its_reason() {
    let mut story = proven();
    let events = story.advises("c", AdviceVerdict::Deny).expect("recorded");
    assert_eq!(events, [ADVICE, RESPONSE, "TOOL_RESULT by advisor:judge"]);
    assert_eq!(
        story.told("c"),
        "\"Denied by advisor:judge: it is routine (do not retry this call unchanged)\""
    );
    assert_eq!(story.inadmissible_rows(), Vec::<String>::new());
}

#[test]
fn advice_to_ask_leaves_the_call_to_people() {
    let mut story = proven();
    assert_eq!(story.advises("c", AdviceVerdict::Ask), Ok(vec![ADVICE.into()]));
    assert_eq!(story.state("c"), CallState::Pending);
    assert!(story.decides("ada", "c", Decision::AllowOnce).is_ok());
}

#[test]
fn failed_advice_is_an_ask() {
    let mut story = proven();
    let failed = |advice| AdviceCommand { failure: Some(AdviceFailure::Timeout), ..advice };
    let allow = failed(story.advice("judge", AdviceVerdict::Allow));
    assert_eq!(code(story.gives("c", allow)), "invalid");
    let ask = failed(story.advice("judge", AdviceVerdict::Ask));
    assert_eq!(story.gives("c", ask), Ok(vec![ADVICE.into()]));
    assert_eq!(story.last_advice().failure, Some(AdviceFailure::Timeout));
}

#[test]
fn unproven_advisor_only_advises() {
    let mut story = given(POLICY);
    story.proposes("c", "deploy").expect("asked");
    assert_eq!(story.advises("c", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]));
    assert_eq!(story.last_advice().mode, AdvisorMode::Advise);
    story.reports(9, 0).expect("recorded");
    story.proposes("d", "deploy").expect("asked");
    assert_eq!(story.advises("d", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]), "too few cases");
    story.reports(1_000, 1).expect("recorded");
    story.proposes("e", "deploy").expect("asked");
    assert_eq!(story.advises("e", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]), "a false allow");
}

#[test]
fn shadow_advice_decides_nothing() {
    let mut story = proven();
    let advice = story.advice("shadow", AdviceVerdict::Deny);
    assert_eq!(story.gives("c", advice), Ok(vec!["TOOL_APPROVAL_ADVICE by advisor:shadow".into()]));
    assert_eq!(story.last_advice().mode, AdvisorMode::Shadow);
    assert_eq!(story.state("c"), CallState::Pending);
}

#[test]
fn advisor_answers_only_rules_that_name_it() {
    let mut story = proven();
    story.proposes("p", "pay").expect("asked");
    story.proposes("o", "other").expect("asked");
    for id in ["p", "o"] {
        assert_eq!(story.advises(id, AdviceVerdict::Allow), Ok(vec![ADVICE.into()]), "{id}");
        assert_eq!(story.state(id), CallState::Pending);
    }
    story.proposes("n", "never").expect("blocked");
    assert_eq!(code(story.advises("n", AdviceVerdict::Allow)), "invalid");
    assert_eq!(story.state("n"), CallState::Denied);
}

#[test]
fn advisor_gives_only_the_outcomes_of_the_policy() {
    let text = POLICY.replace("[\"deny\", \"allow\"]", "[\"deny\"]");
    let mut story = given(&text);
    story.reports(10, 0).expect("recorded");
    story.proposes("c", "deploy").expect("asked");
    assert_eq!(story.advises("c", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]));
    assert_eq!(story.state("c"), CallState::Pending);
}

#[test]
fn advice_about_other_arguments_decides_nothing() {
    let mut story = proven();
    let advice = AdviceCommand { arguments_hash: hash("{}"), ..story.advice("judge", AdviceVerdict::Allow) };
    assert_eq!(story.gives("c", advice), Ok(vec![ADVICE.into()]));
}

#[test]
fn person_who_changed_the_mode_comes_first() {
    for restrict in [
        ThreadCommand::SetMode(Mode::AutoDeny),
        ThreadCommand::SetPolicies(vec![(
            ToolName::new("deploy").expect("valid"),
            ToolPolicy::RequireApproval,
        )]),
        ThreadCommand::SetPolicies(vec![(ToolName::new("deploy").expect("valid"), ToolPolicy::Deny)]),
    ] {
        let mut story = proven();
        story.person("ada").thread_command(restrict).expect("set");
        if story.state("c") == CallState::Pending {
            assert_eq!(story.advises("c", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]));
            assert_eq!(story.state("c"), CallState::Pending);
        }
    }
}

#[test]
fn thread_that_requires_approval_asks_people() {
    let mut story = proven();
    let tool = ToolName::new("deploy").expect("valid");
    let requires = ThreadCommand::SetPolicies(vec![(tool, ToolPolicy::RequireApproval)]);
    story.person("ada").thread_command(requires).expect("set");
    story.proposes("d", "deploy").expect("asked");
    let call = story.batch.call(&thread_id(), &call_id("d")).expect("proposed");
    assert_eq!(call.request().expect("asked").what.advisor, None);
}

#[test]
fn decision_of_a_person_stays() {
    let mut story = proven();
    story.decides("ada", "c", Decision::AllowOnce).expect("decided");
    assert_eq!(story.advises("c", AdviceVerdict::Deny), Ok(vec![ADVICE.into()]), "late advice is recorded");
    assert_eq!(story.state("c"), CallState::Allowed);
    story.proposes("d", "deploy").expect("asked");
    story.decides("ada", "d", Decision::Deny).expect("decided");
    assert_eq!(story.advises("d", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]));
    assert_eq!(story.state("d"), CallState::Denied);
    assert_eq!(story.inadmissible_rows(), Vec::<String>::new());
}

#[test]
fn later_decision_of_a_person_is_refused() {
    let mut story = proven();
    story.advises("c", AdviceVerdict::Allow).expect("recorded");
    assert_eq!(code(story.decides("ada", "c", Decision::Deny)), "already_decided");
}

#[test]
fn advice_of_another_principal_is_refused() {
    let mut story = proven();
    for by in [Principal::agent("bot"), Principal::user("ada"), Principal::advisor("shadow")] {
        let advice = story.advice("judge", AdviceVerdict::Allow);
        story.set_by(by);
        assert_eq!(code(story.call_command("c", CallCommand::Advise(advice))), "invalid");
    }
}

#[test]
fn advisor_cannot_answer_its_own_call() {
    let mut story = proven();
    story.set_by(Principal::advisor("judge"));
    story.call_command("own", CallCommand::Propose(propose("own", "deploy", ARGUMENTS))).expect("asked");
    assert_eq!(code(story.advises("own", AdviceVerdict::Allow)), "self_approval");
}

#[test]
fn advisor_cannot_use_other_commands() {
    let mut story = proven();
    story.set_by(Principal::advisor("judge"));
    let respond = CallCommand::Respond(RespondCommand::plain(Decision::AllowOnce));
    assert_eq!(code(story.call_command("c", respond)), "not_an_approver");
    let mode = ThreadCommand::SetMode(Mode::ApproveAll);
    assert_eq!(code(story.thread_command(mode)), "not_an_approver");
    assert_eq!(code(story.call_command("c", CallCommand::Flag { comment: None })), "not_an_approver");
    let decide = story.sets_advisor(Principal::advisor("judge"), AdvisorMode::Decide, Some("trust me"));
    assert_eq!(code(decide), "not_an_approver");
}

#[test]
fn second_advice_of_an_advisor_changes_nothing() {
    let mut story = proven();
    story.advises("c", AdviceVerdict::Ask).expect("recorded");
    assert_eq!(story.advises("c", AdviceVerdict::Allow), Ok(vec![]));
    assert_eq!(story.state("c"), CallState::Pending);
}

#[test]
fn advisor_with_other_settings_is_unknown() {
    let mut story = proven();
    let advice = story.advice("judge", AdviceVerdict::Allow);
    story.puts_in_force(&POLICY.replace("judge.example", "other.example"));
    assert_eq!(code(story.gives("c", advice)), "unknown_advisor");
    assert_eq!(story.advises("c", AdviceVerdict::Allow), Ok(vec![ADVICE.into()]), "another policy asked");
    assert_eq!(story.last_advice().mode, AdvisorMode::Advise, "a report belongs to its settings");
}

#[test]
fn allowed_call_cannot_start_under_another_policy() {
    let mut story = proven();
    story.advises("c", AdviceVerdict::Allow).expect("recorded");
    story.puts_in_force(&format!("{POLICY}\n# another text"));
    assert_eq!(code(story.claims("c", "w", ARGUMENTS)), "advice_outdated");
    story.puts_in_force(POLICY);
    assert!(story.claims("c", "w", ARGUMENTS).is_ok(), "the policy that let it decide is active again");
    assert_eq!(story.inadmissible_rows(), Vec::<String>::new());
}

#[test]
fn answers_of_an_advisor_are_never_remembered() {
    let mut story = proven();
    story.advises("c", AdviceVerdict::Deny).expect("recorded");
    story.proposes("d", "deploy").expect("asked");
    assert_eq!(story.state("d"), CallState::Pending, "a denial does not answer the same call");
    story.advises("d", AdviceVerdict::Allow).expect("recorded");
    let again = ProposeCommand { replaces: Some(call_id("d")), ..propose("e", "deploy", ARGUMENTS) };
    story.agent().call_command("e", CallCommand::Propose(again)).expect("asked");
    assert_eq!(story.state("e"), CallState::Pending, "an approval does not move");
    let thread = story.batch.thread(&thread_id()).expect("known");
    assert!(thread.grants.is_empty() && thread.recent.is_empty());
}

#[test]
fn secrets_in_an_advice_are_masked() {
    let mut story = proven();
    let secret = "AKIAIOSFODNN7EXAMPLE";
    let advice = AdviceCommand {
        reason: Some(format!("it uses {secret}")),
        labels: vec![secret.to_owned()],
        ..story.advice("judge", AdviceVerdict::Deny)
    };
    story.gives("c", advice).expect("recorded");
    assert!(story.log.iter().all(|event| !event.data.as_str().contains(secret)));
    assert_eq!(story.inadmissible_rows(), Vec::<String>::new());
}

#[test]
fn too_long_advice_is_refused() {
    let mut story = proven();
    let plain = story.advice("judge", AdviceVerdict::Allow);
    for wrong in [
        AdviceCommand { reason: Some("x".repeat(4_097)), ..plain.clone() },
        AdviceCommand { labels: vec!["x".to_owned(); 17], ..plain.clone() },
        AdviceCommand { labels: vec!["x\n".to_owned()], ..plain.clone() },
        AdviceCommand { labels: vec![String::new()], ..plain.clone() },
        AdviceCommand { advice: AdviceVerdict::Other, ..plain },
    ] {
        assert_eq!(code(story.gives("c", wrong)), "invalid");
    }
}

#[test]
fn person_flags_a_call_that_was_allowed() {
    let mut story = proven();
    let flag = |comment: &str| CallCommand::Flag { comment: Some(comment.to_owned()) };
    assert_eq!(code(story.person("ada").call_command("c", flag("early"))), "not_flaggable");
    story.advises("c", AdviceVerdict::Allow).expect("recorded");
    assert_eq!(code(story.agent().call_command("c", flag("no"))), "not_an_approver");
    let flagged = vec!["CALL_FLAGGED by user:ada".to_owned()];
    assert_eq!(story.person("ada").call_command("c", flag("it deleted data")), Ok(flagged));
    assert_eq!(story.person("ada").call_command("c", flag("again")), Ok(vec![]));
    story.claims("c", "w", ARGUMENTS).expect("claimed");
    story.call_command("c", finish(Status::Success, "done")).expect("finished");
    assert!(story.person("bob").call_command("c", flag("after its end")).is_ok());
    assert_eq!(story.inadmissible_rows(), Vec::<String>::new());
    story.proposes("d", "deploy").expect("asked");
    story.advises("d", AdviceVerdict::Deny).expect("recorded");
    assert_eq!(code(story.person("ada").call_command("d", flag("denied"))), "not_flaggable");
}

#[test]
fn advice_in_a_closed_thread_is_refused() {
    let mut story = proven();
    story.agent().thread_command(ThreadCommand::Close).expect("closed");
    assert_eq!(code(story.advises("c", AdviceVerdict::Allow)), "thread_closed");
}

#[test]
fn escalated_request_is_left_to_people() {
    let text = POLICY.replace(
        "advisor = \"judge\"\n",
        "advisor = \"judge\"\nescalateAfter = \"10s\"\nescalateTo = \"admin\"\n",
    );
    let mut story = given(&text);
    story.reports(10, 0).expect("recorded");
    story.proposes("c", "deploy").expect("asked");
    story.later(11);
    assert_eq!(
        story.advises("c", AdviceVerdict::Allow),
        Ok(vec!["TOOL_APPROVAL_ESCALATED by system:escalation".into(), ADVICE.into()])
    );
}
