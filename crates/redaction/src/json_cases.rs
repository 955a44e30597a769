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

#[test]
fn key_is_judged_by_its_words() {
    let secret = "key apiKey api_key X-Api-Key APIKEY APIKey MYKEY api_keys sshKey key2 private.key password \
                  Password pass_word db_password dbPassword2 PGPASSWORD passwd passphrase passcode pwd MYSQL_PWD \
                  smtp_pass pass token authToken GITHUB_TOKEN access_token refreshToken csrftoken secret \
                  client_secret SecretKey secrets auth proxyAuth basic_auth OAuth oauth2 authorization \
                  Proxy-Authorization authentication authx credential aws_credentials creds cookie Set-Cookie \
                  session_id sessionId PHPSESSID bearer otp totp_code pin jwt AWS_ACCESS_KEY_ID \
                  encryption_key_prod";
    let misjudged = |names: &'static str, expected| {
        names
            .split_whitespace()
            .filter(move |name| SensitiveKeys::default().judge(name) != expected)
            .collect::<Vec<_>>()
    };
    assert_eq!(misjudged(secret, KeyJudgement::Secret), [""; 0], "must be secret");
    let clear = "keyboard monkey Monkeys turkey keyword keynote keyPress key_code key_points keys sort_keys author \
                 authors author_id authored authority authentic primary_key primaryKey foreign_key publicKey \
                 idempotency_key cache_key secretary tokenizer tokenised password_file tokenUrl secret_name key_type \
                 auth_method password_policy no-auth compass pass_rate bypass pinned spinner session \
                 session_name opinion assess message value user host path command url id";
    for name in clear.split_whitespace() {
        assert_eq!(SensitiveKeys::default().judge(name), KeyJudgement::Clear, "{name}");
    }
    for name in
        ["tokens", "max_tokens", "maxTokens", "prompt_tokens", "max_token", "total-tokens", "n_tokens"]
    {
        assert_eq!(SensitiveKeys::default().judge(name), KeyJudgement::Count, "{name}");
    }
}

/// A JSON text, its redacted form, and the pointer to the mask.
const MASKED: &[(&str, &str, &str)] = &[
    (r#"{"password":"x"}"#, r#"{"password":"[redacted]"}"#, "/password"),
    (r#"{ "a" : 1.00, "Token" : 12e3 }"#, r#"{ "a" : 1.00, "Token" : "[redacted]" }"#, "/Token"),
    (r#"{"auth":{"user":"u","n":[1]}}"#, r#"{"auth":"[redacted]"}"#, "/auth"),
    (r#"{"api_keys":["a","b"]}"#, r#"{"api_keys":"[redacted]"}"#, "/api_keys"),
    (r#"[[{"a/b~c":{"secret":"x"}}]]"#, r#"[[{"a/b~c":{"secret":"[redacted]"}}]]"#, "/0/0/a~1b~0c/secret"),
    (r#"{"\u0070assword":"x"}"#, r#"{"\u0070assword":"[redacted]"}"#, "/password"),
    (r#"{"max_tokens":"abc123def"}"#, r#"{"max_tokens":"[redacted]"}"#, "/max_tokens"),
    (r#"{"tokens":["a1"]}"#, r#"{"tokens":"[redacted]"}"#, "/tokens"),
    // A name and its value.
    (r#"{"key":"API_TOKEN","value":"x"}"#, r#"{"key":"API_TOKEN","value":"[redacted]"}"#, "/value"),
    (r#"{"value":"x","Name":"Authorization"}"#, r#"{"value":"[redacted]","Name":"Authorization"}"#, "/value"),
    (r#"[{"name":"PIN","value":1234}]"#, r#"[{"name":"PIN","value":"[redacted]"}]"#, "/0/value"),
    (
        r#"{"h":[["Cookie","a=b"],["Accept","*"]]}"#,
        r#"{"h":[["Cookie","[redacted]"],["Accept","*"]]}"#,
        "/h/0/1",
    ),
    // The words of a command.
    (r#"["login","--password","x"]"#, r#"["login","--password","[redacted]"]"#, "/2"),
    (r#"["--token=x y","-v"]"#, r#"["--token=[redacted] y","-v"]"#, "/0"),
    (r#"["mysql","-u","root","-pabc"]"#, r#"["mysql","-u","root","-p[redacted]"]"#, "/3"),
    (
        r#"{"args":["-u","a:b"],"command":"/bin/curl"}"#,
        r#"{"args":["-u","[redacted]"],"command":"/bin/curl"}"#,
        "/args/1",
    ),
    (r#"["-H","X-Api-Key: abc"]"#, r#"["-H","X-Api-Key: [redacted]"]"#, "/1"),
    // Strings that contain JSON, at several levels.
    (
        r#"{"body":"{\"token\":\"x\",\"n\":1.0}"}"#,
        r#"{"body":"{\"token\":\"[redacted]\",\"n\":1.0}"}"#,
        "/body",
    ),
    (r#"" [{\"pwd\": 5}] ""#, r#"" [{\"pwd\": \"[redacted]\"}] ""#, ""),
    (
        r#"["[\"{\\\"a\\\":{\\\"secret\\\":\\\"x\\\"}}\"]"]"#,
        r#"["[\"{\\\"a\\\":{\\\"secret\\\":\\\"[redacted]\\\"}}\"]"]"#,
        "/0",
    ),
    (r#"{"body":"{\"\\u0074oken\":\"x\"}"}"#, r#"{"body":"{\"\\u0074oken\":\"[redacted]\"}"}"#, "/body"),
    // Other strings.
    (r#"{"url":"https:\/\/u:p@h\/x"}"#, r#"{"url":"https://[redacted]@h/x"}"#, "/url"),
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

/// JSON texts without a secret.
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
    let text = r#"{"token":"x","a":[{"b":"y","pwd":"z"},"sk-abcdefgh12345678"],"auth":7}"#;
    let (_, pointers) = redact_once(&Redactor::default(), text).expect("secrets");
    assert_eq!(pointers, ["/token", "/a/0/pwd", "/a/1", "/auth"]);
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
    let text = r#"{"Kunden-IBAN":"DE1","x_id":5,"t":"see AB-1234.","card":4111111111111,"token":"y","n":41}"#;
    let (text, pointers) = redact_once(&redactor, text).expect("secrets");
    let expected = r#"{"Kunden-IBAN":"[redacted]","x_id":"[redacted]","t":"see [redacted].","card":"[redacted]","token":"[redacted]","n":41}"#;
    assert_eq!(text, expected);
    assert_eq!(pointers, ["/Kunden-IBAN", "/x_id", "/t", "/card", "/token"]);
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
