//! The modules of a crate form no import cycles.
//!
//! A file depends on another file of its crate if a `use` statement, or a path that starts with `crate::`, `super::`,
//! `self::` or a child module name, names something that the other file defines. Four rules make the definition match
//! the files that must be understood together:
//!
//! - A name that a module only re-exports belongs to the file that defines it. Declaring a child with `mod` and
//!   re-exporting its names with `use` or `pub use` alone therefore makes no dependency of the parent.
//! - A parent depends on its child as soon as the parent's own code uses a name from the child.
//! - Test modules do not count.

use super::{files_ending, read};
use std::collections::{BTreeMap, BTreeSet};

/// The imports of one file, by the names that they bring into scope.
struct SourceFile {
    path: String,
    /// The module path below the crate root; empty for the root.
    module: Vec<String>,
    /// The text without comments, strings, test modules, `mod` declarations and `use` statements.
    code: String,
    imports: Vec<ModuleImport>,
}

struct ModuleImport {
    /// The name in scope; `*` for a glob, and nothing for a glob that is only exported again.
    name: String,
    path: Vec<String>,
}

#[test]
fn modules_form_no_import_cycles() {
    let mut crates: BTreeMap<String, Vec<SourceFile>> = BTreeMap::new();
    for path in files_ending(".rs") {
        let Some((name, file)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        let module = module_path(file);
        if !is_test(&module) {
            crates.entry(name.to_owned()).or_default().push(SourceFile::read(&path, module));
        }
    }
    let cycles: Vec<String> = crates.values().flat_map(|files| cycles(files)).collect();
    assert!(cycles.is_empty(), "{} import cycles:\n\n{}", cycles.len(), cycles.join("\n\n"));
}

#[test]
fn parent_and_child_using_each_other_are_cyclic() {
    let parent = |code: &str| SourceFile::parse("mod.rs", vec!["a".to_owned()], code);
    let child = || {
        let module = vec!["a".to_owned(), "b".to_owned()];
        SourceFile::parse("b.rs", module, "use super::Own;\npub struct Thing(Own);")
    };
    let reexports = "mod b;\npub use b::Thing;\npub struct Own;";
    assert!(cycles(&[parent(reexports), child()]).is_empty());
    let uses = "mod b;\npub use b::Thing;\npub struct Own(Option<Box<Thing>>);";
    assert_eq!(cycles(&[parent(uses), child()]).len(), 1);
}

#[test]
fn reexported_name_belongs_to_its_definition() {
    let module = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let files = [
        SourceFile::parse("a/mod.rs", module(&["a"]), "mod b;\nmod c;\npub use b::Thing;"),
        SourceFile::parse("a/b.rs", module(&["a", "b"]), "pub struct Thing;"),
        SourceFile::parse("a/c.rs", module(&["a", "c"]), "use super::Thing;\nfn use_thing(_: Thing) {}"),
    ];
    assert_eq!(edges(&files).get(&2).map(|to| to.keys().copied().collect::<Vec<_>>()), Some(vec![1]));
    assert!(cycles(&files).is_empty());
    let reexport_all = SourceFile::parse("a/mod.rs", module(&["a"]), "mod b;\nmod c;\npub use b::*;");
    let [_, definition, user] = files;
    let found = edges(&[reexport_all, definition, user]);
    assert_eq!(
        found.into_iter().map(|(from, to)| (from, to.into_keys().collect())).collect::<Vec<_>>(),
        [(2, vec![1])]
    );
}

fn module_path(file: &str) -> Vec<String> {
    let mut parts: Vec<_> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// Returns true for a module that this repository declares with `#[cfg(test)]`.
fn is_test(module: &[String]) -> bool {
    const NAMES: &[&str] = &["tests", "laws", "adversarial", "cases", "cases_text", "hiding"];
    module.iter().any(|part| NAMES.contains(&part.as_str()))
}

impl SourceFile {
    fn read(path: &str, module: Vec<String>) -> Self {
        Self::parse(path, module, &read(path))
    }

    fn parse(path: &str, module: Vec<String>, text: &str) -> Self {
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let mut rest = without_comments_and_strings(text);
        let mut imports = Vec::new();
        while let Some((start, end)) = find_use(&rest) {
            let statement = &rest[start..end];
            let tree = statement.trim_start().trim_start_matches("use ").to_owned();
            let first = imports.len();
            read_use_tree(&tree, &mut Vec::new(), &mut imports);
            if rest[..start].trim_end().ends_with("pub") {
                imports[first..]
                    .iter_mut()
                    .filter(|import| import.name == "*")
                    .for_each(|glob| glob.name.clear());
            }
            rest.replace_range(start..=end.min(rest.len() - 1), "\n");
        }
        Self { path: path.to_owned(), module, code: rest, imports }
    }

    /// Returns true if the file's own code contains the name.
    fn uses(&self, name: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.code.match_indices(name).any(|(at, _)| {
            let before = self.code[..at].chars().next_back();
            let after = self.code[at + name.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    }

    /// Returns the absolute module path of `path`, or `None` if `path` leaves the crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut module = self.module.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                module.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    module.pop()?;
                    rest = &rest[1..];
                }
            }
            _ => {}
        }
        module.extend(rest.iter().cloned());
        Some(module)
    }

    /// Returns the paths in the code that start with `crate`, `super`, `self` or a child module name.
    fn inline_paths(&self, files: &[Self]) -> Vec<Vec<String>> {
        let is_child = |file: &&Self| {
            file.module.len() == self.module.len() + 1 && file.module.starts_with(&self.module)
        };
        let children = files.iter().filter(is_child).filter_map(|file| file.module.last());
        let starts = ["crate", "super", "self"].into_iter().chain(children.map(String::as_str));
        starts.flat_map(|start| self.paths_from(start)).collect()
    }

    fn paths_from(&self, start: &str) -> Vec<Vec<String>> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let mut found = Vec::new();
        for (at, _) in self.code.match_indices(&format!("{start}::")) {
            if !self.code[..at].chars().next_back().is_some_and(is_part) {
                let end = self.code[at..].find(|c| !is_part(c)).map_or(self.code.len(), |end| at + end);
                let parts = self.code[at..end].split("::").filter(|part| !part.is_empty());
                found.push(parts.map(str::to_owned).collect());
            }
        }
        found
    }
}

