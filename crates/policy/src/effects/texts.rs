//! The strings among a call's arguments, wherever they are.

use super::{
    argument_schema::ArgumentRoles,
    git::{self, GitUse},
    word_list::{has_word, split_name},
};
use crate::value::OrderedValue;
use std::borrow::Cow;

/// Words in the names of arguments that are paths.
const PATH_WORDS: &str = "path paths file files filename filenames filepath filepaths dir dirs directory directories folder folders uri uris root \
    roots source sources src destination dest dst target targets notebook cwd workspace location locations";
/// The last words of names of arguments that say something about a file, and are no path.
const OTHER_WORDS: &str = "branch body content contents count data encoding format hash id ids key kind language mode size text type types";
/// The names of arguments that are tables, and that are databases.
const TABLE_KEYS: &str = "table tables tablename tablenames tableid collection collectionname";
const DATABASE_KEYS: &str = "database databases db dbname dbpath databaseid databasename databaseurl connection connectionname \
    connectionstring datasource dsn profile";

/// The longest text that may be a name.
const MAX_NAME_BYTES: usize = 128;

/// The longest string that is read as JSON, in bytes.
const MAX_NESTED_BYTES: usize = 64 * 1024;
/// How deep JSON in strings in JSON is read.
const MAX_NESTING: usize = 3;
/// The longest list whose strings may be the parts of one.
const MAX_PARTS: usize = 64;

/// An argument that is a string.
pub(super) struct TextArgument<'a> {
    pub(super) path: Vec<String>,
    pub(super) text: Cow<'a, str>,
    /// What the tool's schema says about it.
    pub(super) roles: ArgumentRoles,
    /// Whether it is no value of its own: a member's name, or a list's strings as one.
    is_derived: bool,
}

/// All strings among the arguments, with those in JSON inside of strings. Names of members count as strings if they may be paths
/// or addresses, and a list's strings also as the parts of one.
pub(super) fn collect_texts(args: &OrderedValue) -> Vec<TextArgument<'_>> {
    let mut found = Vec::new();
    collect(args, &mut Vec::new(), 0, &mut found);
    found
}

fn collect<'a>(
    value: &'a OrderedValue,
    path: &mut Vec<String>,
    nesting: usize,
    found: &mut Vec<TextArgument<'a>>,
) {
    let text_at = |path: &[String], text| TextArgument {
        path: path.to_vec(),
        text,
        roles: ArgumentRoles::default(),
        is_derived: false,
    };
    let derived = |path: &[String], text| TextArgument { is_derived: true, ..text_at(path, text) };
    match value {
        OrderedValue::Text(text) => {
            found.push(text_at(path, Cow::Borrowed(text.as_str())));
            if let Some(nested) = read_nested(text).filter(|_| nesting < MAX_NESTING) {
                let mut inside = Vec::new();
                collect(&nested, path, nesting + 1, &mut inside);
                found.extend(inside.into_iter().map(TextArgument::into_owned));
            }
        }
        OrderedValue::Map(members) => {
            let names =
                members.iter().map(|(name, _)| name).filter(|name| name.contains(['/', '.', '~', '\\']));
            let at = |name: &String| [&path[..], std::slice::from_ref(name)].concat();
            found.extend(names.map(|name| derived(&at(name), Cow::Borrowed(name.as_str()))));
        }
        OrderedValue::List(values) if (2..=MAX_PARTS).contains(&values.len()) => {
            if let Some(parts) = values.iter().map(OrderedValue::text).collect::<Option<Vec<_>>>() {
                let joined = ["/", ""].map(|between| parts.join(between));
                found.extend(joined.map(|text| derived(path, Cow::Owned(text))));
            }
        }
        _ => {}
    }
    for (key, value) in value.children() {
        path.push(key.into_owned());
        collect(value, path, nesting, found);
        path.pop();
    }
}

fn read_nested(text: &str) -> Option<OrderedValue> {
    let is_json = text.trim_start().starts_with(['{', '[']) && text.len() <= MAX_NESTED_BYTES;
    is_json.then(|| OrderedValue::read(text)).flatten()
}

/// Whether an argument of this name is a path.
fn names_path(key: &str) -> bool {
    let words = split_name(key);
    let is_about = words.last().is_some_and(|last| has_word(OTHER_WORDS, last));
    let is_path =
        |word: &String| has_word(PATH_WORDS, word) || word.ends_with("path") || word.ends_with("dir");
    !is_about && words.iter().any(is_path)
}

impl TextArgument<'_> {
    fn into_owned<'b>(self) -> TextArgument<'b> {
        let text = Cow::Owned(self.text.into_owned());
        TextArgument { path: self.path, text, roles: self.roles, is_derived: self.is_derived }
    }

    /// The name of the argument, or of the list that contains it.
    pub(super) fn key(&self) -> &str {
        if self.is_derived {
            return "";
        }
        let is_index = |step: &&String| !step.bytes().all(|byte| byte.is_ascii_digit());
        self.path.iter().rev().find(is_index).map_or("", String::as_str)
    }

    /// Whether its name, or the tool's schema, says that it is a path.
    pub(super) fn is_path(&self) -> bool {
        (names_path(self.key()) || self.roles.is_path) && !self.text.contains('\n')
    }

    /// The name in lower case, without separators.
    pub(super) fn plain_key(&self) -> String {
        self.key().to_lowercase().replace(['_', '-'], "")
    }

    /// The branch that it may name: as the schema says, or because nothing says what an MCP server's tool does with a word. Of a tool
    /// for Git, the names of its arguments say it.
    pub(super) fn branch(&self, tool: &str, is_git_tool: bool) -> Option<GitUse> {
        let may_be = self.roles.is_branch || !is_git_tool && tool.contains("__") && self.is_one_word();
        may_be.then(|| GitUse::new(Some(git::short_name(&self.text)), None))
    }

    pub(super) fn names_table(&self) -> bool {
        self.roles.is_table || has_word(TABLE_KEYS, &self.plain_key())
    }

    pub(super) fn names_database(&self) -> bool {
        has_word(DATABASE_KEYS, &self.plain_key())
    }

    pub(super) fn names_server(&self) -> bool {
        has_word("host hostname server", &self.plain_key())
    }

    /// Whether it is one word, as a name is.
    pub(super) fn is_one_word(&self) -> bool {
        !self.text.is_empty() && self.text.len() <= MAX_NAME_BYTES && !self.text.contains(char::is_whitespace)
    }
}
