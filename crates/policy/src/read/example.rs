//! Checking the examples of a rule when the policy is read, so that a pattern that does not do what its
//! author thinks is found before any call.

use super::{
    node::{PolicyFault, TomlItem, TomlNode},
    source::SourcePosition,
};
use crate::{
    facts::CallFacts,
    names::is_literal,
    policy::Policy,
    rule::PolicyRule,
    selector::RuleSelectors,
    subject::JudgedCall,
    tools::OperandKind,
    value::{JsonPointer, OrderedValue},
};
use countersign_events::{Json, Principal, ThreadId, ToolName};

/// A call made of an example.
struct ExampleCall {
    thread: ThreadId,
    principal: Principal,
    tool: ToolName,
    arguments: Json,
    annotations: Option<Json>,
    impact: Option<Json>,
    /// The rule, without what the example says nothing of.
    rule: PolicyRule,
}

impl ExampleCall {
    fn subject(&self) -> JudgedCall<'_> {
        JudgedCall {
            thread: &self.thread,
            principal: &self.principal,
            tool: &self.tool,
            arguments: &self.arguments,
            redacted: &[],
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: None,
        }
    }
}

pub(super) fn check(
    policy: &Policy,
    rule: &PolicyRule,
    place: &SourcePosition<'_>,
) -> Result<(), PolicyFault> {
    let Some(node) = place.examples else { return Ok(()) };
    let mut keys = node.keys("examples")?;
    for (key, wanted) in [("match", true), ("noMatch", false)] {
        let examples = match keys.take(key) {
            Some(node) => node.one_or_more("examples")?,
            None => &[],
        };
        for example in examples {
            if matches(policy, rule, example)? != wanted {
                let (does, said) =
                    if wanted { ("does not match", "it does") } else { ("matches", "it does not") };
                let why = format!("rule {:?} {does} this example, which says that {said}", rule.name);
                return Err(example.fault(why));
            }
        }
    }
    keys.done()
}

fn matches(policy: &Policy, rule: &PolicyRule, example: &TomlNode) -> Result<bool, PolicyFault> {
    let call = match &example.item {
        TomlItem::Plain(OrderedValue::Text(text)) => of_text(policy, rule, text, example)?,
        _ => of_table(rule, example)?,
    };
    Ok(call.rule.say(&CallFacts::new(&policy.settings, &call.subject(), &|| false)).is_some())
}

/// A text stands for whatever operand the rule looks at.
fn of_text(
    policy: &Policy,
    rule: &PolicyRule,
    text: &str,
    example: &TomlNode,
) -> Result<ExampleCall, PolicyFault> {
    let Some(kind) = operand(&rule.matching).or(rule.unless.as_ref().and_then(operand)) else {
        let why = "the rule looks at no command, address or path, so an example of it is a table: { tool = …, args = … }";
        return Err(example.fault(why));
    };
    let mut call = blank(rule, example)?;
    let (pointers, _) = CallFacts::new(&policy.settings, &call.subject(), &|| false).pointers(kind);
    let pointer = pointers.first().map_or("", JsonPointer::as_str);
    call.arguments = json(&at(pointer, text).to_string(), example)?;
    call.rule.matching = RuleSelectors {
        threads: None,
        principals: None,
        annotations: Vec::new(),
        impact: None,
        operations: Vec::new(),
        args: Vec::new(),
        when: None,
        ..call.rule.matching
    };
    Ok(call)
}

fn operand(selectors: &RuleSelectors) -> Option<OperandKind> {
    match selectors {
        _ if !selectors.commands.is_empty() => Some(OperandKind::Command),
        _ if !selectors.urls.is_empty() => Some(OperandKind::Url),
        _ if !selectors.paths.is_empty() || selectors.zone.is_some() => Some(OperandKind::Path),
        _ => None,
    }
}

/// Arguments with the text where the pointer leads.
fn at(pointer: &str, text: &str) -> serde_json::Value {
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

/// A call of whatever tool the rule matches.
fn blank(rule: &PolicyRule, example: &TomlNode) -> Result<ExampleCall, PolicyFault> {
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
        arguments: json("{}", example)?,
        annotations: None,
        impact: None,
        rule,
    })
}

/// A table says everything that matters.
fn of_table(rule: &PolicyRule, example: &TomlNode) -> Result<ExampleCall, PolicyFault> {
    let mut keys = example.keys("an example")?;
    let mut call = blank(rule, example)?;
    if let Some(node) = keys.take("tool") {
        call.tool = ToolName::new(node.text("tool")?).map_err(|e| node.fault(e.to_string()))?;
        call.rule = rule.clone();
    }
    if let Some(node) = keys.take("thread") {
        call.thread = ThreadId::new(node.text("thread")?).map_err(|e| node.fault(e.to_string()))?;
    }
    if let Some(node) = keys.take("principal") {
        call.principal = node.text("principal")?.parse().map_err(|e| node.fault(format!("{e}")))?;
    }
    if let Some(node) = keys.take("args") {
        call.arguments = json(&node.to_value()?.render(), node)?;
    }
    call.annotations =
        keys.take("annotations").map(|node| json(&node.to_value()?.render(), node)).transpose()?;
    call.impact = keys.take("impact").map(|node| json(&node.to_value()?.render(), node)).transpose()?;
    keys.done()?;
    Ok(call)
}

fn json(text: &str, node: &TomlNode) -> Result<Json, PolicyFault> {
    Json::stored(text.to_owned()).map_err(|e| node.fault(e.to_string()))
}
