//! Statements with inlined values. PostgreSQL runs several statements in one string as one message, which the
//! prepared-statement protocol cannot do.

use crate::{
    database::{SqlArgument, SqlQuery},
    queries,
};

/// The statements that a writer prepares once per connection, because planning them takes longer than running them.
const PREPARED: [(&str, &str); 2] =
    [("countersign_events", queries::EVENTS), ("countersign_load", queries::postgres::LOAD)];

/// The text that prepares a writer's statements.
pub(super) fn prepare_all() -> String {
    PREPARED.map(|(name, text)| format!("PREPARE {name} AS {text};\n")).concat()
}

/// The SQL that runs a query. Behind a pooler no statement is prepared.
pub(super) fn text_of(query: &SqlQuery, pooled: bool) -> String {
    let values: Vec<_> = query.arguments().iter().map(literal).collect();
    match PREPARED.iter().find(|(_, text)| !pooled && *text == query.text()) {
        Some((name, _)) => format!("EXECUTE {name}({});\n", values.join(", ")),
        None => with_values(query.text(), &values) + ";\n",
    }
}

/// Replaces `$1`, `$2` and so on. Statement comments also name the parameters, so it removes comments.
fn with_values(statement: &str, values: &[String]) -> String {
    let code = statement.lines().filter(|line| !line.trim_start().starts_with("--"));
    let code = code.collect::<Vec<_>>().join("\n");
    let mut parts = code.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(digits);
        let value = number.parse::<usize>().ok().and_then(|number| values.get(number.checked_sub(1)?));
        text.push_str(value.map_or("NULL", String::as_str));
        text.push_str(rest);
    }
    text
}

/// A value as SQL. In `E'…'` strings, a backslash escapes in every server configuration.
fn literal(argument: &SqlArgument) -> String {
    match argument {
        SqlArgument::Text(Some(text)) => format!("E'{}'", text.replace('\\', r"\\").replace('\'', "''")),
        SqlArgument::Text(None) => "NULL".to_owned(),
        SqlArgument::Number(number) => number.to_string(),
        SqlArgument::Boolean(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_end_their_string() {
        let query = SqlQuery::new("-- of $1\nSELECT $1, $2, $3").bind(r"it's $2 \' \").bind(-7).bind(true);
        assert_eq!(text_of(&query, true), "SELECT E'it''s $2 \\\\'' \\\\', -7, true;\n");
    }

    #[test]
    fn prepared_statement_is_run_by_name() {
        let query = SqlQuery::new(queries::EVENTS).bind(3).bind(10);
        assert_eq!(text_of(&query, false), "EXECUTE countersign_events(3, 10);\n");
        assert!(text_of(&query, true).contains("WHERE seq > 3"));
    }
}
