//! The effects that the arguments of a call show.

use super::{
    argument_schema::ArgumentSchema,
    call_effects::CallEffects,
    cloud,
    command_effects::add_command,
    named_things::{self, CallTexts},
    source::EffectSource,
    texts::{TextArgument, collect_texts},
    typed_text,
};
use crate::{
    RuleEffect,
    harmless::{BesideArgument, ToolKind, ToolReach, has_only_words, prose_keys},
    patch,
    tools::{FOLDER_ARGUMENTS, OperandKind},
    value::{JsonPointer, OrderedValue},
};
use countersign_patterns::{
    FileUse, FolderReach, ParsedScript,
    command::{PathAccess, uses_in_text},
    may_be_file,
};

/// Arguments of a search that leave out files by their names.
const NAME_FILTERS: [&str; 4] = ["glob", "include", "include_pattern", "includePattern"];
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
    let mut texts = collect_texts(args);
    let schema = ArgumentSchema::read(source.subject.definition);
    for argument in &mut texts {
        argument.roles = schema.roles(&argument.path);
    }
    let effective: Vec<_> = texts.iter().filter(|argument| !has_no_effect(argument, source)).collect();
    let call_texts = CallTexts { all: &texts, effective: &effective };
    let tool = ToolAccess::of_call(source);
    for argument in &effective {
        tool.add_files(argument, folders, &mut effects.files);
    }
    named_things::add_hosts(source, args, call_texts, effects);
    named_things::add_branches(source, call_texts, tool.reads_by_name, effects);
    named_things::add_databases(source, call_texts, effects);
    let lines: Vec<_> = texts.iter().filter(|argument| cloud::is_command_argument(argument.key())).collect();
    for script in lines.iter().map(|argument| ParsedScript::parse(&argument.text)) {
        script.command_words().for_each(|command| add_command(effects, command));
    }
    typed_text::add_effects(source, &texts, folders, effects);
    if tool.searches && texts.iter().all(|argument| !argument.is_path()) {
        let used = FileUse::new(".", folders, PathAccess::Read, false).with_below(&tool.below);
        effects.files.push(used);
    }
    // Where symbolic links on the paths of the call lead, as far as its hook has followed them.
    let targets = source.subject.place.iter().flat_map(|place| &place.link_targets);
    effects.files.extend(targets.map(|target| FileUse::new(target, &[], PathAccess::Unknown, false)));
    named_things::add_clusters_and_clouds(source, args, !lines.is_empty(), effects);
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

/// Whether the argument is a command, which is read as one, or is known to have no effect of its own.
fn has_no_effect(argument: &TextArgument<'_>, source: EffectSource<'_>) -> bool {
    let names = |pointer: &JsonPointer| pointer.touches_path(&argument.path);
    if !source.commands.found.is_empty() && source.command_pointers.iter().any(names)
        || source.harmless.iter().any(names)
    {
        return true;
    }
    let tool = source.subject.tool.as_str();
    if argument.path.first().is_some_and(|key| has_only_words(tool, key)) {
        return true;
    }
    let [key] = &argument.path[..] else { return false };
    let is_search = ToolReach::of_tool(tool) == Some(ToolReach::Content);
    if is_search && NAME_FILTERS.contains(&key.as_str())
        || prose_keys(tool).is_some_and(|keys| keys.contains(key))
    {
        return true;
    }
    // What to do with a page may name further pages.
    if ToolKind::Fetch.includes(tool, RuleEffect::Restrict) && argument.text.contains("://") {
        return false;
    }
    let value = OrderedValue::Text(argument.text.to_string());
    let kinds: &[OperandKind] = if source.has_paths { &[OperandKind::Path] } else { &[OperandKind::Url] };
    let kinds = if is_search { &[OperandKind::Path] } else { kinds };
    BesideArgument { tool, kinds, folder: None, key, value: &value }.is_harmless() && !argument.is_path()
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
        let text = argument.text.as_ref();
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
        } else if argument.is_path() || NAME_FILTERS.contains(&argument.key()) {
            let (text, is_open) = expand_variables(text);
            let text = text.as_str();
            let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let has_ending = name.trim_start_matches('.').contains('.');
            let itself = FolderReach::itself();
            let below = if has_ending && !self.searches { &itself } else { &self.below };
            files.push(FileUse::new(&with_holes(text), folders, self.access, is_open).with_below(below));
            if self.access == PathAccess::Unknown && text.contains(char::is_whitespace) {
                files.extend(uses_in_text(text, folders));
            }
        } else if argument.roles.may_be_path && may_be_file(text) && !text.contains('\n') {
            let used = FileUse::new(&with_holes(text), folders, self.access, false);
            files.push(used.with_below(&self.below));
            files.extend(uses_in_text(text, folders));
        } else if argument.key() == "pattern" && self.access == PathAccess::List {
            let shown = text.split('/').filter(|segment| *segment != "**").collect::<Vec<_>>().join("/");
            files.push(FileUse::new(&with_holes(&shown), folders, self.access, false));
        } else {
            files.extend(uses_in_text(text, folders));
        }
    }
}

/// The path with `~` for a variable that is the home folder, and U+FFFF for any other variable; true if it has one of these. Some
/// tools expand them.
fn expand_variables(path: &str) -> (String, bool) {
    const HOMES: [&str; 5] = ["$HOME", "${HOME}", "%USERPROFILE%", "%HOME%", "$env:USERPROFILE"];
    if let Some(rest) = HOMES.iter().find_map(|home| path.strip_prefix(home)) {
        return (format!("~{}", rest.replace('\\', "/")), false);
    }
    let mut found = String::new();
    let mut rest = path;
    let mut is_open = false;
    while let Some((before, after)) = rest.split_once(['$', '%']) {
        let name = after.trim_start_matches('{');
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        // A character in percent-encoding, and a sign that begins no name, stay.
        let is_name = end > 0 && !name.starts_with(|c: char| c.is_ascii_digit());
        let sign = &rest[before.len()..=before.len()];
        let is_variable = is_name && (sign == "$" || name[end..].starts_with('%'));
        found.push_str(before);
        if is_variable {
            found.push('\u{ffff}');
            rest = name[end..].trim_start_matches(['}', '%']);
            is_open = true;
        } else {
            found.push_str(sign);
            rest = after;
        }
    }
    found.push_str(rest);
    (found, is_open)
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
