//! Thread settings.

use super::*;
use crate::Refused;
use countersign_events::{AnswerSetting, ApprovalResponse, CallState, Decision, Mode, ToolName, ToolPolicy};

const RULES: &str = "[[rule]]\nname = \"free\"\ntool = \"ls\"\nverdict = \"allow\"\n\
    [[rule]]\nname = \"never\"\ntool = \"rm\"\nverdict = \"block\"\nreason = \"history is shared\"\n";

impl DecisionStory {
    fn sets_mode(&mut self, name: &str, mode: Mode) -> Result<Vec<String>, Refused> {
        self.person(name).thread_command(ThreadCommand::SetMode(mode))
    }

    fn sets_policy(&mut self, name: &str, tool: &str, policy: ToolPolicy) -> Result<Vec<String>, Refused> {
        let tool = ToolName::new(tool).expect("valid");
        self.person(name).thread_command(ThreadCommand::SetPolicies(vec![(tool, policy)]))
    }

    fn who_answers(&mut self, id: &str, tool: &str) -> String {
        self.proposes(id, tool).expect("proposed")[1].clone()
    }
}

const ASKED: &str = "TOOL_APPROVAL_REQUEST by agent:bot";

#[test]
fn settings_need_a_person_and_open_thread() {
    let mut story = given(RULES);
    let mode = story.agent().thread_command(ThreadCommand::SetMode(Mode::ApproveAll));
    assert_eq!(code(mode), "not_an_approver");
    let policy = ThreadCommand::SetPolicies(vec![(ToolName::new("ls").expect("valid"), ToolPolicy::Allow)]);
    assert_eq!(code(story.agent().thread_command(policy)), "not_an_approver");
    assert_eq!(code(story.sets_mode("ada", Mode::Other)), "invalid");
    assert_eq!(code(story.sets_policy("ada", "ls", ToolPolicy::Other)), "invalid");
    story.thread_command(ThreadCommand::Close).expect("closed");
    assert_eq!(code(story.sets_mode("ada", Mode::AutoDeny)), "thread_closed");
    assert_eq!(code(story.sets_policy("ada", "ls", ToolPolicy::Deny)), "thread_closed");
}

#[test]
fn repeated_setting_yields_no_events() {
    let mut story = given(RULES);
    assert!(story.sets_mode("ada", Mode::Interactive).expect("so already").is_empty());
    assert!(story.sets_policy("ada", "bash", ToolPolicy::Default).expect("so already").is_empty());
    for expected in [1, 0] {
        assert_eq!(story.sets_mode("ada", Mode::AutoDeny).expect("set").len(), expected);
        assert_eq!(story.sets_policy("ada", "bash", ToolPolicy::Deny).expect("set").len(), expected);
    }
}

#[test]
fn mode_answers_asks_and_lifts_no_block() {
    let mut story = given(RULES);
    story.sets_mode("ada", Mode::ApproveAll).expect("set");
    assert_eq!(story.who_answers("a", "bash"), "TOOL_APPROVAL_RESPONSE by policy:mode");
    assert_eq!(story.state("a"), CallState::Allowed);
    assert_eq!(story.who_answers("b", "rm"), "TOOL_APPROVAL_RESPONSE by policy:never");
    assert_eq!(story.state("b"), CallState::Denied);

    story.sets_mode("ada", Mode::AutoDeny).expect("set");
    assert_eq!(story.who_answers("c", "bash"), "TOOL_APPROVAL_RESPONSE by policy:mode");
    assert_eq!(
        story.told("c"),
        "\"Denied by policy:mode: this thread denies every call that needs approval (auto_deny). Do not retry it.\""
    );
    assert_eq!(story.who_answers("d", "ls"), "TOOL_APPROVAL_RESPONSE by policy:free");

    story.sets_mode("ada", Mode::Interactive).expect("set");
    assert_eq!(story.who_answers("e", "bash"), ASKED);
}

