//! The packages that a command installs, removes or publishes.

use super::{
    command_line::{KnownOptions, SubcommandLine},
    package_managers::{FLAG_MANAGERS, FlagManager, MANAGERS, PackageManager, RUNNERS, UPLOADERS},
    word_list::has_word,
};
use countersign_patterns::command::CommandWords;
use std::borrow::Cow;

/// What happens to a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackageChange {
    /// It is fetched, and its code may run.
    Install,
    Remove,
    /// It is sent to others, or what others get is changed.
    Publish,
}

/// A change of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageUse {
    pub(crate) ecosystem: &'static str,
    /// The package in lower case and without its version; `None` if the call does not name it.
    pub(crate) name: Option<String>,
    /// The change; `None` if it is unknown.
    pub(crate) change: Option<PackageChange>,
    pub(crate) is_certain: bool,
}

impl PackageChange {
    pub(crate) const ALL: [Self; 3] = [Self::Install, Self::Remove, Self::Publish];

    /// Its name in a policy.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Remove => "remove",
            Self::Publish => "publish",
        }
    }
}

/// The names of all ecosystems, which a policy may name.
pub(crate) fn ecosystems() -> Vec<&'static str> {
    let managers = MANAGERS.iter().map(|manager| manager.ecosystem);
    let flags = FLAG_MANAGERS.iter().map(|manager| manager.ecosystem);
    let single = RUNNERS.iter().chain(UPLOADERS).map(|(_, ecosystem)| *ecosystem);
    let mut all: Vec<_> = managers.chain(flags).chain(single).chain(["maven"]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The changes that a command makes.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<PackageUse> {
    let program = command.program();
    let ecosystem_in = |list: &[(&str, &'static str)]| {
        list.iter().find(|(programs, _)| has_word(programs, program)).map(|(_, ecosystem)| *ecosystem)
    };
    if let Some(ecosystem) = ecosystem_in(RUNNERS) {
        let line = SubcommandLine::read(
            command,
            KnownOptions { values: "-p --package --from -w --with --python", flags: "-y --yes" },
        );
        let first = line.value_of("-p --package --from").or_else(|| line.texts().next().flatten());
        return uses_of_names(ecosystem, Some(PackageChange::Install), vec![first], false);
    }
    if let Some(ecosystem) = ecosystem_in(UPLOADERS) {
        let harmless = command.arguments().all(|word| {
            word.is_some_and(|word| has_word("check --version --help -h", word))
                || word.is_some_and(|word| word.contains('.'))
        });
        return if harmless {
            Vec::new()
        } else {
            uses_of_names(ecosystem, Some(PackageChange::Publish), Vec::new(), true)
        };
    }
    if let Some(manager) = FLAG_MANAGERS.iter().find(|manager| has_word(manager.programs, program)) {
        return uses_of_flags(manager, command);
    }
    if has_word("mvn mvnw gradle gradlew", program) {
        return uses_of_build(command);
    }
    let manager = MANAGERS.iter().find(|manager| has_word(manager.programs, program));
    manager.map(|manager| uses_of_manager(manager, command)).unwrap_or_default()
}

fn uses_of_manager(manager: &PackageManager, command: CommandWords<'_>) -> Vec<PackageUse> {
    let line = SubcommandLine::read(command, KnownOptions { values: manager.values, flags: "" });
    let mut operands =
        line.texts().skip_while(|word| word.is_some_and(|word| has_word(manager.groups, word)));
    if line.has_option("--push") && !manager.publish.is_empty() {
        let named = line.value_of("-t --tag").map(Some).into_iter().collect();
        return uses_of_names(manager.ecosystem, Some(PackageChange::Publish), named, true);
    }
    let unknown = || uses_of_names(manager.ecosystem, None, Vec::new(), true);
    let Some(verb) = operands.next() else {
        let installs = manager.alone_installs && !line.has_option("--version --help -v -V -h");
        let change = installs.then_some(PackageChange::Install);
        return if installs {
            uses_of_names(manager.ecosystem, change, Vec::new(), true)
        } else {
            Vec::new()
        };
    };
    let Some(verb) = verb else { return unknown() };
    let names: Vec<_> =
        operands.filter(|word| word.is_none_or(|word| !has_word(manager.nouns, word))).collect();
    let is = |list: &str| has_word(list, verb);
    let change = match () {
        () if is(manager.runs) => {
            let package = line.value_of("-p --package --from").or_else(|| names.first().copied().flatten());
            let package = package.map(|name| created_package(verb, name));
            let change = Some(PackageChange::Install);
            return uses_of_names(manager.ecosystem, change, vec![package.as_deref()], false);
        }
        () if is(manager.install) => PackageChange::Install,
        () if is(manager.remove) => PackageChange::Remove,
        () if is(manager.publish) => {
            let published = line.value_of("-p --package").map_or(names, |name| vec![Some(name)]);
            return uses_of_names(manager.ecosystem, Some(PackageChange::Publish), published, true);
        }
        () if is(manager.harmless) || manager.runs_scripts => return Vec::new(),
        () => return unknown(),
    };
    // A file that lists packages, beside which others may be named.
    let lists = line.has_option("-r --requirement --requirements --file -e --editable --path --git");
    let mut uses = uses_of_names(manager.ecosystem, Some(change), names, true);
    if lists && uses.iter().all(|used| used.name.is_some()) {
        uses.extend(uses_of_names(manager.ecosystem, Some(change), Vec::new(), true));
    }
    uses
}

fn uses_of_flags(manager: &FlagManager, command: CommandWords<'_>) -> Vec<PackageUse> {
    let line = SubcommandLine::read(command, KnownOptions::default());
    let change = match () {
        () if line.has_option(manager.install) => Some(PackageChange::Install),
        () if line.has_option(manager.remove) => Some(PackageChange::Remove),
        () if line.has_option(manager.harmless) && line.texts().all(|word| word.is_some()) => {
            return Vec::new();
        }
        () if line.options.is_empty() && line.operands.is_empty() => return Vec::new(),
        () => None,
    };
    uses_of_names(manager.ecosystem, change, line.texts().collect(), true)
}

/// The package that `npm create NAME` and the like run.
fn created_package<'a>(verb: &str, name: &'a str) -> Cow<'a, str> {
    let creates = has_word("c create init innit", verb)
        && !name.starts_with(['@', '-'])
        && !name.starts_with("create-");
    if creates { format!("create-{name}").into() } else { name.into() }
}

