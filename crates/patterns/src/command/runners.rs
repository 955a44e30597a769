//! Finds the commands that commands such as `sudo`, `xargs` or `find -exec` run.

use super::{
    shells::{NestedRun, SHELLS, StandardInput},
    word::ShellWord,
};

/// Commands that run the command in their arguments: the name, the options that take a value, and the number of
/// operands before the command.
const RUNNERS: &[(&str, &[&str], usize)] = &[
    (
        "sudo",
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "-r", "-t", "--user", "--group", "--chdir"],
        0,
    ),
    ("doas", &["-u", "-C"], 0),
    ("env", &["-u", "-C", "--unset", "--chdir"], 0),
    ("nohup", &[], 0),
    ("timeout", &["-k", "-s", "--signal", "--kill-after"], 1),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n"], 0),
    ("time", &["-o", "-f"], 0),
    ("command", &[], 0),
    ("builtin", &[], 0),
    ("exec", &["-a"], 0),
    ("xargs", &["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a", "--max-args", "--max-procs", "--replace"], 0),
    ("setsid", &[], 0),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("chroot", &[], 1),
    ("unshare", &[], 0),
    ("nsenter", &["-t"], 0),
    ("strace", &["-o", "-e", "-p", "-s"], 0),
    ("taskset", &[], 1),
    ("chrt", &[], 1),
    ("flock", &["-w", "-E"], 1),
    ("busybox", &[], 0),
    ("toybox", &[], 0),
    ("caffeinate", &["-t", "-w"], 0),
    ("parallel", &["-j", "-a", "-I"], 0),
    ("watch", &["-n"], 0),
    (
        "ssh",
        &["-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-c", "-m", "-b", "-e", "-w", "-S", "-E"],
        1,
    ),
    ("pkexec", &["--user"], 0),
    ("gosu", &[], 1),
    ("su-exec", &[], 1),
    ("fakeroot", &["-l", "-s", "-i"], 0),
    ("setpriv", &[], 0),
    ("prlimit", &[], 0),
    ("dbus-run-session", &[], 0),
    ("xvfb-run", &["-n", "-s"], 0),
    ("valgrind", &[], 0),
    ("ltrace", &["-o", "-e", "-p"], 0),
    ("proxychains", &["-f"], 0),
    ("proxychains4", &["-f"], 0),
    ("torsocks", &[], 0),
    ("unbuffer", &[], 0),
    ("chronic", &[], 0),
    ("ifne", &[], 0),
    ("tini", &[], 0),
    ("dumb-init", &[], 0),
    ("systemd-run", &["-p", "-u", "-E", "--unit", "--property"], 0),
    ("npx", &["-p", "--package"], 0),
];

/// Runners that join their words and pass them to a shell.
const SHELL_RUNNERS: &[&str] = &["watch", "ssh", "parallel"];
/// The maximum number of readings of a runner with unknown options.
const MAX_GUESSES: usize = 8;
/// The maximum number of words in such a reading.
const MAX_GUESS_WORDS: usize = 256;

/// Finds the commands that the command `words` runs.
pub(super) fn find_nested(words: &[ShellWord], input: &StandardInput) -> NestedRun {
    let mut nested = NestedRun::default();
    let Some((name, arguments)) = words.split_first() else { return nested };
    let name = name.text.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    match name.as_str() {
        name if SHELLS.contains(&name) => nested.add_shell(name, arguments, input),
        "su" | "script" => nested.add_option_script(arguments),
        "runuser" => {
            nested.add_option_script(arguments);
            nested.add_runner("runuser", arguments, &["-u", "-g", "-G", "--user", "--group"], 0);
        }
        "eval" => nested.add_joined(arguments),
        "trap" => arguments
            .iter()
            .find(|word| !word.text.starts_with('-'))
            .into_iter()
            .for_each(|word| nested.add_script(word)),
        "alias" => arguments.iter().for_each(|word| nested.add_alias(word)),
        "." | "source" => nested.add_source(arguments, input),
        "find" => nested.add_exec_options(arguments, &["-exec", "-execdir", "-ok", "-okdir"]),
        "fd" | "fdfind" => nested.add_exec_options(arguments, &["-x", "-X", "--exec", "--exec-batch"]),
        name => {
            if let Some((_, valued, before)) = RUNNERS.iter().find(|(runner, ..)| *runner == name) {
                nested.add_runner(name, arguments, valued, *before);
            }
        }
    }
    nested
}

impl NestedRun {
    /// Adds a word that a shell parses as a command line.
    pub(super) fn add_script(&mut self, word: &ShellWord) {
        self.unknown |= !word.literal;
        self.scripts.push(word.text.clone());
    }

