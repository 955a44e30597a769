//! Properties of every history with advice: an advisor answers only an `ask` from a rule that names it, and advice that
//! does not decide changes nothing.

use super::{
    laws::{AnyCommand, POLICY, RandomStep, bodies, play, play_under, steps},
    *,
};
use crate::decide::AdviceCommand;
use countersign_events::{
    AdviceFailure, AdviceVerdict, AdvisorMode, AdvisorModeSet, AdvisorReported, ApprovalAdvice, ReportSource,
    Source,
};
use countersign_policy::Policy;
use proptest::prelude::*;
use std::{collections::HashMap, sync::LazyLock};

/// The advisor's configuration.
static JUDGE: LazyLock<Sha256> = LazyLock::new(|| {
    Policy::read(POLICY).expect("valid").advisor("judge").expect("an advisor").configuration
});

pub(super) fn any_advice() -> impl Strategy<Value = AdviceCommand> {
    let advice = prop::sample::select(vec![AdviceVerdict::Allow, AdviceVerdict::Deny, AdviceVerdict::Ask]);
    (advice, any::<bool>()).prop_map(|(advice, fails)| AdviceCommand {
        advisor: "judge".to_owned(),
        configuration: *JUDGE,
        advice,
        reason: Some("--password hunter2".to_owned()),
        confidence: None,
        labels: Vec::new(),
        failure: Some(AdviceFailure::Timeout).filter(|_| fails && advice == AdviceVerdict::Ask),
        elapsed_millis: 1,
        tokens: None,
        cached: false,
        arguments_hash: Sha256::ZERO,
    })
}

/// Reports that prove the advisor and reports that do not, fall-backs and statements.
pub(super) fn any_advisor_fact() -> impl Strategy<Value = Body> {
    let set = |mode| {
        Body::AdvisorModeSet(AdvisorModeSet {
            advisor: "judge".to_owned(),
            configuration: *JUDGE,
            mode,
            reason: None,
            overrides: false,
            statement: Some("measured elsewhere".to_owned()).filter(|_| mode == AdvisorMode::Decide),
        })
    };
    let report = |false_allows| {
        Body::AdvisorReported(AdvisorReported {
            advisor: "judge".to_owned(),
            configuration: *JUDGE,
            source: ReportSource::Replay,
            cases: 100 + false_allows,
            agreed: 100,
            false_allows,
            false_denials: 0,
            asked: 0,
            failed: 0,
            elapsed_millis: None,
            tokens: None,
            after: None,
            up_to: 0,
        })
    };
    prop_oneof![
        4 => (0..2_u64).prop_map(report),
        1 => prop::sample::select(vec![AdvisorMode::Advise, AdvisorMode::Decide]).prop_map(set),
    ]
}

/// Everything in a log but the advice, without the positions, which the advice moves.
fn without_advice(story: &DecisionStory) -> Vec<String> {
    let shown = |(event, body): (&Event, Body)| match body {
        Body::ApprovalAdvice(_) | Body::PolicySet(_) => None,
        Body::ApprovalResponse(response) => {
            let (call, decision, source) = (&response.tool_call_id, response.decision, response.source);
            Some(format!("{} {call} {decision:?} {source:?}", event.principal))
        }
        body => Some(format!("{} {} {:?}", event.kind, event.principal, body.call_id())),
    };
    story.log.iter().zip(bodies(story)).filter_map(shown).collect()
}

/// The same steps without the commands about grants and the ends of delegations, which name positions.
fn without_positions(steps: Vec<RandomStep>) -> Vec<RandomStep> {
    let names_position = |command: &ApprovalCommand| match command {
        ApprovalCommand::Thread(command) => matches!(
            command,
            ThreadCommand::Revoke(_) | ThreadCommand::Prolong(..) | ThreadCommand::EndGrant(_)
        ),
        ApprovalCommand::Log(LogCommand::Record(facts)) => {
            matches!(facts.first(), Some(Body::DelegationEnded(_)))
        }
        _ => false,
    };
    steps.into_iter().filter(|((_, command), ..)| !names_position(command)).collect()
}

