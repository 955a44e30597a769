//! Effects as the log keeps them.

use super::call_effects::CallEffects;
use countersign_events::RecordedEffect;
use countersign_patterns::{FileUse, command::PathAccess};
use std::collections::HashSet;

/// The most words that may be a path, of which that is not certain.
const MAX_DOUBTFUL: usize = 8;

impl CallEffects {
    /// The effects for the log: each once, the certain ones first, bounded in number and size. Each text is masked.
    pub(crate) fn to_records(&self, mask: impl Fn(&str) -> String) -> Vec<RecordedEffect> {
        let mut all: Vec<_> = self.all_records().collect();
        all.sort_by_key(|effect| !effect.certain);
        let mut seen = HashSet::new();
        let mut bytes = 0;
        let mut kept = Vec::new();
        for effect in all {
            let target = cut(mask(&effect.target));
            if !seen.insert((effect.kind.clone(), effect.access.clone(), target.clone())) {
                continue;
            }
            bytes += target.len();
            if kept.len() == RecordedEffect::MAX_COUNT || bytes > RecordedEffect::MAX_BYTES {
                break;
            }
            kept.push(RecordedEffect { target, ..effect });
        }
        kept
    }

    fn all_records(&self) -> impl Iterator<Item = RecordedEffect> {
        let is_path = |used: &&FileUse| {
            let is_named = used.access != PathAccess::Unknown || used.shown.contains(['/', '.', '~']);
            let is_address = used.shown.contains("://") && !used.shown.contains("file://");
            is_named && !is_address && !used.shown.trim_start_matches(['\'', '"']).starts_with('-')
        };
        let certain = self.files.iter().filter(|used| used.is_certain).filter(is_path);
        let doubtful = self.files.iter().filter(|used| !used.is_certain).filter(is_path).take(MAX_DOUBTFUL);
        let files = certain.chain(doubtful).map(record_of_file);
        let hosts = self
            .hosts
            .iter()
            .filter_map(|used| Some(record("host", Some("connect"), used.host.as_deref()?, used.is_certain)));
        let branches = self.git.iter().filter_map(|used| {
            let change = used.change?.as_str();
            Some(record(
                "branch",
                Some(change),
                used.branch.as_deref().unwrap_or_default(),
                used.branch.is_some(),
            ))
        });
        let clusters = self.kubernetes.iter().map(|used| {
            let parts = [&used.context, &used.namespace, &used.kind, &used.name];
            let named: Vec<_> = parts.into_iter().flatten().map(String::as_str).collect();
            record(
                "cluster",
                used.verb.as_deref(),
                &named.join("/"),
                used.verb.is_some() && used.context.is_some(),
            )
        });
        let databases = self.sql.iter().flat_map(|used| {
            let access = used.kind.map(super::sql::SqlKind::as_str);
            let database = used.databases.first().map_or("", String::as_str);
            let tables = if used.tables.is_empty() {
                vec![""]
            } else {
                used.tables.iter().map(String::as_str).collect()
            };
            let name = move |table: &str| [database, table].join("/").trim_matches('/').to_owned();
            tables
                .into_iter()
                .map(move |table| record("database", access, &name(table), access.is_some()))
                .collect::<Vec<_>>()
        });
        let packages = self.packages.iter().map(|used| {
            let access = used.change.map(super::packages::PackageChange::as_str);
            let target = format!("{}:{}", used.ecosystem, used.name.as_deref().unwrap_or_default());
            record("package", access, &target, used.is_certain && access.is_some() && used.name.is_some())
        });
        let processes = self.processes.iter().map(|used| {
            let access = used.change.map(super::processes::ProcessChange::as_str);
            let name = used.name.as_deref().or(used.shown.as_deref()).unwrap_or(used.kind);
            record("process", access, name, access.is_some() && !used.is_part)
        });
        let clouds = self.cloud.iter().map(|used| {
            let access = used.change.map(super::cloud::CloudChange::as_str);
            let parts = [
                Some(used.provider),
                used.account.as_deref(),
                used.service.as_deref(),
                used.resource.as_deref(),
            ];
            let named: Vec<_> = parts.into_iter().flatten().collect();
            record("cloud", access, &named.join("/"), access.is_some())
        });
        let unread = self.unread.iter().map(|why| record("unknown", None, why, false));
        let local = files.chain(hosts).chain(branches).chain(clusters).chain(databases);
        local.chain(packages).chain(processes).chain(clouds).chain(unread)
    }
}

fn record(kind: &str, access: Option<&str>, target: &str, certain: bool) -> RecordedEffect {
    RecordedEffect {
        kind: kind.to_owned(),
        access: access.map(str::to_owned),
        target: target.to_owned(),
        certain,
    }
}

/// The path as far as it is known, or as it is written.
fn record_of_file(used: &FileUse) -> RecordedEffect {
    let mut known = used.known_paths();
    let path = known.next().filter(|_| !used.has_unknown_path());
    let access = match used.access {
        PathAccess::Read => Some("read"),
        PathAccess::List => Some("list"),
        PathAccess::Write => Some("write"),
        PathAccess::Delete => Some("delete"),
        PathAccess::Unknown => None,
    };
    record("file", access, path.unwrap_or(&used.shown), used.is_certain)
}

/// The text up to the longest that is recorded.
fn cut(mut text: String) -> String {
    if text.len() > RecordedEffect::MAX_TARGET_BYTES {
        let end = (0..=RecordedEffect::MAX_TARGET_BYTES).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
    }
    text
}
