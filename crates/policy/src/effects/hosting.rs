//! The branches that programs for hosted repositories, and other programs than Git itself, may change.

use super::{
    git::{GitChange, GitUse, full_references, short_name},
    word_list::has_word,
};
use countersign_patterns::command::CommandWords;

/// A program that may change branches of a repository.
struct HostingProgram {
    names: &'static str,
    /// The commands of which no subcommand changes a branch.
    groups: &'static str,
    /// Commands with a subcommand that changes no branch.
    commands: &'static [(&'static str, &'static str)],
    /// Whether it may change branches without a command.
    starts_alone: bool,
}

const PROGRAMS: &[HostingProgram] = &[
    HostingProgram {
        names: "gh",
        groups: "alias attestation auth browse cache completion config extension gist gpg-key help issue label org project release \
            ruleset run search secret ssh-key status variable version",
        commands: &[
            (
                "pr",
                "checkout checks co close comment create diff edit list lock ls new ready reopen review status unlock view",
            ),
            (
                "repo",
                "autolink clone create credits deploy-key fork gitignore license list ls set-default star view",
            ),
            ("workflow", "list ls view"),
            ("codespace", "list view"),
        ],
        starts_alone: false,
    },
    HostingProgram {
        names: "glab",
        groups: "alias auth check-update completion config help incident issue iteration label milestone release schedule snippet ssh-key \
            user variable version",
        commands: &[
            (
                "mr",
                "approve approvers checkout close create diff issues list ls new note reopen revoke show subscribe todo unsubscribe view",
            ),
            ("repo", "clone contributors create fork list search view"),
            ("ci", "get lint list status trace view"),
        ],
        starts_alone: false,
    },
    HostingProgram {
        names: "hub",
        groups: "browse ci-status clone compare create diff fetch fork gist help init issue log release show status version",
        commands: &[("pr", "checkout list show")],
        starts_alone: false,
    },
    HostingProgram {
        names: "tea",
        groups: "clone comment help issue issues label labels login milestone milestones notification notifications open release \
            releases time times whoami",
        commands: &[
            ("pr", "approve checkout co create list ls reject review"),
            ("pulls", "approve checkout co create list ls reject review"),
        ],
        starts_alone: false,
    },
    HostingProgram {
        names: "jj",
        groups: "config desc describe diff edit evolog file files help interdiff log new next prev resolve root show sparse st status tag \
            version",
        commands: &[
            ("git", "clone fetch import init remote root"),
            ("bookmark", "list"),
            ("op", "log show diff"),
            ("workspace", "add list root"),
        ],
        starts_alone: false,
    },
    HostingProgram {
        names: "gt",
        groups: "add auth bottom bu bd changelog checkout children co completion config create diff docs down help info log ls ll modify \
            parent status top trunk up version",
        commands: &[],
        starts_alone: false,
    },
    HostingProgram {
        names: "hg sl",
        groups: "add amend annotate blame branch branches cat ci clone commit copy cp diff files grep heads help id identify incoming init \
            log manifest mv outgoing parents paths pull remove rename resolve revert rm root shelve show st stat status summary unshelve \
            up update verify version",
        commands: &[],
        starts_alone: false,
    },
    HostingProgram {
        names: "spr stg lazygit gitui tig git-town",
        groups: "help status version",
        commands: &[],
        starts_alone: true,
    },
    // They make releases, and push what they commit.
    HostingProgram {
        names: "semantic-release release-it np bfg",
        groups: "",
        commands: &[],
        starts_alone: true,
    },
    HostingProgram {
        names: "lerna",
        groups: "bootstrap changed clean create diff exec info init list ls run",
        commands: &[],
        starts_alone: false,
    },
];

/// The first words after which a program of many purposes changes branches.
const PARTS: &[(&str, &str)] =
    &[("az", "repos"), ("bb", "pr repo"), ("bkt", "pr branch"), ("cargo", "release"), ("mvn", "release")];
