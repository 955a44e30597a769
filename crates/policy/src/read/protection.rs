//! Reads protections: `[[protect]]` tables.

use super::{
    known_words::{read_folded_names, read_word, read_words},
    node::{PolicyFault, TableKeys, TomlItem, TomlNode},
    protected_operations::{read_cloud, read_packages, read_processes},
    rule::{read_exception, read_name, read_terms},
    selector::{self, SelectorOwner},
    source::{ParsedRule, PolicyTables, SourcePosition},
    verdict::read_verdict,
};
use crate::{
    effects::{GitChange, SqlKind},
    judgement::OwnTerms,
    names::NameGlobs,
    rule::PolicyRule,
    selector::{
        ProtectedBranches, ProtectedCluster, ProtectedDatabase, ProtectedFiles, ProtectedThings,
        RuleSelectors,
    },
    spelling::did_you_mean,
};
use countersign_events::Verdict;
use countersign_patterns::{ProtectedPath, command::PathAccess};

/// Protections that are part of the program, by name.
const PACKAGES: &[(&str, &str)] = &[
    ("secrets", include_str!("../protections/secrets.toml")),
    ("agent configuration", include_str!("../protections/agent_configuration.toml")),
    ("default branch", include_str!("../protections/default_branch.toml")),
    ("home", include_str!("../protections/home.toml")),
];

/// The keys that say what is protected.
const THINGS: &[&str] = &[
    "path",
    "access",
    "outside",
    "folders",
    "host",
    "git",
    "kubernetes",
    "sql",
    "packages",
    "process",
    "cloud",
    "package",
];

/// Reads all protections. Each is a rule that asks or blocks.
pub(super) fn read_protections<'a>(
    keys: &mut TableKeys<'a>,
    tables: &PolicyTables,
) -> Result<Vec<ParsedRule<'a>>, PolicyFault> {
    match keys.optional("protect").map(|node| (node, &node.item)) {
        None => Ok(Vec::new()),
        Some((_, TomlItem::List(nodes))) => nodes.iter().map(|node| read_protection(node, tables)).collect(),
        Some((node, _)) => Err(node.fault("write protections as [[protect]], with two brackets")),
    }
}

fn read_protection<'a>(node: &'a TomlNode, tables: &PolicyTables) -> Result<ParsedRule<'a>, PolicyFault> {
    let mut keys = node.keys("a protection")?;
    let at = keys.required("name")?;
    let name = read_name(at)?;
    let verdict_node = keys.required("verdict")?;
    let verdict = read_verdict(verdict_node)?;
    if verdict == Verdict::Allow {
        return Err(verdict_node.fault("a protection asks or blocks: write `verdict = \"ask\"` or \"block\""));
    }
    let reason = keys.optional("reason").map(|node| node.text("reason")).transpose()?.map(str::to_owned);
    let shadow = keys.optional("shadow").map(|node| node.flag("shadow")).transpose()?.unwrap_or(false);
    let terms = OwnTerms { advisor: None, ..read_terms(&mut keys, verdict, tables)? };
    let examples = keys.optional("examples");
    let unless = keys.optional("unless");
    let canonical = canonical_things(&keys, unless);
    let unless =
        unless.map(|node| read_exception(node, SelectorOwner::exception(verdict), tables)).transpose()?;
    let things = read_things(&mut keys)?;
    keys.reject_unknown()?;
    let Some(protected) = things else {
        return Err(node.fault(
            "the protection names nothing; add `path`, `host`, `git`, `kubernetes`, `sql`, `packages`, `process`, `cloud` or `package`",
        ));
    };
    let matching = RuleSelectors { protected: Some(protected), ..RuleSelectors::default() };
    let rule = PolicyRule { reason, shadow, unless, terms, ..PolicyRule::new(name, verdict, matching) };
    let position = SourcePosition {
        at: at.at,
        verdict_at: at.at,
        examples,
        selectors: canonical,
        is_always_excepted: false,
    };
    Ok((rule, position))
}

/// A string that is equal for protections of the same things.
fn canonical_things(keys: &TableKeys<'_>, unless: Option<&TomlNode>) -> String {
    let things = keys.entries().iter().filter(|entry| THINGS.contains(&entry.key.as_str()));
    let mut texts: Vec<_> =
        things.map(|entry| format!("{}={}", entry.key, entry.value.canonical_text())).collect();
    texts.sort();
    format!("protect {} unless {}", texts.join(" "), unless.map(TomlNode::canonical_text).unwrap_or_default())
}

/// Reads what is protected; `None` if the table names nothing.
fn read_things(keys: &mut TableKeys<'_>) -> Result<Option<ProtectedThings>, PolicyFault> {
    if let Some(node) = keys.optional("package") {
        let others = THINGS.iter().filter(|key| !["package", "folders"].contains(key));
        if let Some(other) = others.copied().find_map(|key| keys.optional(key)) {
            return Err(other
                .fault("a `package` says what is protected; remove this key, or write a second protection"));
        }
        let mut things = read_package(node)?;
        if let Some(files) = &mut things.files {
            files.ignores_folders =
                keys.optional("folders").map(read_folders).transpose()?.unwrap_or(files.ignores_folders);
        }
        return Ok(Some(things));
    }
    let things = ProtectedThings {
        files: read_files(keys)?,
        hosts: keys.optional("host").map(|node| read_folded_names(node, "hosts")).transpose()?,
        git: keys.optional("git").map(read_branches).transpose()?,
        kubernetes: keys.optional("kubernetes").map(read_cluster).transpose()?,
        sql: keys.optional("sql").map(read_database).transpose()?,
        packages: keys.optional("packages").map(read_packages).transpose()?,
        processes: keys.optional("process").map(read_processes).transpose()?,
        cloud: keys.optional("cloud").map(read_cloud).transpose()?,
    };
    Ok((!things.is_empty()).then_some(things))
}

