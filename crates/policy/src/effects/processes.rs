//! The processes, services, containers and machines that a command starts, stops or signals.

use super::{
    command_line::{KnownOptions, SubcommandLine},
    process_programs::{SERVICE_PROGRAMS, ServiceProgram},
    word_list::has_word,
};
use countersign_patterns::command::CommandWords;

/// What happens to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessChange {
    Start,
    Stop,
    Restart,
    /// It gets a signal that does not end it by definition.
    Signal,
    /// It is stopped and removed.
    Remove,
}

/// A change of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessUse {
    /// One of [`PROCESS_KINDS`].
    pub(crate) kind: &'static str,
    /// The name in lower case; `None` if the call does not name it, or only by a number.
    pub(crate) name: Option<String>,
    /// What the call says instead of a name, such as a process number.
    pub(crate) shown: Option<String>,
    /// Whether the name is a part of what it may mean, as for `pkill`.
    pub(crate) is_part: bool,
    /// The change; `None` if it is unknown.
    pub(crate) change: Option<ProcessChange>,
}

/// The kinds of what runs.
pub(crate) const PROCESS_KINDS: &[&str] = &["process", "service", "container", "machine"];

impl ProcessChange {
    pub(crate) const ALL: [Self; 5] = [Self::Start, Self::Stop, Self::Restart, Self::Signal, Self::Remove];

    /// Its name in a policy.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Restart => "restart",
            Self::Signal => "signal",
            Self::Remove => "remove",
        }
    }

    /// Whether a protection from these changes is one from this change. What is restarted or removed is stopped.
    pub(crate) fn is_one_of(self, changes: &[Self]) -> bool {
        changes.contains(&self)
            || matches!(self, Self::Restart | Self::Remove) && changes.contains(&Self::Stop)
            || self == Self::Restart && changes.contains(&Self::Start)
    }
}

impl ProcessUse {
    pub(super) fn new(kind: &'static str, name: Option<&str>, change: Option<ProcessChange>) -> Self {
        let name = name.map(str::to_lowercase);
        Self { kind, name, shown: None, is_part: false, change }
    }
}

/// The changes that a command makes.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<ProcessUse> {
    match command.program() {
        "kill" | "skill" | "tskill" => uses_of_kill(command),
        "killall" | "pkill" | "killall5" => uses_of_pattern(command),
        "taskkill" | "Stop-Process" | "spps" => uses_of_taskkill(command),
        "fuser" => uses_of_fuser(command),
        "shutdown" | "reboot" | "halt" | "poweroff" | "telinit" | "init" => uses_of_shutdown(command),
        program => {
            let mut known = SERVICE_PROGRAMS.iter().filter(|known| has_word(known.programs, program));
            known.find_map(|known| uses_of_service(known, command)).unwrap_or_default()
        }
    }
}

/// What a signal is: `None` for one that does nothing.
fn change_of_signal(signal: &str) -> Option<ProcessChange> {
    let signal = signal.trim_start_matches('-').to_uppercase();
    match signal.strip_prefix("SIG").unwrap_or(&signal) {
        "0" | "EXIT" => None,
        "HUP" | "1" | "USR1" | "10" | "USR2" | "12" | "WINCH" | "28" | "CONT" | "18" | "CHLD" | "17" => {
            Some(ProcessChange::Signal)
        }
        _ => Some(ProcessChange::Stop),
    }
}

fn uses_of_kill(command: CommandWords<'_>) -> Vec<ProcessUse> {
    let mut words = command.arguments();
    let mut change = Some(ProcessChange::Stop);
    let mut found = Vec::new();
    let mut is_first = true;
    while let Some(word) = words.next() {
        let before = std::mem::take(&mut is_first);
        match word {
            Some("-l" | "-L" | "--list" | "--table" | "-V" | "--version" | "-h" | "--help") if before => {
                return Vec::new();
            }
            Some("-s" | "-n" | "--signal") => {
                change = words.next().flatten().map_or(Some(ProcessChange::Stop), change_of_signal);
            }
            Some("--") => {}
            Some(signal) if before && signal.len() > 1 && signal.starts_with('-') => {
                change = change_of_signal(signal);
            }
            other => {
                let used = ProcessUse::new("process", None, change);
                found.push(ProcessUse { shown: other.map(str::to_owned), ..used });
            }
        }
    }
    if change.is_none() { Vec::new() } else { found }
}

