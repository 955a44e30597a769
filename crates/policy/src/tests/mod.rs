//! Verdicts of each kind of selector, and errors of invalid policies.

mod advisors;
mod beside;
mod bypasses;
mod combinations;
mod command_shapes;
mod condition_budget;
mod documents;
mod errors;
mod formats;
mod grants;
mod hidden_characters;
mod kinds;
mod laws;
mod layers;
mod managed;
mod metadata;
mod misses;
mod operands;
mod places;
mod profiles;
mod protected_arguments;
mod protected_things;
mod protections;
mod reach;
mod reachability;
mod selectors;
mod shipped;
mod terms;
mod verdicts;
mod warnings;

use super::*;
use countersign_events::{
    Basis, Json, Place, Principal, Sha256, ThreadId, ToolDefinition, ToolName, Verdict,
};
use std::time::Duration;

/// A call to judge.
#[derive(Debug)]
struct TestCall {
    tool: ToolName,
    arguments: Json,
    thread: ThreadId,
    place: Option<Place>,
    principal: Principal,
    redacted: Vec<String>,
    annotations: Option<Json>,
    impact: Option<Json>,
    definition: Option<ToolDefinition>,
}

fn call(tool: &str, arguments: &str) -> TestCall {
    TestCall {
        tool: ToolName::new(tool).expect("a name"),
        arguments: Json::parse(arguments).expect("JSON"),
        thread: ThreadId::new("t").expect("a name"),
        place: None,
        principal: Principal::agent("bot"),
        redacted: Vec::new(),
        annotations: None,
        impact: None,
        definition: None,
    }
}

/// A call of `bash` with a command.
fn bash(command: &str) -> TestCall {
    call("bash", Json::encode(&serde_json::json!({ "command": command })).expect("JSON").as_str())
}

impl TestCall {
    fn subject(&self) -> JudgedCall<'_> {
        JudgedCall {
            thread: &self.thread,
            principal: &self.principal,
            tool: &self.tool,
            place: self.place.as_ref(),
            arguments: &self.arguments,
            redacted: &self.redacted,
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: self.definition.as_ref(),
        }
    }

    fn annotated(mut self, annotations: &str) -> Self {
        self.annotations = Some(Json::parse(annotations).expect("JSON"));
        self
    }

    fn with_impact(mut self, impact: &str) -> Self {
        self.impact = Some(Json::parse(impact).expect("JSON"));
        self
    }

    fn placed(mut self, folder: &str) -> Self {
        self.place = Some(Place::folder(folder));
        self
    }

    fn masked(mut self, pointer: &str) -> Self {
        self.redacted.push(pointer.to_owned());
        self
    }

    fn defined(mut self, definition: ToolDefinition) -> Self {
        self.definition = Some(definition);
        self
    }

    fn judge(&self, policy: &Policy) -> Judgement {
        policy.judge(&self.subject(), &|| false)
    }

    fn effects(&self, policy: &Policy) -> Vec<String> {
        CallReading::new(policy, &self.subject()).describe_effects()
    }

    fn verdict(&self, policy: &Policy) -> Verdict {
        self.judge(policy).verdict
    }
}

fn policy(text: &str) -> Policy {
    Policy::read(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A policy with one rule, named `r`.
fn rule(verdict: &str, rest: &str) -> Policy {
    policy(&one(verdict, rest))
}

/// A policy in TOML with one rule, named `r`.
fn one(verdict: &str, rest: &str) -> String {
    format!("[[rule]]\nname = \"r\"\nverdict = \"{verdict}\"\n{rest}\n")
}

/// The verdicts for the same selectors in a rule that allows, asks and blocks, with the defaults block, allow and
/// allow: `a` for allow, `q` for ask, `b` for block.
fn outcome(selectors: &str, call: &TestCall) -> String {
    let with = |verdict: &str, default: &str| {
        let text =
            format!("default = \"{default}\"\ndangerous = {{ words = [] }}\n{}", one(verdict, selectors));
        match call.verdict(&policy(&text)) {
            Verdict::Allow => 'a',
            Verdict::Ask => 'q',
            Verdict::Block => 'b',
        }
    };
    [with("allow", "block"), with("ask", "allow"), with("block", "allow")].iter().collect()
}

/// The selectors match, with any verdict.
const YES: &str = "aqb";
/// The selectors do not match.
const NO: &str = "baa";
/// The match is unknown: no allow, an ask, and an ask in place of a block.
const UNCLEAR: &str = "bqq";
/// An error: no allow, an ask, a block.
const FAILED: &str = "bqb";
