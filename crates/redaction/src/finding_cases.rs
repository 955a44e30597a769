//! Each test is a case in which an earlier redaction failed: it hid what runs, showed a secret, or masked an innocent
//! value.

use super::{MASK, Redactor, list_cases::fill};
use countersign_events::Json;
use std::time::{Duration, Instant};

fn redact_text(text: &str) -> String {
    let text = fill(text);
    Redactor::default().redact_text(&text).unwrap_or(text)
}

fn redact_json(text: &str) -> String {
    let json = Json::parse(&fill(text)).expect("valid");
    Redactor::default().redact_json(&json).map_or(json, |less| less.json).as_str().to_owned()
}

fn assert_unchanged(text: &str) {
    assert_eq!(redact_text(text), fill(text));
}

#[test]
fn command_below_key_header_stays_visible() {
    assert_unchanged("echo -----BEGIN PRIVATE KEY-----\nreboot");
}

#[test]
fn command_in_quoted_script_stays_visible() {
    assert_unchanged(r"bash -c $'token=1\nrm -rf /srv'");
    assert_eq!(
        redact_text("bash -c $'password=abc1\\nrm -rf /srv'"),
        "bash -c $'password=[redacted]\\nrm -rf /srv'"
    );
}

#[test]
fn expression_after_secret_name_stays_visible() {
    assert_unchanged("token = __import__('os').system('rm -rf /srv')");
    assert_unchanged("password = __import__('os').system('rm -rf /srv')");
    assert_unchanged("password=os.popen(cmd)");
}

#[test]
fn object_key_of_bucket_stays_visible() {
    let text = r#"{"key": "backups/2026.tar"}"#;
    assert_eq!(redact_json(text), text);
}

#[test]
fn object_under_credentials_is_masked_by_leaf() {
    let less = redact_json(
        r#"{"credentials":{"command":"rm -rf /srv","user":"ada","blob":"s3cretVal","n":{"password":"x"}}}"#,
    );
    assert_eq!(
        less,
        r#"{"credentials":{"command":"rm -rf /srv","user":"ada","blob":"[redacted]","n":{"password":"[redacted]"}}}"#
    );
}

#[test]
fn password_with_command_stays_visible() {
    let text = r#"{"password":"x; rm -rf /srv"}"#;
    assert_eq!(redact_json(text), text);
}

#[test]
fn curl_user_with_equals_sign_is_masked() {
    assert_eq!(redact_text("curl --user=a:PW https://h"), "curl --user=a:[redacted] https://h");
}

#[test]
fn aws_configure_set_secret_is_masked() {
    let less = redact_text("aws configure set aws_secret_access_key <alnum 40> --profile ci");
    assert_eq!(less, "aws configure set aws_secret_access_key [redacted] --profile ci");
}

#[test]
fn tokens_of_chat_bots_are_masked() {
    assert_eq!(redact_text("a M<alnum 23>.<alnum 6>.<alnum 38> b"), "a [redacted] b");
    assert_eq!(redact_text("a <dec 10>:AA<alnum 33> b"), "a [redacted] b");
}

#[test]
fn docker_google_and_age_secrets_are_masked() {
    for secret in ["dckr_pat_<alnum 27>", "GOCSPX-<alnum 28>", "AGE-SECRET-KEY-1<bech 58>"] {
        assert_eq!(redact_text(&format!("a {secret} b")), "a [redacted] b");
    }
}

