//! What a call does to resources of a cloud.

use super::{
    cloud_programs::{CLOUD_PROGRAMS, CloudProgram, DELETES, READS, SERVER_WORDS, WRITES},
    command_line::{KnownOptions, SubcommandLine},
    word_list::has_word,
};
use countersign_patterns::command::CommandWords;

/// Words of tools that only read. A query may be one that changes something.
const TOOL_READS: &str = "count describe get list read search show view";

/// What happens to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloudChange {
    /// It is only read.
    Read,
    /// It is created or changed.
    Write,
    Delete,
}

/// A command to a cloud.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CloudUse {
    pub(crate) provider: &'static str,
    /// The account, project, subscription or application; `None` if the call does not name it.
    pub(crate) account: Option<String>,
    /// The words before the verb, such as `s3` and `compute instances`; `None` if they are not known.
    pub(crate) service: Option<String>,
    /// The verb, as the program has it; `None` if it is unknown.
    pub(crate) verb: Option<String>,
    pub(crate) resource: Option<String>,
    /// The change; `None` if it is unknown.
    pub(crate) change: Option<CloudChange>,
}

impl CloudChange {
    pub(crate) const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Delete];

    /// Its name in a policy.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

impl CloudUse {
    /// Its provider, service, verb and resource, as conditions read it. `None` if the verb is unknown.
    pub(super) fn path(&self) -> Option<String> {
        let verb = self.verb.as_deref()?;
        let parts = [Some(self.provider), self.service.as_deref(), Some(verb), self.resource.as_deref()];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

/// The names of all providers, which a policy may name.
pub(crate) fn providers() -> Vec<&'static str> {
    let mut all: Vec<_> = CLOUD_PROGRAMS.iter().map(|program| program.provider).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The use that a command makes of a cloud.
pub(super) fn use_of_command(command: CommandWords<'_>) -> Option<CloudUse> {
    let program = CLOUD_PROGRAMS.iter().find(|known| has_word(known.programs, command.program()))?;
    let line = SubcommandLine::read(command, KnownOptions { values: program.values, flags: program.flags });
    if line.operands.is_empty() && line.has_option("--version --help -h -v") || line.has_option("--help") {
        return None;
    }
    let account = line.value_of(program.account).map(str::to_lowercase);
    let base = CloudUse { provider: program.provider, account, ..CloudUse::default() };
    let mut services: Vec<&str> = Vec::new();
    let mut operands = line.operands.iter().enumerate();
    let verb = loop {
        let Some((at, operand)) = operands.next() else { break None };
        let Some(word) = operand.text.filter(|_| !operand.may_be_value) else { return Some(base) };
        // `apps:destroy` is a service and its verb.
        let is_split = program.services == 0 && word.contains(':') && !word.contains("://");
        let (group, word) = word
            .rsplit_once(':')
            .filter(|_| is_split)
            .map_or((None, word), |(group, word)| (Some(group), word));
        services.extend(group);
        if group.is_some() || !program.is_group(&services, at, word) {
            break Some(word);
        }
        services.push(word);
    };
    let rest: Vec<_> = operands.map(|(_, operand)| *operand).collect();
    let texts: Vec<_> = rest.iter().map(|operand| operand.text).collect();
    let mut verb = verb.or(program.alone.filter(|_| services.is_empty()));
    if verb.is_none() {
        // Some words are both, such as `deploy`. Of a group alone, a program shows its help.
        let last = services.pop()?;
        program.change_of(last, &[], &line)?;
        verb = Some(last);
    }
    let verb = verb?;
    let is_local = |word: &str| has_word(program.local, word);
    if services.first().map_or_else(|| is_local(verb), |first| is_local(first)) {
        return None;
    }
    let service = Some(services.join(" ")).filter(|service| !service.is_empty());
    let change = program.change_of(verb, &texts, &line);
    let first = rest.first().filter(|operand| !operand.may_be_value).and_then(|operand| operand.text);
    let resource = line.value_of(program.resource).or(first);
    // The words before a verb that is not known may be others than they seem.
    let is_known = change.is_some();
    Some(CloudUse {
        service: service.filter(|_| is_known || program.services > 0),
        verb: is_known.then(|| verb.to_owned()),
        resource: resource.map(str::to_owned),
        change,
        ..base
    })
}

impl CloudProgram {
    /// Whether a word belongs to the service. Behind others, a word such as `deploy` is rather a verb.
    fn is_group(&self, services: &[&str], at: usize, word: &str) -> bool {
        let is_first = services.iter().all(|before| has_word("alpha beta", before));
        at < self.services
            || has_word(self.groups, word)
                && (is_first || !has_word(WRITES, word) && !has_word(DELETES, word))
    }

    fn change_of(&self, verb: &str, rest: &[Option<&str>], line: &SubcommandLine<'_>) -> Option<CloudChange> {
        if has_word("cp sync mv rsync", verb) {
            return Some(change_of_copy(verb, rest, line));
        }
        if has_word(self.deletes, verb) {
            return Some(CloudChange::Delete);
        }
        if has_word(self.writes, verb) {
            let deletes = verb == "apply" && line.has_option("-destroy --destroy");
            return Some(if deletes { CloudChange::Delete } else { CloudChange::Write });
        }
        if has_word(self.reads, verb) {
            return Some(CloudChange::Read);
        }
        change_of_words(verb)
    }
}

/// A copy out of a bucket reads; into one, it writes; and a move deletes its source.
fn change_of_copy(verb: &str, rest: &[Option<&str>], line: &SubcommandLine<'_>) -> CloudChange {
    let is_far = |word: Option<&str>| word.is_none_or(|word| word.contains("://"));
    let operands: Vec<_> =
        rest.iter().filter(|word| word.is_none_or(|word| !word.starts_with('-'))).collect();
    let deletes = line.has_option("--delete -d --delete-unmatched-destination-objects");
    match &operands[..] {
        [_, .., target] if !is_far(**target) && verb != "mv" => CloudChange::Read,
        _ if verb == "mv" || deletes => CloudChange::Delete,
        _ => CloudChange::Write,
    }
}

/// The change that a verb's words say, such as `describe-instances`: the first of them, behind `batch`.
fn change_of_words(verb: &str) -> Option<CloudChange> {
    let mut words = verb.split(['-', '_']).filter(|word| !word.is_empty());
    let first = words.find(|word| *word != "batch")?;
    [(DELETES, CloudChange::Delete), (WRITES, CloudChange::Write), (READS, CloudChange::Read)]
        .into_iter()
        .find(|(list, _)| has_word(list, first))
        .map(|(_, change)| change)
}

/// The use that an MCP server's tool makes, by its name, its arguments' names and its server's. Only words that delete or change
/// are certain; what a tool says about reading is a claim of its server, which [`KubernetesUse`](super::cluster_use::KubernetesUse)
/// takes in the same way.
pub(super) fn use_of_tool(
    tool: &str,
    argument: impl Fn(&str) -> Option<String>,
    says_it_changes: bool,
) -> Option<CloudUse> {
    let tool = tool.to_lowercase();
    let (server, own) = tool.rsplit_once("__")?;
    let words: Vec<_> = own.split(['_', '-', '.']).filter(|word| !word.is_empty()).collect();
    let names: Vec<_> = server.split(['_', '-', '.']).collect();
    let (_, provider) = SERVER_WORDS.iter().find(|(name, _)| names.contains(name))?;
    let any = |list: &str| words.iter().any(|word| has_word(list, word));
    let change = match () {
        () if any(DELETES) => Some(CloudChange::Delete),
        () if any(WRITES) => Some(CloudChange::Write),
        () if any(TOOL_READS) && !says_it_changes => Some(CloudChange::Read),
        () => None,
    };
    let first = |keys: &[&str]| keys.iter().find_map(|key| argument(key));
    let resource = first(&[
        "bucket",
        "bucket_name",
        "bucketName",
        "name",
        "resource",
        "resource_id",
        "resourceId",
        "instance_id",
        "instanceId",
        "namespace_id",
        "database_id",
        "databaseId",
        "id",
        "scriptName",
        "project_ref",
    ]);
    let account = first(&[
        "account_id",
        "accountId",
        "account",
        "project",
        "project_id",
        "projectId",
        "subscription",
        "profile",
        "app",
        "team",
    ]);
    let is_verb =
        |word: &&&str| has_word(DELETES, word) || has_word(WRITES, word) || has_word(TOOL_READS, word);
    let service: Vec<_> = words.iter().filter(|word| !is_verb(word)).copied().collect();
    Some(CloudUse {
        provider,
        account: account.map(|account| account.to_lowercase()),
        service: Some(service.join(" ")).filter(|service| !service.is_empty()),
        verb: change.and_then(|_| words.iter().find(|word| is_verb(word)).map(|word| (*word).to_owned())),
        resource,
        change,
    })
}

/// The command line that a tool for a cloud takes as an argument, such as `call_aws` of the AWS API server.
pub(super) fn is_command_argument(key: &str) -> bool {
    has_word("cli_command cliCommand aws_command az_command gcloud_command", key)
}
