//! The databases and tables that tools use without a statement.

use super::{
    source::EffectSource,
    sql::{NamedDatabases, SqlKind, SqlUse},
    texts::TextArgument,
    tool_name::ToolNameWords,
    word_list::has_word,
};

const SERVERS: &str = "postgres postgresql pg mysql mariadb sqlite mssql sqlserver oracle mongodb mongo redis neon supabase planetscale turso duckdb \
    motherduck snowflake bigquery redshift databricks clickhouse cassandra dynamodb firestore cosmosdb prisma drizzle hasura db dbhub sql \
    database databases datagrip";
/// Verbs that only read.
const READING: &str = "get list read search find view show describe count compare status info inspect help ping version explain validate \
    format generate aggregate scan peek fetch introspect lookup export head login";
/// Words beside such a verb that stand for a change.
const CHANGING: &str = "write update delete insert drop create alter apply execute exec mutate mutation truncate migrate reset restore push modify replace upsert";
/// Further arguments of such tools that are tables.
const TABLE_KEYS: &str = "object objectname objectnames relation from into entity";

/// Whether the tool is of a server for databases.
pub(super) fn is_database_tool(name: &ToolNameWords) -> bool {
    name.server_has(SERVERS) || name.own.iter().any(|word| has_word(SERVERS, word))
}

/// Whether the tool searches for words, which are no statements.
pub(super) fn is_search(name: &ToolNameWords) -> bool {
    !is_database_tool(name) && name.own.iter().any(|word| word == "search")
}

/// The use that a tool makes without a statement, by the tables among its arguments, and a tool for databases by its name.
pub(super) fn uses_of_tool(
    source: EffectSource<'_>,
    texts: &[&TextArgument<'_>],
    databases: &NamedDatabases,
    has_statement: bool,
) -> Vec<SqlUse> {
    let name = source.name;
    let is_database_tool = is_database_tool(name);
    let is_table = |argument: &&&TextArgument<'_>| {
        argument.is_one_word()
            && (argument.names_table() || is_database_tool && has_word(TABLE_KEYS, &argument.plain_key()))
    };
    let tables: Vec<_> = texts
        .iter()
        .filter(is_table)
        .map(|argument| {
            let name = argument.text.rsplit('.').next().unwrap_or_default();
            name.trim_matches(['"', '`', '\'']).to_lowercase()
        })
        .collect();
    if tables.is_empty() && (has_statement || !is_database_tool) {
        return Vec::new();
    }
    let has_own = |words: &str| name.own.iter().any(|word| has_word(words, word));
    let ends_reading = name.own.last().is_some_and(|last| has_word("status info stats version help", last))
        && !has_own("clear delete drop insert reset set update write");
    let reads = ends_reading || has_word(READING, name.verb()) && !has_own(CHANGING);
    let reads = reads && !source.says_it_changes;
    match (reads, tables.is_empty()) {
        (true, true) => Vec::new(),
        (true, false) => databases.uses(Some(SqlKind::Read), &tables),
        (false, _) => databases.uses(None, &tables),
    }
}
