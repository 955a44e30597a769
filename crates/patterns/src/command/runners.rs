//! Finds the commands that commands such as `sudo`, `xargs` or `find -exec` run.

use super::{
    code_words::find_code,
    known_programs::is_known_program,
    line::CommandWord,
    runner_table::{RUNNERS, SHELL_RUNNERS, is_runner},
    shells::{NestedRun, SHELLS, StandardInput},
};

/// Finds the commands that the command `words` runs.
pub(super) fn find_nested(words: &[CommandWord], input: &StandardInput) -> NestedRun {
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
        "eval" => nested.add_joined(strip_end_of_options(arguments)),
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
            } else {
                nested.runs_any_word = !is_known_program(name) || find_code(words).is_some();
            }
        }
    }
    nested
}

impl NestedRun {
    /// Adds a word that a shell parses as a command line.
    pub(super) fn add_script(&mut self, word: &CommandWord) {
        self.unknown |= !word.is_literal();
        self.scripts.push(word.text.clone());
    }

    /// Adds words that the command joins with spaces and passes to a shell.
    fn add_joined(&mut self, words: &[CommandWord]) {
        self.unknown |= words.iter().any(|word| !word.is_literal());
        if !words.is_empty() {
            self.scripts.push(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "));
        }
    }

    /// Adds the script of `su -c script`, also for `-lc script` and `-cscript`.
    fn add_option_script(&mut self, arguments: &[CommandWord]) {
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
            self.unknown |= !word.is_literal();
        }
    }

    fn add_alias(&mut self, word: &CommandWord) {
        if let Some((_, meaning)) = word.text.split_once('=') {
            self.unknown |= !word.is_literal();
            self.scripts.push(meaning.to_owned());
        }
    }

    /// Adds the commands of `find … -exec command … ;`.
    fn add_exec_options(&mut self, arguments: &[CommandWord], options: &[&str]) {
        let mut rest = arguments;
        while let Some(at) = rest.iter().position(|word| options.contains(&word.text.as_str())) {
            let words = &rest[at + 1..];
            let ends = words.iter().position(|word| matches!(word.text.as_str(), ";" | "+"));
            let (command, after) = words.split_at(ends.unwrap_or(words.len()));
            self.add_command(command.to_vec());
            rest = after;
        }
        for word in arguments {
            if let Some((option, program)) = word.text.split_once('=')
                && options.contains(&option)
            {
                self.unknown |= !word.is_literal();
                self.add_command(vec![CommandWord::from_literal(program)]);
            }
        }
    }

    /// Adds the command after the runner's own options and its `before` operands.
    fn add_runner(&mut self, name: &str, arguments: &[CommandWord], valued: &[&str], before: usize) {
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
        self.unknown |= !options_known && rest.iter().any(|word| !word.is_literal());
        let has_inner_shell =
            rest.first().is_some_and(|word| is_shell(word) || is_runner(program_name(word)));
        // The input becomes the script or the command of a shell or a runner.
        self.unknown |= name == "xargs" && has_inner_shell && (has_replace_option(own) || rest.len() == 1);
        match name {
            "parallel" => self.add_parallel(rest),
            "flock" => self.add_option_script(rest),
            name if SHELL_RUNNERS.contains(&name) => self.add_joined(rest),
            _ => {}
        }
        self.add_command(rest.to_vec());
        // An unknown option may take the first word as its value.
        self.runs_any_word |= !options_known;
    }

    /// Adds the command that `env -S 'a b'` splits from one word.
    fn add_split_string(&mut self, words: &[CommandWord]) {
        let first = words.first().map_or("", |word| word.text.as_str());
        let own =
            first.split_once(if first.starts_with("--") { '=' } else { 'S' }).map_or("", |(_, own)| own);
        let rest = words.iter().skip(1).map(|word| word.text.as_str());
        self.unknown |= words.iter().any(|word| !word.is_literal());
        // `env` has escapes and variables of its own.
        self.unknown |= words.iter().any(|word| word.text.contains(['\\', '$']));
        let script = std::iter::once(own.trim_start_matches('=')).chain(rest).collect::<Vec<_>>().join(" ");
        self.scripts.push(script.trim_start().to_owned());
    }

    /// Adds the command of `parallel command ::: arguments`. Without a command, each argument or input line is one.
    fn add_parallel(&mut self, words: &[CommandWord]) {
        let at = words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(words.len());
        let (command, listed) = words.split_at(at);
        if !command.is_empty() {
            return self.add_joined(words);
        }
        self.unknown |= listed.is_empty() || listed.iter().any(|word| word.text.starts_with("::::"));
        listed.iter().skip(1).for_each(|word| self.add_script(word));
    }

    fn add_command(&mut self, words: Vec<CommandWord>) {
        let Some(first) = words.first() else { return };
        // The runner replaces `{}` with input. A shell parses the result, so `{}` in any of its words hides a command.
        let through = if is_shell(first) { words.len() } else { 1 };
        self.unknown |= words[..through].iter().any(|word| word.text.contains("{}"));
        self.commands.push(words);
    }
}

fn is_shell(word: &CommandWord) -> bool {
    SHELLS.contains(&program_name(word))
}

/// The name of a program without its folder.
fn program_name(word: &CommandWord) -> &str {
    word.text.rsplit('/').next().unwrap_or_default()
}

fn strip_end_of_options(words: &[CommandWord]) -> &[CommandWord] {
    words.split_first().filter(|(first, _)| first.text == "--").map_or(words, |(_, rest)| rest)
}

/// True if the options make `xargs` insert its input into the words of the command.
fn has_replace_option(options: &[CommandWord]) -> bool {
    options.iter().any(|word| ["-I", "-i", "--replace"].iter().any(|option| word.text.starts_with(option)))
}

/// True for any spelling of `env --split-string`.
fn is_split_option(text: &str) -> bool {
    let short = text.strip_prefix('-').map(|letters| letters.trim_start_matches(['i', 'v', '0']));
    text.starts_with("--s") || short.is_some_and(|letters| letters.starts_with('S'))
}

/// True if the option certainly does not take the next word: it includes its value.
fn is_flag(text: &str, valued: &[&str]) -> bool {
    let known = |short: &str| short.len() == 2 && text.starts_with(short);
    text.contains('=') || valued.iter().any(|short| known(short))
}
