//! The effects that the arguments of a call show.

use super::{
    argument_schema::{ArgumentRoles, ArgumentSchema},
    call_effects::CallEffects,
    cloud,
    command_effects::add_command,
    git::{self, GitUse},
    hosts, kubernetes,
    source::EffectSource,
    sql,
};
use crate::{
    RuleEffect,
    harmless::{BesideArgument, ToolKind, ToolReach, prose_keys},
    patch,
    tools::{FOLDER_ARGUMENTS, OperandKind},
    value::{JsonPointer, OrderedValue},
};
use countersign_patterns::{
    FileUse, FolderReach, ParsedScript,
    command::{PathAccess, uses_in_text},
};

/// Arguments of a search that leave out files by their names.
const NAME_FILTERS: [&str; 4] = ["glob", "include", "include_pattern", "includePattern"];
/// Words in the names of arguments that are paths.
const PATH_WORDS: &str =
    "path file dir folder uri root source destination target notebook cwd workspace location";

/// The longest text that may be the name of a thing.
const MAX_NAME_BYTES: usize = 128;

/// An argument that is a string.
struct TextArgument<'a> {
    path: Vec<String>,
    text: &'a str,
    /// What the schema of the tool says about it.
    roles: ArgumentRoles,
}

/// The folders in which a relative path of the call may start.
pub(super) fn folders_of_call(source: EffectSource<'_>) -> Vec<String> {
    let start = source.subject.place.and_then(|place| place.folder.clone());
    let mut folders: Vec<String> = start.into_iter().collect();
    for key in FOLDER_ARGUMENTS {
        if let Some(named) = source.args.and_then(|args| args.get(key)).and_then(OrderedValue::text) {
            let named = match folders.first() {
                Some(start) if !named.starts_with(['/', '~']) => format!("{start}/{named}"),
                _ => named.to_owned(),
            };
            folders.push(named);
        }
    }
    folders
}

/// Adds the effects that the arguments show, besides those of commands.
pub(super) fn add_effects(source: EffectSource<'_>, folders: &[String], effects: &mut CallEffects) {
    let Some(args) = source.args else {
        effects.unread.get_or_insert_with(|| "the arguments cannot be read".to_owned());
        return;
    };
    let mut texts = Vec::new();
    collect_texts(args, &mut Vec::new(), &mut texts);
    let schema = ArgumentSchema::read(source.subject.definition);
    for argument in &mut texts {
        argument.roles = schema.roles(&argument.path);
    }
    let databases: Vec<_> = texts.iter().filter(|argument| argument.names_database()).collect();
    let databases: Vec<_> =
        databases.iter().flat_map(|argument| sql::names_of_database(argument.text)).collect();
    let tool = ToolAccess::of_call(source);
    for argument in texts.iter().filter(|argument| !argument.has_no_effect(source)) {
        let key = argument.key();
        effects.hosts.extend(hosts::uses_in_text(argument.text));
        effects.hosts.extend(hosts::use_of_name(argument.text).filter(|_| argument.roles.is_host));
        let branch = git::use_of_argument(key, argument.text);
        let branch = branch.or_else(|| argument.branch(source.subject.tool.as_str()));
        effects.git.extend(branch.filter(|_| !tool.reads_by_name));
        effects.sql.extend(sql::uses_of_argument(key, argument.text, &databases, argument.roles.is_sql));
        if argument.names_table() {
            effects.sql.push(sql::use_of_table(argument.text, &databases, tool.reads_by_name));
        }
        tool.add_files(argument, folders, &mut effects.files);
    }
    let lines: Vec<_> = texts.iter().filter(|argument| cloud::is_command_argument(argument.key())).collect();
    for script in lines.iter().map(|argument| ParsedScript::parse(argument.text)) {
        script.command_words().for_each(|command| add_command(effects, command));
    }
    if tool.searches && texts.iter().all(|argument| !argument.is_path()) {
        let used = FileUse::new(".", folders, PathAccess::Read, false).with_below(&tool.below);
        effects.files.push(used);
    }
    // Where symbolic links on the paths of the call lead, as far as its hook has followed them.
    let targets = source.subject.place.iter().flat_map(|place| &place.link_targets);
    effects.files.extend(targets.map(|target| FileUse::new(target, &[], PathAccess::Unknown, false)));
    let text_of = |key: &str| args.get(key).and_then(OrderedValue::text).map(str::to_owned);
    let name = source.subject.tool.as_str();
    effects.kubernetes.extend(kubernetes::use_of_tool(name, text_of, source.says_it_changes));
    effects
        .cloud
        .extend(cloud::use_of_tool(name, text_of, source.says_it_changes).filter(|_| lines.is_empty()));
}