    /// Adds words that the command joins with spaces and passes to a shell.
    fn add_joined(&mut self, words: &[ShellWord]) {
        self.unknown |= words.iter().any(|word| !word.literal);
        if !words.is_empty() {
            self.scripts.push(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
        }
    }

    /// Adds the script of `su -c script`, also for `-lc script` and `-cscript`.
    fn add_option_script(&mut self, arguments: &[ShellWord]) {
        for (at, word) in arguments.iter().enumerate() {
            let text = word.text.as_str();
            let long = text.starts_with("--");
            let value = if long {
                text.split_once('=').filter(|(option, _)| option.starts_with("--c")).map(|(_, script)| script)
            } else {
                text.strip_prefix('-').and_then(|letters| letters.split_once('c')).map(|(_, script)| script)
            };
            match value {
                Some("") if !long => arguments.get(at + 1).into_iter().for_each(|next| self.add_script(next)),
                Some(script) => self.scripts.push(script.to_owned()),
                None if text.starts_with("--c") => {
                    arguments.get(at + 1).into_iter().for_each(|next| self.add_script(next));
                }
                None => continue,
            }
            self.unknown |= !word.literal;
        }
    }

    fn add_alias(&mut self, word: &ShellWord) {
        if let Some((_, meaning)) = word.text.split_once('=') {
            self.unknown |= !word.literal;
            self.scripts.push(meaning.to_owned());
        }
    }

    /// Adds the commands of `find … -exec command … ;`.
    fn add_exec_options(&mut self, arguments: &[ShellWord], options: &[&str]) {
        let mut rest = arguments;
        while let Some(at) = rest.iter().position(|word| options.contains(&word.text.as_str())) {
            let words = &rest[at + 1..];
            let ends = words.iter().position(|word| matches!(word.text.as_str(), ";" | "+"));
            let (command, after) = words.split_at(ends.unwrap_or(words.len()));
            self.add_command(command.to_vec(), false);
            rest = after;
        }
        for word in arguments {
            if let Some((option, program)) = word.text.split_once('=')
                && options.contains(&option)
            {
                self.unknown |= !word.literal;
                self.add_command(vec![ShellWord::literal(program)], false);
            }
        }
    }

    /// Adds the command after the runner's own options and its `before` operands.
    fn add_runner(&mut self, name: &str, arguments: &[ShellWord], valued: &[&str], before: usize) {
        let mut at = 0;
        let mut options_known = true;
        while let Some(word) = arguments.get(at) {
            let text = word.text.as_str();
            if name == "env" && is_split_option(text) {
                return self.add_split_string(&arguments[at..]);
            }
            match text {
                "-" if name == "env" => at += 1,
                "--" => {
                    at += 1;
                    break;
                }
                _ if valued.contains(&text) => at += 2,
                _ if text.len() > 1 && text.starts_with('-') => {
                    options_known &= is_flag(text, valued);
                    at += 1;
                }
                _ if matches!(name, "env" | "sudo" | "doas") && text.contains('=') => at += 1,
                _ => break,
            }
        }
        at += before;
        let (own, rest) = arguments.split_at(at.min(arguments.len()));
        let rest =
            if before > 0 && rest.first().is_some_and(|word| word.text == "--") { &rest[1..] } else { rest };
        self.unknown |= !options_known && rest.iter().any(|word| !word.literal);
        self.unknown |= name == "xargs" && has_replace_option(own) && rest.first().is_some_and(is_shell);
        match name {
            "parallel" => self.add_parallel(rest),
            "flock" => self.add_option_script(rest),
            name if SHELL_RUNNERS.contains(&name) => self.add_joined(rest),
            _ => {}
        }
        self.add_command(rest.to_vec(), false);
        if options_known {
            return;
        }
        // An unknown option may take the first word as its value.
        self.unknown |= rest.len() > MAX_GUESS_WORDS;
        let guesses = if self.unknown { 0 } else { rest.len().min(MAX_GUESSES) };
        for start in 1..guesses {
            self.add_command(rest[start..].to_vec(), true);
        }
    }

    /// Adds the command that `env -S 'a b'` splits from one word.
    fn add_split_string(&mut self, words: &[ShellWord]) {
        let first = words.first().map_or("", |word| word.text.as_str());
        let own =
            first.split_once(if first.starts_with("--") { '=' } else { 'S' }).map_or("", |(_, own)| own);
        let rest = words.iter().skip(1).map(|word| word.text.as_str());
        self.unknown |= words.iter().any(|word| !word.literal);
        let script = std::iter::once(own.trim_start_matches('=')).chain(rest).collect::<Vec<_>>().join(" ");
        self.scripts.push(script.trim_start().to_owned());
    }

    /// Adds the command of `parallel command ::: arguments`. Without a command, each argument or input line is one.
    fn add_parallel(&mut self, words: &[ShellWord]) {
        let at = words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(words.len());
        let (command, listed) = words.split_at(at);
        if !command.is_empty() {
            return self.add_joined(words);
        }
        self.unknown |= listed.is_empty() || listed.iter().any(|word| word.text.starts_with("::::"));
        listed.iter().skip(1).for_each(|word| self.add_script(word));
    }

    fn add_command(&mut self, words: Vec<ShellWord>, guessed: bool) {
        let Some(first) = words.first() else { return };
        // The runner replaces `{}` with input. A shell parses the result, so `{}` in any of its words hides a command.
        let through = if is_shell(first) { words.len() } else { 1 };
        self.unknown |= words[..through].iter().any(|word| word.text.contains("{}"));
        self.commands.push((words, guessed));
    }
}

fn is_shell(word: &ShellWord) -> bool {
    SHELLS.contains(&word.text.rsplit('/').next().unwrap_or(""))
}

/// True if the options make `xargs` insert its input into the words of the command.
fn has_replace_option(options: &[ShellWord]) -> bool {
    options.iter().any(|word| ["-I", "-i", "--replace"].iter().any(|option| word.text.starts_with(option)))
}

/// True for any spelling of `env --split-string`.
fn is_split_option(text: &str) -> bool {
    let short = text.strip_prefix('-').map(|letters| letters.trim_start_matches(['i', 'v', '0']));
    text.starts_with("--s") || short.is_some_and(|letters| letters.starts_with('S'))
}

/// True if the option does not take the next word: it includes its value, or it is a single letter.
fn is_flag(text: &str, valued: &[&str]) -> bool {
    let known = |short: &str| short.len() == 2 && text.starts_with(short);
    text.contains('=') || valued.iter().any(|short| known(short)) || text.len() == 2
}
