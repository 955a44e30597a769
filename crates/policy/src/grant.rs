//! The pattern that a grant or a remembered denial stands on: the selectors of a rule that look at
//! arguments, as JSON.

use crate::{
    facts::CallFacts,
    outcome::{RuleEffect, SelectorHit},
    policy::Policy,
    read::{TomlNode, read_patterns},
    selector::RuleSelectors,
    subject::JudgedCall,
    value::OrderedValue,
};
use countersign_events::Json;
use countersign_patterns as pattern;
use countersign_patterns::{ParsedPath, ParsedUrl};
use std::{fmt, sync::Arc};

/// The longest pattern, in bytes of JSON: what nobody can take in at a glance should not be granted.
const MAX_BYTES: usize = 4 * 1024;

/// A call as patterns look at it under a policy, which says where its operands stand. They are read when the first
/// pattern asks for them, and then kept for all that follow.
pub struct PatternContext<'a> {
    facts: CallFacts<'a>,
}

impl<'a> PatternContext<'a> {
    /// Looks at a call.
    #[must_use]
    pub fn new(policy: &'a Policy, subject: &JudgedCall<'a>) -> Self {
        Self { facts: CallFacts::new(&policy.settings, subject, &|| false) }
    }

    /// The call.
    #[must_use]
    pub const fn subject(&self) -> &JudgedCall<'a> {
        &self.facts.subject
    }
}

// What is read of the arguments may hold a secret.
impl fmt::Debug for PatternContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Look").field("tool", self.subject().tool).finish_non_exhaustive()
    }
}

/// What calls a grant or a denial is about, besides their tool and thread:
/// `{"command": …, "url": …, "path": …, "args": {"/pointer": …}}`, of which all must hold.
#[derive(Debug, Clone)]
pub struct ScopePattern {
    json: Json,
    selectors: Arc<RuleSelectors>,
}

impl ScopePattern {
    /// Reads one, or says in words what is wrong with it.
    pub fn read(json: &Json) -> Result<Self, String> {
        if json.as_str().len() > MAX_BYTES {
            return Err(format!("a pattern has at most {MAX_BYTES} bytes"));
        }
        let value = OrderedValue::read(json.as_str()).ok_or("the pattern cannot be read")?;
        let selectors = read_patterns(&TomlNode::of_json(&value)).map_err(|fault| fault.why)?;
        Ok(Self { json: json.clone(), selectors: Arc::new(selectors) })
    }

    /// As it was given.
    #[must_use]
    pub fn json(&self) -> Json {
        self.json.clone()
    }

    /// Whether a call is meant.
    #[must_use]
    pub fn matches(&self, look: &PatternContext<'_>, effect: RuleEffect) -> bool {
        if look.facts.settings.is_recorded {
            return true;
        }
        let hit = self.selectors.judge(effect, &look.facts);
        match effect {
            RuleEffect::Widen => matches!(hit, SelectorHit::Yes(_)),
            RuleEffect::Restrict => hit != SelectorHit::No,
        }
    }

    /// Patterns that match the call and others like it, and that show what they mean.
    #[must_use]
    pub fn suggest(look: &PatternContext<'_>) -> Vec<Self> {
        let facts = &look.facts;
        let commands = facts.scripts().found.iter().map(|(_, script)| script.suggest());
        let urls = facts.addresses().found.iter().map(ParsedUrl::suggest);
        let paths = facts.places().found.iter().map(ParsedPath::suggest);
        let found = [
            Self::of("command", commands.collect()),
            Self::of("url", urls.collect()),
            Self::of("path", paths.collect()),
        ];
        found.into_iter().flatten().filter(|pattern| pattern.matches(look, RuleEffect::Widen)).collect()
    }

    /// A pattern for operands of one kind, if there is one for each of them.
    fn of(kind: &str, suggested: Option<Vec<String>>) -> Option<Self> {
        let mut suggested = suggested.filter(|patterns| !patterns.is_empty())?;
        suggested.sort();
        suggested.dedup();
        let value = match suggested.as_slice() {
            [one] => OrderedValue::Text(one.clone()),
            more => OrderedValue::List(more.iter().cloned().map(OrderedValue::Text).collect()),
        };
        let json = Json::stored(OrderedValue::Map(vec![(kind.to_owned(), value)]).render()).ok()?;
        Self::read(&json).ok()
    }
}

impl PartialEq for ScopePattern {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

impl Eq for ScopePattern {}

impl fmt::Display for ScopePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleSelectors { commands, urls, paths, args, .. } = &*self.selectors;
        let list = |what: &str, patterns: Vec<&str>| {
            let shown: Vec<_> = patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
            (!shown.is_empty()).then(|| format!("{what} {}", shown.join(" or ")))
        };
        let mut parts: Vec<String> = [
            list("command", commands.iter().map(pattern::CommandPattern::as_str).collect()),
            list("url", urls.iter().map(pattern::UrlPattern::as_str).collect()),
            list("path", paths.iter().map(pattern::PathPattern::as_str).collect()),
        ]
        .into_iter()
        .flatten()
        .collect();
        for (pointer, predicates) in args {
            let shown: Vec<_> = predicates.iter().map(ToString::to_string).collect();
            parts.push(format!("{} {}", pointer.as_str(), shown.join(" and ")));
        }
        f.write_str(&parts.join(", "))
    }
}
