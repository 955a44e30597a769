//! Laws that hold for every input: no planted secret survives, a second pass changes nothing, JSON stays JSON, bytes
//! outside masks do not change, and no mask covers a shell operator.

use super::{
    MASK, Redactor, assigned_values, command_values, json_cases::redact_once, keys::SensitiveKeys, mnemonics,
    private_keys, quoted_arguments, sql_values, text::find_named_secrets, token_shapes, url_secrets,
    yaml_secrets,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Pieces with a meaning for the redactor. Tests join them at random.
const PIECES: &[&str] = &[
    "password",
    "token",
    "key",
    "auth",
    "tokens",
    "pwd",
    "Cookie",
    "Authorization",
    "--",
    "-p",
    "-u",
    "-a",
    "mysql",
    "curl",
    "time",
    "name=",
    "value=",
    "login(",
    "the password is",
    "пароль：",
    "insert into t (password) values (",
    "<<<",
    "> /run/secrets/x",
    "sudo -S ls",
    ": |\n  ",
    "#define",
    "Private-Lines: 1",
    "a1b2c3",
    "login",
    "=",
    ":",
    " = ",
    ": ",
    "://",
    "@",
    "?",
    "&",
    ";",
    "|",
    "\"",
    "'",
    "\\",
    "\\\"",
    "\\\\\\\"",
    "`",
    "$(",
    "${",
    ")",
    "}",
    "{",
    "[",
    "]",
    "<",
    ">",
    ",",
    "/",
    "#",
    "%",
    "\n",
    "\r\n",
    "  ",
    "\t",
    "- ",
    " ",
    "Bearer ",
    "basic ",
    "sk-",
    "ghp_",
    "AKIA",
    "eyJ",
    ".",
    "-----BEGIN PRIVATE KEY-----",
    "export ",
    "[redacted]",
    "redacted]",
    "null",
    "1234",
    "abcdefghijklmnop1234",
    "\u{fc}",
    "\u{1f600}",
    "\u{212a}",
    "\u{0}",
    "\"value\"",
    "\"name\"",
    "{\"a\":",
    "\\u0070",
];

fn piece() -> impl Strategy<Value = String> {
    let meaning = prop::sample::select(PIECES);
    prop_oneof![6 => meaning.prop_map(str::to_owned), 1 => any::<String>()]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..16).prop_map(|pieces| pieces.concat())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        text(),
        prop::sample::select(vec!["key", "value", "name", "apiKey", "max_tokens", "args", "command", "a"])
            .prop_map(str::to_owned),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        text().prop_map(Into::into),
        text().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::hash_map(name(), inner.clone(), 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
            inner.prop_map(|value| value.to_string().into()),
        ]
    })
}

/// A sensitive key in one of its spellings.
fn sensitive_key() -> impl Strategy<Value = String> {
    let words = vec![
        "password",
        "passwd",
        "secret",
        "passphrase",
        "api_key",
        "apiKey",
        "access-key",
        "privateKey",
        "client_secret",
        "X-Auth-Token",
        "pwd",
    ];
    let before = prop::sample::select(vec!["", "db_", "my-", "GITHUB_", "x."]);
    let after = prop::sample::select(vec!["", "_prod", "2", "-old", ".x"]);
    (before, prop::sample::select(words), after)
        .prop_map(|(before, word, after)| format!("{before}{word}{after}"))
}

/// Free text that contains the secret, in one of several forms.
fn text_with_secret(name: &str, secret: &str, which: usize) -> String {
    let forms = [
        format!("tool --{name}={secret} --verbose"),
        format!("tool --{name} {secret} --verbose"),
        format!("tool --{name} \"{secret}\""),
        format!("export {name}='{secret}' && ls"),
        format!("curl -H \"Authorization: Bearer {secret}\" https://host"),
        format!("curl -sH 'Authorization: Basic {secret}' https://host"),
        format!("curl -u user:{secret} https://host"),
        format!("git clone https://user:{secret}@host/a.git"),
        format!("wget https://host/a?b=1&{name}={secret}&c=2"),
        format!("mysql -u root -p{secret} db < x.sql"),
        format!("a: 1\n{name}: {secret}\nb: 2"),
        format!("[a]\n{name} = {secret}\n"),
        format!("log: {{\"{name}\": \"{secret}\"}} was sent"),
        format!("GET / HTTP/1.1\r\nCookie: a=1; b={secret}\r\n\r\n"),
        format!("authorization: bearer {secret}"),
        format!("sh -c \"x --{name} {secret}; y\""),
        format!("curl -d \"{{\\\"{name}\\\":\\\"{secret}\\\"}}\" host"),
        format!("<{name}>{secret}</{name}>"),
    ];
    forms[which % forms.len()].clone()
}

/// A secret, and a JSON value that contains it at some depth.
fn planted_secret() -> impl Strategy<Value = (String, Value)> {
    let secret = "[a-z]{3}[0-9][a-zA-Z0-9]{8,16}";
    (secret, sensitive_key(), 0..60_usize, prop::collection::vec(0..7_usize, 0..7)).prop_map(
        |(secret, name, form, around)| {
            let bottom = match form {
                0..20 => json!({ name: secret }),
                20..24 => json!({ name: { "a": [1, secret] } }),
                24..26 => json!({ "name": name, "value": secret, "z": 1 }),
                26..28 => json!(["tool", format!("--{name}"), secret]),
                _ => text_with_secret(&name, &secret, form).into(),
            };
            (secret, around.into_iter().fold(bottom, |inner, how| wrap(&inner, how)))
        },
    )
}

