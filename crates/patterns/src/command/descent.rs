//! What programs do with the files that their operands name, and with those below a folder.

use super::{file_access::PathAccess, line::CommandWord, programs::InputUse, script::ParsedCommand};
use crate::file_use::FolderReach;

/// What a program does with a folder among its operands.
enum Descent {
    /// It does nothing with what the files below it contain. A program that builds or tests a project reads what it likes, which
    /// no command line shows.
    Never,
    /// It uses them if it has one of these letters among its options, or an option that begins so.
    With { letters: &'static str, long: &'static [&'static str] },
    /// It uses them.
    Always,
}

/// Programs that fail on a folder, list names, or look at the folder alone.
const SHALLOW: &str = "[ awk basename bat cat cd cmp column comm cut date df dirname du echo expand export fd fdfind file find \
    fmt fold gawk head hexdump id join jq less ls md5sum mkdir more nl od paste popd printf pushd pwd \
    readlink realpath rev rmdir sed sha1sum sha256sum sha512sum sort source stat strings tac tail tee test \
    touch tr tree true truncate type uniq wc which xxd yq .";

/// Programs that build, test or format a project, and interpreters with a script file.
const BUILDERS: &str = "ant bazel biome black bun bundle cargo clang clang-format cmake composer coverage ctest cypress deno \
    django-admin dotnet eslint flake8 flutter g++ gcc go gofmt golangci-lint gradle gradlew isort java javac \
    jest just make mix mocha mvn mvnw mypy next ninja node nox npm npx nx perl php phpunit pip pip3 \
    playwright pnpm poetry prettier pylint pyright pytest python python3 rails rake rspec rubocop ruby ruff \
    rustc rustfmt sbt shellcheck shfmt swift swiftc task terraform tox tsc tsx turbo uv uvx vite vitest yarn \
    zig";

/// Modules of Python that build, test or format a project, besides those that are programs, too.
const MODULES: &str = "build compileall cProfile doctest django ensurepip flask hatch ipykernel json.tool nose2 pdb pdm pip py_compile \
    pydoc site sphinx timeit trace tracemalloc unittest uvicorn venv virtualenv zipapp";

/// Programs that only show, count or keep their input.
const FILTERS: &str = "awk base64 bat bc cat clip column comm cut diff fmt fold gawk gh git glab grep egrep fgrep head hexdump jq less \
    md5sum more nl od paste pbcopy rev rg sed sha1sum sha256sum sort tac tail tee tr true uniq wc xclip xsel xxd yq zcat";

/// Programs that run code in their own language.
const INTERPRETERS: &str = "bun deno groovy julia lua node osascript perl php python pypy ruby tsx ts-node";

/// Shells, and what runs a file in the same shell.
const SHELLS: &str = ". ash bash busybox dash fish ksh mksh sh source zsh";

/// Subcommands of Git that use only the files that their operands name.
const GIT_SUBCOMMANDS: &str = "add apply bisect blame branch cat-file check-attr check-ignore checkout cherry cherry-pick commit config \
    count-objects describe diff fetch for-each-ref format-patch fsck gc hash-object init log ls-files ls-remote \
    ls-tree maintenance merge merge-base mv name-rev notes pull push range-diff rebase reflog remote reset restore \
    rev-list rev-parse revert rm shortlog show show-branch show-ref stash status submodule switch symbolic-ref tag \
    update-index verify-commit verify-tag version worktree";

/// Programs that search the folder in which they run, if no operand names another.
const SEARCHERS: &str = "ack ag egrep fgrep grep rg zgrep";

/// Whether a list of words, separated by spaces, has the word.
fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// The index of Git's subcommand among its arguments, after its own options. `None` if there is none, or a word before it is not
/// known.
pub fn find_git_subcommand<'a>(arguments: impl Iterator<Item = Option<&'a str>>) -> Option<usize> {
    let mut arguments = arguments.enumerate();
    while let Some((at, Some(word))) = arguments.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env" => {
                arguments.next();
            }
            word if word.starts_with('-') => {}
            _ => return Some(at),
        }
    }
    None
}

/// Whether the first word of `tar` is a bundle of letters without a dash, with this one.
fn is_bundle_with(word: &str, letter: char) -> bool {
    word.contains(letter) && word.bytes().all(|byte| byte.is_ascii_alphabetic()) && word.len() < 8
}

impl ParsedCommand {
    /// The program name without its folder and ending.
    pub(super) fn program_name(&self) -> &str {
        let name = self.name().unwrap_or_default();
        name.rsplit('/').next().unwrap_or_default().trim_end_matches(".exe")
    }

