//! Finds the commands that commands such as `sudo`, `xargs` or `find -exec` run.

use super::{
    line::CommandWord,
    programs::{CommandReading, InnerKind, ProgramKnowledge},
    shells::{NestedRun, SHELLS, StandardInput},
};

/// Finds the commands that the command `words` runs.
pub(super) fn find_nested(
    words: &[CommandWord],
    reading: &CommandReading,
    input: &StandardInput,
) -> NestedRun {
    let mut nested = NestedRun::default();
    let Some((name, arguments)) = words.split_first() else { return nested };
    let name = name.text.rsplit('/').next().unwrap_or("").to_ascii_lowercase();
    match name.as_str() {
        name if SHELLS.contains(&name) => nested.add_shell(arguments, input),
        "su" | "script" => nested.add_option_script(arguments),
        "runuser" => {
            nested.add_option_script(arguments);
            nested.add_launched("runuser", words, reading);
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
        _ if reading.program == ProgramKnowledge::OtherShell => nested.unknown = true,
        name => {
            nested.add_launched(name, words, reading);
            nested.runs_any_word |= reading.inner.is_none() && reading.may_run_words();
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

    /// Adds the command after the launcher's options and operands.
    fn add_launched(&mut self, name: &str, words: &[CommandWord], reading: &CommandReading) {
        if name == "env"
            && let Some(at) = words.iter().position(|word| is_split_option(&word.text))
        {
            return self.add_split_string(&words[at..]);
        }
        // Without a command, it reads commands.
        self.unknown |= name == "parallel" && reading.inner.is_none();
        let Some(inner) = reading.inner else { return };
        let (own, rest) = words.split_at(inner.at.min(words.len()));
        let options_known = !reading.has_unlisted_option(words);
        self.unknown |= !options_known && rest.iter().any(|word| !word.is_literal());
        let has_inner_shell = rest.first().is_some_and(|word| {
            is_shell(word)
                || CommandReading::read(rest).inner.is_some()
                || rest.len() == 1 && is_launcher(word)
        });
        // The input becomes the script of a shell or the command of a launcher.
        self.unknown |= name == "xargs" && has_inner_shell && (has_replace_option(own) || rest.len() == 1);
        match (inner.kind, name) {
            (InnerKind::Script, _) => return rest.first().into_iter().for_each(|word| self.add_script(word)),
            (InnerKind::Joined, "parallel") => self.add_parallel(rest),
            (InnerKind::Joined, _) => self.add_joined(rest),
            (InnerKind::Words, "flock") => self.add_option_script(rest),
            (InnerKind::Words | InnerKind::Module, _) => {}
        }
        let is_list = |word: &CommandWord| name == "parallel" && word.text.starts_with(":::");
        self.kind = Some(inner.kind);
        self.add_command(rest.iter().take_while(|word| !is_list(word)).cloned().collect());
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
        // `env` has its own escapes and variables.
        self.unknown |= words.iter().any(|word| word.text.contains(['\\', '$']));
        let script = std::iter::once(own.trim_start_matches('=')).chain(rest).collect::<Vec<_>>().join(" ");
        self.scripts.push(script.trim_start().to_owned());
    }

    /// Adds the command of `parallel command ::: arguments`. Without a command, each argument or input line is one.
    fn add_parallel(&mut self, words: &[CommandWord]) {
        let at = words.iter().position(|word| word.text.starts_with(":::")).unwrap_or(words.len());
        let (command, listed) = words.split_at(at);
        if !command.is_empty() {
            if listed.is_empty() {
                return self.add_joined(command);
            }
            for argument in listed.iter().filter(|word| !word.text.starts_with(":::")) {
                self.add_joined(&[command, std::slice::from_ref(argument)].concat());
            }
            self.unknown |= listed.iter().any(|word| word.text.starts_with("::::"));
            return;
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

/// Whether the program runs a command that its input may contain.
fn is_launcher(word: &CommandWord) -> bool {
    let then_command = [word.clone(), CommandWord::from_literal("x"), CommandWord::from_literal("y")];
    CommandReading::read(&then_command).inner.is_some()
}

/// A program name without its folder.
fn program_name(word: &CommandWord) -> &str {
    word.text.rsplit('/').next().unwrap_or_default()
}

fn strip_end_of_options(words: &[CommandWord]) -> &[CommandWord] {
    words.split_first().filter(|(first, _)| first.text == "--").map_or(words, |(_, rest)| rest)
}

/// Returns true if the options make `xargs` insert its input into the command's words.
fn has_replace_option(options: &[CommandWord]) -> bool {
    options.iter().any(|word| ["-I", "-i", "--replace"].iter().any(|option| word.text.starts_with(option)))
}

/// Returns true for any spelling of `env --split-string`.
fn is_split_option(text: &str) -> bool {
    let short = text.strip_prefix('-').map(|letters| letters.trim_start_matches(['i', 'v', '0']));
    text.starts_with("--s") || short.is_some_and(|letters| letters.starts_with('S'))
}
