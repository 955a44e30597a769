//! Files of test cases: calls, and the expected verdict for each.

use crate::commands::policy::sample_call::{SampleCall, as_kept};
use countersign_api as api;
use countersign_events::{Json, Principal, ToolName, Verdict};
use countersign_policy::{Policy, plain_rule_name};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A file of test cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    #[serde(default, rename = "case")]
    cases: Vec<toml::Spanned<PolicyCase>>,
}

/// A call and the expected verdict.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PolicyCase {
    name: Option<String>,
    tool: Option<ToolName>,
    /// A command line. The default tool for it is `bash`.
    command: Option<String>,
    url: Option<String>,
    path: Option<String>,
    /// The arguments, or further arguments.
    args: Option<Map<String, Value>>,
    thread: Option<String>,
    principal: Option<String>,
    place: Option<api::Place>,
    annotations: Option<Value>,
    impact: Option<api::ProposedImpact>,
    definition: Option<api::ProposedDefinition>,
    verdict: Verdict,
    /// The rule that must decide. Any rule is accepted if it is absent.
    rule: Option<String>,
}

/// A test case that is ready to run.
#[derive(Debug)]
pub(crate) struct PolicyTrial {
    pub(crate) name: String,
    /// Its line in the file.
    pub(crate) line: usize,
    call: SampleCall,
    pub(crate) verdict: Verdict,
    pub(crate) rule: Option<String>,
}

/// A verdict that differs from the expected one.
#[derive(Debug)]
pub(crate) struct UnexpectedVerdict {
    pub(crate) verdict: Verdict,
    pub(crate) rule: Option<String>,
    pub(crate) reason: String,
}

/// Parses a file of test cases.
pub(crate) fn read(text: &str) -> Result<Vec<PolicyTrial>, String> {
    let file: CaseFile = toml::from_str(text).map_err(|why| {
        let why = why.to_string().trim_end().to_owned();
        let brackets = why.ends_with("invalid type: map, expected a sequence");
        if brackets { format!("{why}; write cases as [[case]], with two brackets") } else { why }
    })?;
    let trial = |(index, case): (usize, toml::Spanned<PolicyCase>)| {
        let line = text.get(..case.span().start).unwrap_or_default().matches('\n').count() + 1;
        trial(case.into_inner(), index + 1, line).map_err(|why| format!("line {line}: {why}"))
    };
    file.cases.into_iter().enumerate().map(trial).collect()
}

fn trial(case: PolicyCase, number: usize, line: usize) -> Result<PolicyTrial, String> {
    let PolicyCase {
        name,
        tool,
        command,
        url,
        path,
        args,
        thread,
        principal,
        place,
        annotations,
        impact,
        definition,
        verdict,
        rule,
    } = case;
    let tool = match (tool, &command) {
        (Some(tool), _) => tool,
        (None, Some(_)) => ToolName::new("bash").map_err(|why| why.to_string())?,
        (None, None) => return Err("a case needs a `tool` or a `command`".to_owned()),
    };
    let mut arguments = args.unwrap_or_default();
    for (key, operand) in [("command", command), ("url", url), ("path", path)] {
        let Some(operand) = operand else { continue };
        if arguments.insert(key.to_owned(), operand.into()).is_some() {
            return Err(format!("`{key}` is both in the case and in its `args`"));
        }
    }
    let json = |value: &Value| Json::parse(&value.to_string()).map_err(|why| why.to_string());
    let thread = thread.as_deref().unwrap_or("case");
    let principal = principal.as_deref().unwrap_or("agent:case");
    let call = SampleCall {
        thread: countersign_api::parse_thread_id(thread).map_err(|why| why.to_string())?,
        principal: principal.parse::<Principal>().map_err(|why| format!("principal: {why}"))?,
        tool,
        arguments: json(&Value::Object(arguments))?,
        place,
        annotations: annotations.as_ref().map(json).transpose()?,
        impact: as_kept(impact.as_ref()).map_err(|why| why.to_string())?,
        definition: definition.map(Into::into),
    };
    Ok(PolicyTrial { name: name.unwrap_or_else(|| format!("case {number}")), line, call, verdict, rule })
}

impl PolicyTrial {
    /// Runs the case. Returns `None` if the verdict is as expected.
    pub(crate) fn fails(&self, policy: &Policy) -> Option<UnexpectedVerdict> {
        let judgement = self.call.judged(policy);
        let as_expected = judgement.verdict == self.verdict
            && self.rule.as_ref().is_none_or(|expected| is_rule(expected, judgement.rule.as_deref()));
        (!as_expected).then_some(UnexpectedVerdict {
            verdict: judgement.verdict,
            rule: judgement.rule,
            reason: judgement.reason,
        })
    }
}

/// Returns true if this rule has the expected name, with or without its file.
fn is_rule(expected: &str, rule: Option<&str>) -> bool {
    rule.is_some_and(|rule| rule == expected || plain_rule_name(rule) == expected)
}