/// Finds the first `use` statement. Returns the positions of its start and of its semicolon.
fn find_use(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find("use ")?;
        let begins = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        if begins && let Some(end) = text[at..].find(';') {
            return Some((at, at + end));
        }
        from = at + 4;
    }
}

/// Reads `a::{b, c as d}` into the names that it brings into scope.
fn read_use_tree(tree: &str, prefix: &mut Vec<String>, imports: &mut Vec<ModuleImport>) {
    let tree = tree.trim();
    let (path, group) = match tree.find('{') {
        Some(open) => (&tree[..open], Some(&tree[open + 1..tree.rfind('}').unwrap_or(tree.len())])),
        None => (tree, None),
    };
    let (path, alias) =
        path.split_once(" as ").map_or((path, None), |(path, alias)| (path, Some(alias.trim())));
    let before = prefix.len();
    prefix.extend(path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
    if let Some(group) = group {
        for part in split_group(group) {
            read_use_tree(part, prefix, imports);
        }
    } else {
        let mut path = prefix.clone();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = alias.map(str::to_owned).or_else(|| path.last().cloned()).unwrap_or_default();
        imports.push(ModuleImport { name, path });
    }
    prefix.truncate(before);
}

/// Splits a group at the commas that are not in an inner group.
fn split_group(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[start..]);
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

/// Removes comments, the content of strings and `mod name;` from the text.
fn without_comments_and_strings(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("//") {
            continue;
        }
        let declares = trimmed.ends_with(';')
            && ["mod ", "pub mod ", "pub(crate) mod ", "pub(super) mod "]
                .iter()
                .any(|m| trimmed.starts_with(m));
        if declares {
            continue;
        }
        // A string over several lines is not recognised. It matters only if it contains a module's path.
        let mut quoted = false;
        let mut before = ' ';
        for c in line.chars() {
            if c == '"' && before != '\\' && before != '\'' {
                quoted = !quoted;
            }
            if !quoted || c == '"' {
                out.push(c);
            }
            before = if before == '\\' && c == '\\' { ' ' } else { c };
        }
        out.push('\n');
    }
    out
}

