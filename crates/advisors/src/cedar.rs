//! Cedar policies, evaluated in the process. The principal is the agent, the action is the tool, the resource is the thread,
//! and the context has the arguments and facts about the call.

use crate::{
    answer::AdviceAnswer,
    fault::AdviceFault,
    question::{AdviceQuestion, QuestionParts},
};
use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityId, EntityTypeName, EntityUid, PolicyId, PolicySet,
    Request, Response, RestrictedExpression,
};
use countersign_events::{
    Json, Sha256,
    event::{AdviceFailure, AdviceVerdict},
    json::ExactDecimal,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};
use tokio::sync::Semaphore;

/// The deepest nesting of arguments. Cedar evaluates values recursively.
const MAX_DEPTH: usize = 64;

/// The most values in the arguments.
const MAX_VALUES: usize = 20_000;

/// The most policies that are named in the labels of an answer, and the longest name in bytes. Longer ones are left out.
const MAX_NAMED: usize = 8;
const MAX_NAME: usize = 60;

/// The most texts of policies that are kept. A policy has fewer advisors.
const MAX_TEXTS: usize = 64;

/// The most evaluations at the same time. One that takes longer than its advisor may goes on, because nothing can stop it.
const MAX_EVALUATIONS: usize = 4;

/// Policies that were read, or the reason why they cannot be read.
type ReadPolicies = Arc<OnceLock<Result<PolicySet, AdviceFault>>>;

/// The policies of advisors. Each text is read once.
pub(crate) struct CedarPolicies {
    sets: Mutex<HashMap<Sha256, ReadPolicies>>,
    evaluations: Arc<Semaphore>,
}

impl Default for CedarPolicies {
    fn default() -> Self {
        Self { sets: Mutex::default(), evaluations: Arc::new(Semaphore::new(MAX_EVALUATIONS)) }
    }
}

impl CedarPolicies {
    /// Asks the policies, outside of the threads of the runtime, because they compute.
    pub(crate) async fn ask(
        &self,
        policies: &str,
        question: &AdviceQuestion,
    ) -> Result<AdviceAnswer, AdviceFault> {
        let place = Arc::clone(&self.evaluations).acquire_owned().await;
        let (set, policies, question) = (self.find(policies), policies.to_owned(), question.clone());
        let evaluated = tokio::task::spawn_blocking(move || {
            // The place is free when the evaluation has ended, not when its answer comes too late.
            let _place = place;
            evaluate(read_once(&set, &policies)?, &question.parts())
        });
        let evaluated = evaluated.await;
        evaluated.unwrap_or_else(|_| Err(AdviceFault::failed("the evaluation of the policies panicked")))
    }

    /// Fails if the policies cannot be read.
    pub(crate) fn check(&self, policies: &str) -> Result<(), AdviceFault> {
        read_once(&self.find(policies), policies).map(|_| ())
    }

    fn find(&self, policies: &str) -> ReadPolicies {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = Sha256::digest(policies.as_bytes());
        if sets.len() >= MAX_TEXTS && !sets.contains_key(&hash) {
            // Those of earlier policies. The ones in use are read again.
            sets.clear();
        }
        Arc::clone(sets.entry(hash).or_default())
    }
}

fn read_once<'a>(set: &'a ReadPolicies, policies: &str) -> Result<&'a PolicySet, AdviceFault> {
    set.get_or_init(|| parse_policies(policies)).as_ref().map_err(Clone::clone)
}

fn parse_policies(policies: &str) -> Result<PolicySet, AdviceFault> {
    policies.parse().map_err(|why| {
        AdviceFault::new(AdviceFailure::BadConfiguration, format!("the policies cannot be read: {why}"))
    })
}

fn evaluate(policies: &PolicySet, parts: &QuestionParts<'_>) -> Result<AdviceAnswer, AdviceFault> {
    let request = Request::new(
        entity("Agent", parts.agent)?,
        entity("Action", parts.tool)?,
        entity("Thread", parts.thread)?,
        build_context(parts)?,
        None,
    );
    let request = request.map_err(|why| AdviceFault::failed(format!("the request: {why}")))?;
    let response = Authorizer::new().is_authorized(&request, policies, &Entities::empty());
    // A policy that fails is left out by Cedar. If that is a `forbid`, the others might allow what it forbids.
    let failed = response.diagnostics().errors().count();
    if failed > 0 {
        return Err(AdviceFault::failed(format!("{failed} policies could not be evaluated for this call")));
    }
    describe_response(policies, &response).checked()
}

