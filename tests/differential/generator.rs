//! Random command lines, made of the pieces at which shells and parsers differ.

use countersign_tests::Random;

const COMMANDS: &[&str] =
    &["ls", "cat", "git status", "git log", "echo", "grep", "sort", "find", "ls", "cat", "echo"];
/// Commands that run the words after them, join them, or set a variable for them.
const LAUNCHERS: &[&str] = &[
    "eval ls",
    "eval",
    "xargs ls",
    "xargs -n 1 ls",
    "timeout 5 ls",
    "timeout 5",
    "env ls",
    "env x=1 ls",
    "nice ls",
    "nice -n 5 ls",
    "CI=true ls",
    "printf '%s'",
    "printf",
    "sh -c ls",
];
/// Words and commands that an allowed line must not run.
const VICTIMS: &[&str] =
    &["rm -rf z", "touch victim", "reboot", "sh -c 'rm z'", "eval rm z", "env rm z", "time rm z"];
const WORDS: &[&str] = &[
    "f",
    "notes",
    "-la",
    "'a b'",
    "\"a b\"",
    "a\\ b",
    "--",
    "-",
    "d/x",
    "*",
    "?",
    "[a-f]",
    "~",
    "~/x",
    "{a,b}",
    "{1..3}",
    "$x",
    "\"$x\"",
    "${x}",
    "${x:-y}",
    "${x:-$(rm z)}",
    "$HOME",
    "$1",
    "\"$@\"",
    "$$",
    "$?",
    "$!",
    "$#",
    "$((1+1))",
    "$(ls)",
    "$(rm z)",
    "`rm z`",
    "\"$(rm z)\"",
    "\"`rm z`\"",
    "'$(rm z)'",
    "\\$(rm z)",
    "$'a'",
    "$'\\x3b'",
    "$'\\''",
    "$\"a\"",
    "a=b",
    "=ls",
    "!x",
    "!!",
    "a!",
    "#",
    "#x",
    "a#b",
    "é",
    "-o",
    "-ovictim",
    "--output=victim",
    "-exec",
    "-delete",
    "HEAD~1",
    "%1",
    "a,b",
    "a:b",
    "+x",
    "@x",
    "^a^b",
    "${x@P}",
    "${!x}",
    "${x/a/$(rm z)}",
    "$[1+1]",
    "$[$(rm z)]",
    "${ rm z; }",
    "${| rm z; }",
    "$(<f)",
    "$((`rm z`))",
    "$(( $(rm z) ))",
    "${x[$(rm z)]}",
    "<(rm z)",
    "=(rm z)",
    ">(rm z)",
    "{rm,z}",
    "$IFS",
    "''",
    "\"\"",
    "*(e:'rm z':)",
    "f(N)",
    "f*(.)",
    "\u{a0}",
    "a\u{200b}b",
];
const CONNECTORS: &[&str] = &[
    "; ", " ; ", " && ", " || ", " | ", " |& ", " & ", "\n", "\n\n", ";;", ";&", " &! ", " &| ", "\r\n",
    " \\\n", "\t;\t",
];
const REDIRECTIONS: &[&str] = &[
    " > victim",
    ">victim",
    " >> victim",
    " >| victim",
    " &> victim",
    " &>> victim",
    " >& victim",
    " 2> victim",
    " 2>&1",
    " >&2",
    " >&-",
    " 2>&-",
    " 2>&1-",
    " >&1-",
    " 2>&-rm z",
    " 2>&-",
    " <f",
    " < f",
    " <&0",
    " <&-",
    " <> victim",
    " > /dev/null",
    " 2>/dev/null",
    " >&/dev/null",
    " &>/dev/null",
    " &>/dev/null rm z",
    " <<< x",
    " <<<$(rm z)",
    " {fd}>victim",
    " 1>&2",
    " >&1x",
    " >victim-",
    " 3>&1",
    " >/dev/null/../../scratch/tmp/victim",
    " 9>victim",
];
const HERE_DOCUMENTS: &[&str] = &[
    " <<E\nx\nE\n",
    " <<'E'\n$(rm z)\nE\n",
    " <<E\n$(rm z)\nE\n",
    " <<\"E\"\n`rm z`\nE\n",
    " <<-E\n\tx\n\tE\n",
    " <<\\E\n$(rm z)\nE\n",
    " <<E''\nx\nE\nrm z\n",
    " <<'E\nF'\nx\nE\nrm z\n",
    " <<$(( )\n",
    " <<\r\t\n",
    " <<E;rm z\nx\nE\n",
    " <<E\nx\nE \nrm z\nE\n",
    " <<'E '\nx\nE\nrm z\nE \n",
    " <<E\\\nF\nx\nEF\nrm z\n",
    " <<E <<F\nx\nE\ny\nF\nrm z\n",
    " <<E\nx\\\nE\nrm z\nE\n",
    " <<$E\nx\n$E\nrm z\n",
    " <<`E`\nx\n`E`\nrm z\n",
    " <<\"E\\\"\"\nx\nE\"\nrm z\n",
    " <<$'E'\nx\nE\nrm z\n",
];
const AROUND: &[(&str, &str)] = &[
    ("(", ")"),
    ("{ ", "; }"),
    ("if ", "; then ls; fi"),
    ("if ls; then ", "; fi"),
    ("while ", "; do break; done"),
    ("for i in a b; do ", "; done"),
    ("for i in $(rm z); do ", "; done"),
    ("! ", ""),
    ("time ", ""),
    ("time -- ", ""),
    ("((", "))"),
    ("$(", ")"),
    ("x=", ""),
    ("x=1 ", ""),
    ("PATH=/tmp ", ""),
    ("case x in x) ", ";; esac"),
    ("f() { ", "; }; f"),
    ("ls() { rm z; }; ", ""),
    ("coproc ", ""),
    ("until ", "; do break; done"),
    ("exec ", ""),
    ("command ", ""),
    ("builtin ", ""),
    ("[[ -f f ]] && ", ""),
    ("[ -f f ] && ", ""),
    ("nocorrect ", ""),
    ("noglob ", ""),
    ("- ", ""),
    ("select i in a; do ", "; done"),
    ("repeat 2 ", ""),
    ("function f { ", "; }; f"),
    ("{ ", " } always { rm z }"),
    ("if (ls) { ", " }"),
    ("foreach i (a) ", "; end"),
];
/// Single characters and short sequences that change the meaning of their neighbours.
const ODD: &[&str] = &[
    "'", "\"", "\\", "`", "$", "#", "\n", "\\\n", ";", "&", "|", "<", ">", "(", ")", "{", "}", "[", "]", "!",
    "~", "=", "^", "%", "*", "?", "\t", "\r", "\u{b}", "\u{c}", "\u{7f}", "\u{1}", "$'", "$\"", "${", "$(",
    "$((", "))", "<<", "<<<", ">&", "&>", "2>", " # ", "\n#", "\u{85}", "\u{a0}", "\u{2028}", " ",
];

