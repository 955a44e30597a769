//! The words of a question in a call: how they are spelled, and how they fill the gaps of a template.

use super::goal::{ClusterGoal, ReachGoal};
use crate::effects::SqlKind;
use countersign_patterns::path::normalise;
use serde_json::Value;

/// The spellings of what a question is about, for a caller in some folder.
#[derive(Debug, Clone)]
pub(crate) struct GoalWords {
    /// All spellings, the natural one first.
    spellings: Vec<String>,
    /// The spelling that is the same in every folder.
    full: String,
    /// The gaps of templates, with their values.
    gaps: Vec<(&'static str, Option<String>)>,
}

impl GoalWords {
    pub(crate) fn new(goal: &ReachGoal, folder: Option<&str>, home: Option<&str>) -> Self {
        match goal {
            ReachGoal::File { path, .. } => Self::of_path(path, folder, home),
            ReachGoal::Host(host) => Self::of_name(host, vec![("{host}", Some(host.clone()))]),
            ReachGoal::Branch { name, .. } => Self::of_name(name, vec![("{branch}", Some(name.clone()))]),
            ReachGoal::Cluster(goal) => Self::of_cluster(goal),
            ReachGoal::Table { kind, table, database } => {
                let statement = match kind {
                    SqlKind::Read => format!("select * from {table}"),
                    SqlKind::Write => format!("delete from {table}"),
                    SqlKind::Schema => format!("drop table {table}"),
                };
                Self::of_name(table, vec![("{statement}", Some(statement)), ("{database}", database.clone())])
            }
        }
    }

    fn of_name(name: &str, gaps: Vec<(&'static str, Option<String>)>) -> Self {
        Self { spellings: vec![name.to_owned()], full: name.to_owned(), gaps }
    }

    fn of_path(path: &str, folder: Option<&str>, home: Option<&str>) -> Self {
        let absolute = match (path.strip_prefix("~/"), home, folder) {
            (Some(rest), Some(home), _) => format!("{home}/{rest}"),
            (None, _, Some(folder)) if !path.starts_with(['/', '~']) => format!("{folder}/{path}"),
            _ => path.to_owned(),
        };
        let full = normalise(&absolute).unwrap_or(absolute);
        let below = |root: Option<&str>| {
            Some(full.strip_prefix(root?.trim_end_matches('/'))?.strip_prefix('/')?.to_owned())
        };
        let relative = below(folder);
        let tilde = below(home).map(|rest| format!("~/{rest}"));
        let mut spellings: Vec<String> =
            [relative.clone(), tilde, Some(full.clone())].into_iter().flatten().collect();
        spellings.extend(relative.map(|rest| format!("./{rest}")));
        spellings.dedup();
        Self { spellings, full, gaps: Vec::new() }
    }

    fn of_cluster(goal: &ClusterGoal) -> Self {
        let option = |option: &str, value: &Option<String>| {
            value.as_ref().map_or_else(String::new, |value| format!("{option} {value} "))
        };
        let options = option("--context", &goal.context) + &option("-n", &goal.namespace);
        let words = [Some(""), goal.kind.as_deref(), goal.name.as_deref()];
        let object = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let gaps = vec![
            ("{options}", Some(options)),
            ("{verb}", Some(goal.verb.clone())),
            ("{object}", Some(object)),
            ("{kind}", goal.kind.clone()),
            ("{name}", goal.name.clone()),
            ("{namespace}", goal.namespace.clone()),
            ("{context}", goal.context.clone()),
        ];
        let main = goal.name.as_ref().or(goal.kind.as_ref()).unwrap_or(&goal.verb);
        Self { spellings: vec![main.clone()], full: main.clone(), gaps }
    }

    /// All spellings, the natural one first.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &str> {
        self.spellings.iter().map(String::as_str)
    }

    pub(crate) fn full(&self) -> &str {
        &self.full
    }

    /// A spelling that needs no shell, and is shorter than the full one in the caller's folder.
    fn without_shell(&self) -> &str {
        self.spellings().find(|word| !word.starts_with('~')).unwrap_or(&self.full)
    }

    /// Fills the gaps of a tool's arguments. A member whose value is missing is left out. `None` if nothing fits.
    pub(crate) fn fill_arguments(&self, template: &Value) -> Option<Value> {
        Some(match template {
            Value::String(text) => Value::String(self.fill(text, false)?),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.fill_arguments(item)).collect::<Option<_>>()?)
            }
            Value::Object(members) => {
                let filled = |(key, value): (&String, &Value)| {
                    let is_script = ["command", "cmd"].contains(&key.as_str());
                    match value {
                        Value::String(text) if is_script => {
                            self.fill(text, true).map(|text| Some((key.clone(), Value::String(text))))
                        }
                        Value::String(text) if self.lacks_value(text) => Some(None),
                        other => self.fill_arguments(other).map(|value| Some((key.clone(), value))),
                    }
                };
                let members: Option<Vec<_>> = members.iter().map(filled).collect();
                Value::Object(members?.into_iter().flatten().collect())
            }
            other => other.clone(),
        })
    }

    fn lacks_value(&self, text: &str) -> bool {
        self.gaps.iter().any(|(gap, value)| *gap == text && value.is_none())
    }

    /// Fills the gaps of one string, which a shell reads or not.
    pub(crate) fn fill(&self, template: &str, is_script: bool) -> Option<String> {
        let mut text = template.to_owned();
        for (gap, value) in &self.gaps {
            let is_used = text.contains(gap);
            match value {
                Some(value) if is_used => text = text.replace(gap, value),
                // A script that does not name the database does not say which one it changes.
                Some(_) if is_script && *gap == "{database}" => return None,
                None if is_used => return None,
                _ => {}
            }
        }
        if !self.gaps.is_empty() {
            return Some(text.trim_end().to_owned());
        }
        let mut filled = String::new();
        let mut rest = text.as_str();
        while let Some((before, gap, after)) = find_gap(rest) {
            filled.push_str(before);
            let is_bare = (filled.is_empty() || filled.ends_with([' ', '(']))
                && (after.is_empty() || after.starts_with([' ', ';', ')', '\n']));
            let word = match (filled.ends_with("//"), is_script && is_bare) {
                (true, _) => &self.full,
                (false, true) => self.spellings().next()?,
                (false, false) => self.without_shell(),
            };
            let word = part_of(word, gap);
            let is_plain = is_plain_word(&word) && !word.starts_with('~');
            match (is_script, is_plain || is_bare) {
                (false, _) => filled.push_str(&word),
                (true, true) => filled.push_str(&quote(&word)),
                (true, false) => return None,
            }
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }
}

/// Splits a template at its first gap for a path.
fn find_gap(text: &str) -> Option<(&str, &str, &str)> {
    let gaps = ["{}", "{dir}", "{name}"].into_iter();
    let (at, gap) = gaps.filter_map(|gap| text.find(gap).map(|at| (at, gap))).min()?;
    Some((&text[..at], gap, &text[at + gap.len()..]))
}

fn part_of(path: &str, gap: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    match gap {
        "{dir}" => if folder.is_empty() { "/" } else { folder }.to_owned(),
        "{name}" => name.to_owned(),
        _ => path.to_owned(),
    }
}

fn is_plain_word(word: &str) -> bool {
    word.chars().all(|c| c.is_alphanumeric() || "_-./~@+:,=%".contains(c))
}

/// The word as a shell reads it.
pub(crate) fn quote(word: &str) -> String {
    match word.strip_prefix("~/") {
        _ if is_plain_word(word) => word.to_owned(),
        Some(rest) => format!("~/'{rest}'"),
        None => format!("'{word}'"),
    }
}