/// The uses of packages by these names. Without any, the call does not name them.
fn uses_of_names(
    ecosystem: &'static str,
    change: Option<PackageChange>,
    names: Vec<Option<&str>>,
    is_certain: bool,
) -> Vec<PackageUse> {
    let names = if names.is_empty() { vec![None] } else { names };
    let one = |name: Option<&str>| {
        // `apt install x-` removes x.
        let removes = ecosystem == "apt" && name.is_some_and(|name| name.ends_with('-'));
        let change = if removes { Some(PackageChange::Remove) } else { change };
        PackageUse {
            ecosystem,
            name: name.and_then(|name| package_name(ecosystem, name)),
            change,
            is_certain,
        }
    };
    names.into_iter().map(one).collect()
}

/// A build publishes if a goal or a task of it says so. All others build, which is not an effect on packages.
fn uses_of_build(command: CommandWords<'_>) -> Vec<PackageUse> {
    let line = SubcommandLine::read(
        command,
        KnownOptions { values: "-f --file -p --project-dir -P -pl", flags: "" },
    );
    let publishes = |word: Option<&str>| {
        word.is_none_or(|word| {
            word.starts_with("deploy") || word.to_lowercase().contains("publish") || word.contains(":deploy")
        }) && word != Some("publishToMavenLocal")
    };
    let is_known = line.texts().all(|word| word.is_some());
    let change = Some(PackageChange::Publish).filter(|_| is_known);
    if line.texts().any(publishes) { uses_of_names("maven", change, Vec::new(), true) } else { Vec::new() }
}

/// The name without version, in lower case; `None` for a path or an address.
fn package_name(ecosystem: &str, word: &str) -> Option<String> {
    let word = word.to_lowercase();
    let alias = word.split_once("@npm:").map(|(_, real)| real.to_owned());
    let word = alias.as_deref().unwrap_or(&word);
    let is_elsewhere = word.starts_with(['.', '/', '~'])
        || word.contains("://")
        || word.starts_with("git@")
        || [".whl", ".gz", ".tgz", ".zip", ".deb", ".rpm", ".gem", ".nupkg", ".vsix"]
            .iter()
            .any(|ending| word.ends_with(ending));
    if is_elsewhere {
        return None;
    }
    let cut = |ends: &[char]| word.split(ends).next().unwrap_or_default().trim();
    let name = match ecosystem {
        "npm" => {
            let scope = usize::from(word.starts_with('@'));
            let name = word[scope..].find('@').map_or(word, |at| &word[..at + scope]);
            // `user/repository` and `github:user/repository` are fetched from elsewhere.
            if name.contains(':') || scope == 0 && name.contains('/') {
                return None;
            }
            name
        }
        "pypi" | "conda" => {
            let name = word.rsplit("::").next().unwrap_or(word);
            name.split(['=', '<', '>', '!', '~', '[', ';', '@', ' ']).next().unwrap_or_default()
        }
        "cargo" | "go" | "apk" => cut(&['@', '=', '<', '>', '~']),
        "gem" | "composer" => cut(&[':', '=']),
        "apt" => cut(&['=', '/']).trim_end_matches(['-', '+']),
        "docker" => {
            let image = cut(&['@']);
            let tag = image.rfind(':').filter(|at| image.rfind('/').is_none_or(|slash| slash < *at));
            tag.map_or(image, |at| &image[..at])
        }
        "brew" => word.rsplit('/').next().unwrap_or(word),
        _ => cut(&['=']),
    };
    (!name.is_empty()).then(|| plain_package_name(ecosystem, name))
}

/// The name in its plain form: some ecosystems take `-`, `_` and `.` for the same.
fn plain_package_name(ecosystem: &str, name: &str) -> String {
    match ecosystem {
        "pypi" => name.replace(['_', '.'], "-"),
        "cargo" => name.replace('_', "-"),
        _ => name.to_owned(),
    }
}
