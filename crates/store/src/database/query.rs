//! A statement that runs on both databases, and its rows.

use sqlx::{
    Postgres, Row as _, ValueRef as _,
    postgres::{PgArguments, PgRow},
};

/// A statement and the values of its parameters `$1`, `$2` and so on.
#[derive(Clone)]
pub(crate) struct SqlQuery {
    text: &'static str,
    arguments: Vec<SqlArgument>,
    is_brief: bool,
}

/// A parameter value. Both databases have these three types.
#[derive(Clone)]
pub(crate) enum SqlArgument {
    Text(Option<String>),
    Number(i64),
    Boolean(bool),
}

impl From<&str> for SqlArgument {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<String> for SqlArgument {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<Option<String>> for SqlArgument {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for SqlArgument {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for SqlArgument {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl SqlQuery {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, arguments: Vec::new(), is_brief: false }
    }

    /// A statement that finds a few rows by their key, however long the log is. A file runs it on the thread that asks: it takes
    /// less time than a trip to another one.
    pub(crate) const fn by_key(text: &'static str) -> Self {
        Self { text, arguments: Vec::new(), is_brief: true }
    }

    /// Whether it finds a few rows by their key.
    pub(super) const fn is_brief(&self) -> bool {
        self.is_brief
    }

    /// Sets the next parameter's value.
    pub(crate) fn bind(mut self, argument: impl Into<SqlArgument>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// The statement.
    pub(super) const fn text(&self) -> &'static str {
        self.text
    }

    /// The parameter values, in order.
    pub(super) fn arguments(&self) -> &[SqlArgument] {
        &self.arguments
    }

    pub(super) fn for_postgres(self) -> sqlx::query::Query<'static, Postgres, PgArguments> {
        self.arguments.into_iter().fold(sqlx::query(self.text), |query, argument| match argument {
            SqlArgument::Text(text) => query.bind(text),
            SqlArgument::Number(number) => query.bind(number),
            SqlArgument::Boolean(value) => query.bind(value),
        })
    }
}

/// A row of either database.
pub(crate) enum SqlRow {
    Sqlite(Vec<SqlValue>),
    Postgres(PgRow),
}

/// A value of a row of a file.
pub(crate) enum SqlValue {
    Null,
    Number(i64),
    Bytes(Box<[u8]>),
}

impl SqlRow {
    /// The number in `column`; `None` for NULL or another type.
    pub(crate) fn number(&self, column: usize) -> Option<i64> {
        match self {
            Self::Sqlite(values) => match values.get(column) {
                Some(SqlValue::Number(number)) => Some(*number),
                _ => None,
            },
            Self::Postgres(row) => row.try_get(column).ok().flatten(),
        }
    }

    /// Returns true if `column` is true; NULL and other types are false.
    pub(crate) fn boolean(&self, column: usize) -> bool {
        match self {
            Self::Sqlite(_) => self.number(column).is_some_and(|number| number != 0),
            Self::Postgres(row) => row.try_get(column).unwrap_or(false),
        }
    }

    /// The text or bytes in `column`; `None` for NULL. SQLite stores any bytes as text, so they may not be UTF-8.
    pub(crate) fn bytes(&self, column: usize) -> Result<Option<&[u8]>, sqlx::Error> {
        match self {
            Self::Sqlite(values) => Ok(match values.get(column) {
                Some(SqlValue::Bytes(bytes)) => Some(bytes),
                _ => None,
            }),
            // PostgreSQL sends text as its bytes, but `try_get` would reject bytes for columns of type `text`.
            Self::Postgres(row) => {
                let value = row.try_get_raw(column)?;
                let bytes = (!value.is_null()).then(|| value.as_bytes());
                bytes.transpose().map_err(sqlx::Error::Decode)
            }
        }
    }

    /// The text in `column`; `None` for NULL or if it is not UTF-8.
    pub(crate) fn text(&self, column: usize) -> Option<String> {
        let bytes = self.bytes(column).ok()??;
        String::from_utf8(bytes.to_vec()).ok()
    }
}
