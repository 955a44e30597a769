//! The functions on strings, and fields in backquotes.

use super::{assert_failures, assert_true, evaluate_within};
use crate::{EvaluationError, parse};

#[test]
fn backquotes_select_fields() {
    assert_true(&[
        "{'a-b': 1}.`a-b` == 1 && {'a/b.c d': {'e': 2}}.`a/b.c d`.e == 2",
        "has({'a-b': 1}.`a-b`) && !has({'a-b': 1}.`b-a`)",
        "args.`n` == 5 && args.m.`in` == 1 || true",
    ]);
    for (source, message) in [
        ("args.`a", "column 6: the name in backquotes has no end"),
        ("`a`", "column 1: a value was expected"),
        ("args.`size`()", "column 12: an operator or the end was expected"),
    ] {
        let error = parse(source).expect_err(source).to_string();
        assert_eq!(error, format!("the condition cannot be parsed: {message}"), "{source}");
    }
    for name in ["", "a'b", "é", "a\nb", "a`b"] {
        assert!(parse(&format!("args.`{name}`")).is_err(), "{name}");
    }
}

#[test]
fn indexes_count_characters() {
    assert_true(&[
        "'é☺a'.charAt(1) == '☺' && 'é☺a'.charAt(3) == '' && ''.charAt(0) == ''",
        "'é☺a☺'.indexOf('☺') == 1 && 'é☺a☺'.indexOf('☺', 2) == 3 && 'a'.indexOf('a', 1) == -1",
        "'aaa'.lastIndexOf('aa') == 1 && 'aaa'.lastIndexOf('aa', 0) == 0 && 'é☺'.lastIndexOf('a', 2) == -1",
        "'é☺é☺'.lastIndexOf('é☺', 1) == 0 && '☺'.lastIndexOf('☺', 1) == 0 && 'abc'.lastIndexOf('') == 3",
        "'é☺a'.substring(1, 2) == '☺' && 'é☺a'.substring(1) == '☺a' && 'a'.substring(1) == ''",
    ]);
    assert_failures(&[
        ("'a'.charAt(2)", "`charAt` fails"),
        ("'a'.charAt(-1)", "`charAt` fails"),
        ("'a'.indexOf('', 2)", "`indexOf` fails"),
        ("'a'.lastIndexOf('a', -1)", "`lastIndexOf` fails"),
        ("'abc'.substring(2, 1)", "`substring` fails"),
        ("'abc'.substring(0, 4)", "`substring` fails"),
        ("'abc'.substring(9223372036854775807)", "`substring` fails"),
        ("'abc'.charAt(1u)", "`charAt` does not accept (string, uint)"),
    ]);
}

#[test]
fn parts_are_replaced_split_and_joined() {
    assert_true(&[
        "'aXbXc'.replace('X', '') == 'abc' && 'aa'.replace('a', 'b', 1) == 'ba' && 'a'.replace('a', 'b', 0) == 'a'",
        "'é☺'.replace('', '-') == '-é-☺-' && 'ab'.replace('', '-', 2) == '-a-b'",
        "'a,b,'.split(',') == ['a', 'b', ''] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'a'.split(',', 0) == []",
        "'é☺a'.split('') == ['é', '☺', 'a'] && 'abc'.split('', 2) == ['a', 'bc'] && ''.split('') == []",
        "''.split(',') == [''] && 'ab'.split('', 1) == ['ab'] && 'ab'.split('', -5) == ['a', 'b']",
        "['a', 'b'].join('☺') == 'a☺b' && [].join('x') == '' && ['a', 'b'].join() == 'ab'",
        "'ÀBc'.lowerAscii() == 'Àbc' && 'àbC'.upperAscii() == 'àBC' && ' \\u00a0a '.trim() == 'a'",
        "'a☺é'.reverse() == 'é☺a' && strings.quote('a\"\\n☺') == '\"a\\\\\"\\\\n☺\"'",
    ]);
    assert_failures(&[
        ("['a', 1].join()", "`join` does not accept (int)"),
        ("'a'.join('b')", "`join` does not accept (string, string)"),
        ("[1].trim()", "`trim` does not accept (list)"),
        ("'a'.split(1)", "`split` does not accept (string, int)"),
    ]);
    assert_eq!(parse("quote('a')").expect_err("no prefix").to_string(), "unknown function `quote`");
}

#[test]
fn template_needs_each_of_its_values() {
    assert_true(&[
        "'%s|%d|%.2f|%e|%x|%o|%b|%%'.format(['a', 1, 2.5, 12u, 255, 8, 5]) == 'a|1|2.50|1.200000e+01|ff|10|101|%'",
        "'%x %X %b %x'.format(['ab', b'\\xff', true, -255]) == '6162 FF 1 -ff'",
        "'%s'.format([[1, {'b': null, 'a': [true]}]]) == '[1, {a: [true], b: null}]'",
        "'%f %e'.format([double('-inf'), double('nan')]) == '-Infinity NaN'",
        "'%e %.0f'.format([1e-300, -0.5]) == '1.000000e-300 -0'",
    ]);
    for source in [
        "'%d'.format([])",
        "'a'.format([1])",
        "'%'.format([1])",
        "'%.'.format([1])",
        "'%.2'.format([1])",
        "'%.101f'.format([1])",
        "'%.99999999999999999999f'.format([1])",
        "'%.2d'.format([1])",
        "'%☺'.format([1])",
        "'%f'.format([9007199254740993])",
        "'%s'.format([b'\\xff'])",
    ] {
        let error = evaluate_within(source, 100).err();
        assert_eq!(error, Some(EvaluationError::FunctionFails("format")), "{source}");
    }
}

#[test]
fn long_results_are_paid_before_use() {
    let text = "x".repeat(6_400);
    for source in [
        format!("'{text}'.replace('', '{text}').size() > 0"),
        format!("'{text}'.replace('x', '{text}').size() > 0"),
        format!("'{text}'.split('').size() > 0"),
        format!("'{text}'.split('x').size() > 0"),
        format!("'{text}'.split('').map(x, '{text}').join().size() > 0"),
        format!("'{}'.format([{}]).size() > 0", "%s".repeat(99), vec![format!("'{text}'"); 99].join(", ")),
        format!("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(x, strings.quote('{text}').reverse() != '')"),
    ] {
        let error = evaluate_within(&source, 1_500).err();
        assert_eq!(error, Some(EvaluationError::BudgetExhausted), "{}", &source[source.len() - 60..]);
    }
    assert!(evaluate_within(&format!("'{text}'.replace('y', '{text}') != ''"), 1_500).is_ok());
}
