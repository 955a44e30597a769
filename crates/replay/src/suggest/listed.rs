//! Rules that list the values which arguments may have. Each says how many arguments there are and speaks of
//! every one, so that nothing that nobody has seen can come beside them.

use super::{
    argument::{is_operand, may_be_open, members},
    candidate::{CandidateRule, CandidateSelector, tool_of},
    evidence::AllowedCall,
    wanted::VARIED,
};
use countersign_events::Json;
use countersign_policy::{Policy, ScopePattern};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// How many values a rule lists at most: more would not be read.
const FEW: usize = VARIED - 1;

/// The longest value that a rule lists, in bytes of JSON.
const LONGEST: usize = 200;

/// An allowed call, argument by argument.
struct ArgumentRow {
    index: usize,
    members: BTreeMap<String, Json>,
}

pub(super) fn candidates(policy: &Policy, allowed: &[AllowedCall], calls: &[usize]) -> Vec<CandidateRule> {
    let mut shapes: BTreeMap<Vec<String>, Vec<ArgumentRow>> = BTreeMap::new();
    for index in calls {
        let Some(members) = members(&allowed[*index].looks.arguments) else { continue };
        shapes
            .entry(members.keys().cloned().collect())
            .or_default()
            .push(ArgumentRow { index: *index, members });
    }
    shapes.into_values().flat_map(|rows| of_shape(policy, allowed, &rows)).collect()
}

/// Of calls with the same keys: one rule for all, and one for each value of each key.
fn of_shape(policy: &Policy, allowed: &[AllowedCall], rows: &[ArgumentRow]) -> Vec<CandidateRule> {
    let mut found: Vec<_> = closure(policy, allowed, &rows.iter().collect::<Vec<_>>()).into_iter().collect();
    let keys: Vec<&String> = rows.first().map(|row| row.members.keys().collect()).unwrap_or_default();
    for key in keys {
        let mut values: BTreeMap<String, Vec<&ArgumentRow>> = BTreeMap::new();
        for row in rows {
            values.entry(canonical(&row.members[key])).or_default().push(row);
        }
        if values.len() > 1 {
            found.extend(values.values().filter_map(|rows| closure(policy, allowed, rows)));
        }
    }
    found
}

/// The narrowest rule of this kind that meets all those calls.
fn closure(policy: &Policy, allowed: &[AllowedCall], rows: &[&ArgumentRow]) -> Option<CandidateRule> {
    let first = rows.first()?;
    let mut args = Map::new();
    args.insert(String::new(), json!({"size": {"eq": first.members.len()}}));
    let (mut open, mut several) = (false, 0);
    for key in first.members.keys() {
        let values: BTreeMap<String, &Json> =
            rows.iter().map(|row| (canonical(&row.members[key]), &row.members[key])).collect();
        let looks = |row: &ArgumentRow| &allowed[row.index].looks;
        let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        // Of commands, addresses and paths only one is listed: for several there are patterns.
        if values.len() > 1 && is_operand(policy, looks(first), key) {
            return None;
        }
        if values.len() <= FEW {
            several += usize::from(values.len() > 1);
            let values = values.into_values().map(listable).collect::<Option<Vec<_>>>()?;
            args.insert(pointer, says(values));
        } else if rows.iter().all(|row| may_be_open(policy, looks(row), key, &row.members[key])) {
            open = true;
            args.insert(pointer, json!({"exists": true}));
        } else {
            return None;
        }
    }
    // Several lists, or a list beside what is open, would allow combinations that nobody has seen.
    if several > 1 || (open && several > 0) {
        return None;
    }
    let json = Json::encode(&json!({"args": args})).ok()?;
    let calls: Vec<_> = rows.iter().map(|row| row.index).collect();
    Some(CandidateRule {
        tool: tool_of(allowed, &calls)?,
        selects: CandidateSelector::Listed(ScopePattern::read(&json).ok()?),
        meets: calls.into_iter().collect::<BTreeSet<_>>(),
    })
}

fn says(mut values: Vec<Value>) -> Value {
    match values.len() {
        1 => json!({"eq": values.remove(0)}),
        _ => json!({"in": values}),
    }
}

fn canonical(json: &Json) -> String {
    json.canonical().unwrap_or_else(|_| json.as_str().to_owned())
}

/// The value, if TOML can say it just as well: TOML has no null, and not every number.
fn listable(json: &Json) -> Option<Value> {
    if json.as_str().len() > LONGEST {
        return None;
    }
    let value: Value = json.read().ok()?;
    is_sayable(&value).then_some(value)
}

fn is_sayable(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::String(_) => true,
        // A number with a fraction may have lost digits on the way here.
        Value::Number(number) => number.is_i64(),
        Value::Array(values) => values.iter().all(is_sayable),
        Value::Object(members) => members.values().all(is_sayable),
    }
}