fn describe_response(policies: &PolicySet, response: &Response) -> AdviceAnswer {
    let mut reasons: Vec<&PolicyId> = response.diagnostics().reason().collect();
    reasons.sort();
    let advice = match response.decision() {
        Decision::Allow => AdviceVerdict::Allow,
        // Without a policy that applies, Cedar denies. Here people then decide.
        Decision::Deny if reasons.is_empty() => AdviceVerdict::Ask,
        Decision::Deny => AdviceVerdict::Deny,
    };
    let annotated = |id: &PolicyId, key: &str| {
        policies.policy(id).and_then(|policy| policy.annotation(key).map(str::to_owned))
    };
    let texts: Vec<_> = reasons.iter().filter_map(|id| annotated(id, "reason")).collect();
    let names =
        reasons.iter().take(MAX_NAMED).map(|id| annotated(id, "id").unwrap_or_else(|| id.to_string()));
    let is_label = |name: &String| (1..=MAX_NAME).contains(&name.len()) && !name.contains(char::is_control);
    AdviceAnswer {
        reason: Some(texts.join("; ")),
        labels: names.filter(is_label).collect(),
        ..AdviceAnswer::new(advice)
    }
}

fn entity(kind: &str, id: &str) -> Result<EntityUid, AdviceFault> {
    let kind: EntityTypeName =
        kind.parse().map_err(|why| AdviceFault::failed(format!("the type {kind}: {why}")))?;
    Ok(EntityUid::from_type_name_and_id(kind, EntityId::new(id)))
}

/// Builds the context value by value. Cedar's own reader of JSON would let arguments name entities (`__entity`).
fn build_context(parts: &QuestionParts<'_>) -> Result<Context, AdviceFault> {
    let mut values = 0;
    let arguments = convert(parts.arguments, MAX_DEPTH, &mut values)?.unwrap_or_else(empty_record);
    let texts = |texts: &[String]| {
        RestrictedExpression::new_set(texts.iter().cloned().map(RestrictedExpression::new_string))
    };
    let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
    let mut pairs = vec![
        ("arguments".to_owned(), arguments),
        ("redacted".to_owned(), texts(parts.redacted)),
        ("hiddenCharacters".to_owned(), texts(parts.hidden_characters)),
        ("mixedScripts".to_owned(), texts(parts.mixed_scripts)),
        ("reason".to_owned(), text(parts.reason)),
    ];
    pairs.extend(parts.description.map(|description| ("description".to_owned(), text(description))));
    pairs.extend(parts.rule.map(|rule| ("rule".to_owned(), text(rule))));
    Context::from_pairs(pairs).map_err(|why| AdviceFault::failed(format!("the context: {why}")))
}

fn empty_record() -> RestrictedExpression {
    RestrictedExpression::new_record([]).unwrap_or_else(|_| RestrictedExpression::new_set([]))
}

