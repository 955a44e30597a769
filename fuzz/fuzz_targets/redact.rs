//! Secrets: one that is planted is not in what is left, the rest stays as it is, and once is enough.
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
    // What ends in a backslash makes one line of two, and the planted one no line of its own.
    if !one.ends_with('\\') {
        let text = format!("{one}\n{line}\n{other}");
        let less = text_once(&redactor, &text).expect("there is a secret");
        assert!(!less.contains(SECRET), "{text:?} became {less:?}");
    }
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
        // The same as JSON in a string of JSON.
        let text = format!("[{}]", string(&text));
        let less =
            json_once(&redactor, &Json::stored(text.clone()).expect("JSON")).expect("there is a secret");
        assert!(!less.contains(SECRET), "{text} became {less}");
    }
});

/// A line with the secret in it.
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

/// Masks a text, and checks that once more changes nothing.
fn text_once(redactor: &Redactor, text: &str) -> Option<String> {
    let less = redactor.text(text)?;
    assert!(less.contains(MASK), "{text:?} became {less:?}");
    assert_eq!(redactor.text(&less), None, "{text:?} became {less:?}");
    Some(less)
}

/// Masks JSON, and checks that what comes out is as JSON, that nothing is changed but where the pointers
/// say, and that once more changes nothing.
fn json_once(redactor: &Redactor, json: &Json) -> Option<String> {
    let less = redactor.json(json)?;
    assert_eq!(redactor.json(&less.json).map(|again| again.pointers), None, "{json:?} became {less:?}");
    let values = (serde_json::from_str(json.as_str()), serde_json::from_str(less.json.as_str()));
    if let (Ok(mut before), Ok(after)) = values {
        let after: Value = after;
        for pointer in &less.pointers {
            let masked = after.pointer(pointer).and_then(Value::as_str).expect("a pointer leads somewhere");
            assert!(masked.contains(MASK), "{masked}");
            *Value::pointer_mut(&mut before, pointer).expect("it led there before") = masked.into();
        }
        assert_eq!(before, after);
    }
    Some(less.json.as_str().to_owned())
}
