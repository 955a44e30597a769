//! Keeping passwords out of what is shown.

/// The text without the passwords of addresses in it, line by line: `postgres://ada:secret@db/log` becomes
/// `postgres://ada@db/log`, and `password=…` goes from its parameters. Where it is not clear how far a
/// password reaches, more is taken away rather than less.
#[must_use]
pub fn without_password(text: &str) -> String {
    text.split('\n').map(of_line).collect::<Vec<_>>().join("\n")
}

fn of_line(line: &str) -> String {
    let Some((scheme, rest)) = line.split_once("://") else { return without_parameter(line) };
    let rest = match rest.rsplit_once('@') {
        Some((who, place)) => format!("{}@{place}", who.split(':').next().unwrap_or_default()),
        None => rest.to_owned(),
    };
    without_parameter(&format!("{scheme}://{rest}"))
}

/// What `password=` says, and what parts it from its neighbours.
fn without_parameter(line: &str) -> String {
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
