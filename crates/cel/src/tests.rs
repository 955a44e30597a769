//! Expressions and their results, written as in the test suite of the CEL specification.

mod laws;
mod moments;
mod strings;

use crate::{
    CelValue, CelVariables, EvaluationBudget, EvaluationError, Expression, LoopKind, MapKey, ParseError,
    evaluate, parse,
};
use std::sync::Arc;

fn variables() -> CelVariables {
    let member = |name: &str, value| (MapKey::Text(name.into()), value);
    let list = vec![CelValue::Int(1), CelValue::Double(2.5), "a".into()];
    let inner = [member("a", CelValue::Int(1)), member("b", CelValue::Bool(true))];
    let args = [
        member("n", CelValue::Int(5)),
        member("t", "abc".into()),
        member("l", list.into()),
        member("m", CelValue::Map(Arc::new(inner.into()))),
    ];
    [("args", CelValue::Map(Arc::new(args.into()))), ("tool", "pay".into())].into()
}

fn evaluate_within(source: &str, units: i64) -> Result<CelValue, EvaluationError> {
    let expression = parse(source).unwrap_or_else(|why| panic!("{source}: {why}"));
    evaluate(&expression, &variables(), &EvaluationBudget::new(units))
}

fn result_of(source: &str) -> Result<CelValue, EvaluationError> {
    evaluate_within(source, 10_000)
}

/// Checks expressions whose result is `true`.
fn assert_true(sources: &[&str]) {
    for source in sources {
        let result = result_of(source);
        assert!(matches!(result, Ok(CelValue::Bool(true))), "{source}: {result:?}");
    }
}

/// Checks expressions that fail, each with the reason.
fn assert_failures(cases: &[(&str, &str)]) {
    for (source, reason) in cases {
        let error = result_of(source).map_err(|error| error.to_string());
        assert_eq!(error.as_ref().err().map(String::as_str), Some(*reason), "{source}: {error:?}");
    }
}

#[test]
fn operators_follow_their_precedence() {
    assert_true(&[
        "1 + 2 * 3 - 4 / 2 % 3 == 5",
        "1 < 2 && 2 < 3 || false",
        "true || false && false",
        "(true ? 1 : false ? 2 : 3) == 1",
        "!true == false",
        "2-1 == 1 && -1-1 == -2",
        "5 - -3 == 8",
        "10 - 3 - 2 == 5",
        "-args.n == -5",
        "'a' in ['a'] == true",
    ]);
}

#[test]
fn literals_have_their_values() {
    assert_true(&[
        r"'\u0041\x42\103' == 'ABC'",
        r#"'\n\t\\\'\"' == "\n\t\\'\"" "#,
        r"r'\q' == '\\q' && R'\' == '\\'",
        r"b'\xff' != b'\xfe' && size(b'é\377') == 3",
        "'''it's'''.size() == 4",
        "\"\"\"a\n\"b\" c\"\"\".size() == 7",
        "'\\U0001F600'.size() == 1",
        ".5 + 5.e1 == 50.5 || .5 + 5e1 == 50.5",
        "0xFF == 255 && 0xffu == 255u && 1e3 == 1000.0",
        "-9223372036854775808 < 9223372036854775807",
        "18446744073709551615u > 9223372036854775807",
        "[1, 2, ].size() == 2 && {'a': 1, }.size() == 1",
        "args.n == 5 // a comment",
    ]);
}

#[test]
fn numbers_compare_by_exact_value() {
    assert_true(&[
        "1 == 1.0 && 1u == 1 && 2 > 1.5 && 1u < 1.5",
        "9007199254740993 != 9007199254740992.0",
        "9007199254740993 > 9007199254740990.0 && 9007199254740993 < 9007199254740994.0",
        "-1 < 0u && 18446744073709551615u != -1",
        "double('nan') != double('nan')",
        "double('inf') > 9223372036854775807 && double('-inf') < 0u",
        "-0.5 < 0 && 0 < 0.5",
        "[1, 2u] == [1.0, 2] && {1: 'a'} == {1u: 'a'}",
        "1 != '1' && 1 != true && null == null && null != 0",
        "'a' < 'b' && b'a' < b'b' && false < true",
    ]);
}

#[test]
fn order_that_rounding_hides_fails() {
    let reason = "a number is too large";
    assert_true(&["9007199254740993 >= 9007199254740992.0 && !(9007199254740993 < 9007199254740992.0)"]);
    assert_failures(&[
        ("9007199254740993 > 9007199254740992.0", reason),
        ("9223372036854775808.0 <= 9223372036854775807", reason),
        ("18446744073709551616.0 <= 18446744073709551615u", reason),
    ]);
}

