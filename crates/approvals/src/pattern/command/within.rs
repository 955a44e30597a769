//! Commands that run other commands: which ones, as far as their arguments say.

use super::word::Word;

/// What a command reads from its standard input.
#[derive(Debug, Clone)]
pub(super) enum Fed {
    /// Nothing that this command line says.
    Nothing,
    /// What another command writes.
    Unknown,
    /// A file.
    File,
    /// A text that stands in the command line.
    Text(Word),
}

/// What a command runs in its turn.
#[derive(Debug, Default)]
pub(super) struct Runs {
    pub(super) scripts: Vec<String>,
    /// The words of commands, and whether each is only one way to read them.
    pub(super) commands: Vec<(Vec<Word>, bool)>,
    /// Whether it runs something that cannot be known.
    pub(super) unknown: bool,
}

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"];

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
pub(super) fn runs(words: &[Word], fed: &Fed) -> Runs {
    let mut runs = Runs::default();
    let Some((name, arguments)) = words.split_first() else { return runs };
    let name = name.text.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    match name.as_str() {
        name if SHELLS.contains(&name) => runs.shell(arguments, fed),
        "su" | "script" | "runuser" => runs.after_option(arguments, &["-c", "--command"]),
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

impl Runs {
    fn script(&mut self, word: &Word) {
        self.unknown |= !word.literal;
        self.scripts.push(word.text.clone());
    }

    fn joined(&mut self, words: &[Word]) {
        self.unknown |= words.iter().any(|word| !word.literal);
        if !words.is_empty() {
            self.scripts.push(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
        }
    }

    /// `sh -c script`, `sh file`, or what comes in by standard input.
    fn shell(&mut self, arguments: &[Word], fed: &Fed) {
        let mut rest = arguments.iter();
        let (mut commanded, mut reads) = (false, false);
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            let short = text.len() > 1 && text.starts_with(['-', '+']) && !text.starts_with("--");
            commanded |= short && text.contains('c') || text == "--command";
            reads |= short && text.contains('s');
            if matches!(text, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") {
                rest.next();
            } else if reads && !commanded {
                return self.fed(fed);
            } else if !text.starts_with(['-', '+']) {
                return self.operand(word, commanded, fed);
            } else if !word.literal {
                self.unknown = true;
            }
        }
        self.fed(fed);
    }

    /// The first word of a shell that is no option.
    fn operand(&mut self, word: &Word, commanded: bool, fed: &Fed) {
        if commanded {
            self.script(word);
        } else if matches!(word.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") {
            self.fed(fed);
        } else {
            self.unknown |= !word.literal;
        }
    }

    fn fed(&mut self, fed: &Fed) {
        match fed {
            Fed::Nothing | Fed::File => {}
            Fed::Unknown => self.unknown = true,
            Fed::Text(text) => {
                self.unknown |= !text.literal;
                self.scripts.push(text.raw.clone());
            }
        }
    }

    fn source(&mut self, arguments: &[Word], fed: &Fed) {
        let Some(file) = arguments.first() else { return };
        self.operand(file, false, fed);
    }

    fn after_option(&mut self, arguments: &[Word], options: &[&str]) {
        for pair in arguments.windows(2).filter(|pair| options.contains(&pair[0].text.as_str())) {
            self.script(&pair[1]);
        }
        for word in arguments {
            if let Some((option, script)) = word.text.split_once('=')
                && options.contains(&option)
            {
                self.unknown |= !word.literal;
                self.scripts.push(script.to_owned());
            }
        }
    }

    fn alias(&mut self, word: &Word) {
        if let Some((_, meaning)) = word.text.split_once('=') {
            self.unknown |= !word.literal;
            self.scripts.push(meaning.to_owned());
        }
    }

    /// `find … -exec command … ;`
    fn found(&mut self, arguments: &[Word], options: &[&str]) {
        let starts = arguments.iter().enumerate().filter(|(_, word)| options.contains(&word.text.as_str()));
        for (at, _) in starts {
            let ends = |word: &&Word| !matches!(word.text.as_str(), ";" | "+");
            let words: Vec<Word> = arguments[at + 1..].iter().take_while(ends).cloned().collect();
            self.command(words, false);
        }
    }

    fn runner(&mut self, name: &str, arguments: &[Word], valued: &[&str], before: usize) {
        let mut at = 0;
        let mut sure = true;
        while let Some(word) = arguments.get(at) {
            let text = word.text.as_str();
            if name == "env"
                && (text == "--split-string" || text.starts_with("-S") || text.starts_with("-vS"))
            {
                return self.split_string(&arguments[at..]);
            }
            match text {
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
        let rest = arguments.get(at..).unwrap_or(&[]);
        self.unknown |= !sure && rest.iter().any(|word| !word.literal);
        if JOINED.contains(&name) {
            self.joined(rest);
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
    fn split_string(&mut self, words: &[Word]) {
        let script: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
        let script = script.join(" ");
        let script =
            script.trim_start_matches("-v").trim_start_matches("-S").trim_start_matches("--split-string");
        self.unknown |= words.iter().any(|word| !word.literal);
        self.scripts.push(script.trim_start_matches([' ', '=']).to_owned());
    }

    fn command(&mut self, words: Vec<Word>, supposed: bool) {
        let Some(first) = words.first() else { return };
        self.unknown |= first.text.contains("{}");
        self.commands.push((words, supposed));
    }
}

/// Whether it takes no word after it: one that carries its value with it, or letters of which none takes one.
fn is_flag(text: &str, valued: &[&str]) -> bool {
    let known = |short: &str| short.len() == 2 && text.starts_with(short);
    text.contains('=') || valued.iter().any(|short| known(short)) || text.len() == 2
}
