//! Candidate rules that list the allowed values of arguments. Each rule fixes the number of arguments and has a
//! condition for every one, so that it matches no call with an additional argument.

use super::{
    argument::{is_operand, may_be_open, read_members},
    candidate::{CandidateRule, CandidateSelector, tool_of},
    evidence::AllowedCall,
    options::MIN_VARIED_VALUES,
};
use countersign_events::Json;
use countersign_policy::{Policy, ScopePattern};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of values that a rule lists for an argument. Reviewers would not read longer lists.
const MAX_LISTED_VALUES: usize = MIN_VARIED_VALUES - 1;

/// The longest value that a rule lists, in bytes of JSON.
const MAX_VALUE_BYTES: usize = 200;

/// The arguments of one allowed call.
struct ArgumentRow {
    index: usize,
    members: BTreeMap<String, Json>,
}

/// Finds candidates for each set of argument names.
pub(super) fn find_listed(policy: &Policy, allowed: &[AllowedCall], calls: &[usize]) -> Vec<CandidateRule> {
    let mut shapes: BTreeMap<Vec<String>, Vec<ArgumentRow>> = BTreeMap::new();
    for index in calls {
        let Some(members) = read_members(&allowed[*index].call.arguments) else { continue };
        shapes
            .entry(members.keys().cloned().collect())
            .or_default()
            .push(ArgumentRow { index: *index, members });
    }
    shapes.into_values().flat_map(|rows| find_for_shape(policy, allowed, &rows)).collect()
}

/// For calls with the same keys, finds one candidate for all of them and one for each value of each key.
fn find_for_shape(policy: &Policy, allowed: &[AllowedCall], rows: &[ArgumentRow]) -> Vec<CandidateRule> {
    let mut found: Vec<_> =
        narrowest_rule(policy, allowed, &rows.iter().collect::<Vec<_>>()).into_iter().collect();
    let keys: Vec<&String> = rows.first().map(|row| row.members.keys().collect()).unwrap_or_default();
    for key in keys {
        let mut values: BTreeMap<String, Vec<&ArgumentRow>> = BTreeMap::new();
        for row in rows {
            values.entry(canonical_text(&row.members[key])).or_default().push(row);
        }
        if values.len() > 1 {
            found.extend(values.values().filter_map(|rows| narrowest_rule(policy, allowed, rows)));
        }
    }
    found
}

/// The narrowest rule of this kind that matches all `rows`.
fn narrowest_rule(policy: &Policy, allowed: &[AllowedCall], rows: &[&ArgumentRow]) -> Option<CandidateRule> {
    let first = rows.first()?;
    let mut args = Map::new();
    args.insert(String::new(), json!({"size": {"eq": first.members.len()}}));
    let (mut open, mut several) = (false, 0);
    for key in first.members.keys() {
        let values: BTreeMap<String, &Json> =
            rows.iter().map(|row| (canonical_text(&row.members[key]), &row.members[key])).collect();
        let call = |row: &ArgumentRow| &allowed[row.index].call;
        let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        // A rule lists at most one command, URL or path. Patterns cover several of them.
        if values.len() > 1 && is_operand(policy, call(first), key) {
            return None;
        }
        if values.len() <= MAX_LISTED_VALUES {
            several += usize::from(values.len() > 1);
            let values = values.into_values().map(read_listable).collect::<Option<Vec<_>>>()?;
            args.insert(pointer, any_of(values));
        } else if rows.iter().all(|row| may_be_open(policy, call(row), key, &row.members[key])) {
            open = true;
            args.insert(pointer, json!({"exists": true}));
        } else {
            return None;
        }
    }
    // Several lists, or a list and an open argument, would allow combinations that no person approved.
    if several > 1 || (open && several > 0) {
        return None;
    }
    let json = Json::encode(&json!({"args": args})).ok()?;
    let calls: Vec<_> = rows.iter().map(|row| row.index).collect();
    Some(CandidateRule {
        tool: tool_of(allowed, &calls)?,
        selector: CandidateSelector::Listed(ScopePattern::read(&json).ok()?),
        matched: calls.into_iter().collect::<BTreeSet<_>>(),
    })
}

fn any_of(mut values: Vec<Value>) -> Value {
    match values.len() {
        1 => json!({"eq": values.remove(0)}),
        _ => json!({"in": values}),
    }
}

fn canonical_text(json: &Json) -> String {
    json.canonical().unwrap_or_else(|_| json.as_str().to_owned())
}

/// Reads the value, if TOML can represent it exactly. TOML has no null and cannot hold every number.
fn read_listable(json: &Json) -> Option<Value> {
    if json.as_str().len() > MAX_VALUE_BYTES {
        return None;
    }
    let value: Value = json.read().ok()?;
    fits_toml(&value).then_some(value)
}

fn fits_toml(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::String(_) => true,
        // A fraction may have lost digits when it was parsed.
        Value::Number(number) => number.is_i64(),
        Value::Array(values) => values.iter().all(fits_toml),
        Value::Object(members) => members.values().all(fits_toml),
    }
}