#[test]
fn indexes_select_members() {
    assert_true(&[
        "args.l[0] == 1 && args.l[1u] == 2.5 && args.l[2.0] == 'a'",
        "args['m']['b'] && args.m.b",
        "{1u: 'x'}[1] == 'x' && {1: 'x'}[1.0] == 'x' && {true: 1}[true] == 1",
        "1 in [1.0] && 'a' in {'a': 1} && 1.0 in {1: 2} && !(3 in [1])",
        "has(args.n) && !has(args.q) && !has(args.m.q)",
    ]);
    assert_failures(&[
        ("args.q", "no such key: q"),
        ("args['q']", "no such key: q"),
        ("args[args.t]", "no such key"),
        ("{1: 'x'}[2]", "no such key"),
        ("[1][1]", "an index is out of bounds"),
        ("[1][-1]", "an index is out of bounds"),
        ("[1]['a']", "`[]` does not accept (list, string)"),
        ("'abc'[0]", "`[]` does not accept (string, int)"),
        ("args.n.q", "`.` does not accept (int)"),
        ("has(args.n.q)", "`.` does not accept (int)"),
        ("1 in 'abc'", "`in` does not accept (int, string)"),
        ("null in {'a': 1}", "`in` does not accept (null_type, map)"),
        ("{'a': 1, 'a': 2}", "a map has the same key twice"),
        ("{1: 1, 1u: 2}", "a map has the same key twice"),
        ("{1.5: 1}", "`{}` does not accept (double)"),
    ]);
}

#[test]
fn arithmetic_neither_wraps_nor_mixes_types() {
    assert_true(&[
        "-5 % 3 == -2 && -5 / 3 == -1",
        "'a' + 'b' == 'ab' && [1] + [2] == [1, 2]",
        "7u / 2u == 3u",
    ]);
    assert_failures(&[
        ("9223372036854775807 + 1", "a number is too large"),
        ("1u - 2u", "a number is too large"),
        ("-(-9223372036854775807 - 1)", "a number is too large"),
        ("(-9223372036854775807 - 1) / -1", "a number is too large"),
        ("1 / 0", "division by zero"),
        ("1u % 0u", "division by zero"),
        ("1 + 1.0", "`+` does not accept (int, double)"),
        ("'a' + 1", "`+` does not accept (string, int)"),
        ("-'a'", "`-` does not accept (string)"),
        ("1 < 'a'", "`<` does not accept (int, string)"),
        ("[1] < [2]", "`<` does not accept (list, list)"),
        ("double('nan') < 1", "`<` does not accept (double, int)"),
    ]);
}

#[test]
fn functions_convert_and_measure() {
    assert_true(&[
        "size('é') == 1 && b'é'.size() == 2 && size(args) == 4 && args.l.size() == 3",
        "int(-1.9) == -1 && int('+1') == 1 && uint(1.5) == 1u && int(7u) == 7",
        "double('1.5') == 1.5 && double(2) == 2.0 && bool('TRUE') && !bool('f')",
        "string(1.0) == '1' && string(1e21) == '1000000000000000000000' && string(true) == 'true'",
        "bytes('é') == b'é' && string(b'abc') == 'abc' && dyn([1]) == [1]",
        "type(1) == type(2) && type([]) != type({}) && type(type(1)) == type(type('a'))",
        "args.t.startsWith('a') && args.t.endsWith('c') && args.t.contains('b')",
        "'aaa'.matches('^a+$') && matches('xay', 'a') && !'b'.matches('a')",
    ]);
    assert_failures(&[
        ("int('x')", "`int` fails"),
        ("int(' 1')", "`int` fails"),
        ("int(9223372036854775808.0)", "`int` fails"),
        ("int(double('nan'))", "`int` fails"),
        ("uint(-0.5)", "`uint` fails"),
        ("string(b'\\xff')", "`string` fails"),
        ("bool('yes')", "`bool` fails"),
        ("bool(1)", "`bool` does not accept (int)"),
        ("string([1])", "`string` does not accept (list)"),
        ("size(1)", "`size` does not accept (int)"),
        ("'a'.contains(1)", "`contains` does not accept (string, int)"),
        ("1.matches('a')", "`matches` does not accept (int)"),
    ]);
}

#[test]
fn deciding_operand_hides_a_failure() {
    assert_true(&[
        "1 / 0 == 1 || true",
        "true || 1 / 0 == 1",
        "!(1 / 0 == 1 && false)",
        "1 || true",
        "[1, 'a', -3].exists(x, x < 0)",
        "![1, 'a', -3].all(x, x > 0)",
        "[].all(x, 1 / 0 == 1) && ![].exists(x, true)",
    ]);
    assert_failures(&[
        ("1 / 0 == 1 || false", "division by zero"),
        ("true && 1", "`&&` does not accept (int)"),
        ("1 || false", "`||` does not accept (int)"),
        ("[1, 'a', 3].all(x, x > 0)", "`>` does not accept (string, int)"),
        ("[1].all(x, x)", "a loop does not take (int)"),
        ("1 ? 2 : 3", "`?:` does not accept (int)"),
        ("!1", "`!` does not accept (int)"),
    ]);
}

