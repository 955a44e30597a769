//! Laws of all expressions, with expressions drawn at random.

use super::variables;
use crate::{EvaluationBudget, FUNCTION_NAMES, evaluate, parse};
use proptest::prelude::*;

/// Operands with extreme values. A `%` stands for a random string.
const OPERANDS: &[&str] = &[
    "args.t",
    "args.l",
    "args",
    "'%'",
    "b'%'",
    "['%', 'é☺']",
    "{'%': 1, 2u: [null]}",
    "'%s%d%.3f%x'",
    "''",
    "0",
    "-1",
    "3",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615u",
    "1.5",
    "double('nan')",
    "1e308",
    "true",
    "null",
    "int",
    "timestamp('9999-12-31T23:59:59.999999999Z')",
    "timestamp('0001-01-01T00:00:00Z')",
    "duration('-2562047h')",
    "duration('2562047h47m16.854775807s')",
    "'+23:59'",
    "'-12:00'",
];
const OPERATORS: &[&str] = &["+", "-", "*", "/", "%", "<", ">=", "==", "in", "&&", "||"];

fn operand() -> impl Strategy<Value = String> {
    let text = "[a-cé☺%.0-9:hms+TZ\\- ]{0,12}";
    (prop::sample::select(OPERANDS), text)
        .prop_map(|(operand, text)| operand.replace("'%'", &format!("'{text}'")))
}

fn expression() -> impl Strategy<Value = String> {
    operand().prop_recursive(4, 24, 4, |inner| {
        let function = prop::sample::select(FUNCTION_NAMES);
        let arguments = prop::collection::vec(inner.clone(), 0..3);
        let operator = prop::sample::select(OPERATORS);
        prop_oneof![
            (inner.clone(), function.clone(), arguments.clone())
                .prop_map(|(target, function, rest)| format!("({target}).{function}({})", rest.join(", "))),
            (function, arguments).prop_map(|(function, rest)| format!("{function}({})", rest.join(", "))),
            (inner.clone(), operator, inner.clone())
                .prop_map(|(left, operator, right)| format!("({left}) {operator} ({right})")),
            (inner.clone(), inner).prop_map(|(range, body)| format!("[{range}].map(int, [{body}, int])")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn evaluation_ends_without_panic(source in expression(), units in 0_i64..5_000) {
        if let Ok(expression) = parse(&source) {
            let (first, second) = (EvaluationBudget::new(units), EvaluationBudget::new(units));
            let result = evaluate(&expression, &variables(), &first);
            prop_assert_eq!(format!("{:?}", result), format!("{:?}", evaluate(&expression, &variables(), &second)));
        }
    }

    #[test]
    fn any_string_is_read_or_rejected(source in any::<String>(), quoted in "['\"`a-z0-9.() ]{0,30}") {
        drop(parse(&source));
        drop(parse(&quoted));
    }

    #[test]
    fn timestamps_survive_text(seconds in -62_135_596_800_i64..=253_402_300_799, nanos in 0_u32..1_000_000_000) {
        let moment = crate::CelTimestamp::from_unix(seconds, nanos).expect("in range");
        prop_assert_eq!(crate::moment_text::read_timestamp(&moment.to_string()), Some(moment));
    }

    #[test]
    fn durations_survive_text(nanos in any::<i64>()) {
        let duration = crate::CelDuration::from_nanos(nanos);
        prop_assert_eq!(crate::moment_text::read_duration(&duration.to_string()), Some(duration));
    }
}