/// Returns the dependencies between files: for each file the files that it uses, with the names.
fn edges(files: &[SourceFile]) -> BTreeMap<usize, BTreeMap<usize, BTreeSet<String>>> {
    let by_module: BTreeMap<&[String], usize> =
        files.iter().enumerate().map(|(index, file)| (file.module.as_slice(), index)).collect();
    let mut edges: BTreeMap<usize, BTreeMap<usize, BTreeSet<String>>> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        let is_used = |import: &&ModuleImport| import.name == "*" || file.uses(&import.name);
        let used = file.imports.iter().filter(|import| !import.name.is_empty()).filter(is_used);
        let paths = used.map(|import| import.path.clone()).chain(file.inline_paths(files));
        for path in paths {
            let Some(to) = file.absolute(&path).and_then(|path| definer(files, &by_module, &path, 0)) else {
                continue;
            };
            if to != index {
                let name = path.last().cloned().unwrap_or_default();
                edges.entry(index).or_default().entry(to).or_default().insert(name);
            }
        }
    }
    edges
}

/// Returns the file that defines the item at an absolute path. Follows re-exports.
fn definer(
    files: &[SourceFile],
    by_module: &BTreeMap<&[String], usize>,
    path: &[String],
    steps: usize,
) -> Option<usize> {
    if steps > 16 {
        return None;
    }
    // The longest prefix that is a module in the crate.
    let (length, index) =
        (0..=path.len()).rev().find_map(|length| Some((length, *by_module.get(&path[..length])?)))?;
    let Some(name) = path.get(length) else { return Some(index) };
    let file = &files[index];
    match file.imports.iter().find(|import| import.name == *name) {
        Some(import) => {
            let mut target = file.absolute(&import.path)?;
            target.extend(path[length + 1..].iter().cloned());
            // An import from a foreign crate resolves to the module itself and ends here.
            if target.starts_with(&path[..=length]) {
                None
            } else {
                definer(files, by_module, &target, steps + 1)
            }
        }
        // The first part of a path may be a foreign crate; only names that the code contains are its own.
        None if length == file.module.len() && file.uses(name) => Some(index),
        None => file.imports.iter().filter(|import| import.name.is_empty()).find_map(|glob| {
            let mut target = file.absolute(&glob.path[..glob.path.len() - 1])?;
            target.extend(path[length..].iter().cloned());
            definer(files, by_module, &target, steps + 1)
        }),
    }
}

/// Describes each group of files that depend on each other.
fn cycles(files: &[SourceFile]) -> Vec<String> {
    let edges = edges(files);
    let reach: Vec<BTreeSet<usize>> = (0..files.len()).map(|from| reachable(from, &edges)).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for from in 0..files.len() {
        let circle: Vec<usize> =
            (0..files.len()).filter(|to| reach[from].contains(to) && reach[*to].contains(&from)).collect();
        if circle.len() < 2 || !seen.insert(circle.clone()) {
            continue;
        }
        let mut lines = vec![format!("{} files depend on each other:", circle.len())];
        for at in &circle {
            for (to, names) in edges.get(at).into_iter().flatten().filter(|(to, _)| circle.contains(to)) {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                lines.push(format!("  {} uses {} of {}", files[*at].path, names.join(", "), files[*to].path));
            }
        }
        found.push(lines.join("\n"));
    }
    found
}

fn reachable(from: usize, edges: &BTreeMap<usize, BTreeMap<usize, BTreeSet<String>>>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        open.extend(edges.get(&at).into_iter().flatten().map(|(to, _)| *to).filter(|to| found.insert(*to)));
    }
    found
}