fn collect_texts<'a>(value: &'a OrderedValue, path: &mut Vec<String>, found: &mut Vec<TextArgument<'a>>) {
    if let OrderedValue::Text(text) = value {
        found.push(TextArgument { path: path.clone(), text, roles: ArgumentRoles::default() });
        return;
    }
    for (key, value) in value.children() {
        path.push(key);
        collect_texts(value, path, found);
        path.pop();
    }
}

impl TextArgument<'_> {
    /// The name of the argument, or of the list that contains it.
    fn key(&self) -> &str {
        let is_index = |step: &&String| !step.bytes().all(|byte| byte.is_ascii_digit());
        self.path.iter().rev().find(is_index).map_or("", String::as_str)
    }

    fn is_path(&self) -> bool {
        let key = self.key().to_lowercase();
        let is_named = PATH_WORDS.split_ascii_whitespace().any(|word| key.contains(word));
        (is_named || self.roles.is_path) && !self.text.contains('\n')
    }

    /// The branch that it may name: as the schema says, or because nothing says what an MCP server's tool does with a word.
    fn branch(&self, tool: &str) -> Option<GitUse> {
        let may_be = self.roles.is_branch || tool.contains("__") && is_one_word(self.text);
        may_be.then(|| GitUse::new(Some(git::short_name(self.text)), None))
    }

    fn names_table(&self) -> bool {
        let key = self.key().to_lowercase().replace(['_', '-'], "");
        let is_named =
            ["table", "tables", "tablename", "collection", "collectionname"].contains(&key.as_str());
        (is_named || self.roles.is_table) && is_one_word(self.text)
    }

    fn names_database(&self) -> bool {
        let key = self.key().to_lowercase();
        ["database", "db", "dbname", "connection", "connectionstring", "dsn", "host", "server", "profile"]
            .contains(&key.as_str())
    }

    /// Whether the argument is a command, which is read as one, or is known to have no effect of its own.
    fn has_no_effect(&self, source: EffectSource<'_>) -> bool {
        let names = |pointer: &JsonPointer| pointer.touches_path(&self.path);
        if !source.commands.found.is_empty() && source.command_pointers.iter().any(names)
            || source.harmless.iter().any(names)
        {
            return true;
        }
        let [key] = &self.path[..] else { return false };
        let tool = source.subject.tool.as_str();
        if NAME_FILTERS.contains(&key.as_str()) || prose_keys(tool).is_some_and(|keys| keys.contains(key)) {
            return true;
        }
        let value = OrderedValue::Text(self.text.to_owned());
        let kinds: &[OperandKind] = if source.has_paths { &[OperandKind::Path] } else { &[OperandKind::Url] };
        let is_search = ToolReach::of_tool(tool) == Some(ToolReach::Content);
        let kinds = if is_search { &[OperandKind::Path] } else { kinds };
        BesideArgument { tool, kinds, folder: None, key, value: &value }.is_harmless() && !self.is_path()
    }
}

/// What a tool does with the paths among its arguments.
struct ToolAccess {
    access: PathAccess,
    below: FolderReach,
    searches: bool,
    patches: bool,
    /// Whether its own name begins with a verb for reading.
    reads_by_name: bool,
}