#[test]
fn kubernetes_secret_is_masked_by_entry() {
    let less = redact_text(
        "kind: Secret\ndata:\n  user: YWRh\n  pw: \"aHVudGVy\"\nstringData:\n  a: |\n    word\n---\nkind: ConfigMap\ndata:\n  a: b",
    );
    assert_eq!(
        less,
        "kind: Secret\ndata:\n  user: [redacted]\n  pw: \"[redacted]\"\nstringData:\n  a: |\n    [redacted]\n---\nkind: ConfigMap\ndata:\n  a: b"
    );
    let less = redact_json(r#"{"kind":"Secret","data":{"a":"YWRh"},"metadata":{"name":"db"}}"#);
    assert_eq!(less, r#"{"kind":"Secret","data":{"a":"[redacted]"},"metadata":{"name":"db"}}"#);
}

#[test]
fn literal_of_kubectl_create_secret_is_masked() {
    let less = redact_text("kubectl create secret generic db --from-literal=user=a --from-literal 'pw=b;c'");
    assert_eq!(
        less,
        "kubectl create secret generic db --from-literal=user=[redacted] --from-literal 'pw=[redacted]'"
    );
}

#[test]
fn innocent_key_and_token_are_unchanged() {
    assert_eq!(redact_json(r#"{"key": "Enter"}"#), r#"{"key": "Enter"}"#);
    assert_unchanged("let token = lexer.next();");
    assert_unchanged("sort --key 2");
}

#[test]
fn quote_confused_by_skipped_line_hides_nothing() {
    // The first line is not understood, so the second line's quotes may close what it opened.
    assert_unchanged("echo \\' \"\nmysql -p\"; reboot; \"");
    assert_unchanged("cat <<E\nmysql -p'\nE\nreboot #'");
    assert_unchanged("env \"TOKEN=\" reboot \"x\"");
    assert_unchanged("env \"PASSWORD=\" reboot \"x\"");
    assert_unchanged("x = \"password=\" + system('reboot') + \"\"");
    assert_unchanged("echo \"mysql -p'\"; reboot; echo \"'\"");
}

#[test]
fn substitution_in_nested_quotes_stays_visible() {
    assert_unchanged("sh -c \"db --password '$(reboot)'\"");
    assert_unchanged("sh -c \"db --password '`reboot`'\"");
}

#[test]
fn argument_after_switch_stays_visible() {
    assert_unchanged("dropdb --password production1");
    assert_unchanged("gpg --delete-secret-keys ada1@example.org");
    assert_unchanged("net user ada /delete");
    assert_unchanged("git rm secrets file1");
    assert_unchanged("kubectl exec -it pod1 -- sh");
}

#[test]
fn value_that_runs_later_stays_visible() {
    assert_unchanged("echo ./evil1 | sudo -S sh");
    assert_unchanged("DB_PASSWORD=./evil1; $DB_PASSWORD");
    assert_unchanged("API_TOKEN=evil1 && sudo \"${API_TOKEN}\"");
    assert_eq!(redact_text("DB_PW=hunter2; db \"$DB_PW\""), "DB_PW=[redacted]; db \"$DB_PW\"");
    assert_unchanged("RESTIC_PASSWORD_COMMAND=evil1 restic backup");
    assert_unchanged("credential_process = evil1");
    assert_unchanged("tool --password 'x1; reboot'");
}

#[test]
fn seed_phrase_is_masked() {
    let words = "abandon ability able about above absent absorb abstract absurd abuse access";
    let less = redact_json(&format!(r#"{{"mnemonic":"{words} "}}"#));
    assert_eq!(less, r#"{"mnemonic":"[redacted]"}"#);
    let less = redact_text(&format!("the wallet: {words} accident"));
    assert!(!less.contains("abandon") && !less.contains("accident"), "{less}");
    assert_unchanged(&"long ".repeat(40));
}

#[test]
fn bot_token_in_url_is_masked() {
    let less = redact_json(r#"{"url":"https://api.telegram.org/bot<dec 10>:AA<alnum 33>/sendMessage"}"#);
    assert_eq!(less, r#"{"url":"https://api.telegram.org/bot[redacted]/sendMessage"}"#);
}

#[test]
fn private_lines_of_putty_are_masked() {
    let less = redact_text(
        "PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n<base64 60>\nPrivate-Lines: 2\n<base64 64>\n<base64 62>==\nPrivate-MAC: 1",
    );
    assert!(less.contains("Private-Lines: 2\n[redacted]\n[redacted]\nPrivate-MAC"), "{less}");
}

#[test]
fn shape_behind_escape_is_masked() {
    assert_eq!(redact_text(r"a\nghp_<alnum 36>"), r"a\n[redacted]");
    assert_eq!(redact_text("?next=%2Fghp_<alnum 36>"), "?next=%2F[redacted]");
}

/// Inputs that take long if any search is more than linear.
#[test]
fn hostile_text_takes_linear_time() {
    let parts = [
        "password=",
        "a://b:",
        "\"a' ",
        "-----BEGIN PRIVATE KEY-----",
        "kind: Secret\ndata:\n",
        "Cookie: a=b; ",
        "mysql -p",
        "((((",
        "\\\"",
        "a=\"",
        "bearer ",
        "AKIA",
        "eyJaaaaaa.",
        "[[",
        "$(",
        "sk-",
        "A",
        " ",
        "\n",
        "login a password ",
        "<a>",
        "echo a|sudo -S ",
        "\"'\"'\\",
    ];
    let redactor = Redactor::default();
    for part in parts {
        let text = part.repeat(50_000 / part.len());
        let started = Instant::now();
        let less = redactor.redact_text(&text);
        assert!(started.elapsed() < Duration::from_secs(20), "{part:?} takes {:?}", started.elapsed());
        assert!(less.is_none_or(|less| less.contains(MASK)), "{part:?}");
    }
}
