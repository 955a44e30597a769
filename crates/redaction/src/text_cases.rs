//! Example cases for free text and commands: masked secrets and unchanged text.

use super::Redactor;

/// An input and its redacted form.
const MASKED: &[(&str, &str)] = &[
    // Options.
    ("db --password=hunter2 -v", "db --password=[redacted] -v"),
    ("db --password hunter2 -v", "db --password [redacted] -v"),
    ("db --password 'two words' -v", "db --password '[redacted]' -v"),
    ("db --password=\"two words\" -v", "db --password=\"[redacted]\" -v"),
    ("db --password='a'\"b\"c -v", "db --password='[redacted]'\"b\"c -v"),
    ("x --api-key \\\n  abc --y", "x --api-key \\\n  [redacted] --y"),
    (
        "kubectl create secret generic a --from-literal=password=b",
        "kubectl create secret generic a --from-literal=password=[redacted]",
    ),
    ("openssl rsa -passin pass:abc -in k", "openssl rsa -passin pass:[redacted] -in k"),
    // Programs with known short options.
    ("mysql -uroot -psecret db", "mysql -uroot -p[redacted] db"),
    ("sudo /usr/bin/mysqldump -p'a b' db", "sudo /usr/bin/mysqldump -p'[redacted]' db"),
    ("sh -c \"mysql -psecret\"", "sh -c \"mysql -p[redacted]\""),
    ("sshpass -p secret ssh host", "sshpass -p [redacted] ssh host"),
    ("sshpass -psecret ssh host", "sshpass -p[redacted] ssh host"),
    ("curl -u user:pass https://h", "curl -u user:[redacted] https://h"),
    ("curl -sSu user:pass https://h", "curl -sSu user:[redacted] https://h"),
    ("curl --user 'user:pass' h", "curl --user 'user:[redacted]' h"),
    ("docker login -u me -p abc registry", "docker login -u me -p [redacted] registry"),
    ("redis-cli -a abc ping", "redis-cli -a [redacted] ping"),
    ("zip -P abc a.zip b", "zip -P [redacted] a.zip b"),
    ("curl -b 'sid=abc' h", "curl -b 'sid=[redacted]' h"),
    // Statements and lines with a secret after a keyword.
    ("ALTER USER a WITH PASSWORD 'abc';", "ALTER USER a WITH PASSWORD '[redacted]';"),
    ("machine h login u password abc", "machine h login u password [redacted]"),
    // Variables.
    ("PGPASSWORD=abc psql -h db", "PGPASSWORD=[redacted] psql -h db"),
    ("export FOO_TOKEN=abc", "export FOO_TOKEN=[redacted]"),
    ("export FOO_TOKEN=\"abc\"; ls", "export FOO_TOKEN=\"[redacted]\"; ls"),
    ("A_TOKEN=x;reboot", "A_TOKEN=[redacted];reboot"),
    // Headers.
    ("curl -H \"Authorization: Bearer abc\" h", "curl -H \"Authorization: Bearer [redacted]\" h"),
    ("curl -H 'X-Api-Key: abc' h", "curl -H 'X-Api-Key: [redacted]' h"),
    ("GET /\nCookie: a=b; c=d\nAccept: *", "GET /\nCookie: a=[redacted]; c=[redacted]\nAccept: *"),
    ("Set-Cookie: sid=b; Path=/", "Set-Cookie: sid=[redacted]; Path=/"),
    ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"),
    // URLs.
    ("https://user:pass@host/p?q=1", "https://user:[redacted]@host/p?q=1"),
    ("https://u:p@ss@host", "https://u:[redacted]@host"),
    ("postgres://u:p#s/s?@db:5432/x", "postgres://u:[redacted]@db:5432/x"),
    ("ssh://git:abc@host", "ssh://git:[redacted]@host"),
    // Shapes.
    ("a ghp_abcdefghijklmnop1234 b", "a [redacted] b"),
    ("github_pat_11ABCDEFG0_abcdefghij", "[redacted]"),
    ("use sk-proj-abcdef1234567890 now", "use [redacted] now"),
    ("id AKIAIOSFODNN7EXAMPLE.", "id [redacted]."),
    ("xoxb-123456789012-abc", "[redacted]"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[redacted]"),
    ("glpat-abcdefghij1234567890", "[redacted]"),
    ("eyJhbGciOi.eyJzdWIiOi.c2ln x", "[redacted] x"),
    // Configuration files.
    ("DB_PASSWORD=a\nPORT=1", "DB_PASSWORD=[redacted]\nPORT=1"),
    ("auth:\n  user: a\n  pw: b\nport: 1", "auth:\n  user: a\n  pw: [redacted]\nport: 1"),
    ("Server=x;Password=abc;Database=y", "Server=x;Password=[redacted];Database=y"),
    ("host:6380,password=abc=,ssl=True", "host:6380,password=[redacted],ssl=True"),
    ("f(user='a', password='b', n=1)", "f(user='a', password='[redacted]', n=1)"),
    ("{'api_key': 'abc', 'n': 1}", "{'api_key': '[redacted]', 'n': 1}"),
    ("config[\"password\"] = \"abc\"", "config[\"password\"] = \"[redacted]\""),
    ("'password' => 'abc'", "'password' => '[redacted]'"),
    ("<password>abc</password>", "<password>[redacted]</password>"),
    // JSON in a command, in a log line, and alone.
    ("curl -d '{\"password\":\"abc\",\"n\":1}' h", "curl -d '{\"password\":\"[redacted]\",\"n\":1}' h"),
    ("curl -d 'user=a&password=b&c=d' h", "curl -d 'user=a&password=[redacted]&c=d' h"),
    // Sentences.
    // Unclosed quotes, and quotes over several lines.
    ("token: \"a\npassword: \"abc\"\nb", "token: \"a\npassword: \"[redacted]\"\nb"),
    (
        "\"x token:3' \ncurl -d '{\"password\":\"abc\"}' h",
        "\"x token:3' \ncurl -d '{\"password\":\"[redacted]\"}' h",
    ),
    ("--token 'a\nb' --password 'c' -v", "--token 'a\nb' --password '[redacted]' -v"),
];

#[test]
fn secret_in_text_is_masked() {
    let redactor = Redactor::default();
    let wrong: Vec<_> = MASKED
        .iter()
        .map(|(text, expected)| (text, expected, redactor.redact_text(text), redactor.redact_text(expected)))
        .filter(|(_, expected, once, twice)| once.as_deref() != Some(**expected) || twice.is_some())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Inputs without a secret.
const CLEAR: &[&str] = &[
    "",
    "git push --force origin main",
    "auth: Fix the login",
    "git commit -m \"auth: Fix the login\"",
    "the author of the keyboard: Ann",
    "key points: one, two",
    "mysql -u root -p db",
    "docker run -p 8080:80 image",
    "ssh -p 22 host",
    "grep -u user:pass file",
    "curl -H \"Authorization: Bearer $TOKEN\" h",
    "curl -H 'Authorization: Bearer ${TOKEN}' h",
    "--password=$DB_PASSWORD --token \"$(cat file)\"",
    "token: ${{ secrets.TOKEN }}",
    "echo ${TOKEN:-none}",
    "PASSWORD= psql -h db",
    "docker login --password-stdin < file",
    "--password-file=/run/pw --token-url https://h/token",
    "ssh -o PasswordAuthentication=no host",
    "ssh://git@github.com/a/b",
    "https://example.com/a@b?q=c@d",
    "http://[::1]:8080/@x",
    "use std::auth::login; token::Kind",
    "http://auth:8080/health, image: my/auth:latest",
    "auth-service:8080",
    "basic authentication and bearer certificates",
    "Basic auth. Bearer token",
    "task-management-of-things, disk-partition-layout-1234",
    "max_tokens=512 --max-tokens 512 tokens: 12",
    "password: null, token=false",
    "password=[redacted] https://[redacted]@host",
    "{\"a\": [1, 2.0]}",
    "don't touch the secretary's turkey: it's hers",
];

#[test]
fn text_without_secret_is_unchanged() {
    let masked = |text: &&'static str| Some((*text, Redactor::default().redact_text(text)?));
    let wrong: Vec<_> = CLEAR.iter().filter_map(masked).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
