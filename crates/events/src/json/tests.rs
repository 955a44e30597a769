//! The examples of RFC 8785, and the cases that it leaves to the implementation.

use super::*;
use proptest::prelude::*;

fn canonical(text: &str) -> String {
    Json::parse(text).and_then(|json| json.canonical()).expect(text)
}

#[test]
fn canonical_keys_sort_by_utf16_as_rfc_8785() {
    // RFC 8785, 3.2.3.
    let text = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
    let order: Vec<_> = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]
        .iter()
        .map(|word| canonical(text).find(word).expect(word))
        .collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn canonical_form_equals_rfc_8785_example() {
    // RFC 8785, 3.2.2, but for 333333333.33333329, which the RFC rounds to ….3333333.
    let text = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
    assert_eq!(
        canonical(text),
        "{\"literals\":[null,true,false],\"numbers\":[333333333.33333329,1e+30,4.5,0.002,1e-27],\
         \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
    );
}

#[test]
fn canonical_number_keeps_every_digit() {
    for (number, expected) in [
        ("9007199254740993", "9007199254740993"),
        ("-0", "0"),
        ("-0.0e5", "0"),
        ("1.0", "1"),
        ("100e-2", "1"),
        ("1e21", "1e+21"),
        ("100000000000000000000", "100000000000000000000"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("-12.50e1", "-125"),
        ("1e400", "1e+400"),
        ("123456789012345678901234567890.5", "1.234567890123456789012345678905e+29"),
    ] {
        assert_eq!(canonical(number), expected, "{number}");
    }
}

#[test]
fn hash_differs_exactly_when_values_differ() {
    let hash = |text: &str| Json::parse(text).and_then(|json| json.admit()).expect(text);
    assert_ne!(hash("9007199254740993"), hash("9007199254740992"));
    assert_eq!(hash(r#"{"a":1,"b":[1.50]}"#), hash("{ \"b\": [15e-1], \"a\": 1.0 }"));
}

#[test]
fn json_with_repeated_key_is_rejected() {
    let error = Json::parse(r#"{"a":1,"b":{"\u0061":1,"a":2}}"#).expect_err("repeated key");
    assert_eq!(error, BadJson::DuplicateKey { key: "a".into(), at: 23 });
}

#[test]
fn json_with_lone_surrogate_is_rejected() {
    for text in [r#""\ud800""#, r#"{"\udc00":1}"#, r#"["\ud800\u0041"]"#] {
        assert!(matches!(Json::parse(text), Err(BadJson::NotUnicode { .. })), "{text}");
    }
    assert_eq!(canonical(r#""\ud83d\ude00\u0000""#), "\"😀\\u0000\"");
}

#[test]
fn json_deeper_than_limit_is_rejected() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(canonical(&nested(MAX_DEPTH)), nested(MAX_DEPTH));
    assert_eq!(Json::parse(&nested(MAX_DEPTH + 1)), Err(BadJson::TooDeep));
    assert_eq!(Json::parse(&nested(100_000)), Err(BadJson::TooDeep));
}

#[test]
fn json_with_bad_syntax_or_size_is_rejected() {
    assert!(matches!(Json::parse("{'a':1}"), Err(BadJson::Syntax(_))));
    assert!(matches!(Json::parse("1 2"), Err(BadJson::Syntax(_))));
    let large = format!("\"{}\"", "x".repeat(MAX_BYTES));
    assert_eq!(Json::parse(&large), Err(BadJson::TooLarge(MAX_BYTES + 2)));
}

#[test]
fn number_beyond_bound_is_rejected() {
    let too_large = |at| Err(BadJson::ExponentTooLarge { at });
    let long = |digits: usize| "1".repeat(digits);
    assert_eq!(Json::parse(r#"{ "n": 1e999999999}"#), too_large(7));
    for number in ["1e1001", "-1.5E-1001", "0e-20000", "1e+99999999999", "1e-99999999999"] {
        assert_eq!(Json::parse(number), too_large(0), "{number}");
    }
    let too_many = BadJson::TooManyDigits { at: 1, digits: MAX_NUMBER_DIGITS + 1 };
    assert_eq!(too_many.to_string(), "the number at byte 1 has 1001 digits; the limit is 1000");
    for number in [long(1_001), format!("-0.{}", long(1_000)), format!("1.{}", "0".repeat(1_000))] {
        assert_eq!(Json::parse(&format!("[{number}]")), Err(too_many.clone()), "{number}");
    }
    for number in [format!("-0.{}e-01000", long(999)), format!("{}e+1000", long(1_000))] {
        assert_eq!(Json::parse(&number).expect("within the bound").as_str(), number);
    }
    assert!(
        Json::parse(&format!("\"1e9999 {}\"", long(2_000))).is_ok(),
        "digits inside a string are not a number"
    );
}

#[test]
fn number_beyond_bound_in_log_is_read() {
    let stored = Json::stored("{\"n\":1e999999999}".to_owned()).expect("JSON");
    assert!(stored.admit().is_err());
    assert_eq!(stored.canonical().expect("canonical"), "{\"n\":1e+999999999}");
    assert!(stored.canonical_hash().is_ok());
}

#[test]
fn json_round_trip_keeps_exact_text() {
    let text = "{ \"b\" : 1.00,\n \"a\": \"\\u0041\" }";
    let json = Json::parse(text).expect("valid");
    assert_eq!(json.as_str(), text);
    assert_eq!(serde_json::to_string(&[&json]).expect("valid"), format!("[{text}]"));
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<i32>().prop_map(|n| (f64::from(n) + 0.5).into()),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::hash_map(any::<String>(), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn canonical_form_is_idempotent_and_keeps_value(value in any_json()) {
        let once = canonical(&value.to_string());
        prop_assert_eq!(&canonical(&once), &once);
        let pretty = serde_json::to_string_pretty(&value).expect("valid");
        prop_assert_eq!(&canonical(&pretty), &once);
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&once).expect("valid"), value);
    }

    #[test]
    fn number_is_accepted_exactly_within_bound(
        whole in 1_usize..1_010, fraction in 0_usize..1_010, exponent in -1_010_i32..1_010, nested in any::<bool>(),
    ) {
        let digits = if fraction == 0 { "7".repeat(whole) } else { format!("{}.{}", "7".repeat(whole), "0".repeat(fraction)) };
        let number = format!("{digits}e{exponent}");
        let text = if nested { format!("{{\"a\":[null,-{number} ]}}") } else { number };
        let within = whole + fraction <= MAX_NUMBER_DIGITS && exponent.unsigned_abs() <= MAX_NUMBER_EXPONENT;
        prop_assert_eq!(Json::parse(&text).is_ok(), within);
    }

    #[test]
    fn parse_of_any_text_does_not_panic(text in any::<String>()) {
        let _ = Json::parse(&text);
    }
}
