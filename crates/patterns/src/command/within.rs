//! Commands that run other commands: which ones, as far as their arguments say.

use super::{
    shells::{NestedRun, SHELLS, StandardInput},
    word::ShellWord,
};

/// Commands that run the command they are given: those of their options that take a value of their own, and how
/// many words of theirs come before the command.
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

/// Runners that hand their words to a shell, joined.
const JOINED: &[&str] = &["watch", "ssh", "parallel"];
/// As many of the ways to read a runner's unknown options are looked at.
const MOST_WAYS: usize = 8;
/// Of so many words at most.
const LONGEST_GUESS: usize = 256;

/// What these words run besides themselves.
pub(super) fn runs(words: &[ShellWord], fed: &StandardInput) -> NestedRun {
    let mut runs = NestedRun::default();
    let Some((name, arguments)) = words.split_first() else { return runs };
    let name = name.text.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    match name.as_str() {
        name if SHELLS.contains(&name) => runs.shell(name, arguments, fed),
        "su" | "script" => runs.after_option(arguments),
        "runuser" => {
            runs.after_option(arguments);
            runs.runner("runuser", arguments, &["-u", "-g", "-G", "--user", "--group"], 0);
        }
        "eval" => runs.joined(arguments),
        "trap" => arguments
            .iter()
            .find(|word| !word.text.starts_with('-'))
            .into_iter()
            .for_each(|word| runs.script(word)),
        "alias" => arguments.iter().for_each(|word| runs.alias(word)),
        "." | "source" => runs.source(arguments, fed),
        "find" => runs.found(arguments, &["-exec", "-execdir", "-ok", "-okdir"]),
        "fd" | "fdfind" => runs.found(arguments, &["-x", "-X", "--exec", "--exec-batch"]),
        name => {
            if let Some((_, valued, before)) = RUNNERS.iter().find(|(runner, ..)| *runner == name) {
                runs.runner(name, arguments, valued, *before);
            }
        }
    }
    runs
}

impl NestedRun {
    pub(super) fn script(&mut self, word: &ShellWord) {
        self.unknown |= !word.literal;
        self.scripts.push(word.text.clone());
    }