/// Programs that send any request.
const REQUEST_PROGRAMS: &str = "curl wget http https xh httpie";
/// What an address of a Git server's interface has.
const INTERFACES: [&str; 6] = [
    "api.github.com/",
    "/api/v3/repos/",
    "/api/v4/projects/",
    "/api/v1/repos/",
    "api.bitbucket.org/",
    "dev.azure.com/",
];
/// The options that make a request more than a question.
const SENDING_OPTIONS: &str = "-d --data --data-raw --data-binary --data-urlencode --json -F --form -f --field --raw-field --input -T \
    --upload-file --post-data --post-file --body-data --body-file";
/// What a repository has beside branches.
const HARMLESS_PARTS: &str =
    "issues labels milestones releases statuses check-runs check-suites notes comments subscription topics";

/// Whether the program is for hosted repositories, or another one that may change branches.
pub(super) fn is_hosting_program(program: &str) -> bool {
    PROGRAMS.iter().any(|known| has_word(known.names, program))
}

/// The changes that a command of one of these programs makes; nothing for another program.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Option<Vec<GitUse>> {
    let program = command.program();
    let arguments: Vec<Option<&str>> = command.arguments().collect();
    let operands: Vec<&str> =
        arguments.iter().flatten().copied().filter(|word| !word.starts_with('-')).collect();
    if has_word(REQUEST_PROGRAMS, program) {
        let is_interface = |text: &str| INTERFACES.iter().any(|part| text.contains(part));
        let is_used = command.texts().any(is_interface) && sends(&arguments);
        let is_harmless = !is_used || is_harmless_address(&operands);
        let unknown = (!is_harmless).then(|| GitUse::new(None, None));
        return Some(if sends(&arguments) {
            unknown.into_iter().chain(full_references(command)).collect()
        } else {
            Vec::new()
        });
    }
    if let Some((_, parts)) = PARTS.iter().find(|(name, _)| *name == program) {
        let first = operands.first().map_or("", |word| word.split(':').next().unwrap_or(word));
        let reads = operands.iter().any(|word| has_word("list show policy", word));
        let is_part = has_word(parts, first) && !reads;
        return is_part.then(|| vec![GitUse::new(None, None)]);
    }
    let known = PROGRAMS.iter().find(|known| has_word(known.names, program))?;
    let is_opaque = arguments.contains(&None) && !is_certain_command(known, &arguments);
    if !is_opaque && is_harmless(known, &arguments, &operands) {
        return Some(Vec::new());
    }
    let merges = operands.get(1) == Some(&"merge") && matches!(operands.first(), Some(&("pr" | "mr")));
    let mut found = vec![GitUse::new(None, if merges { Some(GitChange::Update) } else { None })];
    let has = |options: &str| arguments.iter().flatten().any(|word| has_word(options, word));
    if merges && has("-d --delete-branch --remove-source-branch") {
        found.push(GitUse::new(None, Some(GitChange::Delete)));
    }
    found.extend(named(command).map(|name| GitUse::new(Some(name), None)));
    Some(found)
}

/// Whether the subcommand is shown before anything that only the shell knows.
fn is_certain_command(known: &HostingProgram, arguments: &[Option<&str>]) -> bool {
    let shown: Vec<_> = arguments.iter().map_while(|word| *word).collect();
    let has_group = shown.first().is_some_and(|first| has_word(known.groups, first));
    has_group
        || shown.len() > 1 && !shown[0].starts_with('-') && !shown[1].starts_with('-') && shown[0] != "api"
}