fn wrap(inner: &Value, how: usize) -> Value {
    match how {
        0 => json!([1.5, inner, "x"]),
        1 => json!({ "a": inner, "b": null }),
        2 => json!({ "name": "color", "value": inner }),
        3 => json!({ "command": "mysql", "args": [inner] }),
        4 => json!({ "path": "/a", "": [[inner]] }),
        // JSON in a string, unless it is one already: the escapes would double with each level.
        _ if inner.is_string() => json!([inner]),
        _ => inner.to_string().into(),
    }
}

/// Asserts that the two values differ only at the pointers.
fn assert_same_elsewhere(
    mut original: Value,
    redacted: &Value,
    pointers: &[String],
) -> Result<(), TestCaseError> {
    for pointer in pointers {
        let masked = redacted.pointer(pointer).and_then(Value::as_str).expect(pointer);
        prop_assert!(masked.contains(MASK), "{masked}");
        *original.pointer_mut(pointer).expect(pointer) = masked.into();
    }
    prop_assert_eq!(&original, redacted);
    Ok(())
}

/// Returns true if `less` is `text` with some parts replaced by masks.
fn differs_only_in_masks(text: &str, less: &str) -> bool {
    let mut pieces = less.split(MASK);
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let pieces: Vec<_> = pieces.collect();
    for piece in &pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    pieces.last().is_none_or(|last| text.ends_with(last))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn planted_secret_in_json_is_masked((secret, value) in planted_secret()) {
        let (less, _) = redact_once(&Redactor::default(), &value.to_string()).expect("a secret");
        prop_assert!(!less.contains(&secret), "{less}");
    }

    #[test]
    fn planted_secret_in_text_is_masked((secret, name, form) in ("[a-z]{3}[0-9][a-zA-Z0-9]{8,16}", sensitive_key(), 0..18_usize)) {
        let less = Redactor::default().redact_text(&text_with_secret(&name, &secret, form)).expect("a secret");
        prop_assert!(!less.contains(&secret), "{less}");
    }

    #[test]
    fn redacted_json_keeps_its_shape(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value).expect("valid") } else { value.to_string() };
        if let Some((less, pointers)) = redact_once(&Redactor::default(), &text) {
            assert_same_elsewhere(value, &serde_json::from_str(&less).expect("valid"), &pointers)?;
        }
    }

    #[test]
    fn text_redacted_twice_is_unchanged(text in text()) {
        let redactor = Redactor::default();
        if let Some(less) = redactor.redact_text(&text) {
            prop_assert!(differs_only_in_masks(&text, &less), "{}", less);
            prop_assert_eq!(redactor.redact_text(&less), None, "{}", less);
        }
    }

    #[test]
    fn operator_pattern_redacted_twice_is_unchanged(text in text(), pattern in "[a-z\\]]{1,3}[*+?]?|\\[\\^a\\]\\+|\\.\\*") {
        let redactor = Redactor::new(&[], &[pattern]).expect("a pattern");
        if let Some(less) = redactor.redact_text(&text) {
            prop_assert_eq!(redactor.redact_text(&less), None, "{}", less);
        }
    }

    #[test]
    fn mask_covers_no_shell_operator(text in text()) {
        let keys = SensitiveKeys::default();
        let mut spans = Vec::new();
        token_shapes::find_shapes(&text, &mut spans);
        private_keys::find_private_keys(&text, &mut spans);
        url_secrets::find_url_secrets(&text, &mut spans);
        yaml_secrets::find_yaml_secrets(&text, &mut spans);
        assigned_values::find_assigned_values(&keys, &text, &mut spans);
        find_named_secrets(&keys, &text, &mut spans);
        quoted_arguments::find_call_arguments(&keys, &text, &mut spans);
        sql_values::find_column_values(&keys, &text, &mut spans);
        mnemonics::find_mnemonics(&text, &mut spans);
        for span in spans.drain(..) {
            prop_assert!(!text[span.clone()].contains([';', '|', '&', '<', '>', '(', ')', '`', '\n', '"', '\'']), "{}", &text[span]);
        }
        command_values::find_command_values(&keys, &text, &mut spans);
        for span in spans {
            let hidden = &text[span];
            prop_assert!(!hidden.contains(['`', '\n']) && !hidden.contains("$(") && !hidden.contains("${"), "{hidden}");
        }
    }

    #[test]
    fn value_without_secret_is_unchanged(words in prop::collection::vec("[abdfglm0-9 .,/\"\\\\\n]{0,12}", 0..12)) {
        // These letters cannot spell a sensitive word.
        let value = json!({ "a": words, "b": { "dad": words.concat(), "n": words.len() } });
        prop_assert_eq!(redact_once(&Redactor::default(), &value.to_string()), None);
        prop_assert_eq!(Redactor::default().redact_text(&words.concat()), None);
    }
}
