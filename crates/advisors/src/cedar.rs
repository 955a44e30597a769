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
    Json,
    event::{AdviceFailure, AdviceVerdict},
    json::ExactDecimal,
};

/// The deepest nesting of arguments. Cedar evaluates values recursively.
const MAX_DEPTH: usize = 64;

/// The most values in the arguments.
const MAX_VALUES: usize = 20_000;

/// The most policies that are named in the labels of an answer, and the longest name in bytes. Longer ones are left out.
const MAX_NAMED: usize = 8;
const MAX_NAME: usize = 60;

/// Asks the policies, outside of the threads of the runtime, because they compute.
pub(crate) async fn ask_cedar(
    policies: &str,
    question: &AdviceQuestion,
) -> Result<AdviceAnswer, AdviceFault> {
    let (policies, question) = (policies.to_owned(), question.clone());
    let evaluated = tokio::task::spawn_blocking(move || evaluate(&policies, &question.parts())).await;
    evaluated.unwrap_or_else(|_| Err(AdviceFault::failed("the evaluation of the policies panicked")))
}

fn evaluate(policies: &str, parts: &QuestionParts<'_>) -> Result<AdviceAnswer, AdviceFault> {
    let policies: PolicySet = policies.parse().map_err(|why| {
        AdviceFault::new(AdviceFailure::BadConfiguration, format!("the policies cannot be read: {why}"))
    })?;
    let request = Request::new(
        entity("Agent", parts.agent)?,
        entity("Action", parts.tool)?,
        entity("Thread", parts.thread)?,
        build_context(parts)?,
        None,
    );
    let request = request.map_err(|why| AdviceFault::failed(format!("the request: {why}")))?;
    let response = Authorizer::new().is_authorized(&request, &policies, &Entities::empty());
    // A policy that fails is left out by Cedar. If that is a `forbid`, the others might allow what it forbids.
    let failed = response.diagnostics().errors().count();
    if failed > 0 {
        return Err(AdviceFault::failed(format!("{failed} policies could not be evaluated for this call")));
    }
    describe_response(&policies, &response).checked()
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
        evaluate(policies, &question(arguments).parts())
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
            evaluate("", &question.parts())
                .map(|answer| answer.advice.as_str())
                .map_err(|fault| fault.failure.as_str())
        };
        assert_eq!(deep(MAX_DEPTH - 2), Ok("ask"));
        assert_eq!(deep(MAX_DEPTH), Err("too_large"));
        let wide: Vec<_> = (0..=MAX_VALUES).collect();
        assert_eq!(ask("", &json!({"x": wide})).expect_err("wide").failure.as_str(), "too_large");
    }
}