impl ToolAccess {
    fn of_call(source: EffectSource<'_>) -> Self {
        let tool = source.subject.tool.as_str();
        let reach = ToolReach::of_tool(tool);
        let (lists, searches) = (reach == Some(ToolReach::Names), reach == Some(ToolReach::Content));
        let is_kind = |kind: ToolKind| kind.includes(tool, RuleEffect::Restrict);
        let patches = patch::applies_patches(tool);
        let access = match () {
            () if lists => PathAccess::List,
            () if is_kind(ToolKind::Edit) => PathAccess::Write,
            () if is_kind(ToolKind::Read) && !source.says_it_changes => PathAccess::Read,
            () => PathAccess::Unknown,
        };
        let filters = NAME_FILTERS.iter().filter_map(|key| source.args?.get(key)?.text()).map(str::to_owned);
        let below = match () {
            () if searches => FolderReach::of_names(&filters.collect::<Vec<_>>()),
            () if lists || is_kind(ToolKind::Edit) || is_kind(ToolKind::Read) => FolderReach::itself(),
            () => FolderReach::everything(),
        };
        let own = tool.rsplit("__").next().unwrap_or(tool);
        let verb = own.split(['_', '-']).next().unwrap_or_default().to_lowercase();
        let reads = ["get", "list", "read", "search", "find", "view", "show", "describe", "count", "compare"];
        let reads_by_name = reads.contains(&verb.as_str()) && !source.says_it_changes;
        Self { access, below, searches, patches, reads_by_name }
    }

    fn add_files(&self, argument: &TextArgument<'_>, folders: &[String], files: &mut Vec<FileUse>) {
        let text = argument.text;
        if self.patches || text.starts_with("*** Begin Patch") || text.starts_with("diff --git") {
            let named = patched_files(text).map(|(file, access)| FileUse::new(file, folders, access, false));
            files.extend(named);
        }
        // The other lines of a patch are what its files contain.
        if self.patches {
            return;
        }
        if FOLDER_ARGUMENTS.contains(&argument.key()) {
            // The call runs there, which is not yet a use.
            files.push(
                FileUse::new(text, &folders[..folders.len().min(1)], PathAccess::Unknown, false).doubtful(),
            );
        } else if argument.is_path() {
            let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let has_ending = name.trim_start_matches('.').contains('.');
            let itself = FolderReach::itself();
            let below = if has_ending && !self.searches { &itself } else { &self.below };
            files.push(FileUse::new(&with_holes(text), folders, self.access, false).with_below(below));
            if self.access == PathAccess::Unknown && text.contains(char::is_whitespace) {
                files.extend(uses_in_text(text, folders));
            }
        } else if argument.roles.may_be_path && !text.contains('\n') {
            let used = FileUse::new(&with_holes(text), folders, self.access, false);
            files.push(used.with_below(self.below.clone()));
            files.extend(uses_in_text(text, folders));
        } else if argument.key() == "pattern" && self.access == PathAccess::List {
            let shown = text.split('/').filter(|segment| *segment != "**").collect::<Vec<_>>().join("/");
            files.push(FileUse::new(&with_holes(&shown), folders, self.access, false));
        } else {
            files.extend(uses_in_text(text, folders));
        }
    }
}

/// Whether a text is one word, as the name of a thing is.
fn is_one_word(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_NAME_BYTES && !text.contains(char::is_whitespace)
}

/// The path with U+FFFF for each wildcard, which a tool may expand.
fn with_holes(path: &str) -> String {
    path.replace(['*', '?'], "\u{ffff}")
}

/// The files that a patch names: in the grammar of `apply_patch`, or as `diff` writes it.
fn patched_files(patch: &str) -> impl Iterator<Item = (&str, PathAccess)> {
    patch.lines().filter_map(|line| {
        if let Some((what, file)) = line.strip_prefix("*** ").and_then(|rest| rest.split_once(": ")) {
            return Some((
                file,
                if what.starts_with("Delete") { PathAccess::Delete } else { PathAccess::Write },
            ));
        }
        let heads = ["+++ ", "--- ", "rename from ", "rename to ", "copy from ", "copy to "];
        let file = heads.iter().find_map(|head| line.strip_prefix(head))?;
        let file = file.split('\t').next().unwrap_or(file);
        Some((file.strip_prefix("a/").or_else(|| file.strip_prefix("b/")).unwrap_or(file), PathAccess::Write))
    })
}
