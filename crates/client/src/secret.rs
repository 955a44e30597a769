//! Removes passwords from output that people see.

/// Returns the text without the passwords of its addresses, line by line: `postgres://ada:secret@db/log` becomes
/// `postgres://ada@db/log`, and the parameter `password=…` is removed. If a password's end is ambiguous, the longer
/// part is removed.
#[must_use]
pub fn without_password(text: &str) -> String {
    text.split('\n').map(remove_passwords).collect::<Vec<_>>().join("\n")
}

fn remove_passwords(line: &str) -> String {
    let Some((scheme, rest)) = line.split_once("://") else { return remove_parameter(line) };
    let rest = match rest.rsplit_once('@') {
        Some((user, place)) => format!("{}@{place}", user.split(':').next().unwrap_or_default()),
        None => rest.to_owned(),
    };
    remove_parameter(&format!("{scheme}://{rest}"))
}

/// Removes each parameter `password=…`, and one separator between it and its neighbours.
fn remove_parameter(line: &str) -> String {
    const NAME: &str = "password=";
    let mut shown = line.to_owned();
    while let Some(start) = shown.find(NAME) {
        let rest = &shown[start..];
        let length = rest.find(['&', ' ', '"', '\'']).unwrap_or(rest.len());
        let (mut end, mut from) = (start + length, start);
        if shown[end..].starts_with('&') {
            end += 1;
        } else if shown[..start].ends_with(['?', '&']) {
            from -= 1;
        }
        shown.replace_range(from..end, "");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_passwords_out_of_addresses() {
        for (text, shown) in [
            ("postgres://ada:s3cret@db/log?sslmode=require", "postgres://ada@db/log?sslmode=require"),
            ("postgres://ada:s/3?c#r@e:t@db/log", "postgres://ada@db/log"),
            ("postgres://db/log?password=s3cret", "postgres://db/log"),
            ("postgres://db/log?password=s3cret&user=ada", "postgres://db/log?user=ada"),
            ("postgres://db/log?user=ada&password=s3cret", "postgres://db/log?user=ada"),
            ("1 | a = postgres://ada:s3 cret@db\n  | ^^^", "1 | a = postgres://ada@db\n  | ^^^"),
            ("host=db password=s3cret user=ada", "host=db  user=ada"),
            ("http://127.0.0.1:7878", "http://127.0.0.1:7878"),
            ("/srv/log.db", "/srv/log.db"),
        ] {
            assert_eq!(without_password(text), shown);
        }
    }
}
