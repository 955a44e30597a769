//! The forms in which secrets occur: each with several secrets, as arguments and as text.

use super::{MASK, Redactor, list_cases::fill};
use countersign_events::Json;
use serde::Deserialize;

#[derive(Deserialize)]
struct FormFile {
    forms: Vec<SecretForm>,
}

#[derive(Deserialize)]
struct SecretForm {
    form: String,
    #[serde(default)]
    random: bool,
}

/// Secrets as people choose them and as programs make them. The last ones are random.
const SECRETS: &[&str] = &["S3cr3tV4lue9x", "hunter2pw", "Tr0ub4dor+5", "<alnum 24>", "<alnum 40>"];

fn redact(form: &str, secret: &str) -> String {
    let redactor = Redactor::default();
    if form.starts_with("{\"") {
        let json = Json::parse(&form.replace("{S}", secret)).unwrap_or_else(|e| panic!("{form}: {e}"));
        return redactor.redact_json(&json).map_or(json, |less| less.json).as_str().to_owned();
    }
    let line = form.replace("{S}", secret);
    redactor.redact_text(&line).unwrap_or(line)
}

#[test]
fn secret_is_masked_in_every_form() {
    let forms = toml::from_str::<FormFile>(include_str!("lists/forms.toml")).expect("a list").forms;
    let mut wrong = Vec::new();
    for SecretForm { form, random } in &forms {
        for secret in
            SECRETS.iter().filter(|secret| !random || secret.starts_with('<')).map(|secret| fill(secret))
        {
            let less = redact(form, &secret);
            if less.contains(&secret) || !less.contains(MASK) {
                wrong.push(format!("{form}\n    became {less}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} forms:\n{}", wrong.len(), forms.len(), wrong.join("\n"));
}
