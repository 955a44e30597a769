//! The conformance cases of cel-spec: each has the right result, or is refused for a listed reason.

use countersign_cel::{
    CelDuration, CelTimestamp, CelValue, CelVariables, EvaluationBudget, Expression, MapKey, ParseError,
    evaluate, parse,
};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// The cases that `conformance/convert.py` has converted.
const CASES: &str = include_str!("../conformance/cases.json");
/// The refused cases. A line `# reason` stands before the names of its cases; `*` stands for a whole section.
const REFUSED: &str = include_str!("../conformance/refused.txt");
/// The page with the counts.
const README: &str = include_str!("../conformance/README.md");
/// The page that tells users the counts.
const POLICY_PAGE: &str = include_str!("../../../docs/policy.md");

/// The result of running one case.
#[derive(Debug, PartialEq, Eq)]
enum ConformanceOutcome {
    Right,
    /// The expression cannot be read, or fails although it has a value.
    Refused(String),
    /// The expression has another value, or a value although it must fail.
    Wrong(String),
}

fn run_case(case: &Value) -> ConformanceOutcome {
    let source = case["expr"].as_str().expect("each case has an expression");
    let expression = match (parse(source), case.get("value")) {
        (Ok(expression), _) => expression,
        // A checker finds such a call, so it may fail before it is evaluated.
        (Err(ParseError::WrongCall { .. }), None) => return ConformanceOutcome::Right,
        (Err(why), _) => return ConformanceOutcome::Refused(why.to_string()),
    };
    let bindings = case["bindings"].as_object().into_iter().flatten();
    let variables: CelVariables =
        bindings.map(|(name, value)| (&*name.clone().leak(), to_cel_value(value))).collect();
    let result = evaluate(&expression, &variables, &EvaluationBudget::new(100_000));
    match (result, case.get("value")) {
        (Ok(found), Some(expected)) if is_same(&found, &to_cel_value(expected)) => ConformanceOutcome::Right,
        (Ok(found), expected) => ConformanceOutcome::Wrong(format!("{found:?} instead of {expected:?}")),
        (Err(_), None) => ConformanceOutcome::Right,
        (Err(why), Some(_)) => ConformanceOutcome::Refused(why.to_string()),
    }
}

/// Reads a value from the form that `convert.py` writes.
fn to_cel_value(json: &Value) -> CelValue {
    match json {
        Value::Null => CelValue::Null,
        Value::Bool(yes) => CelValue::Bool(*yes),
        Value::Number(_) => CelValue::Int(to_integer(json)),
        Value::String(text) => text.as_str().into(),
        Value::Array(elements) => elements.iter().map(to_cel_value).collect::<Vec<_>>().into(),
        Value::Object(members) => {
            let (kind, inner) = members.iter().next().expect("an object has one member");
            to_typed_value(kind, inner)
        }
    }
}

fn to_typed_value(kind: &str, json: &Value) -> CelValue {
    match (kind, json) {
        ("uint", json) => CelValue::Uint(json.as_u64().expect("an unsigned number")),
        ("double", Value::String(text)) => CelValue::Double(text.parse().expect("a double")),
        ("bytes", Value::String(digits)) => CelValue::Bytes(read_hex(digits).into()),
        ("type", Value::String(name)) => find_type(name),
        ("timestamp", json) => {
            let nanos = u32::try_from(to_integer(&json[1])).expect("nanoseconds");
            CelValue::Timestamp(CelTimestamp::from_unix(to_integer(&json[0]), nanos).expect("in range"))
        }
        ("duration", json) => {
            let nanos = to_integer(&json[0]) * 1_000_000_000 + to_integer(&json[1]);
            CelValue::Duration(CelDuration::from_nanos(nanos))
        }
        ("map", Value::Array(entries)) => {
            let entries = entries.iter().map(|entry| (to_map_key(&entry[0]), to_cel_value(&entry[1])));
            CelValue::Map(Arc::new(entries.collect()))
        }
        _ => panic!("unknown value {kind}: {json}"),
    }
}

fn to_integer(json: &Value) -> i64 {
    json.as_i64().expect("a signed number")
}

/// Reads a type by its name, which is an expression.
fn find_type(name: &str) -> CelValue {
    match parse(name) {
        Ok(Expression::Literal(value @ CelValue::Type(_))) => value,
        _ => CelValue::Type("a type of protobuf"),
    }
}