#[test]
fn loops_visit_elements_and_sorted_keys() {
    assert_true(&[
        "[1, 2, 3].exists_one(x, x == 2) && ![2, 2].existsOne(x, x == 2)",
        "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6] && [1, 2].map(x, x + 1) == [2, 3]",
        "[1, 2, 3].filter(x, x != 2) == [1, 3]",
        "{'b': 1, 'c': 2, 'a': 3}.map(k, k) == ['a', 'b', 'c']",
        "[[1, 2], [3]].map(x, x.map(y, y + 1)) == [[2, 3], [4]]",
        "[1].map(args, args + 1) == [2] && args.n == 5",
        "[1, 2].all(x, [3].all(y, y > x))",
    ]);
    assert_failures(&[
        ("'abc'.map(c, c)", "a loop does not take (string)"),
        ("[1, 'a'].filter(x, x > 0)", "`>` does not accept (string, int)"),
        ("[1].map(x, x) == x", "unknown variable `x`"),
    ]);
}

#[test]
fn budget_bounds_every_step() {
    for source in [
        "args.l.all(a, args.l.all(b, true))",
        "size(args.t + args.t + args.t) == 9",
        "args.l.map(a, [a, a, a, a, a]).size() == 3",
        "args.l == args.l",
        "[args.t, args.t, args.t, args.t, args.t] == []",
        "args.l.exists(x, args.l == [x, x]) || true",
    ] {
        assert_eq!(evaluate_within(source, 4).err(), Some(EvaluationError::BudgetExhausted), "{source}");
        assert!(evaluate_within(source, 100).is_ok(), "{source}");
    }
    let text = format!("'{}' + args.t + args.t", "x".repeat(640));
    assert_eq!(evaluate_within(&text, 11).err(), Some(EvaluationError::BudgetExhausted));
    assert!(evaluate_within(&text, 13).is_ok());
}

#[test]
fn exhausted_budget_fails_further_evaluations() {
    let budget = EvaluationBudget::new(1);
    let evaluate = |source| evaluate(&parse(source).expect("an expression"), &variables(), &budget);
    assert!(evaluate("args.n + args.n == 10").is_err());
    assert_eq!(evaluate("true").err(), Some(EvaluationError::BudgetExhausted));
}

#[test]
fn invalid_expressions_name_the_column() {
    for (source, message) in [
        ("args.a >", "column 9: a value was expected"),
        ("1 2", "column 3: an operator or the end was expected"),
        ("(1", "column 3: `)` was expected"),
        ("[1,,2]", "column 4: a value was expected"),
        ("'a", "column 1: the string has no end"),
        ("'a\nb'", "column 1: the string has no end"),
        (r"'\q'", "column 1: the string has an unknown escape; write \\\\ for a backslash"),
        (r"'\u00'", "column 1: the escape has too few digits"),
        (r"'\ud800'", "column 1: the escape is not a character"),
        (r"b'\u0041'", "column 1: a byte string has no escapes of characters"),
        ("é + @", "column 1: no value or operator starts with this character"),
        ("9223372036854775808", "column 1: the number is too large"),
        ("1 + 1e400", "column 5: the number is too large"),
        ("-1u", "column 2: an unsigned number has no sign"),
        ("package", "column 1: `package` is a reserved word"),
        ("args.in", "column 6: a name was expected; write ['…'] for any other key"),
        ("args.?n", "column 6: optional values are not supported; use has()"),
        ("true ? 1", "column 9: `:` was expected"),
    ] {
        let error = parse(source).expect_err(source).to_string();
        assert_eq!(error, format!("the condition cannot be parsed: {message}"), "{source}");
    }
}

#[test]
fn calls_are_checked_when_read() {
    for (source, message) in [
        ("startWith(1)", "unknown function `startWith`"),
        ("size(1, 2)", "`size` cannot be called like this; write size(x) or x.size()"),
        ("contains('a', 'b')", "`contains` cannot be called like this; write text.contains(part)"),
        ("'a'.int()", "`int` cannot be called like this; write int(x)"),
        ("has(args)", "`has` cannot be called like this; write has(map.field)"),
        ("args.t.matches(args.t)", "the pattern of `matches` must be a string literal"),
        ("Foo{a: 1}", "a condition cannot create objects"),
    ] {
        assert_eq!(parse(source).expect_err(source).to_string(), message, "{source}");
    }
    assert!(matches!(parse("'a'.matches('(')"), Err(ParseError::InvalidPattern(_))));
    let Ok(Expression::Loop(details)) = parse("[1].filter(x, true)") else { panic!("not a loop") };
    assert_eq!((details.kind, details.variable.as_str()), (LoopKind::Filter, "x"));
}

#[test]
fn deeply_nested_expression_is_rejected() {
    for deep in [
        format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000)),
        "!".repeat(5_000) + "true",
        "[".repeat(5_000),
        format!("1{}", " + 1".repeat(5_000)),
        format!("a{}", ".a".repeat(5_000)),
        "true ? true : ".repeat(5_000) + "true",
    ] {
        assert_eq!(parse(&deep).err(), Some(ParseError::TooLarge));
    }
    let index = format!("args{}", "[0]".repeat(200));
    assert!(parse(&index).is_ok());
}
