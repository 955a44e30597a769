//! A plain call of a shell that only runs a script, such as `/bin/zsh -lc 'npm test'`. Some agents pass each command so.

/// The shells whose grammar the reader of command lines knows.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ash", "ksh"];

/// The folders in which systems have their shells. A shell elsewhere may be any program.
const FOLDERS: &[&str] = &["", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];

/// The script, if the line runs a known shell with it and with nothing else.
pub(crate) fn script_of_line(line: &str) -> Option<String> {
    let words = split_plain_words(line)?;
    script_of_words(&words.iter().map(String::as_str).collect::<Vec<_>>()).map(str::to_owned)
}

/// The script, if the words run a known shell with it and with nothing else. `-l` reads the user's profile, as a terminal
/// does.
pub(crate) fn script_of_words<'a>(words: &[&'a str]) -> Option<&'a str> {
    let [program, options @ .., script] = words else { return None };
    let is_known =
        FOLDERS.iter().any(|folder| program.strip_prefix(folder).is_some_and(|name| SHELLS.contains(&name)));
    let is_plain = matches!(options, ["-c" | "-lc"] | ["-l", "-c"]);
    (is_known && is_plain).then_some(script)
}

/// The words in a line that has only plain characters outside of quotes, and no expansions.
fn split_plain_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => read_single_quotes(&mut rest, word.get_or_insert_default())?,
            '"' => read_double_quotes(&mut rest, word.get_or_insert_default())?,
            // Between two quoted parts, `\'` is how programs write a quote.
            '\\' if rest.as_str().starts_with('\'') => word.get_or_insert_default().extend(rest.next()),
            _ if c.is_ascii_alphanumeric() || "-_./:,@%+".contains(c) => word.get_or_insert_default().push(c),
            _ => return None,
        }
    }
    words.extend(word);
    Some(words)
}

fn read_single_quotes(rest: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    let (inside, after) = rest.as_str().split_once('\'')?;
    word.push_str(inside);
    *rest = after.chars();
    Some(())
}

fn read_double_quotes(rest: &mut std::str::Chars<'_>, word: &mut String) -> Option<()> {
    loop {
        match rest.next()? {
            '"' => return Some(()),
            '$' | '`' => return None,
            '\\' => match rest.next()? {
                c @ ('"' | '\\' | '$' | '`') => word.push(c),
                '\n' => return None,
                c => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_of_plain_wrapper_is_found() {
        for (line, script) in [
            ("/bin/zsh -lc 'npm test'", "npm test"),
            ("bash -c ls", "ls"),
            ("sh -l -c \"echo 'a' \\\"b\\\"\"", "echo 'a' \"b\""),
            (r"/usr/bin/bash -lc 'echo '\''hi'\'''", "echo 'hi'"),
            (r#"bash -lc "printf '\n'""#, r"printf '\n'"),
            ("zsh -lc 'a\nb'", "a\nb"),
        ] {
            assert_eq!(script_of_line(line).as_deref(), Some(script), "{line}");
        }
    }

    #[test]
    fn other_calls_of_shells_are_no_wrappers() {
        for line in [
            "/tmp/zsh -lc 'npm test'",
            "./bash -c ls",
            "fish -c ls",
            "bash -ic ls",
            "bash -lc ls extra",
            "bash -c",
            "bash --rcfile x -c ls",
            "bash -c \"$x\"",
            "bash -c `x`",
            "bash -c 'ls' ; rm x",
            "bash -c 'ls' > x",
            "A=1 bash -c ls",
            "bash -c 'ls",
            "bash\t-c ls",
            "bash -c ls\nrm x",
            "bash -c *",
            "bash -O extglob -c ls",
        ] {
            assert_eq!(script_of_line(line), None, "{line}");
        }
    }
}
