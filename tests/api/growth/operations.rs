//! The comparison of two documents: their operations, parameters, answers and error codes.

use super::{
    rules::{BrokenPromise, GrowthRule},
    schemas::{SchemaComparer, SchemaUse},
    shape::members,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What belongs to the promise beside `/v1/`. The interfaces of other systems follow the clients of those systems.
const OTHER_PATHS: [&str; 3] = ["/healthz", "/readyz", "/openapi.json"];
const PROBLEM: &str = "application/problem+json";

/// Returns what programs for the earlier document would miss in today's one.
pub(super) fn compare_documents(before: &Value, now: &Value) -> Vec<BrokenPromise> {
    let mut comparer = SchemaComparer::new(before, now);
    for (path, item) in promised_paths(before) {
        for (method, old) in members(item) {
            let operation = format!("{} {path}", method.to_uppercase());
            match now["paths"][path].get(method) {
                Some(new) => {
                    compare_operation(&mut comparer, OperationPair { before, now, old, new }, &operation);
                }
                None => comparer.report(GrowthRule::OperationStays, &operation, "it is gone"),
            }
        }
    }
    let problem = |document: &'_ Value| document["components"]["schemas"].get("Problem").is_some();
    if problem(before) && problem(now) {
        let old = &before["components"]["schemas"]["Problem"];
        comparer.compare(
            old,
            &now["components"]["schemas"]["Problem"],
            "Problem in answers",
            SchemaUse::Answer,
        );
    }
    compare_codes(&mut comparer, before, now);
    comparer.broken
}

/// An operation in both documents.
#[derive(Clone, Copy)]
struct OperationPair<'a> {
    before: &'a Value,
    now: &'a Value,
    old: &'a Value,
    new: &'a Value,
}

fn promised_paths(document: &Value) -> impl Iterator<Item = (&str, &Value)> {
    members(&document["paths"]).filter(|(path, _)| path.starts_with("/v1/") || OTHER_PATHS.contains(path))
}

fn compare_operation<'a>(comparer: &mut SchemaComparer<'a>, pair: OperationPair<'a>, operation: &str) {
    compare_parameters(comparer, pair, operation);
    compare_body(comparer, pair, operation);
    let (old_answers, new_answers) = (&pair.old["responses"], &pair.new["responses"]);
    for (status, old) in members(old_answers).filter(|(status, _)| status.starts_with(['2', '3'])) {
        let place = format!("the answer {status} of {operation}");
        let Some(new) = new_answers.get(status) else {
            comparer.report(GrowthRule::AnswerStays, &place, "it is gone");
            continue;
        };
        compare_answer(comparer, resolve(pair.before, old), resolve(pair.now, new), &place);
    }
}

fn compare_parameters<'a>(comparer: &mut SchemaComparer<'a>, pair: OperationPair<'a>, operation: &str) {
    let (old, new) = (parameters(pair.old), parameters(pair.new));
    for (key, before) in &old {
        let place = format!("the parameter `{}` of {operation}", key.1);
        match new.get(key) {
            Some(now) => comparer.compare(&before["schema"], &now["schema"], &place, SchemaUse::Request),
            None => comparer.report(GrowthRule::ParameterStays, &place, "it is gone"),
        }
    }
    for (key, _) in new.iter().filter(|(_, now)| now["required"] == true) {
        if old.get(key).is_none_or(|before| before["required"] != true) {
            let place = format!("the parameter `{}` of {operation}", key.1);
            comparer.report(GrowthRule::RequestNeedsNoMore, &place, "it became required");
        }
    }
}

/// The parameters by their place (path, query, header) and name.
fn parameters(operation: &Value) -> BTreeMap<(&str, &str), &Value> {
    let all = operation["parameters"].as_array().into_iter().flatten();
    all.map(|one| ((one["in"].as_str().unwrap_or(""), one["name"].as_str().unwrap_or("")), one)).collect()
}

fn compare_body<'a>(comparer: &mut SchemaComparer<'a>, pair: OperationPair<'a>, operation: &str) {
    let (old, new) = (&pair.old["requestBody"], &pair.new["requestBody"]);
    let place = format!("the body of {operation}");
    if new["required"] == true && old["required"] != true {
        comparer.report(GrowthRule::RequestNeedsNoMore, &place, "it became required");
    }
    for (media_type, before) in members(&old["content"]) {
        match new["content"].get(media_type) {
            Some(now) => comparer.compare(&before["schema"], &now["schema"], &place, SchemaUse::Request),
            None => {
                comparer.report(
                    GrowthRule::RequestTypeStays,
                    &place,
                    format!("{media_type} is no longer accepted"),
                );
            }
        }
    }
}

fn compare_answer<'a>(comparer: &mut SchemaComparer<'a>, old: &'a Value, new: &'a Value, place: &str) {
    for (header, _) in members(&old["headers"]).filter(|(header, _)| new["headers"].get(header).is_none()) {
        comparer.report(GrowthRule::AnswerStays, place, format!("its header `{header}` is gone"));
    }
    for (media_type, before) in members(&old["content"]) {
        match new["content"].get(media_type) {
            Some(now) => comparer.compare(&before["schema"], &now["schema"], place, SchemaUse::Answer),
            None => comparer.report(GrowthRule::AnswerStays, place, format!("{media_type} is gone")),
        }
    }
}

/// An operation may stop to refuse something, so a code must only stay anywhere, with its status.
fn compare_codes(comparer: &mut SchemaComparer, before: &Value, now: &Value) {
    let new_codes = error_codes(now);
    for (code, statuses) in error_codes(before) {
        let place = format!("the error code `{code}`");
        match new_codes.get(code) {
            None => comparer.report(GrowthRule::ErrorCodeStays, &place, "it is gone"),
            Some(new_statuses) => {
                let gone: Vec<_> = statuses.difference(new_statuses).map(ToString::to_string).collect();
                if !gone.is_empty() {
                    let change = format!("it no longer has the status {}", gone.join(", "));
                    comparer.report(GrowthRule::ErrorCodeStays, &place, change);
                }
            }
        }
    }
}

/// All codes with their statuses, as far as the document names them.
fn error_codes(document: &Value) -> BTreeMap<&str, BTreeSet<u64>> {
    let mut codes: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let operations = promised_paths(document).flat_map(|(_, item)| members(item));
    let answers = operations.flat_map(|(_, operation)| members(&operation["responses"]));
    for (status, answer) in answers {
        let problem = &resolve(document, answer)["content"][PROBLEM];
        let parts = problem["schema"]["allOf"].as_array().into_iter().flatten();
        let listed = parts.filter_map(|part| part["properties"]["code"]["enum"].as_array()).flatten();
        for code in listed.filter_map(Value::as_str) {
            // The answer `default` has errors of several statuses, which only their examples name.
            let example = || problem["examples"][code]["value"]["status"].as_u64();
            codes.entry(code).or_default().extend(status.parse().ok().or_else(example));
        }
    }
    codes
}

/// Returns an answer, or the shared one that it refers to.
fn resolve<'a>(document: &'a Value, answer: &'a Value) -> &'a Value {
    let reference = answer["$ref"].as_str().and_then(|name| name.strip_prefix("#/components/responses/"));
    reference.map_or(answer, |name| &document["components"]["responses"][name])
}
