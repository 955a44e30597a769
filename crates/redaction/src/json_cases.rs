//! Example cases for JSON: masked values, unchanged values, and the operator's patterns.

use super::{
    MASK, RedactionPatternError, Redactor,
    keys::{KeyJudgement, SensitiveKeys},
};
use countersign_events::Json;

/// Redacts, and asserts that a second pass changes nothing.
pub(super) fn redact_once(redactor: &Redactor, text: &str) -> Option<(String, Vec<String>)> {
    let redacted = redactor.redact_json(&Json::stored(text.to_owned()).expect(text))?;
    assert_eq!(
        redactor.redact_json(&redacted.json),
        None,
        "a second pass changes {}",
        redacted.json.as_str()
    );
    Some((redacted.json.as_str().to_owned(), redacted.pointers))
}

fn with_patterns(keys: &[&str], values: &[&str]) -> Result<Redactor, RedactionPatternError> {
    let owned = |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect::<Vec<_>>();
    Redactor::new(&owned(keys), &owned(values))
}

/// The names of keys by their judgement.
const JUDGED_NAMES: &[(KeyJudgement, &str)] = &[
    (
        KeyJudgement::Strong,
        "apiKey api_key X-Api-Key APIKEY APIKey sshKey private.key api_keys password Password pass_word db_password \
         dbPassword2 PGPASSWORD passwd passphrase passcode pwd MYSQL_PWD smtp_pass authToken GITHUB_TOKEN access_token \
         refreshToken csrftoken secret client_secret SecretKey secrets authorization Proxy-Authorization credential \
         aws_credentials creds cookie Set-Cookie session_id sessionId PHPSESSID bearer otp totp_code jwt \
         encryption_key_prod secret_key_base",
    ),
    (KeyJudgement::Short, "pass pin PIN"),
    (KeyJudgement::Weak, "key KEY key2 deploy_key keys token tokens auth oauth2 proxyAuth basic_auth"),
    (
        KeyJudgement::Clear,
        "keyboard monkey turkey keyword keynote keyPress key_code key_points sort_keys author authors author_id \
         authority authentic primary_key primaryKey foreign_key publicKey idempotency_key cache_key secretary tokenizer \
         tokenised password_file tokenUrl secret_name key_type auth_method password_policy no-auth compass pass_rate \
         bypass pinned spinner session session_name opinion assess message value user host path command url id \
         max_tokens maxTokens prompt_tokens total-tokens n_tokens next_token page_token",
    ),
];

#[test]
fn key_is_judged_by_its_words() {
    let keys = SensitiveKeys::default();
    let misjudged: Vec<_> = JUDGED_NAMES
        .iter()
        .flat_map(|(expected, names)| names.split_whitespace().map(move |name| (name, *expected)))
        .filter(|(name, expected)| keys.judge(name) != *expected)
        .map(|(name, expected)| (name, expected, keys.judge(name)))
        .collect();
    assert!(misjudged.is_empty(), "{misjudged:?}");
}

