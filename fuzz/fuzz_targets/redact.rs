//! Fuzzes redaction: a planted secret is removed, the rest is unchanged, and a second pass changes nothing.
#![cfg_attr(fuzzing, no_main)]

use countersign_events::Json;
use countersign_redaction::{MASK, Redactor};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const SECRET: &str = "xq3Zr9TbWk71";

const NAMES: &[&str] = &[
    "password",
    "apiKey",
    "AUTH_TOKEN",
    "db.passwd",
    "client-secret",
    "X-Api-Key",
    "credentials",
    "SSH_KEY",
];

fuzz_target!(|input: (u8, &str, &str)| {
    let (which, one, other) = input;
    if [one, other].iter().any(|text| text.contains(SECRET)) {
        return;
    }
    let name = NAMES[usize::from(which) % NAMES.len()];
    let redactor = Redactor::default();
    for text in [one, other] {
        text_once(&redactor, text);
    }
    let line = planted(name, usize::from(which) / NAMES.len());
    // Text before the line could open a quote, in which the line would not be a command.
    let text = format!("{line}\n{other}");
    let less = text_once(&redactor, &text).expect("there is a secret");
    assert!(!less.contains(SECRET), "{text:?} became {less:?}");
    text_once(&redactor, &format!("{one}\n{line}\n{other}"));
    let string = |text: &str| Json::string(text).as_str().to_owned();
    let (around, secret) = (
        Json::parse(one),
        Json::parse(other).map_or_else(|_| string(other), |json| json.as_str().to_owned()),
    );
    if let Ok(around) = around {
        json_once(&redactor, &around);
        let text = format!(
            "{{\"a\":{around:?},\"b\":[{{{name:?}:[{secret},{SECRET:?}]}}],\"c\":{}}}",
            string(&line)
        );
        let less =
            json_once(&redactor, &Json::stored(text.clone()).expect("JSON")).expect("there is a secret");
        assert!(!less.contains(SECRET), "{text} became {less}");
        // The same JSON as a string within JSON.
        let text = format!("[{}]", string(&text));
        let less =
            json_once(&redactor, &Json::stored(text.clone()).expect("JSON")).expect("there is a secret");
        assert!(!less.contains(SECRET), "{text} became {less}");
    }
});

/// A line that contains the secret, in one of several forms.
fn planted(name: &str, form: usize) -> String {
    let forms = [
        format!("{name}: {SECRET}"),
        format!("tool --{name} {SECRET} --verbose"),
        format!("tool --{name}=\"{SECRET}\""),
        format!("export {name}='{SECRET}' && ls"),
        format!("curl -sH \"Authorization: Bearer {SECRET}\" https://host"),
        format!("git clone https://user:{SECRET}@host/a.git"),
        format!("mysql -u root -p{SECRET} db < x.sql"),
        format!("curl -d '{{\"{name}\":\"{SECRET}\"}}' host"),
    ];
    forms[form % forms.len()].clone()
}

/// Masks a string, and checks that a second pass changes nothing.
fn text_once(redactor: &Redactor, text: &str) -> Option<String> {
    let less = redactor.redact_text(text)?;
    assert!(less.contains(MASK), "{text:?} became {less:?}");
    assert_eq!(redactor.redact_text(&less), None, "{text:?} became {less:?}");
    Some(less)
}

/// Masks JSON, and checks that the result is JSON, that only the places named by the pointers have changed, and that a
/// second pass changes nothing.
fn json_once(redactor: &Redactor, json: &Json) -> Option<String> {
    let less = redactor.redact_json(json)?;
    assert_eq!(
        redactor.redact_json(&less.json).map(|again| again.pointers),
        None,
        "{json:?} became {less:?}"
    );
    let values = (serde_json::from_str(json.as_str()), serde_json::from_str(less.json.as_str()));
    if let (Ok(mut before), Ok(after)) = values {
        let after: Value = after;
        for pointer in &less.pointers {
            let masked = after.pointer(pointer).and_then(Value::as_str).expect("a valid pointer");
            assert!(masked.contains(MASK), "{masked}");
            *Value::pointer_mut(&mut before, pointer).expect("a valid pointer") = masked.into();
        }
        assert_eq!(before, after);
    }
    Some(less.json.as_str().to_owned())
}
