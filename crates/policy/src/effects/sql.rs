//! What a call does to a database, by the SQL that it contains.

use super::word_list::has_word;
use countersign_patterns::command::CommandWords;
use sqlparser::{
    ast::{Expr, ObjectName, SetExpr, Statement, TableFactor, Visit, Visitor},
    dialect::GenericDialect,
    parser::Parser,
};
use std::ops::ControlFlow;

/// The longest SQL that is read, in bytes. Longer SQL may do anything.
const MAX_BYTES: usize = 64 * 1024;
/// How deeply statements may be nested.
const MAX_DEPTH: usize = 40;

/// Functions that change nothing. A function that is not listed may do anything.
const PURE_FUNCTIONS: &str = "abs array_agg avg cast ceil char_length coalesce concat count current_date current_timestamp date \
    date_part date_trunc datetime dense_rank exists extract first_value floor format greatest group_concat \
    ifnull iif instr json_agg json_extract julianday lag last_value lead least left length like lower ltrim \
    max min mod now nullif percentile_cont position power random rank replace right round row_number rtrim \
    sign split_part sqrt strftime string_agg strpos substr substring sum to_char to_date total trim trunc \
    typeof upper version";

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SqlKind {
    /// It only reads.
    Read,
    /// It changes rows.
    Write,
    /// It changes tables or other objects.
    Schema,
}

/// A statement to a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SqlUse {
    /// What it does; `None` if that is unknown.
    pub(crate) kind: Option<SqlKind>,
    /// The tables that it names, in lower case.
    pub(crate) tables: Vec<String>,
    /// Whether it names no other table, although it is unknown what it does.
    pub(crate) has_all_tables: bool,
    /// The database and its host, as far as the call names them.
    pub(crate) databases: Vec<String>,
}

impl SqlKind {
    pub(crate) const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Schema];

    /// Its name in a policy.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Schema => "schema",
        }
    }
}

/// A client program for databases, and its options.
struct SqlClient {
    names: &'static [&'static str],
    /// The options with a statement.
    statements: &'static [&'static str],
    /// The options with a database or a host.
    databases: &'static [&'static str],
    /// Whether the operand after the database is a statement.
    takes_statement: bool,
}

const CLIENTS: &[SqlClient] = &[
    SqlClient {
        names: &["psql", "pgcli"],
        statements: &["-c", "--command"],
        databases: &["-d", "--dbname", "-h", "--host"],
        takes_statement: false,
    },
    SqlClient {
        names: &["mysql", "mariadb", "mycli"],
        statements: &["-e", "--execute"],
        databases: &["-D", "--database", "-h", "--host"],
        takes_statement: false,
    },
    SqlClient {
        names: &["sqlite3", "duckdb"],
        statements: &["-cmd", "-c"],
        databases: &[],
        takes_statement: true,
    },
    SqlClient {
        names: &[
            "clickhouse-client",
            "clickhouse",
            "sqlcmd",
            "bq",
            "snowsql",
            "usql",
            "cockroach",
            "mongosh",
        ],
        statements: &["-q", "--query", "-Q", "-e", "-c"],
        databases: &["-d", "--database", "-h", "--host", "-S"],
        takes_statement: false,
    },
    SqlClient {
        names: &["dropdb", "createdb", "pg_restore", "mysqladmin", "mysqlimport", "pgbench"],
        statements: &[],
        databases: &["-d", "--dbname", "-h", "--host"],
        takes_statement: false,
    },
];