/// One random command line.
pub(crate) fn random_line(random: &mut Random) -> String {
    let mut line = random_command(random);
    for _ in 0..random.below(3) {
        line.push_str(random.word(CONNECTORS));
        let next =
            if random.below(5) == 0 { random.word(VICTIMS).to_owned() } else { random_command(random) };
        line.push_str(&next);
    }
    if random.below(6) == 0 {
        line.push_str(random.word(HERE_DOCUMENTS));
    }
    for _ in 0..random.below(3) {
        mutate(random, &mut line);
    }
    line
}

fn random_command(random: &mut Random) -> String {
    if random.below(16) == 0 {
        return random_script(random);
    }
    let begin = if random.below(4) == 0 { LAUNCHERS } else { COMMANDS };
    let mut command = random.word(begin).to_owned();
    for _ in 0..random.below(4) {
        if random.below(5) == 0 {
            command.push_str(random.word(REDIRECTIONS));
        } else {
            command.push(' ');
            // Most words are plain, so that many lines are allowed.
            let end = if random.below(2) == 0 { 8 } else { WORDS.len() };
            command.push_str(random.word(&WORDS[..end]));
        }
    }
    if random.below(8) == 0 {
        let (before, after) = random.one_of(AROUND);
        command = format!("{before}{command}{after}");
    }
    command
}

/// A script in quotes, for a shell that another one runs.
fn random_script(random: &mut Random) -> String {
    let mut script = random_command(random);
    if random.below(3) == 0 {
        script.push_str(random.word(CONNECTORS));
        let more = if random.below(2) == 0 { VICTIMS } else { COMMANDS };
        script.push_str(random.word(more));
    }
    let after = if random.below(6) == 0 { " x" } else { "" };
    format!("sh -c '{}'{after}", script.replace('\'', "'\\''"))
}

/// Inserts a piece at a random place, or removes a character.
fn mutate(random: &mut Random, line: &mut String) {
    let places: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
    let at = *random.one_of(&places);
    match random.below(6) {
        0 if at < line.len() => drop(line.remove(at)),
        0..=3 => line.insert_str(at, random.word(ODD)),
        4 => line.insert_str(at, random.word(REDIRECTIONS)),
        _ => line.insert_str(at, random.word(WORDS)),
    }
}