#[test]
fn answer_of_a_mode_names_who_set_it() {
    let mut story = given(RULES);
    story.sets_mode("ada", Mode::ApproveAll).expect("set");
    let seq = story.log.last().expect("set").seq;
    assert_eq!(story.who_answers("a", "bash"), "TOOL_APPROVAL_RESPONSE by policy:mode");
    let response = story.response("a");
    assert_eq!(response.set_by, Some(AnswerSetting { seq, principal: Principal::user("ada") }));
    assert_eq!(story.inadmissible_rows(), [""; 0]);

    let forged = Some(AnswerSetting { seq, principal: Principal::user("ben") });
    for (set_by, complaints) in [(forged, 1), (None, 0)] {
        // Earlier versions recorded nothing.
        let body = Body::ApprovalResponse(ApprovalResponse { set_by, ..response.clone() });
        story.log.last_mut().expect("answered").data = body.data().expect("valid");
        let found = story.inadmissible_rows();
        assert_eq!(found.len(), complaints, "{found:?}");
        assert!(found.iter().all(|why| why.starts_with(&format!("{}: ", story.log.len()))), "{found:?}");
    }
}

#[test]
fn thread_policy_answers_asks_and_restricts_allows() {
    let mut story = given(RULES);
    for tool in ["bash", "rm", "ls"] {
        story.sets_policy("ada", tool, ToolPolicy::Allow).expect("set");
    }
    assert_eq!(story.who_answers("a", "bash"), "TOOL_APPROVAL_RESPONSE by policy:thread");
    assert_eq!(story.who_answers("b", "rm"), "TOOL_APPROVAL_RESPONSE by policy:never");
    assert_eq!(story.who_answers("c", "ls"), "TOOL_APPROVAL_RESPONSE by policy:free");

    story.sets_policy("ada", "ls", ToolPolicy::Deny).expect("set");
    assert_eq!(story.who_answers("d", "ls"), "TOOL_APPROVAL_RESPONSE by policy:thread");
    assert_eq!(
        story.told("d"),
        "\"Blocked by policy:thread: the thread denies this tool. This is a rule, which no approval lifts: \
         do not retry it.\""
    );
    story.sets_policy("ada", "ls", ToolPolicy::RequireApproval).expect("set");
    assert_eq!(story.who_answers("e", "ls"), ASKED);
    story.sets_policy("ada", "ls", ToolPolicy::Default).expect("set");
    assert_eq!(story.who_answers("f", "ls"), "TOOL_APPROVAL_RESPONSE by policy:free");
}

#[test]
fn required_approval_asks_a_person_each_time() {
    let mut story = given(RULES);
    story.proposes("a", "bash").expect("asked");
    story.decides("ada", "a", Decision::AllowSession).expect("granted");
    story.sets_policy("ada", "bash", ToolPolicy::RequireApproval).expect("set");
    assert_eq!(story.who_answers("b", "bash"), ASKED);
    assert_eq!(code(story.decides("ada", "b", Decision::AllowSession)), "not_offered");
    story.sets_mode("ada", Mode::ApproveAll).expect("set");
    assert_eq!(story.who_answers("c", "bash"), ASKED);
    story.sets_mode("ada", Mode::AutoDeny).expect("set");
    assert_eq!(story.who_answers("d", "bash"), "TOOL_APPROVAL_RESPONSE by policy:mode");
    assert_eq!(story.state("d"), CallState::Denied);
}

#[test]
fn thread_deny_after_approval_refuses_the_claim() {
    let mut story = given(RULES);
    story.proposes("a", "bash").expect("asked");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.sets_policy("ben", "bash", ToolPolicy::Deny).expect("set");
    let refused = story.claims("a", "w", "{\"n\":1}").expect_err("blocked");
    assert_eq!(refused.to_string(), "blocked by policy:thread: the thread denies this tool");
    story.sets_policy("ben", "bash", ToolPolicy::Default).expect("set");
    story.claims("a", "w", "{\"n\":1}").expect("claimed");
}

#[test]
fn question_is_answered_by_a_person_each_time() {
    let mut story = given(RULES);
    story.sets_mode("ada", Mode::ApproveAll).expect("set");
    story.sets_policy("ada", "AskUserQuestion", ToolPolicy::Allow).expect("set");
    let asks = r#"{"questions":[{"question":"Which?","options":[{"label":"A"}]}]}"#;
    let ask = |story: &mut DecisionStory, id: &str, arguments: &str| {
        let command = propose(id, "AskUserQuestion", arguments);
        story.agent().call_command(id, CallCommand::Propose(command)).expect("proposed");
    };
    ask(&mut story, "a", asks);
    assert_eq!(story.state("a"), CallState::Pending);
    assert_eq!(code(story.decides("ada", "a", Decision::AllowSession)), "not_offered");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    ask(&mut story, "b", r#"{"questions":[]}"#);
    assert_eq!(story.state("b"), CallState::Allowed, "it asks nothing");
}
