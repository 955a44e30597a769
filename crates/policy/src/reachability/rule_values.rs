//! Values of arguments that satisfy a rule's predicates.

use crate::{
    selector::ArgumentPredicate,
    value::{JsonPointer, OrderedValue},
};
use serde_json::{Map, Value, json};

/// Changes the arguments so that they satisfy the predicates, as far as a value is found. `words` are values to try first.
pub(crate) fn satisfy(
    arguments: &mut Value,
    predicates: &[(JsonPointer, Vec<ArgumentPredicate>)],
    words: &[&str],
) {
    for (pointer, predicates) in predicates {
        let current =
            find(arguments, pointer.steps()).map(Value::to_string).and_then(|text| OrderedValue::read(&text));
        let may_be_absent = predicates.iter().any(|predicate| {
            matches!(predicate, ArgumentPredicate::Optional | ArgumentPredicate::Exists(false))
        });
        if current.as_ref().is_some_and(|value| satisfies(value, predicates))
            || current.is_none() && may_be_absent
        {
            continue;
        }
        if may_be_absent {
            remove(arguments, pointer.steps());
        } else if let Some(value) = example(predicates, words) {
            put(arguments, pointer.steps(), value);
        }
    }
}

fn satisfies(value: &OrderedValue, predicates: &[ArgumentPredicate]) -> bool {
    predicates.iter().all(|predicate| predicate.is_satisfied_by(value) == Ok(true))
}

/// A value that satisfies all predicates, among those that they name and some others.
fn example(predicates: &[ArgumentPredicate], words: &[&str]) -> Option<Value> {
    let named = predicates.iter().flat_map(|predicate| values_of(predicate, words));
    let words = words.iter().map(|word| Value::from(*word));
    let others = [json!("x"), json!(""), json!(true), json!(false), json!([])];
    let numbers = [0, 1, 10, 100, 1_000, 100_000, -1].map(Value::from);
    let mut all = words.chain(named).chain(others).chain(numbers);
    all.find(|value| {
        OrderedValue::read(&value.to_string()).is_some_and(|value| satisfies(&value, predicates))
    })
}

fn values_of(predicate: &ArgumentPredicate, words: &[&str]) -> Vec<Value> {
    let read = |value: &OrderedValue| serde_json::from_str(&value.render()).ok();
    match predicate {
        ArgumentPredicate::Eq(value) => read(value).into_iter().collect(),
        ArgumentPredicate::In(values) => values.iter().filter_map(read).collect(),
        ArgumentPredicate::Glob(glob) => {
            let fills = words.iter().copied().chain(["x"]);
            fills.flat_map(|fill| glob.samples(fill).map(Value::from).collect::<Vec<_>>()).collect()
        }
        ArgumentPredicate::Prefix(prefix) => {
            let ends = words.iter().copied().chain(["x"]);
            ends.map(|end| Value::from(format!("{prefix}{end}"))).collect()
        }
        _ => Vec::new(),
    }
}

fn find<'a>(value: &'a Value, steps: &[String]) -> Option<&'a Value> {
    steps.iter().try_fold(value, |value, step| match value {
        Value::Object(members) => members.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().unwrap_or(0)),
        _ => None,
    })
}

fn remove(value: &mut Value, steps: &[String]) {
    let Some((last, before)) = steps.split_last() else { return };
    let parent = before.iter().try_fold(value, |value, step| value.get_mut(step));
    if let Some(Value::Object(members)) = parent {
        members.remove(last);
    }
}

/// Puts a value at a pointer, whose step `*` is the first element of a list.
pub(crate) fn put(value: &mut Value, steps: &[String], new: Value) {
    let Some((first, rest)) = steps.split_first() else {
        *value = new;
        return;
    };
    if first == "*" {
        if value.as_array().is_none_or(Vec::is_empty) {
            *value = json!([null]);
        }
        put(&mut value[0], rest, new);
    } else {
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
        put(&mut value[first.as_str()], rest, new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_at_pointers() {
        let mut value = json!({"a": 1});
        let steps = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
        put(&mut value, &steps("b/*/c"), json!("x"));
        put(&mut value, &steps("a"), json!(2));
        assert_eq!(value, json!({"a": 2, "b": [{"c": "x"}]}));
        remove(&mut value, &steps("b"));
        assert_eq!(value, json!({"a": 2}));
    }
}
