//! Fuzzes policy files: an error points into the text, formatting keeps the meaning, and a block always wins.
#![cfg_attr(fuzzing, no_main)]

use countersign_events::{Json, Principal, ThreadId, ToolName, Verdict};
use countersign_policy::{BadPolicy, JudgedCall, Judgement, Policy, format};
use libfuzzer_sys::fuzz_target;

/// Separates the policy from the calls, one per line, as in the documentation.
const CALLS: &str = "```calls\n";

const NAME: &str = "one rule more";

fuzz_target!(|input: &str| {
    let (text, calls) = input.split_once(CALLS).unwrap_or((input, ""));
    let policy = match Policy::read(text) {
        Ok(policy) => policy,
        Err(bad) => return points_into(text, &bad),
    };
    let once = format(text).expect("a valid policy can be formatted");
    let laid_out = Policy::read(&once).expect("a formatted policy is valid");
    assert_eq!(format(&once).as_ref(), Ok(&once), "{text}");
    assert_eq!(laid_out.find_warnings().len(), policy.find_warnings().len(), "{text}");
    let [blocks, allows] = ["block", "allow"].map(|verdict| with(text, verdict));
    for call in calls.lines().take(4).filter_map(FuzzedCall::read) {
        let (before, after) = (call.judge(&policy), call.judge(&laid_out));
        assert_eq!(Judgement { policy: after.policy, ..before.clone() }, after, "{text}\nbecame\n{once}");
        if let Some(blocks) = &blocks {
            assert_eq!(call.judge(blocks).verdict, Verdict::Block, "{text}");
        }
        if let (Some(allows), Some(_)) = (&allows, &before.rule) {
            assert_eq!(
                call.judge(allows).verdict,
                before.verdict,
                "an added allow rule loosened the verdict of another rule: {text}"
            );
        }
        for worse in [call.judge_late(&policy), call.judge_masked(&policy)] {
            let never_looser = worse.verdict >= before.verdict || worse.verdict == Verdict::Ask;
            assert!(never_looser, "{before:?} became {worse:?}: {text}");
        }
    }
});

/// Checks that the error has a message and a position that exists in the text.
fn points_into(text: &str, bad: &BadPolicy) {
    let BadPolicy::Wrong { line, column, why } = bad else {
        return assert!(!bad.to_string().is_empty());
    };
    assert!(!why.is_empty());
    let there = text.split('\n').nth(line - 1).expect("the line of an error exists");
    assert!((1..=there.chars().count() + 1).contains(column), "{bad} in {text}");
}

/// The policy with a rule for all tools appended, or `None` if the text cannot be extended.
fn with(text: &str, verdict: &str) -> Option<Policy> {
    let more =
        Policy::read(&format!("{text}\n[[rule]]\nname = {NAME:?}\ntool = \"*\"\nverdict = {verdict:?}\n"));
    let is_list = matches!(more, Err(BadPolicy::Unreadable(_)));
    assert!(more.is_ok() || is_list || text.contains(NAME), "{more:?}: {text}");
    more.ok()
}

struct FuzzedCall {
    tool: ToolName,
    arguments: Json,
    thread: ThreadId,
    principal: Principal,
    said: Option<(Json, Json)>,
}

impl FuzzedCall {
    /// Reads `tool {arguments}`. A line with a leading space also gets annotations and an impact.
    fn read(line: &str) -> Option<Self> {
        let line = line.split(" -> ").next().unwrap_or(line);
        let (tool, arguments) = line.trim().split_once(' ').unwrap_or((line.trim(), "{}"));
        let json = |text: &str| Json::stored(text.to_owned());
        let said = || {
            Some((
                json(r#"{"readOnlyHint":true}"#).ok()?,
                json(r#"{"riskLevel":"high","reversible":false}"#).ok()?,
            ))
        };
        Some(Self {
            tool: ToolName::new(tool).ok()?,
            arguments: json(arguments).ok()?,
            thread: ThreadId::new("staging-1").ok()?,
            principal: Principal::agent("release-2"),
            said: if line.starts_with(' ') { said() } else { None },
        })
    }

    fn judge(&self, policy: &Policy) -> Judgement {
        policy.judge(&self.subject(&[]), &|| false)
    }

    fn judge_late(&self, policy: &Policy) -> Judgement {
        policy.judge(&self.subject(&[]), &|| true)
    }

    fn judge_masked(&self, policy: &Policy) -> Judgement {
        policy.judge(&self.subject(&[String::new()]), &|| false)
    }

    fn subject<'a>(&'a self, redacted: &'a [String]) -> JudgedCall<'a> {
        JudgedCall {
            thread: &self.thread,
            principal: &self.principal,
            tool: &self.tool,
            place: None,
            arguments: &self.arguments,
            redacted,
            annotations: self.said.as_ref().map(|(annotations, _)| annotations),
            impact: self.said.as_ref().map(|(_, impact)| impact),
            definition: None,
        }
    }
}
