//! Effects in words.

use super::{
    cloud::{CloudChange, CloudUse},
    cluster_use::KubernetesUse,
    git::{GitChange, GitUse},
    hosts::HostUse,
    packages::{PackageChange, PackageUse},
    processes::{ProcessChange, ProcessUse},
    sql::{SqlKind, SqlUse},
};
use countersign_patterns::{FileUse, command::PathAccess};
use std::fmt;

/// What happens to a file, as a verb.
const fn describe_access(access: PathAccess) -> &'static str {
    match access {
        PathAccess::Read => "reads",
        PathAccess::List => "lists",
        PathAccess::Write => "writes",
        PathAccess::Delete => "deletes",
        PathAccess::Unknown => "uses",
    }
}

/// A use of a file, in words.
pub(crate) fn describe_file(used: &FileUse) -> String {
    let verb = describe_access(used.access);
    if used.reaches_below() {
        format!("{verb} files in {}", used.shown)
    } else {
        format!("{verb} {}", used.shown)
    }
}

impl fmt::Display for GitUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let branch = self.branch.as_deref().unwrap_or(if self.is_current {
            "the branch that is checked out"
        } else {
            "a branch that it does not name"
        });
        match self.change {
            Some(GitChange::Update) => write!(f, "moves {branch}"),
            Some(GitChange::Force) => write!(f, "moves {branch} by force"),
            Some(GitChange::Delete) => write!(f, "deletes {branch}"),
            None => write!(f, "may change {branch}"),
        }
    }
}

impl fmt::Display for HostUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Some(host) if self.is_certain => write!(f, "connects to {host}"),
            Some(host) => write!(f, "names {host}"),
            None => f.write_str("connects to a host that it does not name"),
        }
    }
}

impl fmt::Display for KubernetesUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in Kubernetes:", if self.verb.is_some() { "runs" } else { "may do anything" })?;
        f.write_str(self.verb.as_deref().map_or_else(String::new, |verb| format!(" {verb}")).as_str())?;
        for part in [&self.kind, &self.name].into_iter().flatten() {
            write!(f, " {part}")?;
        }
        if let Some(namespace) = &self.namespace {
            write!(f, " in namespace {namespace}")?;
        }
        match &self.context {
            Some(context) => write!(f, " in cluster {context}"),
            None => f.write_str(" in a cluster that it does not name"),
        }
    }
}

impl fmt::Display for SqlUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Some(SqlKind::Read) => "reads",
            Some(SqlKind::Write) => "writes",
            Some(SqlKind::Schema) => "changes the schema of",
            None => "may change",
        })?;
        if self.tables.is_empty() {
            f.write_str(" a database")?;
        } else {
            write!(f, " table {}", self.tables.join(", "))?;
        }
        match self.databases.first() {
            Some(database) => write!(f, " in {database}"),
            None => f.write_str(" of a server that it does not name"),
        }
    }
}

impl fmt::Display for PackageUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, infinitive, link) = match self.change {
            Some(PackageChange::Install) => ("installs", "install", "from"),
            Some(PackageChange::Remove) => ("removes", "remove", "of"),
            Some(PackageChange::Publish) => ("publishes", "publish", "to"),
            None => ("may change", "change", "of"),
        };
        let name = self.name.as_deref().unwrap_or("packages that it does not name");
        if self.is_certain {
            write!(f, "{verb} {name} {link} {}", self.ecosystem)
        } else {
            write!(f, "may {infinitive} {name} {link} {}", self.ecosystem)
        }
    }
}

impl fmt::Display for ProcessUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.change {
            Some(ProcessChange::Start) => "starts",
            Some(ProcessChange::Stop) => "stops",
            Some(ProcessChange::Restart) => "restarts",
            Some(ProcessChange::Signal) => "signals",
            Some(ProcessChange::Remove) => "stops and removes",
            None => "may change",
        })?;
        match (self.kind, self.name.as_deref().or(self.shown.as_deref())) {
            ("machine", _) => f.write_str(" the machine"),
            (kind, Some(name)) if self.is_part => write!(f, " each {kind} with {name} in its name"),
            (kind, Some(name)) => write!(f, " {kind} {name}"),
            (kind, None) => write!(f, " a {kind} that it does not name"),
        }
    }
}

impl fmt::Display for CloudUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.change {
            Some(CloudChange::Read) => "reads",
            Some(CloudChange::Write) => "changes",
            Some(CloudChange::Delete) => "deletes",
            None => "may change",
        })?;
        write!(f, " {} in {}", self.resource.as_deref().unwrap_or("something"), self.provider)?;
        if let Some(service) = &self.service {
            write!(f, " {service}")?;
        }
        if let Some(verb) = &self.verb {
            write!(f, " ({verb})")?;
        }
        self.account.as_deref().map_or(Ok(()), |account| write!(f, " of {account}"))
    }
}
