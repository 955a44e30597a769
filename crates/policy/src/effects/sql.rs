//! What a call does to a database, by the SQL that it contains.

use super::{
    sql_text::{self, ClientCommand},
    texts::TextArgument,
    word_list::has_word,
};
use sqlparser::{
    ast::{Expr, ObjectName, ObjectNamePart, ObjectType, SetExpr, Statement, TableFactor, Visit, Visitor},
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

/// The words with which a statement begins.
const BEGINNINGS: &str = "alter analyze attach begin bulk call comment copy create delete do drop exec execute explain grant import insert load lock merge \
    pragma prepare refresh reindex rename replace revoke select set show table truncate update use vacuum values with";

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

/// The databases, and their hosts, that a call names.
#[derive(Debug, Clone, Default)]
pub(super) struct NamedDatabases {
    /// Those to one of which it connects.
    pub(super) certain: Vec<String>,
    /// Others, such as the host: without a certain one, the database is unknown.
    pub(super) possible: Vec<String>,
}

impl NamedDatabases {
    /// The databases of a statement, which names the `others`: one list for each thing that they may be.
    fn lists(&self, others: &[String]) -> Vec<Vec<String>> {
        let mut all = [&self.certain[..], &self.possible, others].concat();
        all.dedup();
        if !self.certain.is_empty() {
            return vec![all];
        }
        let mut lists = vec![Vec::new()];
        lists.extend(Some(all).filter(|all| !all.is_empty()));
        lists
    }

    /// A use that is not read, or that no statement makes.
    pub(super) fn uses(&self, kind: Option<SqlKind>, tables: &[String]) -> Vec<SqlUse> {
        let has_all_tables = kind.is_some() || !tables.is_empty();
        let uses = self.uses_with(kind, tables, &[]).into_iter();
        uses.map(|used| SqlUse { has_all_tables, ..used }).collect()
    }

    fn uses_with(&self, kind: Option<SqlKind>, tables: &[String], others: &[String]) -> Vec<SqlUse> {
        let lists = self.lists(others).into_iter();
        let use_of =
            |databases| SqlUse { kind, tables: tables.to_vec(), has_all_tables: kind.is_some(), databases };
        lists.map(use_of).collect()
    }
}

/// The statements in an argument of a tool. `is_database_tool` says whether prose may be a statement, too.
pub(super) fn uses_of_argument(
    argument: &TextArgument<'_>,
    databases: &NamedDatabases,
    is_database_tool: bool,
) -> Vec<SqlUse> {
    const KEYS: [&str; 6] = ["sql", "query", "statement", "statements", "queries", "sqlquery"];
    const PROSE: &str = "body code content contents description details explanation input instruction instructions markdown message msg name new_str \
        new_string note notes old_str old_string patch plan prompt question reason subject summary text thought title";
    let (key, text) = (argument.key().to_lowercase(), argument.text.as_ref());
    let begins = sql_text::first_word(text);
    let is_sql = (argument.roles.is_sql || key.contains("sql")) && !text.trim().is_empty()
        || is_database_tool && KEYS.contains(&key.as_str()) && has_word(BEGINNINGS, &begins)
        || sql_text::begins_statement(text) && (is_database_tool || !has_word(PROSE, &key));
    if is_sql { uses_of_text(text, databases) } else { Vec::new() }
}

/// The statements in SQL, or in what may be SQL.
pub(super) fn uses_of_text(text: &str, databases: &NamedDatabases) -> Vec<SqlUse> {
    match ClientCommand::read(text) {
        Some(ClientCommand::Shows(tables)) => return databases.uses(Some(SqlKind::Read), &tables),
        Some(ClientCommand::Sets) => return Vec::new(),
        None => {}
    }
    let named = sql_text::named_databases(text);
    if text.len() > MAX_BYTES {
        return databases.uses_with(None, &[], &named);
    }
    if let Some(run) = sql_text::with_version_comments(text) {
        return [uses_of_text(&run, databases), databases.uses_with(None, &[], &named)].concat();
    }
    let parsed = Parser::new(&GenericDialect {})
        .with_recursion_limit(MAX_DEPTH)
        .try_with_sql(text)
        .and_then(|mut parser| parser.parse_statements());
    match parsed {
        Ok(statements) if !statements.is_empty() => {
            let hides_change = sql_text::has_bare_change(text);
            let of_one = |one| uses_of_statement(one, databases, &named, hides_change);
            statements.iter().flat_map(of_one).collect()
        }
        _ => databases.uses_with(None, &[], &named),
    }
}

/// The uses of a statement. `hides_change` says whether a word for a change stands in the text, which another reading may run.
fn uses_of_statement(
    statement: &Statement,
    databases: &NamedDatabases,
    named: &[String],
    hides_change: bool,
) -> Vec<SqlUse> {
    let mut seen = SeenNames::default();
    let _ = statement.visit(&mut seen);
    let kind = match kind_of_statement(statement) {
        Some(SqlKind::Read) if seen.changes => Some(SqlKind::Write),
        Some(SqlKind::Read) if seen.calls_unknown || hides_change => None,
        kind => kind,
    };
    let dropped = match statement {
        // All of their tables go, too.
        Statement::Drop { object_type: ObjectType::Database | ObjectType::Schema, names, .. } => {
            seen.qualifiers.extend(names.iter().flat_map(parts_of_name));
            seen.tables.clear();
            &[][..]
        }
        Statement::Drop { names, .. } => names,
        _ => &[],
    };
    for name in dropped {
        seen.add(name);
    }
    if matches!(statement, Statement::AlterTable(_)) {
        seen.tables.extend(sql_text::new_names(&statement.to_string()));
    }
    seen.tables.sort();
    seen.tables.dedup();
    seen.qualifiers.extend_from_slice(named);
    databases.uses_with(kind, &seen.tables, &seen.qualifiers)
}

/// What a statement does, as far as its form says it.
fn kind_of_statement(statement: &Statement) -> Option<SqlKind> {
    match statement {
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
        // With `analyze`, also among its options, the statement is run.
        Statement::Explain { analyze: false, options: None, .. } => Some(SqlKind::Read),
        Statement::Explain { statement, .. } => kind_of_statement(statement),
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
    }
}

/// The tables and functions that a statement names.
#[derive(Default)]
struct SeenNames {
    tables: Vec<String>,
    /// What precedes the names of tables: schemas and databases.
    qualifiers: Vec<String>,
    /// Whether it calls a function that may do anything.
    calls_unknown: bool,
    /// Whether a part of it changes rows.
    changes: bool,
}

impl SeenNames {
    fn add(&mut self, name: &ObjectName) {
        let mut parts = parts_of_name(name);
        self.tables.extend(parts.pop());
        self.qualifiers.append(&mut parts);
    }
}

impl Visitor for SeenNames {
    type Break = ();

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        self.add(relation);
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

/// The parts of a name, without quotes, in lower case. Some databases have several parts in one pair of quotes.
fn parts_of_name(name: &ObjectName) -> Vec<String> {
    let text_of =
        |part: &ObjectNamePart| part.as_ident().map_or_else(|| part.to_string(), |ident| ident.value.clone());
    let parts = name.0.iter().map(text_of).collect::<Vec<_>>().join(".").to_lowercase();
    parts.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Option<SqlKind>, Vec<String>)> {
        let uses = uses_of_text(text, &NamedDatabases::default()).into_iter();
        let mut found: Vec<_> = uses.map(|used| (used.kind, used.tables)).collect();
        found.dedup();
        found
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
            ("\\d customers", Some(SqlKind::Read), &["customers"]),
            ("\\d customers \\! ls", None, &[]),
            ("explain (analyze) delete from customers", Some(SqlKind::Write), &["customers"]),
            ("explain delete from customers", None, &["customers"]),
            ("select 1 delete from customers", None, &["customers"]),
            ("select replace(a, 'delete', 'b') from customers", Some(SqlKind::Read), &["customers"]),
            ("select * from `p.ds.customers`", Some(SqlKind::Read), &["customers"]),
            ("drop schema public cascade", Some(SqlKind::Schema), &[]),
            ("alter table t rename to customers", Some(SqlKind::Schema), &["customers", "t"]),
        ] {
            assert_eq!(read(text), [(kind, tables(names))], "{text}");
        }
        assert_eq!(read("select 1; drop table x").len(), 2);
    }
}
