//! Questions, as people write them.

use super::goal::{ClusterGoal, FileGoal, ReachGoal};
use crate::effects::{GitChange, SqlKind};
use std::{fmt, str::FromStr};

/// The longest question, in bytes.
const MAX_BYTES: usize = 1024;

/// What questions look like, for errors.
const FORMS: &str = "read|write|delete|list|run FILE, connect HOST, push|force BRANCH, delete branch BRANCH, kubernetes VERB \
    [KIND[/NAME]] [in NAMESPACE] [of CONTEXT], sql read|write|schema TABLE [of DATABASE]";

/// A question to a policy: whether a call that does this can be allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachQuestion {
    pub(crate) goal: ReachGoal,
}

/// A question that cannot be read. It says what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadQuestion(String);

impl FromStr for ReachQuestion {
    type Err = BadQuestion;

    fn from_str(text: &str) -> Result<Self, BadQuestion> {
        if text.len() > MAX_BYTES {
            return bad(format!("a question has at most {MAX_BYTES} bytes, but this one has {}", text.len()));
        }
        if let Some(c) = text.chars().find(|c| c.is_control()) {
            return bad(format!("a question has no control character, but this one has {c:?}"));
        }
        let text = text.trim();
        let (first, rest) = text.split_once(' ').map_or((text, ""), |(first, rest)| (first, rest.trim()));
        let goal = match first {
            "delete" if rest == "branch" || rest.starts_with("branch ") => {
                read_branch(GitChange::Delete, rest["branch".len()..].trim())?
            }
            "push" => read_branch(GitChange::Update, rest)?,
            "force" => read_branch(GitChange::Force, rest)?,
            "connect" => ReachGoal::Host(read_host(rest)?),
            "kubernetes" => ReachGoal::Cluster(read_cluster(rest)?),
            "sql" => read_table(rest)?,
            _ => match FileGoal::ALL.into_iter().find(|access| access.as_str() == first) {
                Some(access) => ReachGoal::File { access, path: read_path(first, rest)? },
                None if first.is_empty() => return bad(format!("the question is empty; write {FORMS}")),
                None => return bad(format!("a question does not begin with {first:?}; write {FORMS}")),
            },
        };
        Ok(Self { goal })
    }
}

fn bad<T>(why: String) -> Result<T, BadQuestion> {
    Err(BadQuestion(why))
}

fn read_path(verb: &str, path: &str) -> Result<String, BadQuestion> {
    if path.is_empty() {
        return bad(format!("{verb} which file? write `{verb} FILE`, such as `{verb} ~/.ssh/id_ed25519`"));
    }
    if path.contains(['*', '?', '\\', '$', '`', '\'', '"', '{', '}', '<', '>', '|', ';', '&']) {
        return bad(format!(
            "{path:?} is no plain path; name one file, without wildcards, quotes and variables"
        ));
    }
    Ok(path.to_owned())
}

fn read_branch(change: GitChange, name: &str) -> Result<ReachGoal, BadQuestion> {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./@#".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(is_plain) {
        return bad(format!(
            "{name:?} is no branch; write `push BRANCH`, `force BRANCH` or `delete branch BRANCH`"
        ));
    }
    Ok(ReachGoal::Branch { change, name: name.to_owned() })
}

fn read_host(host: &str) -> Result<String, BadQuestion> {
    let is_plain = |c: char| c.is_alphanumeric() || "-.".contains(c);
    if host.is_empty() || !host.chars().all(is_plain) || host.starts_with(['-', '.']) {
        return bad(format!(
            "{host:?} is no host; write `connect HOST`, without a scheme, a port and a path"
        ));
    }
    Ok(host.to_lowercase())
}

/// A name in a cluster or a database.
fn read_name(what: &str, name: &str) -> Result<String, BadQuestion> {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.:@".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(is_plain) {
        return bad(format!("{name:?} is no {what}; write letters, digits and any of `_-.:@`"));
    }
    Ok(name.to_owned())
}

fn read_cluster(rest: &str) -> Result<ClusterGoal, BadQuestion> {
    const FORM: &str = "write `kubernetes VERB [KIND[/NAME]] [in NAMESPACE] [of CONTEXT]`, such as `kubernetes delete pod/web of prod`";
    let mut words = rest.split_ascii_whitespace().peekable();
    let Some(verb) = words.next() else { return bad(format!("the verb is missing; {FORM}")) };
    let mut goal = ClusterGoal { verb: read_name("verb", verb)?, ..ClusterGoal::default() };
    if let Some(object) = words.next_if(|word| !["in", "of"].contains(word)) {
        let (kind, name) = object.split_once('/').map_or((object, None), |(kind, name)| (kind, Some(name)));
        goal.kind = Some(read_name("kind", kind)?);
        goal.name = name.map(|name| read_name("name", name)).transpose()?;
    }
    while let Some(word) = words.next() {
        let (place, what) = match word {
            "in" => (&mut goal.namespace, "namespace"),
            "of" => (&mut goal.context, "context"),
            other => return bad(format!("{other:?} is not expected there; {FORM}")),
        };
        let Some(name) = words.next() else { return bad(format!("the {what} is missing; {FORM}")) };
        if place.replace(read_name(what, name)?).is_some() {
            return bad(format!("the {what} is given twice; {FORM}"));
        }
    }
    Ok(goal)
}

fn read_table(rest: &str) -> Result<ReachGoal, BadQuestion> {
    const FORM: &str = "write `sql read|write|schema TABLE [of DATABASE]`";
    let words: Vec<_> = rest.split_ascii_whitespace().collect();
    let (kind, table, database) = match words[..] {
        [kind, table] => (kind, table, None),
        [kind, table, "of", database] => (kind, table, Some(database)),
        _ => return bad(FORM.to_owned()),
    };
    let Some(kind) = SqlKind::ALL.into_iter().find(|known| known.as_str() == kind) else {
        return bad(format!("{kind:?} is no kind of statement; {FORM}"));
    };
    let database = database.map(|database| read_name("database", database)).transpose()?;
    Ok(ReachGoal::Table { kind, table: read_name("table", table)?, database })
}

impl fmt::Display for ReachQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.goal {
            ReachGoal::File { access, path } => write!(f, "{} {path}", access.as_str()),
            ReachGoal::Host(host) => write!(f, "connect {host}"),
            ReachGoal::Branch { name, .. } => write!(f, "{} {name}", self.goal.way()),
            ReachGoal::Cluster(goal) => {
                write!(f, "kubernetes {}", goal.verb)?;
                if let Some(kind) = &goal.kind {
                    write!(f, " {kind}")?;
                }
                if let Some(name) = &goal.name {
                    write!(f, "/{name}")?;
                }
                if let Some(namespace) = &goal.namespace {
                    write!(f, " in {namespace}")?;
                }
                goal.context.iter().try_for_each(|context| write!(f, " of {context}"))
            }
            ReachGoal::Table { kind, table, database } => {
                write!(f, "sql {} {table}", kind.as_str())?;
                database.iter().try_for_each(|database| write!(f, " of {database}"))
            }
        }
    }
}
