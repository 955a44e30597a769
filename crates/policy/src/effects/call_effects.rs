//! The effects of one call, as lists and in words.

use super::{git::GitUse, hosts::HostUse, kubernetes::KubernetesUse, sql::SqlUse, words::describe_file};
use countersign_patterns::{FileUse, command::PathAccess};
use std::collections::HashSet;

/// The most effects that are shown.
const MAX_SHOWN: usize = 20;

/// The lists of effects that conditions read.
pub(crate) const EFFECT_LISTS: &[&str] = &["reads", "lists", "writes", "deletes", "uses", "hosts"];

/// A list of effects of one kind.
pub(crate) struct EffectList {
    pub(crate) found: Vec<String>,
    /// Whether the call may have more of them.
    pub(crate) is_open: bool,
}

/// The effects of one call.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallEffects {
    pub(crate) files: Vec<FileUse>,
    pub(crate) hosts: Vec<HostUse>,
    pub(crate) git: Vec<GitUse>,
    pub(crate) kubernetes: Vec<KubernetesUse>,
    pub(crate) sql: Vec<SqlUse>,
    /// The reason why the call may have effects that it does not show.
    pub(crate) unread: Option<String>,
}

impl CallEffects {
    /// One of the lists that conditions read. Paths are absolute, in lower case.
    pub(crate) fn list(&self, name: &str) -> EffectList {
        let mut list = EffectList { found: Vec::new(), is_open: self.unread.is_some() };
        if name == "hosts" {
            list.found = self.hosts.iter().filter_map(|used| used.host.clone()).collect();
            list.is_open |= self.hosts.iter().any(|used| used.host.is_none());
            return list;
        }
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
            used.is_certain && is_named && !used.shown.trim_start_matches(['\'', '"']).starts_with('-')
        };
        let files = self.files.iter().filter(is_shown).map(describe_file);
        let hosts = self.hosts.iter().filter(|used| used.is_certain).map(ToString::to_string);
        let git = self.git.iter().filter(|used| used.change.is_some()).map(ToString::to_string);
        let clusters = self.kubernetes.iter().map(ToString::to_string);
        let statements = self.sql.iter().map(ToString::to_string);
        let unread = self.unread.iter().map(|why| format!("may do more: {why}"));
        let mut seen = HashSet::new();
        let all = files.chain(hosts).chain(git).chain(clusters).chain(statements).chain(unread);
        all.filter(|words| seen.insert(words.clone())).take(MAX_SHOWN).collect()
    }
}
