//! Example cases for free text and commands: masked secrets and unchanged texts.

use super::Redactor;

/// A text and its redacted form.
const MASKED: &[(&str, &str)] = &[
    // Options.
    ("db --password=hunter2 -v", "db --password=[redacted] -v"),
    ("db --password hunter2 -v", "db --password [redacted] -v"),
    ("db --password 'two words' -v", "db --password '[redacted]' -v"),
    ("db --password=\"two words\" -v", "db --password=\"[redacted]\" -v"),
    ("db --password='a'\"b\"c -v", "db --password=[redacted] -v"),
    ("x --api-key \\\n  abc --y", "x --api-key \\\n  [redacted] --y"),
    ("tool -Token abc", "tool -Token [redacted]"),
    ("git push --token a;rm -rf b", "git push --token [redacted];rm -rf b"),
    ("x --secret a$(rm -rf b)", "x --secret [redacted]$(rm -rf b)"),
    ("x --secret \"a$(rm -rf b)\" c", "x --secret \"[redacted]$(rm -rf b)\" c"),
    ("(x --token abc) && y", "(x --token [redacted]) && y"),
    ("sh -c 'x --token abc' && y", "sh -c 'x --token [redacted]' && y"),
    (
        "kubectl create secret generic a --from-literal=password=b",
        "kubectl create secret generic a --from-literal=password=[redacted]",
    ),
    ("openssl rsa -passin pass:abc -in k", "openssl rsa -passin [redacted] -in k"),
    // Programs with known short options.
    ("mysql -uroot -psecret db", "mysql -uroot -p[redacted] db"),
    ("sudo /usr/bin/mysqldump -p'a b' db", "sudo /usr/bin/mysqldump -p'[redacted]' db"),
    ("sh -c \"mysql -psecret\"", "sh -c \"mysql -p[redacted]\""),
    ("sshpass -p secret ssh host", "sshpass -p [redacted] ssh host"),
    ("sshpass -psecret ssh host", "sshpass -p[redacted] ssh host"),
    ("curl -u user:pass https://h", "curl -u [redacted] https://h"),
    ("curl -sSu user:pass https://h", "curl -sSu [redacted] https://h"),
    ("curl --user 'user:pass' h", "curl --user '[redacted]' h"),
    ("docker login -u me -p abc registry", "docker login -u me -p [redacted] registry"),
    ("redis-cli -a abc ping", "redis-cli -a [redacted] ping"),
    ("zip -P abc a.zip b", "zip -P [redacted] a.zip b"),
    ("curl -b 'sid=abc' h", "curl -b '[redacted]' h"),
    // Statements and lines with a secret after a keyword.
    ("ALTER USER a WITH PASSWORD 'abc';", "ALTER USER a WITH PASSWORD '[redacted]';"),
    ("create user a identified by 'a b'", "create user a identified by '[redacted]'"),
    ("machine h login u password abc", "machine h login u password [redacted]"),
    // Variables.
    ("PGPASSWORD=abc psql -h db", "PGPASSWORD=[redacted] psql -h db"),
    ("export FOO_TOKEN=abc", "export FOO_TOKEN=[redacted]"),
    ("export FOO_TOKEN=\"abc\"; ls", "export FOO_TOKEN=\"[redacted]\"; ls"),
    ("$env:API_KEY = \"abc\"", "$env:API_KEY = \"[redacted]\""),
    ("A_TOKEN=x;reboot", "A_TOKEN=[redacted];reboot"),
    ("echo password: x;reboot", "echo password: [redacted];reboot"),
    // Headers.
    ("curl -H \"Authorization: Bearer abc\" h", "curl -H \"Authorization: Bearer [redacted]\" h"),
    ("curl -H 'X-Api-Key: abc' h", "curl -H 'X-Api-Key: [redacted]' h"),
    ("curl --header=Authorization:abc h", "curl --header=Authorization:[redacted] h"),
    ("GET /\nCookie: a=b; c=d\nAccept: *", "GET /\nCookie: [redacted]\nAccept: *"),
    ("Set-Cookie: sid=b; Path=/", "Set-Cookie: [redacted]"),
    ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"),
    ("it sent Bearer abc123def and left", "it sent Bearer [redacted] and left"),
    // URLs.
    ("https://user:pass@host/p?q=1", "https://[redacted]@host/p?q=1"),
    ("https://token@github.com/a", "https://[redacted]@github.com/a"),
    ("https://u:p@ss@host", "https://[redacted]@host"),
    ("postgres://u:p#s/s?@db:5432/x", "postgres://[redacted]@db:5432/x"),
    ("ssh://git:abc@host", "ssh://[redacted]@host"),
    ("see https://h/?a=1&token=abc&b=2#c", "see https://h/?a=1&token=[redacted]&b=2#c"),
    ("https://h/?X-Amz-Signature=abc&X-Amz-Date=1", "https://h/?X-Amz-Signature=[redacted]&X-Amz-Date=1"),
    ("https://b.blob/x?sv=1&sig=a%2Bb", "https://b.blob/x?sv=1&sig=[redacted]"),
    ("https://hooks.slack.com/services/T0/B0/xyz", "https://hooks.slack.com/services/[redacted]"),
    // Shapes.
    ("a ghp_abcdefghijklmnop1234 b", "a [redacted] b"),
    ("github_pat_11ABCDEFG0_abcdefghij", "[redacted]"),
    ("use sk-proj-abcdef1234567890 now", "use [redacted] now"),
    ("id AKIAIOSFODNN7EXAMPLE.", "id [redacted]."),
    ("xoxb-123456789012-abc", "[redacted]"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[redacted]"),
    ("glpat-abcdefghij1234567890", "[redacted]"),
    ("eyJhbGciOi.eyJzdWIiOi.c2ln x", "[redacted] x"),
    ("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\nb"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "[redacted]"),
    // Configuration files.
    ("user: me\npassword: correct horse battery\nport: 1", "user: me\npassword: [redacted]\nport: 1"),
    ("[db]\npassword = a b\nhost = c", "[db]\npassword = [redacted]\nhost = c"),
    ("DB_PASSWORD=a\nPORT=1", "DB_PASSWORD=[redacted]\nPORT=1"),
    ("auth:\n  user: a\n  pw: b\nport: 1", "auth:\n  [redacted]\nport: 1"),
    ("- secret: |\n    a\n    b\n  c: 1", "- secret: |\n    [redacted]\n  c: 1"),
    ("Server=x;Password=abc;Database=y", "Server=x;Password=[redacted];Database=y"),
    ("host:6380,password=abc=,ssl=True", "host:6380,password=[redacted],ssl=True"),
    ("f(user='a', password='b', n=1)", "f(user='a', password='[redacted]', n=1)"),
    ("{'api_key': 'abc', 'n': 1}", "{'api_key': '[redacted]', 'n': 1}"),
    ("config[\"password\"] = \"abc\"", "config[\"password\"] = \"[redacted]\""),
    ("'password' => 'abc'", "'password' => '[redacted]'"),
    ("token := \"abc\"", "token := \"[redacted]\""),
    ("<password>abc</password>", "<password>[redacted]</password>"),
    // JSON in a command, in a log line, and alone.
    ("curl -d '{\"password\":\"abc\",\"n\":1}' h", "curl -d '{\"password\":\"[redacted]\",\"n\":1}' h"),
    (
        "curl -d \"{\\\"password\\\":\\\"a\\\\\\\"c\\\",\\\"n\\\":1}\" h",
        "curl -d \"{\\\"password\\\":\\\"[redacted]\\\",\\\"n\\\":1}\" h",
    ),
    ("curl -d 'user=a&password=b&c=d' h", "curl -d 'user=a&password=[redacted]&c=d' h"),
    ("{\"a\":{\"token\":[1]}}", "{\"a\":{\"token\":\"[redacted]\"}}"),
    // Sentences.
    ("The token is here, token: abc, user: bob", "The token is here, token: [redacted], user: bob"),
    ("auth: abc123", "auth: [redacted]"),
    // Unclosed quotes, and quotes over several lines.
    ("Cookie: '\nexport TOKEN='abc' && ls", "Cookie: '[redacted]'[redacted]' && ls"),
    ("token: \"a\npassword: \"abc\"\nb", "token: \"[redacted]\"[redacted]\"\nb"),
    (
        "\"x token:3' \ncurl -d '{\"password\":\"abc\"}' h",
        "\"x token:[redacted]\"password\":\"[redacted]\"}' h",
    ),
    ("--token 'a\nb' --password 'c' -v", "--token '[redacted]' --password '[redacted]' -v"),
    ("KEY='a\nb=\nc=';rm x", "KEY='[redacted]';rm x"),
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

/// Texts without a secret.
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