    /// Whether it runs code that an option or its input may contain.
    pub(super) fn is_interpreter(&self) -> bool {
        let bare = self.program_name().trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        has_word(INTERPRETERS, bare) && !self.is_module
    }

    /// Whether it only shows, counts or keeps its input.
    pub(super) fn is_filter(&self) -> bool {
        has_word(FILTERS, self.program_name()) && !self.reads_names()
    }

    /// Whether it takes names of files from its input.
    fn reads_names(&self) -> bool {
        let from_input = |text: &str| {
            ["--pathspec-from-file", "--files0-from", "--files-f", "--batch"]
                .iter()
                .any(|option| text.starts_with(option))
                || matches!(text, "--stdin" | "--stdin-paths" | "-@")
        };
        self.words.iter().any(|word| from_input(&word.text))
    }

    /// Whether it takes names of files from a file, which is not in the line.
    pub(super) fn reads_listed_names(&self) -> bool {
        let names_list = |text: &str| {
            text.strip_prefix("--pathspec-from-file=").is_some_and(|file| file != "-")
                || text.starts_with("--files-f") && !text.ends_with("=-")
                || text.starts_with('@') && self.program_name().starts_with("7z")
        };
        self.reads_names() && self.input.is_some() || self.words.iter().any(|word| names_list(&word.text))
    }

    /// Whether it may run code from a file: a shell, an interpreter, a program of the project, or one that is not known.
    pub(super) fn may_run_file(&self) -> bool {
        let has_path = self.name().is_some_and(|name| name.contains('/'));
        let is_known = has_word(SHALLOW, self.program_name()) || self.reading.is_known();
        let is_shell = has_word(SHELLS, self.program_name());
        has_path || is_shell || self.is_interpreter() || self.reading.input == InputUse::Code || !is_known
    }

    /// Whether it builds or tests a project, or runs a script of it.
    pub(super) fn is_builder(&self) -> bool {
        let name = self.program_name();
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        has_word(BUILDERS, name) || has_word(BUILDERS, bare) || self.is_module && has_word(MODULES, name)
    }

    /// What the command does with the file that its word at `at` names.
    pub(super) fn access_of(&self, at: usize) -> PathAccess {
        let is_last = at + 1 == self.words.len();
        match self.program_name() {
            "ls" | "tree" | "find" | "fd" | "fdfind" if self.reading.only_reads => PathAccess::List,
            _ if self.reading.only_reads => PathAccess::Read,
            "touch" | "tee" | "mkdir" | "truncate" if !self.has_option("r", &["--reference"]) => {
                PathAccess::Write
            }
            "cp" | "mv" if self.has_option("t", &["--target-directory"]) => PathAccess::Unknown,
            "cp" | "mv" if is_last => PathAccess::Write,
            "cp" => PathAccess::Read,
            "mv" | "rm" | "rmdir" | "unlink" | "shred" => PathAccess::Delete,
            _ => PathAccess::Unknown,
        }
    }

    /// The files below a folder that the command uses, if `word` names a folder.
    pub(super) fn reach_below(&self, word: &str) -> FolderReach {
        let is_known = match self.descent() {
            Some(Descent::Never) => return FolderReach::itself(),
            Some(Descent::With { letters, long }) if !self.has_option(letters, long) => {
                return FolderReach::itself();
            }
            Some(_) => true,
            None => false,
        };
        // A word of a program that is not known may be anything: only what looks like a folder counts.
        let name = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let looks_like_folder = word.contains('/') || matches!(word, "." | ".." | "~");
        let has_ending = name.trim_start_matches('.').contains('.');
        if !is_known && (!looks_like_folder || has_ending) {
            return FolderReach::itself();
        }
        let globs = self.name_globs();
        let reach = FolderReach::of_names(&globs);
        // A glob that names hidden files finds them.
        let names_hidden =
            globs.iter().any(|glob| glob.rsplit('/').next().is_some_and(|name| name.starts_with('.')));
        let shows_hidden = names_hidden
            || self.has_option("u", &["--hidden", "--unrestricted", "--no-ignore"])
            || self.has_option(".", &[]);
        if matches!(self.program_name(), "rg" | "ag") && !shows_hidden {
            reach.without_hidden()
        } else {
            reach
        }
    }