    fn joined(&mut self, words: &[ShellWord]) {
        self.unknown |= words.iter().any(|word| !word.literal);
        if !words.is_empty() {
            self.scripts.push(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
        }
    }

    /// `su -c script`, also where other letters stand before the `c`, or the script right behind it.
    fn after_option(&mut self, arguments: &[ShellWord]) {
        for (at, word) in arguments.iter().enumerate() {
            let text = word.text.as_str();
            let long = text.starts_with("--");
            let glued = if long {
                text.split_once('=').filter(|(option, _)| option.starts_with("--c")).map(|(_, script)| script)
            } else {
                text.strip_prefix('-').and_then(|letters| letters.split_once('c')).map(|(_, script)| script)
            };
            match glued {
                Some("") if !long => arguments.get(at + 1).into_iter().for_each(|next| self.script(next)),
                Some(script) => self.scripts.push(script.to_owned()),
                None if text.starts_with("--c") => {
                    arguments.get(at + 1).into_iter().for_each(|next| self.script(next));
                }
                None => continue,
            }
            self.unknown |= !word.literal;
        }
    }

    fn alias(&mut self, word: &ShellWord) {
        if let Some((_, meaning)) = word.text.split_once('=') {
            self.unknown |= !word.literal;
            self.scripts.push(meaning.to_owned());
        }
    }

    /// `find … -exec command … ;`
    fn found(&mut self, arguments: &[ShellWord], options: &[&str]) {
        let mut rest = arguments;
        while let Some(at) = rest.iter().position(|word| options.contains(&word.text.as_str())) {
            let words = &rest[at + 1..];
            let ends = words.iter().position(|word| matches!(word.text.as_str(), ";" | "+"));
            let (command, after) = words.split_at(ends.unwrap_or(words.len()));
            self.command(command.to_vec(), false);
            rest = after;
        }
        for word in arguments {
            if let Some((option, program)) = word.text.split_once('=')
                && options.contains(&option)
            {
                self.unknown |= !word.literal;
                self.command(vec![ShellWord::literal(program)], false);
            }
        }
    }

    fn runner(&mut self, name: &str, arguments: &[ShellWord], valued: &[&str], before: usize) {
        let mut at = 0;
        let mut sure = true;
        while let Some(word) = arguments.get(at) {
            let text = word.text.as_str();
            if name == "env" && splits(text) {
                return self.split_string(&arguments[at..]);
            }
            match text {
                "-" if name == "env" => at += 1,
                "--" => {
                    at += 1;
                    break;
                }
                _ if valued.contains(&text) => at += 2,
                _ if text.len() > 1 && text.starts_with('-') => {
                    sure &= is_flag(text, valued);
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
        self.unknown |= !sure && rest.iter().any(|word| !word.literal);
        self.unknown |= name == "xargs" && replaces(own) && rest.first().is_some_and(is_shell);
        match name {
            "parallel" => self.listed(rest),
            "flock" => self.after_option(rest),
            name if JOINED.contains(&name) => self.joined(rest),
            _ => {}
        }
        self.command(rest.to_vec(), false);
        if sure {
            return;
        }
        // An option nobody knows here may have taken the first word for itself.
        self.unknown |= rest.len() > LONGEST_GUESS;
        let guesses = if self.unknown { 0 } else { rest.len().min(MOST_WAYS) };
        for start in 1..guesses {
            self.command(rest[start..].to_vec(), true);
        }
    }

    /// `env -S 'a b'` splits one word into a command.
    fn split_string(&mut self, words: &[ShellWord]) {
        let first = words.first().map_or("", |word| word.text.as_str());
        let own =
            first.split_once(if first.starts_with("--") { '=' } else { 'S' }).map_or("", |(_, own)| own);
        let rest = words.iter().skip(1).map(|word| word.text.as_str());
        self.unknown |= words.iter().any(|word| !word.literal);
        let script = std::iter::once(own.trim_start_matches('=')).chain(rest).collect::<Vec<_>>().join(" ");
        self.scripts.push(script.trim_start().to_owned());
    }

    /// `parallel command ::: arguments`; without a command, the arguments are commands, or the lines that it reads.
    fn listed(&mut self, words: &[ShellWord]) {
        let at = words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(words.len());
        let (command, listed) = words.split_at(at);
        if !command.is_empty() {
            return self.joined(words);
        }
        self.unknown |= listed.is_empty() || listed.iter().any(|word| word.text.starts_with("::::"));
        listed.iter().skip(1).for_each(|word| self.script(word));
    }

    fn command(&mut self, words: Vec<ShellWord>, supposed: bool) {
        let Some(first) = words.first() else { return };
        // What a shell is handed so is read once more, whatever the names are that stand there then.
        let through = if is_shell(first) { words.len() } else { 1 };
        self.unknown |= words[..through].iter().any(|word| word.text.contains("{}"));
        self.commands.push((words, supposed));
    }
}

fn is_shell(word: &ShellWord) -> bool {
    SHELLS.contains(&word.text.rsplit('/').next().unwrap_or(""))
}

/// Whether these options of `xargs` have it write what it reads into the words of the command.
fn replaces(options: &[ShellWord]) -> bool {
    options.iter().any(|word| ["-I", "-i", "--replace"].iter().any(|option| word.text.starts_with(option)))
}

/// Whether it is the option of `env` that splits, in any of its spellings.
fn splits(text: &str) -> bool {
    let short = text.strip_prefix('-').map(|letters| letters.trim_start_matches(['i', 'v', '0']));
    text.starts_with("--s") || short.is_some_and(|letters| letters.starts_with('S'))
}

/// Whether it takes no word after it: one that carries its value with it, or letters of which none takes one.
fn is_flag(text: &str, valued: &[&str]) -> bool {
    let known = |short: &str| short.len() == 2 && text.starts_with(short);
    text.contains('=') || valued.iter().any(|short| known(short)) || text.len() == 2
}