/// The statements that a command runs.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<SqlUse> {
    let Some(client) = CLIENTS.iter().find(|client| client.names.contains(&command.program())) else {
        return Vec::new();
    };
    let (mut statements, mut databases, mut operands) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_known = !command.has_input();
    let mut arguments = command.arguments();
    while let Some(word) = arguments.next() {
        let Some(word) = word else {
            is_known = false;
            continue;
        };
        let (option, attached) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((option, value)) => (option, Some(value)),
            None => (word, None),
        };
        let mut value =
            || attached.map(str::to_owned).or_else(|| arguments.next().flatten().map(str::to_owned));
        if client.statements.contains(&option) {
            let statement = value();
            is_known &= statement.is_some();
            statements.extend(statement);
        } else if client.databases.contains(&option) {
            databases.extend(value());
        } else if !word.starts_with('-') {
            operands.push(word.to_owned());
        } else if matches!(option, "-f" | "--file" | "-init") {
            is_known = false;
        }
    }
    if client.takes_statement && operands.len() > 1 {
        statements.extend(operands.drain(1..));
    }
    databases.extend(operands);
    let databases: Vec<_> = databases.iter().flat_map(|database| names_of_database(database)).collect();
    let mut found: Vec<_> =
        statements.iter().flat_map(|statement| uses_of_text(statement, &databases)).collect();
    if statements.is_empty() || !is_known {
        found.push(SqlUse { kind: None, tables: Vec::new(), has_all_tables: false, databases });
    }
    found
}

/// The statements in an argument of a tool.
pub(super) fn uses_of_argument(key: &str, text: &str, databases: &[String], by_schema: bool) -> Vec<SqlUse> {
    const KEYS: [&str; 6] = ["sql", "query", "statement", "statements", "queries", "sqlQuery"];
    if !KEYS.contains(&key) && !by_schema {
        return Vec::new();
    }
    let begins =
        text.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default().to_lowercase();
    let is_sql = by_schema
        || key.contains("sql")
        || [
            "alter", "analyze", "begin", "call", "copy", "create", "delete", "do", "drop", "exec", "execute",
            "explain", "grant", "insert", "lock", "merge", "pragma", "replace", "revoke", "select", "set",
            "show", "table", "truncate", "update", "vacuum", "values", "with",
        ]
        .contains(&begins.as_str());
    if is_sql { uses_of_text(text, databases) } else { Vec::new() }
}

/// The use of a table that an argument names without a statement.
pub(super) fn use_of_table(text: &str, databases: &[String], reads: bool) -> SqlUse {
    let name = text.rsplit('.').next().unwrap_or(text).trim_matches(['"', '`', '\'']).to_lowercase();
    SqlUse {
        kind: reads.then_some(SqlKind::Read),
        tables: vec![name],
        has_all_tables: true,
        databases: databases.to_vec(),
    }
}

/// The names in the address of a database: the database, its host, and a file without its folder.
pub(super) fn names_of_database(address: &str) -> Vec<String> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('?').next().unwrap_or_default();
    let parts = rest
        .split(['/', '@', ' '])
        .flat_map(|part| part.split_once('=').map_or([part, ""], |(_, value)| [value, ""]));
    let names = parts.map(|part| part.split(':').next().unwrap_or_default().to_lowercase());
    names.filter(|name| !name.is_empty()).collect()
}

fn uses_of_text(text: &str, databases: &[String]) -> Vec<SqlUse> {
    let unknown =
        || SqlUse { kind: None, tables: Vec::new(), has_all_tables: false, databases: databases.to_vec() };
    if text.len() > MAX_BYTES {
        return vec![unknown()];
    }
    let parsed = Parser::new(&GenericDialect {})
        .with_recursion_limit(MAX_DEPTH)
        .try_with_sql(text)
        .and_then(|mut parser| parser.parse_statements());
    match parsed {
        Ok(statements) if !statements.is_empty() => {
            statements.iter().map(|one| use_of_statement(one, databases)).collect()
        }
        _ => vec![unknown()],
    }
}