/// `killall` ends processes by their whole names, and `pkill` all whose name or command contains a pattern.
fn uses_of_pattern(command: CommandWords<'_>) -> Vec<ProcessUse> {
    let values = "-s --signal -u --user --euid -U --uid -t --terminal -P --parent -g --pgroup -G --group -o --older-than -y --younger-than -F --pidfile";
    let line = SubcommandLine::read(command, KnownOptions { values, flags: "" });
    if line.has_option("-l --list -V --version --help") && line.operands.is_empty() {
        return Vec::new();
    }
    let signal = line.value_of("-s --signal");
    let is_signal = |name: &&str| {
        name[1..].starts_with("SIG")
            || name[1..].chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
    };
    let signal = signal.or_else(|| line.options.iter().map(|(name, _)| *name).find(is_signal));
    let Some(change) = signal.map_or(Some(ProcessChange::Stop), change_of_signal) else { return Vec::new() };
    let is_exact = if command.program() == "killall" {
        !line.has_option("-r --regexp")
    } else {
        line.has_option("-x --exact")
    };
    let looks_at_line = command.program() == "pkill"
        && line.options.iter().any(|(name, _)| {
            *name == "--full" || !name.starts_with("--") && name.contains('f') && !is_signal(name)
        });
    let one = |name: Option<&str>| {
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "-_. ".contains(c));
        let plain = name.filter(|name| is_name(name) && !looks_at_line);
        let used = ProcessUse::new("process", plain, Some(change));
        ProcessUse { shown: name.map(str::to_owned), is_part: !is_exact, ..used }
    };
    let found: Vec<_> = line.texts().map(one).collect();
    if found.is_empty() { vec![ProcessUse::new("process", None, Some(change))] } else { found }
}

fn uses_of_taskkill(command: CommandWords<'_>) -> Vec<ProcessUse> {
    let mut words = command.arguments();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let used = |name| ProcessUse::new("process", name, Some(ProcessChange::Stop));
        match word.map(str::to_lowercase).as_deref() {
            Some("/im" | "//im" | "-name") => {
                let name = words.next().flatten();
                found.push(used(name.map(|name| name.strip_suffix(".exe").unwrap_or(name))));
            }
            Some("/pid" | "//pid" | "-id") => {
                found.push(ProcessUse { shown: words.next().flatten().map(str::to_owned), ..used(None) });
            }
            _ => {}
        }
    }
    if found.is_empty() { vec![ProcessUse::new("process", None, Some(ProcessChange::Stop))] } else { found }
}

fn uses_of_fuser(command: CommandWords<'_>) -> Vec<ProcessUse> {
    let is_kill = |word: Option<&str>| {
        word.is_none_or(|word| word == "--kill" || word.starts_with('-') && word.contains('k'))
    };
    let kills = command.arguments().any(is_kill);
    kills.then(|| ProcessUse::new("process", None, Some(ProcessChange::Stop))).into_iter().collect()
}

fn uses_of_shutdown(command: CommandWords<'_>) -> Vec<ProcessUse> {
    let words: Vec<_> = command.arguments().collect();
    let is_harmless =
        |word: Option<&str>| matches!(word, Some("-c" | "--help" | "--version" | "--show" | "-w"));
    let is_init = matches!(command.program(), "init" | "telinit");
    // `init` is also the name of other programs.
    let is_level = |word: Option<&str>| {
        word.is_none_or(|word| matches!(word, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "s" | "S"))
    };
    if words.iter().copied().any(is_harmless) || is_init && !words.iter().copied().any(is_level) {
        return Vec::new();
    }
    vec![ProcessUse::new("machine", None, Some(ProcessChange::Stop))]
}

fn uses_of_service(program: &ServiceProgram, command: CommandWords<'_>) -> Option<Vec<ProcessUse>> {
    let line = SubcommandLine::read(command, KnownOptions { values: program.values, flags: program.flags });
    let mut operands: Vec<_> = line.texts().collect();
    let is_group = |word: Option<&str>| word.is_some_and(|word| has_word(program.groups, word));
    if program.needs_group && !operands.first().is_some_and(|word| word.is_none() || is_group(*word)) {
        return None;
    }
    let groups = operands.iter().take_while(|word| is_group(**word)).count();
    operands.drain(..groups);
    if program.name_first && operands.len() > 1 {
        operands.swap(0, 1);
    }
    let mut operands = operands.into_iter();
    let Some(verb) = operands.next() else { return Some(Vec::new()) };
    let is = |list: &str| verb.is_some_and(|verb| has_word(list, verb));
    let change = match () {
        () if is(program.machine) => {
            return Some(vec![ProcessUse::new("machine", None, Some(ProcessChange::Stop))]);
        }
        () if is(program.harmless) => return Some(Vec::new()),
        () if is(program.start) => Some(ProcessChange::Start),
        () if is(program.stop) => Some(ProcessChange::Stop),
        () if is(program.restart) => Some(ProcessChange::Restart),
        () if is(program.signal) => Some(ProcessChange::Signal),
        () if is(program.remove) => Some(ProcessChange::Remove),
        // A service whose verb is unknown may do anything; a program with other fields of work does something else.
        () if program.has_other_verbs && verb.is_some() => return Some(Vec::new()),
        () => None,
    };
    let named = line.value_of("--name").filter(|_| is(program.start));
    let one = |name: Option<&str>| {
        let plain = name
            .map(|name| name.rsplit('/').next().unwrap_or(name))
            .map(|name| name.strip_suffix(".service").unwrap_or(name));
        ProcessUse::new(program.kind, plain, change)
    };
    let found: Vec<_> = match named {
        Some(name) => vec![one(Some(name))],
        // The operand of `docker run` is an image, and the words after it are a command.
        None if is(program.creates) => vec![one(None)],
        None => operands.take_while(|word| word.is_none_or(|word| !word.starts_with('-'))).map(one).collect(),
    };
    Some(if found.is_empty() { vec![one(None)] } else { found })
}
