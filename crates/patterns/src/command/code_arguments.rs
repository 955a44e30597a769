//! Finds arguments that a program reads as code in a language of its own, or computes.

use super::line::CommandWord;

/// Finds an argument that the program runs, or that it may run because this module does not know its language.
pub(super) fn find_code_argument<'a>(name: &str, arguments: &'a [CommandWord]) -> Option<&'a CommandWord> {
    match name {
        "sed" | "gsed" => find_in_filter(arguments, &SED),
        "awk" | "gawk" | "mawk" | "nawk" => find_in_filter(arguments, &AWK),
        "psql" => arguments.iter().find(|word| word.text.contains(['\\', '|', '`'])),
        "sqlite3" => arguments.iter().find(|word| word.text.contains(['.', '|', '('])),
        // These compute numbers, and the index of a number may contain a substitution.
        "test" | "[" => arguments.iter().find(|word| {
            let has_index = word.text.len() > 1 && word.text.contains('[');
            matches!(word.text.as_str(), "-v" | "-R") || has_index || !word.is_literal()
        }),
        "printf" => find_in_printf(arguments),
        "exit" | "return" | "break" | "continue" | "ulimit" | "kill" | "wait" => {
            arguments.iter().find(|word| word.text.contains('[') || word.text.starts_with("-p"))
        }
        _ => None,
    }
}

/// `-v` sets a variable, and a number with an index may contain a substitution.
fn find_in_printf(arguments: &[CommandWord]) -> Option<&CommandWord> {
    let sets_variable = arguments.first().filter(|word| word.text.starts_with("-v") || word.may_be_option());
    let has_index = |word: &&CommandWord| word.text.contains('[') && word.text.contains(['$', '`']);
    sets_variable.or_else(|| arguments.iter().find(has_index))
}

/// A program whose first operand is a script for each line of its input.
struct FilterProgram {
    flags: &'static [&'static str],
    /// Options whose value is data.
    valued: &'static [&'static str],
    /// Options whose value is a script.
    scripts: &'static [&'static str],
    is_plain: fn(&str) -> bool,
}

const SED: FilterProgram = FilterProgram {
    flags: &[
        "-n",
        "-E",
        "-r",
        "-s",
        "-u",
        "-z",
        "-nE",
        "-En",
        "-nr",
        "--quiet",
        "--silent",
        "--regexp-extended",
    ],
    valued: &[],
    scripts: &["-e", "-ne", "--expression"],
    is_plain: is_plain_sed,
};

const AWK: FilterProgram =
    FilterProgram { flags: &[], valued: &["-F", "-v"], scripts: &[], is_plain: is_plain_awk };

/// Finds a script that is not plain, or an option that is unknown.
fn find_in_filter<'a>(arguments: &'a [CommandWord], program: &FilterProgram) -> Option<&'a CommandWord> {
    let mut rest = arguments.iter();
    let mut has_script = false;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if program.scripts.contains(&text) {
            has_script = true;
            if let Some(script) =
                rest.next().filter(|script| !script.is_literal() || !(program.is_plain)(&script.text))
            {
                return Some(script);
            }
        } else if program.valued.contains(&text) {
            rest.next();
        } else if text.starts_with('-') && text.len() > 1 {
            let has_value = program.valued.iter().any(|option| text.starts_with(option));
            if !word.is_literal() || !has_value && !program.flags.contains(&text) {
                return Some(word);
            }
        } else if has_script {
            if word.may_be_option() {
                return Some(word);
            }
        } else {
            has_script = true;
            if !word.is_literal() || !(program.is_plain)(text) {
                return Some(word);
            }
        }
    }
    None
}

/// True if a script of `sed` only prints, deletes or substitutes.
fn is_plain_sed(text: &str) -> bool {
    let command = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c == '$');
    if matches!(command, "p" | "d" | "q" | "=") {
        return true;
    }
    let Some(rest) = command.strip_prefix('s') else { return false };
    let Some(separator) = rest.chars().next().filter(|c| "/|#,:".contains(*c)) else { return false };
    let parts: Vec<_> = rest.split(separator).collect();
    let has_plain_flags = |flags: &&str| flags.chars().all(|c| c == 'g' || c.is_ascii_digit());
    parts.len() == 4 && !rest.contains(['\\', '\n']) && parts.last().is_some_and(has_plain_flags)
}

/// True if a program of `awk` only computes and prints.
fn is_plain_awk(text: &str) -> bool {
    const REACHES_OUT: &[&str] = &["system", "getline", "close", "extension"];
    !text.contains(['|', '>', '@', '`', '\\', '\n']) && !REACHES_OUT.iter().any(|part| text.contains(part))
}