fn is_harmless(known: &HostingProgram, arguments: &[Option<&str>], operands: &[&str]) -> bool {
    let has = |option: &str| arguments.iter().flatten().any(|word| *word == option);
    // What precedes the subcommand may have a value.
    let starts_plainly = arguments.first().is_none_or(|word| word.is_some_and(|word| !word.starts_with('-')));
    match operands {
        [] => {
            !known.starts_alone && arguments.is_empty()
                || !arguments.is_empty()
                    && arguments.iter().flatten().all(|word| has_word("--help -h --version -V", word))
        }
        _ if !starts_plainly => false,
        ["api", rest @ ..] => !sends(arguments) || is_harmless_query(arguments) || is_harmless_address(rest),
        // A pull request's branch may be deleted, or reset.
        ["pr" | "mr", "close" | "checkout" | "co", ..]
            if has("-d") || has("--delete-branch") || has("-f") || has("--force") =>
        {
            false
        }
        [first, rest @ ..] => {
            let subcommands = known.commands.iter().find(|(name, _)| name == first).map(|(_, names)| *names);
            has_word(known.groups, first)
                || subcommands.is_some_and(|names| rest.first().is_none_or(|second| has_word(names, second)))
        }
    }
}

/// Whether a request may be more than a question.
fn sends(arguments: &[Option<&str>]) -> bool {
    let reads = |method: &str| matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD");
    let mut method = None;
    let mut has_content = false;
    for (at, word) in arguments.iter().enumerate() {
        let Some(word) = word else { return true };
        let (option, attached) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((option, value)) => (option, Some(value)),
            None => (*word, word.strip_prefix("-X").filter(|value| !value.is_empty())),
        };
        if matches!(option, "-X" | "--method" | "--request") || attached.is_some() && word.starts_with("-X") {
            method = attached.or_else(|| arguments.get(at + 1).copied().flatten()).or(Some(""));
        }
        let is_attached =
            ["-d", "-F", "-T"].iter().any(|short| word.starts_with(short) && !word.starts_with("--"));
        has_content |= has_word(SENDING_OPTIONS, option) || is_attached;
        if matches!(*word, "POST" | "PUT" | "PATCH" | "DELETE") {
            return true;
        }
    }
    method.map_or(has_content, |method| !reads(method))
}

/// Whether a question in GraphQL only reads: it stands in one word, without a mutation.
fn is_harmless_query(arguments: &[Option<&str>]) -> bool {
    let is_graphql = arguments.iter().flatten().any(|word| *word == "graphql");
    let has_input = arguments.iter().flatten().any(|word| word.starts_with("--input") || word.contains("=@"));
    let changes = arguments.iter().flatten().any(|word| word.to_lowercase().contains("mutation"));
    is_graphql && !has_input && !changes
}

/// Whether the addresses are of things in a repository that are no branches.
fn is_harmless_address(operands: &[&str]) -> bool {
    let address = operands.iter().find(|word| word.contains('/')).copied().unwrap_or_default();
    let path = address.split('?').next().unwrap_or_default();
    let segments: Vec<_> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let Some(at) = segments.iter().position(|segment| matches!(*segment, "repos" | "projects" | "gists"))
    else {
        return false;
    };
    let rest: &[&str] = match segments[at] {
        "repos" => segments.get(at + 3..).unwrap_or_default(),
        "projects" => segments.get(at + 2..).unwrap_or_default(),
        _ => return true,
    };
    let is_request = matches!(rest.first(), Some(&("pulls" | "merge_requests")));
    let is_talk =
        rest.get(2).is_none_or(|part| has_word("comments notes reviews requested_reviewers approve", part));
    !path.contains("..")
        && (is_request && is_talk || rest.first().is_some_and(|part| has_word(HARMLESS_PARTS, part)))
}

/// The branches that the words may name.
fn named(command: CommandWords<'_>) -> impl Iterator<Item = String> {
    let parts = command
        .texts()
        .skip(1)
        .flat_map(|text| text.split(|c: char| c.is_whitespace() || "=:,'\"".contains(c)));
    parts.map(|part| {
        let full = part.split_once("heads/").or_else(|| part.split_once("branches/"));
        short_name(full.map_or(part, |(_, name)| name))
    })
}