    /// Whether the command searches the folder in which it runs.
    pub(super) fn searches_own_folder(&self) -> bool {
        let is_searcher = has_word(SEARCHERS, self.program_name()) || self.git_subcommand() == Some("grep");
        let is_recursive = match self.descent() {
            Some(Descent::With { letters, long }) => self.has_option(letters, long),
            Some(Descent::Always) => true,
            _ => false,
        };
        let end = self.words.len().saturating_sub(1);
        let is_plain = |at: usize| !self.words[at].text.starts_with('-') && !self.reading.texts.contains(&at);
        let names_folder = end > 1 && is_plain(end) && !self.words[end - 1].text.starts_with('-');
        is_searcher && is_recursive && !names_folder
    }

    /// What the command does with files in its folder that it does not name: it writes what an archive, a patch or its input
    /// contains, or serves all of them.
    pub(super) fn use_of_own_folder(&self) -> Option<PathAccess> {
        let extracts = |letters, long| self.has_option(letters, long);
        let first = self.words.get(1).map_or("", |word| word.text.as_str());
        Some(match self.program_name() {
            "patch" | "unzip" | "unrar" | "bsdcpio" | "pax" => PathAccess::Write,
            "cpio" if extracts("i", &["--extract"]) => PathAccess::Write,
            "tar" | "bsdtar" | "gtar"
                if extracts("x", &["--extract", "--get"]) || is_bundle_with(first, 'x') =>
            {
                PathAccess::Write
            }
            "7z" | "7za" | "7zz" if matches!(first, "x" | "e") => PathAccess::Write,
            "http.server" | "SimpleHTTPServer" => PathAccess::Read,
            _ => return None,
        })
    }

    /// The globs of file names that options of a search give, such as `--include` and `-name`.
    pub(super) fn name_globs(&self) -> Vec<String> {
        let is_name_option = |text: &str| {
            matches!(text, "--include" | "-g" | "--glob" | "--iglob" | "-name" | "-iname" | "-G")
        };
        let mut globs = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            let next = self.words.get(at + 1).map(|word| word.text.as_str());
            let text = word.text.as_str();
            if is_name_option(text) {
                globs.extend(next.map(str::to_owned));
            } else if let Some((_, glob)) = text.split_once('=').filter(|(option, _)| is_name_option(option))
            {
                globs.push(glob.to_owned());
            } else if let Some(glob) = text.strip_prefix("-g").filter(|_| self.program_name() == "rg") {
                globs.push(glob.to_owned());
            } else if matches!(text, "-t" | "--type") && self.program_name() == "rg" {
                globs.extend(next.filter(|kind| *kind != "all").map(|kind| format!("*.{kind}*")));
            }
        }
        // `find` has alternatives that need no name, and negations.
        let has_other =
            |text: &str| matches!(text, "-o" | "-or" | "!" | "-not" | "," | "--type-add" | "-path");
        if self.words.iter().any(|word| has_other(&word.text)) { Vec::new() } else { globs }
    }

    fn git_subcommand(&self) -> Option<&str> {
        if self.program_name() != "git" {
            return None;
        }
        let arguments = || self.words.iter().skip(1).map(CommandWord::value);
        arguments().nth(find_git_subcommand(arguments())?).flatten()
    }

    fn descent(&self) -> Option<Descent> {
        let name = self.program_name();
        let recursive = &["--recursive", "--dereference-recursive", "--directories"][..];
        Some(match name {
            "grep" | "egrep" | "fgrep" | "zgrep" => Descent::With { letters: "rRd", long: recursive },
            "diff" => Descent::With { letters: "r", long: recursive },
            "cp" => Descent::With { letters: "rRa", long: &["--recursive", "--archive"] },
            "rm" | "scp" | "zip" => Descent::With { letters: "rR", long: recursive },
            "chmod" | "chown" | "chgrp" => Descent::With { letters: "R", long: recursive },
            "git" => match self.git_subcommand() {
                Some(subcommand) if has_word(GIT_SUBCOMMANDS, subcommand) => Descent::Never,
                _ => Descent::Always,
            },
            "ack" | "ag" | "mv" | "rg" | "rsync" | "tar" | "xargs" => Descent::Always,
            _ if has_word(SHALLOW, name) || self.is_builder() => Descent::Never,
            _ => return None,
        })
    }

    /// Whether it has an option with one of the letters, or one that begins so.
    pub(super) fn has_option(&self, letters: &str, long: &[&str]) -> bool {
        self.words.iter().skip(1).map(|word| word.text.as_str()).any(|text| match text.strip_prefix("--") {
            Some(name) => {
                !name.is_empty()
                    && long.iter().any(|option| option.starts_with(text.split('=').next().unwrap_or(text)))
            }
            None => text.strip_prefix('-').is_some_and(|bundle| bundle.contains(|c| letters.contains(c))),
        })
    }
}
