//! The effects of one call, as lists and in words.

use super::{
    cloud::CloudUse,
    cluster_use::KubernetesUse,
    git::GitUse,
    hosts::HostUse,
    packages::{PackageChange, PackageUse},
    processes::ProcessUse,
    sql::SqlUse,
    words::describe_file,
};
use countersign_patterns::{FileUse, command::PathAccess};
use std::collections::HashSet;

/// The most effects that are shown.
const MAX_SHOWN: usize = 20;

/// The lists of effects that conditions read.
pub(crate) const EFFECT_LISTS: &[&str] =
    &["reads", "lists", "writes", "deletes", "uses", "hosts", "installs", "publishes", "processes", "cloud"];

/// A list of effects of one kind.
pub(crate) struct EffectList {
    pub(crate) found: Vec<String>,
    /// Whether the call may have more of them.
    pub(crate) is_open: bool,
}

impl EffectList {
    /// A list of names, each with whether it is certain. A name that is missing or not certain leaves the list open.
    fn new(names: impl Iterator<Item = (Option<String>, bool)>) -> Self {
        let mut list = Self { found: Vec::new(), is_open: false };
        for (name, is_certain) in names {
            list.is_open |= name.is_none() || !is_certain;
            list.found.extend(name.filter(|_| is_certain));
        }
        list
    }
}

/// The effects of one call.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallEffects {
    pub(crate) files: Vec<FileUse>,
    pub(crate) hosts: Vec<HostUse>,
    pub(crate) git: Vec<GitUse>,
    pub(crate) kubernetes: Vec<KubernetesUse>,
    pub(crate) sql: Vec<SqlUse>,
    pub(crate) packages: Vec<PackageUse>,
    pub(crate) processes: Vec<ProcessUse>,
    pub(crate) cloud: Vec<CloudUse>,
    /// The reason why the call may have effects that it does not show.
    pub(crate) unread: Option<String>,
}

impl CallEffects {
    /// One of the lists that conditions read. Paths are absolute, in lower case.
    pub(crate) fn list(&self, name: &str) -> EffectList {
        let packages = |wanted: PackageChange| {
            let uses =
                self.packages.iter().filter(move |used| used.change.is_none_or(|change| change == wanted));
            EffectList::new(uses.map(|used| {
                let known = used.change.and(used.name.as_deref());
                (known.map(|name| format!("{}:{name}", used.ecosystem)), used.is_certain)
            }))
        };
        let mut list = match name {
            "hosts" => EffectList::new(self.hosts.iter().map(|used| (used.host.clone(), true))),
            "installs" => packages(PackageChange::Install),
            "publishes" => packages(PackageChange::Publish),
            "processes" => {
                EffectList::new(self.processes.iter().map(|used| (used.name.clone(), !used.is_part)))
            }
            "cloud" => EffectList::new(self.cloud.iter().map(|used| (used.path(), true))),
            _ => self.list_files(name),
        };
        list.is_open |= self.unread.is_some();
        list
    }

    fn list_files(&self, name: &str) -> EffectList {
        let mut list = EffectList { found: Vec::new(), is_open: false };
        let wanted = |access| match name {
            "reads" => access == PathAccess::Read,
            "lists" => access == PathAccess::List,
            "writes" => access == PathAccess::Write,
            "deletes" => access == PathAccess::Delete,
            _ => true,
        };
        for used in self.files.iter().filter(|used| used.is_certain) {
            if wanted(used.access) {
                list.found.extend(used.known_paths().map(str::to_owned));
                list.is_open |= used.has_unknown_path();
            }
        }
        list
    }

    /// What the call does, in words, each once. Words of a command of which it is not known whether they are paths are left out.
    pub(crate) fn in_words(&self) -> Vec<String> {
        let is_shown = |used: &&FileUse| {
            let is_named = used.access != PathAccess::Unknown || used.shown.contains(['/', '.', '~']);
            let is_address = used.shown.contains("://") && !used.shown.contains("file://");
            used.is_certain
                && is_named
                && !is_address
                && !used.shown.trim_start_matches(['\'', '"']).starts_with('-')
        };
        let files = self.files.iter().filter(is_shown).map(describe_file);
        let hosts = self.hosts.iter().filter(|used| used.is_certain).map(ToString::to_string);
        let git = self.git.iter().filter(|used| used.change.is_some()).map(ToString::to_string);
        let clusters = self.kubernetes.iter().map(ToString::to_string);
        let statements = self.sql.iter().map(ToString::to_string);
        let packages = self.packages.iter().map(ToString::to_string);
        let processes = self.processes.iter().map(ToString::to_string);
        let clouds = self.cloud.iter().map(ToString::to_string);
        let unread = self.unread.iter().map(|why| format!("may do more: {why}"));
        let mut seen = HashSet::new();
        let all = files.chain(hosts).chain(git).chain(clusters).chain(statements);
        let all = all.chain(packages).chain(processes).chain(clouds).chain(unread);
        all.filter(|words| seen.insert(words.clone())).take(MAX_SHOWN).collect()
    }
}
