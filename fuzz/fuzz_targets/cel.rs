//! Fuzzes CEL conditions: rules that share a condition agree on its result, and a failing condition never widens.
#![cfg_attr(fuzzing, no_main)]

use Verdict::{Allow, Ask, Block};
use countersign_events::{Json, Principal, ThreadId, ToolName, Verdict};
use countersign_policy::{JudgedCall, Policy};
use libfuzzer_sys::fuzz_target;
use std::panic;

/// Separates the condition, the arguments, and the other arguments hidden behind the same mask.
const BETWEEN: &str = "\n---\n";

/// Verdicts for a rule that allows (default: block), one that asks (default: allow), and one that blocks
/// (default: allow).
type Verdicts = [Verdict; 3];
const HOLDS: Verdicts = [Allow, Ask, Block];
const HOLDS_NOT: Verdicts = [Block, Allow, Allow];
const UNCLEAR: Verdicts = [Block, Ask, Ask];
const FAILS: Verdicts = [Block, Ask, Block];

/// A number that CEL cannot represent, so every condition fails on it.
const TOO_LARGE: &str = "[123456789012345678901234567890]";

fuzz_target!(init: expect_faults(), |input: &str| check(input));

fn check(input: &str) {
    let mut parts = input.split(BETWEEN);
    let source = parts.next().unwrap_or_default();
    let json = |text: Option<&str>| Json::parse(text.unwrap_or("{}")).ok();
    let Some(rules) = Rules::read(source) else { return };
    assert!(source.len() <= 2 * 1024 && source.matches(['(', '[', '.', '!', '+']).count() <= 200);
    let Some((arguments, others)) = json(parts.next()).zip(json(parts.next())) else { return };
    let said = rules.judge(&arguments, None, false);
    assert!([HOLDS, HOLDS_NOT, FAILS].contains(&said), "{said:?}");
    assert_eq!(rules.judge(&arguments, None, false), said, "the same condition gave two results");
    assert_eq!(rules.judge(&arguments, None, true), FAILS, "a condition past its time limit did not fail");
    let masked = rules.judge(&arguments, Some(""), false);
    assert!(masked == said || masked == UNCLEAR, "{said:?} became {masked:?}");
    let large = Json::parse(TOO_LARGE).expect("JSON");
    assert_eq!(rules.judge(&large, None, false), FAILS);
    // A verdict must not depend on a masked value, unless CEL cannot represent that value.
    let both = [&arguments, &others].map(|hidden| {
        let call = format!(r#"{{"a":{},"b":{}}}"#, hidden.as_str(), arguments.as_str());
        rules.judge(&Json::stored(call).expect("JSON"), Some("/a"), false)
    });
    assert!(both[0] == both[1] || both.contains(&FAILS), "{both:?}");
}

/// The policy catches panics of the CEL interpreter. libFuzzer's hook would abort on them before that, so it is replaced.
fn expect_faults() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |fault| {
        if fault.location().is_none_or(|at| !at.file().contains("registry")) {
            tell(fault);
        }
    }));
}

/// Rules that allow, ask and block if a condition holds, and rules that do so unless it holds. A rule is missing if it
/// would widen a verdict by the agent's own estimate, because the policy rejects it.
struct Rules {
    when: [Option<Policy>; 3],
    unless: [Option<Policy>; 3],
}

impl Rules {
    fn read(source: &str) -> Option<Self> {
        // TOML accepts the escapes of JSON, and also requires DEL to be escaped.
        let quoted = Json::string(source).as_str().replace('\x7f', "\\u007f");
        let all = |selectors: &str| {
            [(Block, Allow), (Allow, Ask), (Allow, Block)].map(|(default, verdict)| {
                let (default, verdict) = (default.as_str(), verdict.as_str());
                Policy::read(&format!(
                    "default = \"{default}\"\n[[rule]]\nname = \"r\"\ntool = \"t\"\n\
                     verdict = \"{verdict}\"\n{selectors}\n"
                ))
                .ok()
            })
        };
        let rules = Self {
            when: all(&format!("when = {quoted}")),
            unless: all(&format!("unless = {{ when = {quoted} }}")),
        };
        let read = |policies: &[Option<Policy>]| policies.iter().map(Option::is_some).collect::<Vec<_>>();
        match (read(&rules.when).as_slice(), read(&rules.unless).as_slice()) {
            ([true, true, true], [true, true, true]) => Some(rules),
            ([false, true, true], [true, false, false]) => {
                assert!(source.contains("impact"), "{source}");
                Some(rules)
            }
            ([false, false, false], [false, false, false]) => None,
            reads => panic!("{reads:?}: {source}"),
        }
    }

    /// The rules' verdicts, which must agree on the condition's result. If the rules that widen are missing, a
    /// condition that holds cannot be told from one that fails.
    fn judge(&self, arguments: &Json, masked: Option<&str>, late: bool) -> Verdicts {
        let redacted: Vec<_> = masked.map(str::to_owned).into_iter().collect();
        let subject = JudgedCall {
            thread: &ThreadId::new("t").expect("a name"),
            principal: &Principal::agent("bot"),
            tool: &ToolName::new("t").expect("a name"),
            place: None,
            arguments,
            redacted: &redacted,
            annotations: None,
            impact: None,
            definition: None,
        };
        let judge =
            |policy: &Option<Policy>| policy.as_ref().map(|policy| policy.judge(&subject, &|| late).verdict);
        let (when, unless) = (self.when.each_ref().map(judge), self.unless.each_ref().map(judge));
        let agrees = |all: &[Option<Verdict>; 3], said: Verdicts| {
            all.iter().zip(said).all(|(one, other)| one.is_none_or(|one| one == other))
        };
        let outcomes = [(FAILS, FAILS), (HOLDS, HOLDS_NOT), (HOLDS_NOT, HOLDS), (UNCLEAR, FAILS)];
        let found = outcomes
            .into_iter()
            .find(|(plain, excepted)| agrees(&when, *plain) && agrees(&unless, *excepted));
        found.unwrap_or_else(|| panic!("{when:?} unless {unless:?}")).0
    }
}
