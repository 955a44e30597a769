//! Conditions: whatever they are and look at, they hold, do not hold, or fail, and no failure widens.
#![cfg_attr(fuzzing, no_main)]

use Verdict::{Allow, Ask, Block};
use countersign_events::{Json, Principal, ThreadId, ToolName, event::Verdict};
use countersign_policy::{Policy, Subject};
use libfuzzer_sys::fuzz_target;
use std::panic;

/// What stands between the condition, the arguments, and others to stand in their place.
const BETWEEN: &str = "\n---\n";

/// What rules say that allow, ask and block, where it is blocked, allowed and allowed if they say nothing.
type Said = [Verdict; 3];
const HOLDS: Said = [Allow, Ask, Block];
const HOLDS_NOT: Said = [Block, Allow, Allow];
const UNCLEAR: Said = [Block, Ask, Ask];
const FAILS: Said = [Block, Ask, Block];

/// A number that no condition can hold, so that none looks at the call.
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
    assert_eq!(rules.judge(&arguments, None, false), said, "it is the same when it is asked again");
    assert_eq!(rules.judge(&arguments, None, true), FAILS, "out of time");
    let masked = rules.judge(&arguments, Some(""), false);
    assert!(masked == said || masked == UNCLEAR, "{said:?} became {masked:?}");
    let large = Json::parse(TOO_LARGE).expect("JSON");
    assert_eq!(rules.judge(&large, None, false), FAILS);
    // What is masked can be anything: nobody is told, unless by what no condition can hold.
    let both = [&arguments, &others].map(|hidden| {
        let call = format!(r#"{{"a":{},"b":{}}}"#, hidden.as_str(), arguments.as_str());
        rules.judge(&Json::stored(call).expect("JSON"), Some("/a"), false)
    });
    assert!(both[0] == both[1] || both.contains(&FAILS), "{both:?}");
}

/// A fault in the interpreter of conditions is caught, so it must not end the process, as it else would here.
fn expect_faults() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |fault| {
        if fault.location().is_none_or(|at| !at.file().contains("registry")) {
            tell(fault);
        }
    }));
}

/// Rules that allow, ask and block by a condition, and those that do so unless it holds. Those that widen
/// by the agent's own word are none.
struct Rules {
    when: [Option<Policy>; 3],
    unless: [Option<Policy>; 3],
}

impl Rules {
    fn read(source: &str) -> Option<Self> {
        // TOML knows the escapes of JSON, and wants one more.
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

    /// What the rules say, all of which must agree on whether the condition holds. Without the rules that
    /// widen, one that holds looks as one that fails.
    fn judge(&self, arguments: &Json, masked: Option<&str>, late: bool) -> Said {
        let redacted: Vec<_> = masked.map(str::to_owned).into_iter().collect();
        let subject = Subject {
            thread: &ThreadId::new("t").expect("a name"),
            principal: &Principal::agent("bot"),
            tool: &ToolName::new("t").expect("a name"),
            arguments,
            redacted: &redacted,
            annotations: None,
            impact: None,
            definition: None,
        };
        let judge =
            |policy: &Option<Policy>| policy.as_ref().map(|policy| policy.judge(&subject, &|| late).verdict);
        let (when, unless) = (self.when.each_ref().map(judge), self.unless.each_ref().map(judge));
        let agrees = |all: &[Option<Verdict>; 3], said: Said| {
            all.iter().zip(said).all(|(one, other)| one.is_none_or(|one| one == other))
        };
        let outcomes = [(FAILS, FAILS), (HOLDS, HOLDS_NOT), (HOLDS_NOT, HOLDS), (UNCLEAR, FAILS)];
        let found = outcomes
            .into_iter()
            .find(|(plain, excepted)| agrees(&when, *plain) && agrees(&unless, *excepted));
        found.unwrap_or_else(|| panic!("{when:?} unless {unless:?}")).0
    }
}