fn use_of_statement(statement: &Statement, databases: &[String]) -> SqlUse {
    let mut seen = SeenNames::default();
    let _ = statement.visit(&mut seen);
    let kind = match statement {
        Statement::Query(query) => match &*query.body {
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                Some(SqlKind::Write)
            }
            SetExpr::Select(select) if select.into.is_some() => Some(SqlKind::Schema),
            _ => Some(SqlKind::Read),
        },
        Statement::ExplainTable { .. } | Statement::ShowTables { .. } | Statement::ShowColumns { .. } => {
            Some(SqlKind::Read)
        }
        Statement::Explain { analyze: false, .. } => Some(SqlKind::Read),
        Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) | Statement::Merge(_) => {
            Some(SqlKind::Write)
        }
        Statement::Truncate(_) => Some(SqlKind::Write),
        Statement::CreateTable(_)
        | Statement::CreateIndex(_)
        | Statement::CreateView(_)
        | Statement::AlterTable(_)
        | Statement::Drop { .. } => Some(SqlKind::Schema),
        _ => None,
    };
    let kind = match kind {
        Some(SqlKind::Read) if seen.changes => Some(SqlKind::Write),
        Some(SqlKind::Read) if seen.calls_unknown => None,
        kind => kind,
    };
    let mut tables = seen.tables;
    if let Statement::Drop { names, .. } = statement {
        tables.extend(names.iter().map(table_name));
    }
    tables.sort();
    tables.dedup();
    SqlUse { has_all_tables: kind.is_some(), kind, tables, databases: databases.to_vec() }
}

/// The tables and functions that a statement names.
#[derive(Default)]
struct SeenNames {
    tables: Vec<String>,
    /// Whether it calls a function that may do anything.
    calls_unknown: bool,
    /// Whether a part of it changes rows.
    changes: bool,
}

impl Visitor for SeenNames {
    type Break = ();

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        self.tables.push(table_name(relation));
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &sqlparser::ast::Query) -> ControlFlow<()> {
        let changes = matches!(
            &*query.body,
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
        );
        self.changes |= changes;
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        let is_plain = match factor {
            TableFactor::Table { args, .. } => args.is_none(),
            TableFactor::Derived { .. } | TableFactor::NestedJoin { .. } | TableFactor::UNNEST { .. } => true,
            _ => false,
        };
        self.calls_unknown |= !is_plain;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr {
            let name = function.name.to_string().to_lowercase();
            self.calls_unknown |= !has_word(PURE_FUNCTIONS, name.as_str());
        }
        ControlFlow::Continue(())
    }
}

/// The last part of a name, without quotes, in lower case.
fn table_name(name: &ObjectName) -> String {
    let last = name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.to_lowercase());
    last.unwrap_or_else(|| name.to_string().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Option<SqlKind>, Vec<String>)> {
        uses_of_text(text, &[]).into_iter().map(|used| (used.kind, used.tables)).collect()
    }

    #[test]
    fn statements_are_sorted_by_kind() {
        let tables = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (text, kind, names) in [
            ("select * from customers", Some(SqlKind::Read), &["customers"][..]),
            (
                "SELECT count(*) FROM shop.\"Customers\" c JOIN orders o ON o.c = c.id",
                Some(SqlKind::Read),
                &["customers", "orders"],
            ),
            (
                "with gone as (delete from customers returning *) select * from gone",
                Some(SqlKind::Write),
                &["customers", "gone"],
            ),
            ("update customers set x = 1", Some(SqlKind::Write), &["customers"]),
            ("delete from customers", Some(SqlKind::Write), &["customers"]),
            ("truncate customers", Some(SqlKind::Write), &["customers"]),
            ("drop table customers", Some(SqlKind::Schema), &["customers"]),
            ("alter table customers add column x int", Some(SqlKind::Schema), &["customers"]),
            ("select pg_terminate_backend(1)", None, &[]),
            ("select * into copied from customers", Some(SqlKind::Schema), &["customers"]),
            ("\\copy customers to x", None, &[]),
        ] {
            assert_eq!(read(text), [(kind, tables(names))], "{text}");
        }
        assert_eq!(read("select 1; drop table x").len(), 2);
    }

    #[test]
    fn addresses_of_databases_have_names() {
        assert_eq!(names_of_database("postgres://ada:x@db.prod:5432/shop?a=b"), ["ada", "db.prod", "shop"]);
        assert_eq!(names_of_database("/srv/prod.db"), ["srv", "prod.db"]);
        assert_eq!(names_of_database("host=db.prod dbname=shop"), ["db.prod", "shop"]);
    }
}