fn read_package(node: &TomlNode) -> Result<ProtectedThings, PolicyFault> {
    let name = node.text("a package")?;
    let Some((_, text)) = PACKAGES.iter().find(|(known, _)| *known == name) else {
        let known: Vec<_> = PACKAGES.iter().map(|(known, _)| *known).collect();
        let why = format!(
            "unknown package {name:?}{}; the packages are {}",
            did_you_mean(name, &known),
            known.join(", ")
        );
        return Err(node.fault(why));
    };
    let table = toml::de::DeTable::parse(text).map_err(|e| node.fault(e.to_string()))?;
    let table = TomlNode::from_toml(&table);
    let mut keys = table.keys("a package")?;
    let things = read_things(&mut keys).map_err(|fault| node.fault(fault.why))?;
    things.ok_or_else(|| node.fault(format!("the package {name:?} is empty")))
}

fn read_files(keys: &mut TableKeys<'_>) -> Result<Option<ProtectedFiles>, PolicyFault> {
    let paths = keys.optional("path");
    let accesses = keys.optional("access");
    let outside = keys.optional("outside");
    let folders = keys.optional("folders");
    let Some(paths) = paths else {
        let alone = [accesses, outside, folders].into_iter().flatten().next();
        return alone.map_or(Ok(None), |node| {
            Err(node.fault("this key says more about `path`; add one, or remove the key"))
        });
    };
    let pattern =
        |(text, node): (&str, &TomlNode)| ProtectedPath::new(text).map_err(|e| node.fault(e.to_string()));
    let every = vec![PathAccess::Read, PathAccess::List, PathAccess::Write, PathAccess::Delete];
    Ok(Some(ProtectedFiles {
        paths: paths.texts("paths")?.into_iter().map(pattern).collect::<Result<_, _>>()?,
        accesses: accesses.map(read_accesses).transpose()?.unwrap_or(every),
        outside_project: outside
            .map(|node| read_word(node, &[("project", true)]))
            .transpose()?
            .unwrap_or(false),
        ignores_folders: folders.map(read_folders).transpose()?.unwrap_or(false),
    }))
}

/// Reads whether a use of a folder that may contain a protected file is ignored.
fn read_folders(node: &TomlNode) -> Result<bool, PolicyFault> {
    read_word(node, &[("ask", false), ("ignore", true)])
}

fn read_accesses(node: &TomlNode) -> Result<Vec<PathAccess>, PolicyFault> {
    let known = [
        ("read", PathAccess::Read),
        ("list", PathAccess::List),
        ("write", PathAccess::Write),
        ("delete", PathAccess::Delete),
    ];
    read_words(node, "accesses", &known)
}

fn read_branches(node: &TomlNode) -> Result<ProtectedBranches, PolicyFault> {
    let mut keys = node.keys("git")?;
    let has_default = keys.optional("default").map(|node| node.flag("default")).transpose()?.unwrap_or(false);
    let branch = if has_default { keys.optional("branch") } else { Some(keys.required("branch")?) };
    let branches = branch.map(|node| selector::read_names(node, "branches", None)).transpose()?;
    let branches =
        branches.map_or_else(|| NameGlobs::new(Vec::new()).map_err(|e| node.fault(e.to_string())), Ok)?;
    let known = GitChange::ALL.map(|change| (change.as_str(), change));
    let changes = keys.optional("change").map(|node| read_words(node, "changes", &known)).transpose()?;
    keys.reject_unknown()?;
    Ok(ProtectedBranches {
        branches,
        has_default,
        changes: changes.unwrap_or_else(|| GitChange::ALL.to_vec()),
    })
}

fn read_cluster(node: &TomlNode) -> Result<ProtectedCluster, PolicyFault> {
    let mut keys = node.keys("kubernetes")?;
    let mut names =
        |key: &'static str| keys.optional(key).map(|node| selector::read_names(node, key, None)).transpose();
    let (context, namespace, kind, name) =
        (names("context")?, names("namespace")?, names("kind")?, names("name")?);
    let mut words = |key| {
        let texts = keys.optional(key).map(|node| node.texts(key)).transpose()?.unwrap_or_default();
        Ok(texts.into_iter().map(|(text, _)| text.to_owned()).collect::<Vec<_>>())
    };
    let (verbs, except) = (words("verb")?, words("except")?);
    keys.reject_unknown()?;
    if context.is_none() && namespace.is_none() && kind.is_none() && name.is_none() {
        return Err(node.fault(
            "`kubernetes` needs `context`, `namespace`, `kind` or `name`; `context = \"*\"` is every cluster",
        ));
    }
    Ok(ProtectedCluster { context, namespace, kind, name, verbs, except })
}

fn read_database(node: &TomlNode) -> Result<ProtectedDatabase, PolicyFault> {
    let mut keys = node.keys("sql")?;
    let database = keys.optional("database").map(|node| read_folded_names(node, "databases")).transpose()?;
    let table = keys.optional("table").map(|node| read_folded_names(node, "tables")).transpose()?;
    let known = SqlKind::ALL.map(|kind| (kind.as_str(), kind));
    let statements =
        keys.optional("statements").map(|node| read_words(node, "statements", &known)).transpose()?;
    keys.reject_unknown()?;
    if database.is_none() && table.is_none() {
        return Err(node.fault("`sql` needs `database` or `table`; `database = \"*\"` is every database"));
    }
    Ok(ProtectedDatabase { database, table, statements: statements.unwrap_or_else(|| SqlKind::ALL.to_vec()) })
}
