//! The hosts, branches, databases, clusters and clouds that a call's arguments name.

use super::{
    call_effects::CallEffects,
    cloud, database_tools, git, git_tools, hosts, kubernetes,
    source::EffectSource,
    sql::{self, NamedDatabases},
    sql_names::names_of_database,
    texts::TextArgument,
};
use crate::{RuleEffect, harmless::ToolKind, value::OrderedValue};

/// The strings among a call's arguments.
#[derive(Clone, Copy)]
pub(super) struct CallTexts<'a> {
    /// All of them, also those of commands and for people.
    pub(super) all: &'a [TextArgument<'a>],
    /// Those that are not known to have no effect of their own.
    pub(super) effective: &'a [&'a TextArgument<'a>],
}

impl CallTexts<'_> {
    /// The text of the first argument with one of the names, as [`TextArgument::plain_key`] has them.
    fn text_of(&self, names: [&str; 2]) -> Option<&str> {
        let mut all = self.all.iter();
        let found = all.find(|argument| names.contains(&argument.plain_key().as_str()));
        found.map(|argument| argument.text.as_ref())
    }
}

/// Adds the hosts.
pub(super) fn add_hosts(
    source: EffectSource<'_>,
    args: &OrderedValue,
    texts: CallTexts<'_>,
    effects: &mut CallEffects,
) {
    for argument in texts.effective {
        effects.hosts.extend(hosts::uses_in_text(&argument.text));
        effects.hosts.extend(hosts::use_of_name(&argument.text).filter(|_| argument.roles.is_host));
    }
    // A tool without an address finds it in the text.
    if args.get("url").is_none()
        && ToolKind::Fetch.includes(source.subject.tool.as_str(), RuleEffect::Restrict)
    {
        let prompts = texts.all.iter().filter(|argument| argument.key() == "prompt");
        effects.hosts.extend(prompts.flat_map(|argument| hosts::uses_in_text(&argument.text)));
    }
    let (host, domain) = (texts.text_of(["host", "subdomain"]), texts.text_of(["domain", "domainname"]));
    if let (Some(host), Some(domain)) = (host, domain) {
        effects.hosts.extend(hosts::uses_in_text(&format!("{host}.{domain}")));
    }
}

/// Adds the branches. `reads` says whether the tool only reads by its name.
pub(super) fn add_branches(
    source: EffectSource<'_>,
    texts: CallTexts<'_>,
    reads: bool,
    effects: &mut CallEffects,
) {
    let tool = source.subject.tool.as_str();
    let keyed: Vec<_> =
        texts.all.iter().map(|argument| (argument.plain_key(), argument.text.as_ref())).collect();
    if git_tools::is_harmless_tool(source.name, &keyed, source.says_it_changes) {
        return;
    }
    let is_git_tool = git_tools::is_git_tool(source.name);
    for argument in texts.effective.iter().filter(|_| !reads) {
        let branch = git::use_of_argument(argument.key(), &argument.text);
        effects.git.extend(branch.or_else(|| argument.branch(tool, is_git_tool)));
    }
    if is_git_tool {
        effects.git.extend(git_tools::uses_of_tool(source.name, &keyed));
    }
}

/// Adds what the call does to databases.
pub(super) fn add_databases(source: EffectSource<'_>, texts: CallTexts<'_>, effects: &mut CallEffects) {
    let names = |is_meant: &dyn Fn(&TextArgument<'_>) -> bool| {
        let meant = texts.all.iter().filter(|argument| is_meant(argument));
        meant.flat_map(|argument| names_of_database(&argument.text)).collect::<Vec<_>>()
    };
    let databases = NamedDatabases {
        certain: names(&|argument| argument.names_database()),
        possible: names(&|argument| argument.names_server()),
    };
    let is_database_tool = database_tools::is_database_tool(source.name) || !databases.certain.is_empty();
    let is_search = database_tools::is_search(source.name);
    let before = effects.sql.len();
    for argument in texts.effective.iter().filter(|argument| !is_search || argument.roles.is_sql) {
        effects.sql.extend(sql::uses_of_argument(argument, &databases, is_database_tool));
    }
    let has_statement = effects.sql.len() > before;
    effects.sql.extend(database_tools::uses_of_tool(source, texts.effective, &databases, has_statement));
}

/// Adds what the call does in clusters and clouds. `has_lines` says whether it has command lines for a cloud.
pub(super) fn add_clusters_and_clouds(
    source: EffectSource<'_>,
    args: &OrderedValue,
    has_lines: bool,
    effects: &mut CallEffects,
) {
    let tool = source.subject.tool.as_str();
    let text_of = |key: &str| args.get(key).and_then(OrderedValue::text).map(str::to_owned);
    effects.kubernetes.extend(kubernetes::use_of_tool(tool, source.name, text_of, source.says_it_changes));
    effects.cloud.extend(cloud::use_of_tool(tool, text_of, source.says_it_changes).filter(|_| !has_lines));
}