/// Converts a JSON value; `None` for `null`. Whole numbers of 64 bits are `Long`, other numbers the text of their exact
/// decimal value.
fn convert(
    json: &Json,
    depth: usize,
    values: &mut usize,
) -> Result<Option<RestrictedExpression>, AdviceFault> {
    *values += 1;
    if depth == 0 || *values > MAX_VALUES {
        return Err(AdviceFault::too_large(
            "the arguments nest too deeply, or have too many values, for Cedar",
        ));
    }
    let damaged = |_| AdviceFault::failed("the arguments cannot be read");
    let text = json.as_str().trim_start();
    Ok(Some(match text.as_bytes().first() {
        Some(b'{') => {
            let mut pairs = Vec::new();
            for (key, member) in json.members().unwrap_or_default() {
                pairs.extend(convert(&member, depth - 1, values)?.map(|value| (key, value)));
            }
            RestrictedExpression::new_record(pairs)
                .map_err(|why| AdviceFault::failed(format!("the arguments: {why}")))?
        }
        Some(b'[') => {
            let items: Vec<Json> = json.read().map_err(damaged)?;
            let mut set = Vec::new();
            for item in &items {
                set.extend(convert(item, depth - 1, values)?);
            }
            RestrictedExpression::new_set(set)
        }
        Some(b'"') => RestrictedExpression::new_string(json.read().map_err(damaged)?),
        Some(b't') => RestrictedExpression::new_bool(true),
        Some(b'f') => RestrictedExpression::new_bool(false),
        Some(b'n') => return Ok(None),
        _ => {
            let number = ExactDecimal::parse(text.trim_end());
            let number = number.ok_or_else(|| AdviceFault::failed("a number cannot be read"))?;
            match number.to_i64() {
                Some(whole) => RestrictedExpression::new_long(whole),
                None => RestrictedExpression::new_string(number.to_string()),
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{call, question};
    use countersign_redaction::Redactor;
    use serde_json::json;

    const POLICIES: &str = r#"
        @id("reading")
        permit (principal == Agent::"agent:builder", action == Action::"bash", resource)
        when { context.arguments.command like "git status*" };

        @id("production")
        @reason("production is frozen")
        forbid (principal, action, resource)
        when { context.arguments has "environment" && context.arguments.environment == "production" };
    "#;

    fn ask(policies: &str, arguments: &serde_json::Value) -> Result<AdviceAnswer, AdviceFault> {
        evaluate(&parse_policies(policies)?, &question(arguments).parts())
    }

    fn advice(policies: &str, arguments: &serde_json::Value) -> &'static str {
        ask(policies, arguments).expect("an answer").advice.as_str()
    }

    #[test]
    fn permit_forbid_and_neither_are_answers() {
        let allowed = ask(POLICIES, &json!({"command": "git status -s"})).expect("an answer");
        assert_eq!((allowed.advice, allowed.labels), (AdviceVerdict::Allow, vec!["reading".to_owned()]));
        let both = json!({"command": "git status", "environment": "production"});
        let denied = ask(POLICIES, &both).expect("an answer");
        assert_eq!(
            (denied.advice.as_str(), denied.reason.as_deref()),
            ("deny", Some("production is frozen"))
        );
        let neither = ask(POLICIES, &json!({"command": "make"})).expect("an answer");
        assert_eq!((neither.advice, neither.reason), (AdviceVerdict::Ask, None));
    }

    #[test]
    fn failing_policy_is_a_failure() {
        let fault = ask(POLICIES, &json!({"other": 1})).expect_err("no command");
        assert_eq!(fault.failure.as_str(), "failed");
        let text = "permit (principal, action, resource); forbid (principal, action, resource) when { context.arguments.x > 1 };";
        assert!(ask(text, &json!({"x": "2"})).is_err(), "the policy that fails might forbid");
    }

    #[test]
    fn unreadable_policies_are_a_failure() {
        let fault = ask("permit (principal", &json!({})).expect_err("no policy");
        assert!(fault.detail.contains("cannot be read"), "{fault}");
        assert_eq!(advice("", &json!({})), "ask", "no policy applies");
    }

    #[tokio::test]
    async fn policies_are_read_once() {
        let policies = CedarPolicies::default();
        let question = question(&json!({"command": "git status"}));
        let first = policies.find(POLICIES);
        assert!(first.get().is_none());
        for _ in 0..2 {
            assert_eq!(policies.ask(POLICIES, &question).await.expect("an answer").advice.as_str(), "allow");
        }
        assert!(first.get().is_some(), "the answers used it");
        assert!(Arc::ptr_eq(&first, &policies.find(POLICIES)));
        for _ in 0..2 {
            let fault = policies.check("permit (principal").expect_err("no policy");
            assert_eq!(fault.failure, AdviceFailure::BadConfiguration);
        }
        assert_eq!(policies.sets.lock().expect("a lock").len(), 2);
        for number in 0..2 * MAX_TEXTS {
            policies.find(&format!("// {number}"));
        }
        assert!(policies.sets.lock().expect("a lock").len() <= MAX_TEXTS);
    }

    #[tokio::test]
    async fn evaluations_wait_for_a_place() {
        let policies = CedarPolicies::default();
        let busy = Arc::clone(&policies.evaluations);
        let places = busy.acquire_many_owned(u32::try_from(MAX_EVALUATIONS).expect("small")).await;
        let question = question(&json!({"command": "git status"}));
        let mut asking = std::pin::pin!(policies.ask(POLICIES, &question));
        tokio::select! {
            biased;
            _ = &mut asking => panic!("no place is free"),
            () = tokio::task::yield_now() => {}
        }
        drop(places);
        assert!(asking.await.is_ok());
    }

    #[test]
    fn arguments_cannot_name_entities() {
        let policies =
            r#"permit (principal, action, resource) when { context.arguments.who == Agent::"root" };"#;
        let forged = json!({"who": {"__entity": {"type": "Agent", "id": "root"}}});
        assert_eq!(advice(policies, &forged), "ask");
        let extension = json!({"who": {"__extn": {"fn": "decimal", "arg": "1.0"}}});
        assert_eq!(advice(policies, &extension), "ask");
    }

    #[test]
    fn numbers_keep_their_value() {
        let policies =
            |condition: &str| format!("permit (principal, action, resource) when {{ {condition} }};");
        let arguments = json!({"amount": 9_007_199_254_740_993_i64, "share": 0.1, "list": [1, 1, null, "a"], "none": null});
        for condition in [
            "context.arguments.amount == 9007199254740993",
            "context.arguments.share == \"0.1\"",
            "context.arguments.list == [1, \"a\"]",
            "!(context.arguments has none)",
        ] {
            assert_eq!(advice(&policies(condition), &arguments), "allow", "{condition}");
        }
    }

    #[test]
    fn deep_or_wide_arguments_are_too_large() {
        let deep = |levels: usize| {
            let text = format!("{{\"x\":{}1{}}}", "[".repeat(levels), "]".repeat(levels));
            let call =
                countersign_api::Call { arguments: Json::parse(&text).expect("JSON"), ..call(&json!({})) };
            let question = AdviceQuestion::from_call(&call, &[], &Redactor::default()).expect("a question");
            evaluate(&PolicySet::new(), &question.parts())
                .map(|answer| answer.advice.as_str())
                .map_err(|fault| fault.failure.as_str())
        };
        assert_eq!(deep(MAX_DEPTH - 2), Ok("ask"));
        assert_eq!(deep(MAX_DEPTH), Err("too_large"));
        let wide: Vec<_> = (0..=MAX_VALUES).collect();
        assert_eq!(ask("", &json!({"x": wide})).expect_err("wide").failure.as_str(), "too_large");
    }
}
