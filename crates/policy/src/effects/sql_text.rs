//! What the words of SQL say, without its grammar.

use super::{sql_names::names_of_database, word_list::has_word};
use sqlparser::{
    dialect::GenericDialect,
    tokenizer::{Token, Tokenizer},
};

/// Words that stand for a change.
const CHANGES: &str =
    "alter call create delete drop exec execute grant insert merge rename revoke truncate update";
/// Words before a database name, and those between them.
const DATABASE_WORDS: &str = "\\c \\connect \\u .open attach catalog database keyspace schema use";
const BETWEEN: &str = "as database exists if not schema";
/// What a statement creates, changes or drops.
const OBJECTS: &str = "aggregate catalog database domain extension external function global index keyspace login materialized measurement or \
    policy procedure publication role schema sequence series server stage stream subscription system table tablespace temp temporary \
    trigger type unique unlogged user view virtual warehouse";
/// Commands of client programs that only show something, and those that only set how it is shown.
const SHOWING: &str = ".databases .dbinfo .indexes .indices .schema .tables \\conninfo \\l \\sf \\sv \\z";
const SETTING: &str =
    ".headers .header .mode .nullvalue .separator .show .timer .version .width \\a \\pset \\t \\timing \\x";

/// The first word, in lower case, after comments and opening parentheses.
pub(super) fn first_word(text: &str) -> String {
    words(text).next().unwrap_or_default()
}

/// Whether the words are a statement, and not only a sentence that begins with the same word.
pub(super) fn begins_statement(text: &str) -> bool {
    let mut found = words(text);
    let first = found.next().unwrap_or_default();
    let second = found.next().unwrap_or_default();
    let lower = format!(" {} ", text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" "));
    let has = |part: &str| lower.contains(part);
    match first.as_str() {
        "select" => {
            has(" from ") && lower.contains(['*', '(', ';', '=', '"', '`']) || is_short_select(&lower)
        }
        "delete" => second == "from",
        "insert" => has_word("ignore into or overwrite", &second),
        "update" => has(" set "),
        "drop" | "create" | "alter" => has_word(OBJECTS, &second),
        "truncate" => second == "table" || lower.split_whitespace().count() < 4,
        "merge" | "replace" => second == "into",
        "with" => has(" as (") || has(" as materialized ("),
        "explain" => has_word("analyze select delete update insert with query verbose", &second),
        "call" | "exec" | "execute" => lower.contains(['(', '@', '\'']) || second.starts_with("sp_"),
        "grant" | "revoke" => has(" on ") || has(" to "),
        "copy" => has(" from ") || has(" to stdout") || has(" to '"),
        "do" => has("do $"),
        "begin" | "start" | "use" | "set" | "prepare" => lower.contains(';'),
        "attach" => second == "database" || lower.contains('\''),
        "pragma" => true,
        "lock" | "rename" | "optimize" | "rewrite" => second == "table",
        "load" => second == "data",
        "bulk" => second == "insert",
        "import" => second == "foreign",
        "comment" => second == "on",
        "refresh" => second == "materialized",
        "reindex" => has_word("table index database schema", &second),
        "vacuum" => has_word("full into analyze", &second),
        _ => false,
    }
}

/// Whether a selection is as short as a sentence with the same words seldom is.
fn is_short_select(lower: &str) -> bool {
    lower.contains(" from ") && lower.split_whitespace().count() == 4 || lower.split_whitespace().count() == 2
}

/// The words outside of comments, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(' || c == ';');
        let end = match (rest.starts_with("--"), rest.starts_with("/*")) {
            (true, _) => rest.find('\n').map(|at| at + 1),
            (_, true) => rest.find("*/").map(|at| at + 2),
            _ => break,
        };
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    rest.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Whether a word for a change stands in the text outside of quotes, and is neither a function nor a part of a name.
pub(super) fn has_bare_change(text: &str) -> bool {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, text).tokenize() else { return true };
    let shown: Vec<_> = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    shown.iter().enumerate().any(|(at, token)| {
        let Token::Word(word) = token else { return false };
        let is_name = at > 0 && *shown[at - 1] == Token::Period;
        let is_call = shown.get(at + 1).is_some_and(|next| **next == Token::LParen);
        word.quote_style.is_none() && !is_name && !is_call && has_word(CHANGES, &word.value.to_lowercase())
    })
}

/// The databases that the text names where it changes to them, attaches or drops them.
pub(super) fn named_databases(text: &str) -> Vec<String> {
    let split = text.split(|c: char| c.is_whitespace() || "();=,".contains(c));
    let all: Vec<_> = split.filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (at, word) in all.iter().enumerate() {
        if has_word(DATABASE_WORDS, &word.to_lowercase()) {
            let next = all[at + 1..].iter().find(|next| !has_word(BETWEEN, &next.to_lowercase()));
            let name = next.map(|next| next.trim_matches(['\'', '"', '`', '[', ']']));
            found.extend(name.into_iter().flat_map(names_of_database));
        }
    }
    found
}

/// The text as `MySQL` reads it, which runs comments that begin with an exclamation mark. Nothing, if it has none.
pub(super) fn with_version_comments(text: &str) -> Option<String> {
    let mut parts = text.split("/*!");
    let first = parts.next()?.to_owned();
    let rest: Vec<_> = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit())).collect();
    (!rest.is_empty()).then(|| format!("{first} {}", rest.join(" ")).replace("*/", " "))
}

/// The names after `rename to`.
pub(super) fn new_names(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let after = lower.split("rename to ").skip(1);
    let names = after.filter_map(|rest| rest.split_whitespace().next());
    names.map(|name| name.rsplit('.').next().unwrap_or(name).trim_matches(['"', '`']).to_owned()).collect()
}

/// A command of a client program that changes nothing.
pub(super) enum ClientCommand {
    /// It shows the tables, or what there is.
    Shows(Vec<String>),
    /// It sets how results are shown.
    Sets,
}

impl ClientCommand {
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_plain = |c: char| c.is_alphanumeric() || " _.+\"*".contains(c);
        if !text.starts_with(['\\', '.']) || !text[1..].chars().all(is_plain) {
            return None;
        }
        let mut words = text.split_whitespace();
        let command = words.next()?.trim_end_matches('+').to_owned();
        if has_word(SETTING, &command) {
            return Some(Self::Sets);
        }
        let describes =
            command.strip_prefix("\\d").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphabetic()));
        let tables = words
            .filter(|word| !word.contains('*'))
            .map(|word| word.rsplit('.').next().unwrap_or(word).trim_matches('"').to_lowercase());
        (describes || has_word(SHOWING, &command)).then(|| Self::Shows(tables.collect()))
    }
}