/// The command, or instead of an advice one that writes only what is due.
fn only_due((target, command): &AnyCommand) -> AnyCommand {
    let is_advice = matches!(command, ApprovalCommand::Call(CallCommand::Advise(_)));
    (target.clone(), if is_advice { CallCommand::Due.into() } else { command.clone() })
}

proptest! {
    #[test]
    fn advisor_answers_only_asks_that_name_it(steps in steps()) {
        let story = play(&steps);
        let (mut requests, mut touched, mut last) = (HashMap::new(), Vec::new(), None::<ApprovalAdvice>);
        for (event, body) in story.log.iter().zip(bodies(&story)) {
            match body {
                Body::ApprovalRequest(request) => {
                    requests.insert(request.tool_call_id.clone(), request);
                }
                Body::ApprovalVote(vote) => touched.push(vote.tool_call_id),
                Body::ApprovalResponse(response) if response.source == Source::Advisor => {
                    let request = requests.get(&response.tool_call_id).expect("people were asked");
                    let advice = last.take().expect("its advice comes directly before it");
                    prop_assert_eq!(request.advisor.as_deref(), Some("judge"));
                    prop_assert_eq!(event.principal.as_str(), "advisor:judge");
                    prop_assert_eq!((&advice.tool_call_id, advice.mode), (&response.tool_call_id, AdvisorMode::Decide));
                    prop_assert_eq!(response.decision.allows(), advice.advice == AdviceVerdict::Allow);
                    prop_assert_eq!(response.decision.allows(), response.decision == Decision::AllowOnce);
                    prop_assert_eq!(advice.arguments_hash, response.arguments_hash);
                    prop_assert!(response.scope.is_none() && response.grant.is_none());
                    prop_assert!(!touched.contains(&response.tool_call_id));
                }
                Body::ApprovalAdvice(advice) => {
                    last = Some(advice);
                    continue;
                }
                _ => {}
            }
            last = None;
        }
        for (_, request) in requests.into_iter().filter(|(_, request)| request.advisor.is_some()) {
            prop_assert_eq!(request.rule.as_deref(), Some("advised"));
        }
    }

    #[test]
    fn advice_that_does_not_decide_changes_nothing(steps in steps()) {
        let steps = without_positions(steps);
        let shadow = POLICY.replace("mode = \"decide\"", "mode = \"shadow\"");
        // Any command to a call first writes the events that are due on it.
        let silent: Vec<_> = steps.iter().map(|step| (only_due(&step.0), step.1, step.2)).collect();
        let (advised, silent) = (play_under(&shadow, &steps), play_under(&shadow, &silent));
        prop_assert_eq!(without_advice(&advised), without_advice(&silent));
    }

    #[test]
    fn remembered_decisions_are_those_of_people(steps in steps()) {
        let story = play(&steps);
        let empty = crate::Thread::default();
        let thread = story.batch.thread(&thread_id()).unwrap_or(&empty);
        let people = thread.grants.iter().map(|grant| &grant.by).chain(thread.recent.iter().map(|recent| &recent.by));
        for by in people {
            prop_assert!(by.as_str().starts_with("user:"), "{by}");
        }
    }

    #[test]
    fn advised_calls_start_only_under_their_policy(steps in steps(), changes in any::<bool>()) {
        let mut story = play(&steps);
        let advised: Vec<_> = bodies(&story)
            .into_iter()
            .filter_map(|body| match body {
                Body::ApprovalResponse(response) if response.source == Source::Advisor => Some(response),
                _ => None,
            })
            .filter(|response| response.decision.allows())
            .collect();
        if changes {
            story.puts_in_force(&format!("{POLICY}\n# another"));
        }
        for response in advised {
            let id = response.tool_call_id.as_str().to_owned();
            if story.state(&id) != CallState::Allowed || story.batch.thread(&thread_id()).is_some_and(|t| t.closed.is_some()) {
                continue;
            }
            let arguments = story.batch.call(&thread_id(), &call_id(&id)).expect("known").arguments().as_str().to_owned();
            let claimed = story.claims(&id, "later", &arguments);
            if changes {
                prop_assert_eq!(claimed.expect_err("refused").code(), "advice_outdated");
            } else if let Err(refused) = claimed {
                prop_assert_eq!(refused.code(), "blocked", "{}", refused);
            }
        }
        prop_assert!(Policy::read(POLICY).is_ok());
    }
}
