//! Reads protections of packages, processes and resources of clouds.

use super::{
    known_words::{read_folded_names, read_words},
    node::{PolicyFault, TomlNode},
    selector,
};
use crate::{
    effects::{CloudChange, PROCESS_KINDS, PackageChange, ProcessChange, ecosystems, providers},
    names::NameGlobs,
    selector::{ProtectedCloud, ProtectedPackages, ProtectedProcesses},
    spelling::did_you_mean,
};

pub(super) fn read_packages(node: &TomlNode) -> Result<ProtectedPackages, PolicyFault> {
    let mut keys = node.keys("packages")?;
    let ecosystem =
        keys.optional("ecosystem").map(|node| read_known(node, "ecosystems", &ecosystems())).transpose()?;
    let has_versions_in_names = ecosystem.as_ref().is_none_or(|globs| globs.is_match("brew"));
    let name =
        keys.optional("name").map(|node| read_package_names(node, has_versions_in_names)).transpose()?;
    let known = PackageChange::ALL.map(|change| (change.as_str(), change));
    let changes = keys.optional("change").map(|node| read_words(node, "changes", &known)).transpose()?;
    keys.reject_unknown()?;
    if ecosystem.is_none() && name.is_none() && changes.is_none() {
        return Err(node.fault(
            "`packages` needs `ecosystem`, `name` or `change`; `change = \"publish\"` is every package that is published",
        ));
    }
    Ok(ProtectedPackages { ecosystem, name, changes: changes.unwrap_or_else(|| PackageChange::ALL.to_vec()) })
}

/// Reads the names of packages. Some ecosystems take `-`, `_` and `.` for the same, and effects have `-`.
fn read_package_names(node: &TomlNode, has_versions_in_names: bool) -> Result<NameGlobs, PolicyFault> {
    let mut all = Vec::new();
    for (text, at) in node.texts("package names")? {
        let text = text.to_lowercase();
        if !has_versions_in_names && text.get(1..).is_some_and(|rest| rest.contains('@')) {
            return Err(at.fault(
                "this can never match: a package is named without its version; remove `@` and what follows",
            ));
        }
        let plain = text.replace(['_', '.'], "-");
        all.extend((plain != text).then_some(plain));
        all.push(text);
    }
    NameGlobs::new(all).map_err(|e| node.fault(e.to_string()))
}

pub(super) fn read_processes(node: &TomlNode) -> Result<ProtectedProcesses, PolicyFault> {
    let mut keys = node.keys("process")?;
    let kind = keys.optional("kind").map(|node| read_known(node, "kinds", PROCESS_KINDS)).transpose()?;
    let name = keys.optional("name").map(|node| read_folded_names(node, "names")).transpose()?;
    let known = ProcessChange::ALL.map(|change| (change.as_str(), change));
    let changes = keys.optional("change").map(|node| read_words(node, "changes", &known)).transpose()?;
    keys.reject_unknown()?;
    if kind.is_none() && name.is_none() && changes.is_none() {
        return Err(
            node.fault("`process` needs `kind`, `name` or `change`; `change = \"stop\"` is every process that is stopped")
        );
    }
    Ok(ProtectedProcesses { kind, name, changes: changes.unwrap_or_else(|| ProcessChange::ALL.to_vec()) })
}

pub(super) fn read_cloud(node: &TomlNode) -> Result<ProtectedCloud, PolicyFault> {
    let mut keys = node.keys("cloud")?;
    let provider =
        keys.optional("provider").map(|node| read_known(node, "providers", &providers())).transpose()?;
    let account = keys.optional("account").map(|node| read_folded_names(node, "accounts")).transpose()?;
    let mut names =
        |key: &'static str| keys.optional(key).map(|node| selector::read_names(node, key, None)).transpose();
    let (service, resource, verb, except) =
        (names("service")?, names("resource")?, names("verb")?, names("except")?);
    let known = CloudChange::ALL.map(|change| (change.as_str(), change));
    let changes = keys.optional("change").map(|node| read_words(node, "changes", &known)).transpose()?;
    keys.reject_unknown()?;
    if provider.is_none() && account.is_none() && service.is_none() && resource.is_none() {
        return Err(node.fault(
            "`cloud` needs `provider`, `account`, `service` or `resource`; `provider = \"*\"` is every cloud",
        ));
    }
    if let (Some(verb), Some(except)) = (&verb, &except)
        && verb.is_literal()
        && verb.literals().all(|verb| except.is_match(verb))
    {
        return Err(node.fault("this can never match: `except` has every `verb`; remove one of the two"));
    }
    let changes = changes.unwrap_or_else(|| CloudChange::ALL.to_vec());
    Ok(ProtectedCloud { provider, account, service, resource, verb, except, changes })
}

/// Reads globs of which each must match one of the known names.
fn read_known(node: &TomlNode, what: &str, known: &[&str]) -> Result<NameGlobs, PolicyFault> {
    for (text, at) in node.texts(what)? {
        let glob = NameGlobs::new(vec![text.to_owned()]).map_err(|e| at.fault(e.to_string()))?;
        if !known.iter().any(|name| glob.is_match(name)) {
            let hint = did_you_mean(text, known);
            return Err(at.fault(format!("this can never match: the {what} are {}{hint}", known.join(", "))));
        }
    }
    selector::read_names(node, what, None)
}