/// JSON, its redacted form, and the pointer to the mask.
const MASKED: &[(&str, &str, &str)] = &[
    (r#"{"password":"x"}"#, r#"{"password":"[redacted]"}"#, "/password"),
    (r#"{ "a" : 1.00, "Secret" : 12e3 }"#, r#"{ "a" : 1.00, "Secret" : "[redacted]" }"#, "/Secret"),
    (
        r#"{"credentials":{"user":"u1","n":["ab1c"]}}"#,
        r#"{"credentials":{"user":"u1","n":["[redacted]"]}}"#,
        "/credentials/n/0",
    ),
    (r#"{"api_keys":["a"]}"#, r#"{"api_keys":["[redacted]"]}"#, "/api_keys/0"),
    (r#"[[{"a/b~c":{"secret":"x"}}]]"#, r#"[[{"a/b~c":{"secret":"[redacted]"}}]]"#, "/0/0/a~1b~0c/secret"),
    (r#"{"\u0070assword":"x"}"#, r#"{"\u0070assword":"[redacted]"}"#, "/password"),
    // A name and its value.
    (r#"{"key":"API_TOKEN","value":"x"}"#, r#"{"key":"API_TOKEN","value":"[redacted]"}"#, "/value"),
    (r#"{"value":"x","Name":"Authorization"}"#, r#"{"value":"[redacted]","Name":"Authorization"}"#, "/value"),
    (r#"[{"name":"PIN","value":1234}]"#, r#"[{"name":"PIN","value":"[redacted]"}]"#, "/0/value"),
    (
        r#"{"h":[["Cookie","a=b"],["Accept","*"]]}"#,
        r#"{"h":[["Cookie","[redacted]"],["Accept","*"]]}"#,
        "/h/0/1",
    ),
    // Command words.
    (r#"["login","--password","x"]"#, r#"["login","--password","[redacted]"]"#, "/2"),
    // The client of MySQL has no value after this option, but an array among the arguments may be another command.
    (
        r#"{"command":"mysql","args":[["tool","--password","x"]]}"#,
        r#"{"command":"mysql","args":[["tool","--password","[redacted]"]]}"#,
        "/args/0/2",
    ),
    (r#"["--secret=x y","-v"]"#, r#"["--secret=[redacted]","-v"]"#, "/0"),
    (r#"["mysql","-u","root","-pabc"]"#, r#"["mysql","-u","root","-p[redacted]"]"#, "/3"),
    (
        r#"{"args":["-u","a:b"],"command":"/bin/curl"}"#,
        r#"{"args":["-u","a:[redacted]"],"command":"/bin/curl"}"#,
        "/args/1",
    ),
    (r#"["-H","X-Api-Key: abc"]"#, r#"["-H","X-Api-Key: [redacted]"]"#, "/1"),
    // Strings that contain JSON, at several levels.
    (
        r#"{"body":"{\"secret\":\"x\",\"n\":1.0}"}"#,
        r#"{"body":"{\"secret\":\"[redacted]\",\"n\":1.0}"}"#,
        "/body",
    ),
    (r#"" [{\"pwd\": 5}] ""#, r#"" [{\"pwd\": \"[redacted]\"}] ""#, ""),
    (
        r#"["[\"{\\\"a\\\":{\\\"secret\\\":\\\"x\\\"}}\"]"]"#,
        r#"["[\"{\\\"a\\\":{\\\"secret\\\":\\\"[redacted]\\\"}}\"]"]"#,
        "/0",
    ),
    (r#"{"body":"{\"\\u0073ecret\":\"x\"}"}"#, r#"{"body":"{\"\\u0073ecret\":\"[redacted]\"}"}"#, "/body"),
    // Other strings.
    (r#"{"url":"https:\/\/u:p@h\/x"}"#, r#"{"url":"https://u:[redacted]@h/x"}"#, "/url"),
    (r#"{"env":"A=1\nDB_PASSWORD=x\nB=2"}"#, r#"{"env":"A=1\nDB_PASSWORD=[redacted]\nB=2"}"#, "/env"),
    (r#""\ud800""#, r#""[redacted]""#, ""),
];

#[test]
fn secret_in_json_is_masked() {
    let redactor = Redactor::default();
    let wrong: Vec<_> = MASKED
        .iter()
        .map(|(text, expected, at)| {
            ((*expected).to_owned(), vec![(*at).to_owned()], redact_once(&redactor, text))
        })
        .filter(|(expected, at, found)| found.as_ref() != Some(&(expected.clone(), at.clone())))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// JSON without a secret.
const CLEAR: &[&str] = &[
    r#"{"password":null,"token":"","auth":true,"secret":[],"key":{}}"#,
    r#"{"token":"[redacted]"}"#,
    r#"{"max_tokens":512,"tokens":1.5e3,"usage":{"prompt_tokens":"12","total_tokens":3}}"#,
    r#"{"keyboard":"us","monkey":"Bo","author":"Ann","primary_key":"id","keys":["a"]}"#,
    r#"{"key":"color","value":"red"}"#,
    r#"{"columns":["id","password"],"order":["token","secret"]}"#,
    r#"{"action":"keyPress","key_code":13}"#,
    r#"["--password","--force"]"#,
    r#"[["auth [redacted] name","x"]]"#,
    r#"["docker","run","-p","8080:80"]"#,
    r#"{"path":"/etc/passwd","text":"the author said: no"}"#,
    r#" { "n" : 1.000, "e":1E5, "s":"\u0041" } "#,
    r#""{\"a\": 1}""#,
    "[]",
    "0",
];

#[test]
fn json_without_secret_keeps_every_byte() {
    let masked = |text: &&'static str| redact_once(&Redactor::default(), text);
    let wrong: Vec<_> = CLEAR.iter().filter_map(masked).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pointers_follow_the_order_of_the_text() {
    let text = r#"{"secret":"x","a":[{"b":"y","pwd":"z"},"hvs.abcdefgh1234567890ab"],"password":7}"#;
    let (_, pointers) = redact_once(&Redactor::default(), text).expect("secrets");
    assert_eq!(pointers, ["/secret", "/a/0/pwd", "/a/1", "/password"]);
}

#[test]
fn value_below_depth_limit_is_masked() {
    let nested = |depth: usize| format!("{}{{\"pwd\":\"x\"}}{}", "[".repeat(depth), "]".repeat(depth));
    let (text, pointers) = redact_once(&Redactor::default(), &nested(255)).expect("a secret");
    assert!(text.contains(r#"{"pwd":"[redacted]"}"#) && pointers.len() == 1, "{text}");
    let (text, _) = redact_once(&Redactor::default(), &nested(20_000)).expect("a secret");
    assert_eq!(text, format!("{}\"{MASK}\"{}", "[".repeat(256), "]".repeat(256)));
}

#[test]
fn operator_patterns_mask_keys_and_values() {
    let redactor = with_patterns(&["*iban*", "x_?d"], &["[A-Z]{2}-[0-9]{4}", "4[0-9]{12}"]).expect("valid");
    let text =
        r#"{"Kunden-IBAN":"DE1","x_id":5,"t":"see AB-1234.","card":4111111111111,"secret":"y","n":41}"#;
    let (text, pointers) = redact_once(&redactor, text).expect("secrets");
    let expected = r#"{"Kunden-IBAN":"[redacted]","x_id":"[redacted]","t":"see [redacted].","card":"[redacted]","secret":"[redacted]","n":41}"#;
    assert_eq!(text, expected);
    assert_eq!(pointers, ["/Kunden-IBAN", "/x_id", "/t", "/card", "/secret"]);
    assert_eq!(redactor.redact_text("iban=DE1 AB-12345").as_deref(), Some("iban=[redacted] [redacted]5"));
}

#[test]
fn operator_pattern_matching_the_mask_ends() {
    for pattern in [".", "[a-z]+", "red", r"\]", "", "x*", r"\[redacted\] b"] {
        let redactor = with_patterns(&[], &[pattern]).expect(pattern);
        if let Some(once) = redactor.redact_text("a [redacted] b") {
            assert_eq!(redactor.redact_text(&once), None, "{pattern}: {once}");
        }
    }
}

#[test]
fn invalid_pattern_is_named_in_error() {
    let error = with_patterns(&["a", "{b"], &[]).expect_err("a bad glob").to_string();
    assert!(error.starts_with("redact.keys[1]: the pattern `{b` "), "{error}");
    let error = with_patterns(&[], &["("]).expect_err("a bad expression").to_string();
    assert!(error.starts_with("redact.values[0]: \"(\" is not a regular expression: "), "{error}");
}