fn to_map_key(json: &Value) -> MapKey {
    match to_cel_value(json) {
        CelValue::Int(number) => MapKey::Int(number),
        CelValue::Uint(number) => MapKey::Uint(number),
        CelValue::Bool(yes) => MapKey::Bool(yes),
        CelValue::Text(text) => MapKey::Text(text),
        other => panic!("{other:?} is not a key"),
    }
}

fn read_hex(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Compares types and values; unlike `==`, it distinguishes `1` from `1.0`, and `NaN` is the same as `NaN`.
fn is_same(left: &CelValue, right: &CelValue) -> bool {
    format!("{left:?}") == format!("{right:?}")
}

/// Why cases are refused: the reason for each listed name or section.
fn refusals() -> BTreeMap<&'static str, &'static str> {
    let mut reason = "";
    let mut refusals = BTreeMap::new();
    for line in REFUSED.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("# ") {
            Some(found) => reason = found,
            None => assert!(refusals.insert(line, reason).is_none(), "refused.txt lists {line} twice"),
        }
    }
    refusals
}

/// The listed name of a case, or of its section.
fn find_listed(name: &str, refusals: &BTreeMap<&'static str, &'static str>) -> Option<&'static str> {
    let mut parts = name.splitn(3, '/');
    let section = format!("{}/{}/*", parts.next()?, parts.next()?);
    [name, &section].into_iter().find_map(|name| refusals.get_key_value(name)).map(|(listed, _)| *listed)
}

/// The cases, and the numbers of cases that the file leaves out.
fn read_cases() -> (Vec<Value>, BTreeMap<String, u64>) {
    let mut file: Value = serde_json::from_str(CASES).expect("valid JSON");
    let left_out = file["leftOut"].as_object().expect("numbers by reason").clone();
    let left_out = left_out.into_iter().map(|(reason, count)| (reason, count.as_u64().expect("a number")));
    (file["cases"].as_array_mut().expect("a list").split_off(0), left_out.collect())
}

fn with_thousands(count: u64) -> String {
    if count < 1_000 { count.to_string() } else { format!("{},{:03}", count / 1_000, count % 1_000) }
}

#[test]
fn cases_are_right_or_refused_as_listed() {
    let (refusals, (cases, _)) = (refusals(), read_cases());
    let mut surprises = Vec::new();
    let mut unused = refusals.clone();
    for case in &cases {
        let name = case["name"].as_str().expect("each case has a name");
        let listed = find_listed(name, &refusals);
        if let Some(listed) = listed {
            unused.remove(listed);
        }
        match (run_case(case), listed) {
            (ConformanceOutcome::Right, None) | (ConformanceOutcome::Refused(_), Some(_)) => {}
            (outcome, _) => surprises.push(format!("{name}: {outcome:?} for {}", case["expr"])),
        }
    }
    assert!(surprises.is_empty(), "other than in refused.txt:\n{}", surprises.join("\n"));
    assert!(unused.is_empty(), "refused.txt lists cases that do not exist: {unused:?}");
}

#[test]
#[expect(clippy::print_stdout, reason = "the rows are copied to the page after a change")]
fn counts_are_those_of_the_readme() {
    let (refusals, (cases, left_out)) = (refusals(), read_cases());
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for case in &cases {
        let listed = find_listed(case["name"].as_str().unwrap_or_default(), &refusals);
        let kind = listed.map_or("right".to_owned(), |listed| format!("refused: {}", refusals[listed]));
        *counts.entry(kind).or_default() += 1;
    }
    counts.extend(left_out.into_iter().map(|(reason, count)| (format!("left out: {reason}"), count)));
    counts.insert("all".to_owned(), counts.values().sum());
    let rows: Vec<_> = counts.iter().map(|(kind, count)| format!("| {kind} | {count} |")).collect();
    println!("{}", rows.join("\n"));
    let missing: Vec<_> = rows.iter().filter(|row| !README.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "conformance/README.md does not have {missing:#?}");
    let total = |start: &str| {
        let counts = counts.iter().filter(|(kind, _)| kind.starts_with(start));
        with_thousands(counts.map(|(_, count)| count).sum())
    };
    let (all, right, refused, left_out) = (total("all"), total("right"), total("refused"), total("left out"));
    for count in [
        format!("Of the {all} ["),
        format!("{right} have the right result, {refused} are refused"),
        format!("{left_out}\nare not run"),
    ] {
        assert!(POLICY_PAGE.contains(&count), "docs/policy.md does not say {count:?}");
    }
}
