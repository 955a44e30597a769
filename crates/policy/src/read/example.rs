//! Checks rule examples when the policy is read, so that its author finds a wrong pattern before any call.

use super::{
    node::{PolicyFault, TomlItem, TomlNode},
    source::SourcePosition,
};
use crate::{
    JudgedCall, Policy,
    facts::CallFacts,
    names::is_literal,
    rule::PolicyRule,
    selector::RuleSelectors,
    tools::OperandKind,
    value::{JsonPointer, OrderedValue},
};
use countersign_events::{Json, Place, Principal, ThreadId, ToolName};

/// A call that an example describes.
struct ExampleCall {
    thread: ThreadId,
    principal: Principal,
    tool: ToolName,
    arguments: Json,
    place: Option<Place>,
    annotations: Option<Json>,
    impact: Option<Json>,
    /// The rule, without selectors on values that the example omits.
    rule: PolicyRule,
}

impl ExampleCall {
    fn subject(&self) -> JudgedCall<'_> {
        JudgedCall {
            thread: &self.thread,
            principal: &self.principal,
            tool: &self.tool,
            place: self.place.as_ref(),
            arguments: &self.arguments,
            redacted: &[],
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: None,
        }
    }
}

pub(super) fn check_examples(
    policy: &Policy,
    rule: &PolicyRule,
    position: &SourcePosition<'_>,
) -> Result<(), PolicyFault> {
    let Some(node) = position.examples else { return Ok(()) };
    let mut keys = node.keys("examples")?;
    for (key, expected) in [("match", true), ("noMatch", false)] {
        let examples = match keys.optional(key) {
            Some(node) => node.one_or_more("examples")?,
            None => &[],
        };
        for example in examples {
            if matches_example(policy, rule, example)? != expected {
                let does = if expected { "does not match" } else { "matches" };
                let why = format!("rule {:?} {does} this example, which is listed in `{key}`", rule.name);
                return Err(example.fault(why));
            }
        }
    }
    keys.reject_unknown()
}

fn matches_example(policy: &Policy, rule: &PolicyRule, example: &TomlNode) -> Result<bool, PolicyFault> {
    let call = match &example.item {
        TomlItem::Plain(OrderedValue::Text(text)) => call_from_text(policy, rule, text, example)?,
        _ => call_from_table(rule, example)?,
    };
    let subject = call.subject();
    let facts = CallFacts::new(&policy.settings, &subject, &|| false);
    let answer = call.rule.answer(&facts);
    // An advised rule's examples are the calls that the advisor may answer.
    Ok(answer.is_some_and(|answer| call.rule.terms.advisor.is_none() || answer.advisor.is_some()))
}

/// Builds a call from a string, which is the operand that the rule matches.
fn call_from_text(
    policy: &Policy,
    rule: &PolicyRule,
    text: &str,
    example: &TomlNode,
) -> Result<ExampleCall, PolicyFault> {
    let Some(kind) = operand_kind(&rule.matching).or(rule.unless.as_ref().and_then(operand_kind)) else {
        let why = "the rule matches no command, URL or path, so write the example as a table: { tool = …, args = … }";
        return Err(example.fault(why));
    };
    let mut call = base_call(rule, example)?;
    let subject = call.subject();
    let facts = CallFacts::new(&policy.settings, &subject, &|| false);
    let (pointers, _) = facts.pointers(kind);
    let pointer = pointers.first().map_or("", JsonPointer::as_str);
    call.arguments = parse_json(&arguments_with(pointer, text).to_string(), example)?;
    call.rule.matching = RuleSelectors {
        threads: None,
        principals: None,
        place: None,
        annotations: Vec::new(),
        impact: None,
        operations: Vec::new(),
        args: Vec::new(),
        when: None,
        ..call.rule.matching
    };
    Ok(call)
}

fn operand_kind(selectors: &RuleSelectors) -> Option<OperandKind> {
    match selectors {
        _ if !selectors.commands.is_empty() => Some(OperandKind::Command),
        _ if !selectors.urls.is_empty() => Some(OperandKind::Url),
        _ if !selectors.paths.is_empty() || selectors.zone.is_some() => Some(OperandKind::Path),
        _ => None,
    }
}

/// Builds arguments with the text at the pointer.
fn arguments_with(pointer: &str, text: &str) -> serde_json::Value {
    pointer.split('/').skip(1).collect::<Vec<_>>().into_iter().rev().fold(text.into(), |inner, step| {
        match step {
            "*" => vec![inner].into(),
            step => {
                let key = step.replace("~1", "/").replace("~0", "~");
                serde_json::Value::Object([(key, inner)].into_iter().collect())
            }
        }
    })
}

/// Builds a call without arguments of a tool that the rule matches.
fn base_call(rule: &PolicyRule, example: &TomlNode) -> Result<ExampleCall, PolicyFault> {
    let tools = rule.matching.tools.as_ref();
    let tool = tools.and_then(|tools| tools.patterns.iter().find(|pattern| is_literal(pattern)).cloned());
    let mut rule = rule.clone();
    let name = tool.as_deref().unwrap_or("example");
    let name = ToolName::new(name).map_err(|e| example.fault(e.to_string()))?;
    if tool.is_none() && !rule.matching.only_tools() {
        rule.matching.tools = None;
    }
    Ok(ExampleCall {
        thread: ThreadId::new("example").map_err(|e| example.fault(e.to_string()))?,
        principal: Principal::agent("example"),
        tool: name,
        arguments: parse_json("{}", example)?,
        place: None,
        annotations: None,
        impact: None,
        rule,
    })
}

/// Builds a call from a table.
fn call_from_table(rule: &PolicyRule, example: &TomlNode) -> Result<ExampleCall, PolicyFault> {
    let mut keys = example.keys("an example")?;
    let mut call = base_call(rule, example)?;
    if let Some(node) = keys.optional("tool") {
        call.tool = ToolName::new(node.text("tool")?).map_err(|e| node.fault(e.to_string()))?;
        call.rule = rule.clone();
    }
    if let Some(node) = keys.optional("thread") {
        call.thread = ThreadId::new(node.text("thread")?).map_err(|e| node.fault(e.to_string()))?;
    }
    if let Some(node) = keys.optional("principal") {
        call.principal = node.text("principal")?.parse().map_err(|e| node.fault(format!("{e}")))?;
    }
    if let Some(node) = keys.optional("args") {
        call.arguments = parse_json(&node.to_value()?.render(), node)?;
    }
    if let Some(node) = keys.optional("place") {
        let place = parse_json(&node.to_value()?.render(), node)?;
        call.place = Some(place.read().map_err(|e| node.fault(format!("place: {e}")))?);
    }
    call.annotations =
        keys.optional("annotations").map(|node| parse_json(&node.to_value()?.render(), node)).transpose()?;
    call.impact =
        keys.optional("impact").map(|node| parse_json(&node.to_value()?.render(), node)).transpose()?;
    keys.reject_unknown()?;
    Ok(call)
}

fn parse_json(text: &str, node: &TomlNode) -> Result<Json, PolicyFault> {
    Json::stored(text.to_owned()).map_err(|e| node.fault(e.to_string()))
}
