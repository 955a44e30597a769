//! Runs the official test cases of JSON Schema.

use crate::{UnusableSchema, find_violations};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct CaseGroup {
    file: String,
    description: String,
    schema: Value,
    tests: Vec<SchemaCase>,
}

#[derive(Deserialize)]
struct SchemaCase {
    description: String,
    data: Value,
    valid: bool,
}

/// The results for a draft.
#[derive(Debug, Default, PartialEq, Eq)]
struct SuiteResult {
    as_expected: usize,
    /// The cases whose schema is refused, because of a reference.
    refused: usize,
    /// The valid values that this validator rejects.
    stricter: Vec<String>,
}

/// Runs all cases in a draft. A value that is invalid must never be accepted, and a schema may be refused only because
/// of a reference.
fn run(cases: &str) -> SuiteResult {
    let groups: Vec<CaseGroup> = serde_json::from_str(cases).expect("the file is valid");
    let mut result = SuiteResult::default();
    for group in &groups {
        for case in &group.tests {
            let name = format!("{}: {}: {}", group.file, group.description, case.description);
            match find_violations(&group.schema, &case.data, 1) {
                Ok(violations) if violations.is_empty() == case.valid => result.as_expected += 1,
                Ok(_) if case.valid => result.stricter.push(name),
                Ok(_) => panic!("an invalid value was accepted: {name}"),
                Err(UnusableSchema::UnknownReference | UnusableSchema::DynamicReference) => {
                    result.refused += 1;
                }
                Err(refused) => panic!("{refused}: {name}"),
            }
        }
    }
    result
}

#[test]
fn official_cases_have_the_expected_results() {
    let drafts = [
        include_str!("../suite/draft4.json"),
        include_str!("../suite/draft7.json"),
        include_str!("../suite/draft2019-09.json"),
        include_str!("../suite/draft2020-12.json"),
    ];
    let results = drafts.map(run);
    let counts = results.each_ref().map(|result| (result.as_expected, result.refused));
    assert_eq!(counts, [(582, 35), (863, 63), (1146, 112), (1171, 127)]);
    let stricter: Vec<_> = results.iter().flat_map(|result| &result.stricter).collect();
    // Drafts 4 and 7 ignore the keywords beside `$ref`, which later drafts apply, as this validator always does.
    let beside_ref = "ref: ref overrides any sibling keywords: ref valid, maxItems ignored";
    // A custom vocabulary, which this validator ignores, may leave out the keywords.
    let vocabulary = "vocabulary: schema that uses custom metaschema with with no validation vocabulary: no validation: \
                      invalid number, but it still validates";
    assert_eq!(stricter, [beside_ref, beside_ref, vocabulary, vocabulary]);
}
