//! Log addresses: a file or a PostgreSQL database. A displayed address never contains a password.

use crate::{DatabaseName, StoreError};
use countersign_events::SecretValue;
use sqlx::{ConnectOptions, postgres::PgConnectOptions};
use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The log target under which the driver logs lines of `~/.pgpass` that it cannot parse, including their passwords. A
/// subscriber must drop it.
pub const NEVER_LOGGED: &str = "sqlx_postgres::options::pgpass";

/// A log address.
#[derive(Clone, Debug)]
pub enum DatabaseUrl {
    /// An SQLite file.
    File(PathBuf),
    /// A PostgreSQL database.
    Postgres(Box<PostgresAddress>),
}

/// A PostgreSQL database address. It may contain a password, which is never displayed.
#[derive(Clone)]
pub struct PostgresAddress {
    pub(crate) connect: PgConnectOptions,
    /// The direct connection for LISTEN, if the others go through a pooler.
    pub(crate) listen: Option<PgConnectOptions>,
    /// The schema that contains the log; `None` for the server's default.
    pub(crate) schema: Option<String>,
    /// Whether a pooler lends connections for one transaction each.
    pub(crate) pooled: bool,
}

impl<P: AsRef<Path>> From<P> for DatabaseUrl {
    fn from(path: P) -> Self {
        Self::File(path.as_ref().to_path_buf())
    }
}

impl DatabaseUrl {
    /// Parses a path, `sqlite://` with a path, or a `postgres://` URL in the format of libpq.
    ///
    /// The format is described at <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS>.
    /// Parts that the URL omits come from environment variables such as `PGHOST`, `PGPORT`, `PGUSER`, `PGPASSWORD` and
    /// `PGSSLMODE`; the password can also come from `~/.pgpass`. Countersign adds the parameters `schema`,
    /// `pooler=transaction`, `listen_host` and `listen_port`.
    ///
    /// Fails with [`StoreError::BadAddress`], which never repeats the address, because it may contain a password.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        match text.split_once("://") {
            // Otherwise a mistyped address would become a file name, which is displayed with its password.
            None if looks_like_postgres(text) => Err(bad_address(
                "this is neither a path nor a valid address; write postgres://USER@HOST/DATABASE".to_owned(),
            )),
            None => Ok(Self::File(PathBuf::from(text))),
            Some(("sqlite", path)) => Ok(Self::File(PathBuf::from(path))),
            Some(("postgres" | "postgresql", _)) => {
                Ok(Self::Postgres(Box::new(PostgresAddress::parse(text)?)))
            }
            Some((scheme, _)) => Err(bad_address(format!(
                "{scheme}:// is not supported; give a path, sqlite://… or postgres://…"
            ))),
        }
    }

    /// Returns the log name for messages.
    #[must_use]
    pub fn database_name(&self) -> DatabaseName {
        match self {
            Self::File(path) => path.as_path().into(),
            Self::Postgres(address) => address.database_name(),
        }
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.database_name().fmt(f)
    }
}

/// Returns true if the string looks like a mistyped PostgreSQL address.
fn looks_like_postgres(text: &str) -> bool {
    let words = ["host=", "hostaddr=", "user=", "password=", "dbname=", "service="];
    text.starts_with("postgres:")
        || text.starts_with("postgresql:")
        || text.split_whitespace().any(|word| words.iter().any(|key| word.starts_with(key)))
}

fn bad_address(why: String) -> StoreError {
    StoreError::BadAddress { why }
}

impl PostgresAddress {
    fn parse(text: &str) -> Result<Self, StoreError> {
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        if rest.split_once(['/', '?', '#']).is_some_and(|(_, after)| after.contains('@')) {
            return Err(bad_address(
                "there is an @ after the host; in a name or a password write @ as %40, / as %2F, ? as %3F, # as %23"
                    .to_owned(),
            ));
        }
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut driver_pairs, mut own) = (Vec::new(), OwnParameters::default());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !own.parse_parameter(key, value)? {
                driver_pairs.push(pair);
            }
        }
        // libpq accepts an address without a host, for a socket; the driver's parser does not.
        let base = SecretValue::new(base.replacen("@/", "@localhost/", 1));
        let url = match driver_pairs.as_slice() {
            [] => base,
            pairs => SecretValue::new(format!("{}?{}", base.expose(), pairs.join("&"))),
        };
        let connect: PgConnectOptions = url
            .expose()
            .parse()
            .map_err(|e: sqlx::Error| bad_address(format!("this postgres:// address cannot be read: {e}")))?;
        let connect = disable_statement_log(connect);
        let listen = own.has_listen_address().then(|| {
            let host = own.listen_host.as_deref().unwrap_or(connect.get_host());
            connect.clone().host(host).port(own.listen_port.unwrap_or(5432))
        });
        Ok(Self { connect, listen, schema: own.schema, pooled: own.pooled })
    }

    /// `postgres://user@host:port/database`.
    pub(crate) fn database_name(&self) -> DatabaseName {
        let (user, port) = (self.connect.get_username(), self.connect.get_port());
        let database = self.connect.get_database().unwrap_or(user);
        let host = match self.connect.get_socket() {
            Some(folder) => folder.display().to_string().replace('/', "%2F"),
            None => self.connect.get_host().to_owned(),
        };
        let schema = self.schema.as_ref().map(|schema| format!("?schema={schema}")).unwrap_or_default();
        DatabaseName::new(format!("postgres://{user}@{host}:{port}/{database}{schema}"))
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.database_name())
    }
}

/// Turns off the log of statements, which would contain arguments of calls.
fn disable_statement_log(options: PgConnectOptions) -> PgConnectOptions {
    options
        .log_statements(tracing::log::LevelFilter::Off)
        .log_slow_statements(tracing::log::LevelFilter::Off, Duration::ZERO)
}

/// The URL parameters that Countersign adds to those of libpq.
#[derive(Default)]
struct OwnParameters {
    schema: Option<String>,
    pooled: bool,
    listen_host: Option<String>,
    listen_port: Option<u16>,
}

impl OwnParameters {
    /// Sets a Countersign parameter and returns true, or returns false for a driver parameter. An unknown parameter is
    /// an error, because the driver would ignore a typo in `sslmode`.
    fn parse_parameter(&mut self, key: &str, value: &str) -> Result<bool, StoreError> {
        match key {
            "schema" if is_plain_identifier(value) => self.schema = Some(value.to_owned()),
            "schema" => {
                return Err(bad_address(
                    "schema must be a name of at most 63 lower-case letters, digits and _".to_owned(),
                ));
            }
            "pooler" if value == "transaction" || value == "none" => self.pooled = value == "transaction",
            "pooler" => return Err(bad_address("pooler must be transaction or none".to_owned())),
            "listen_host" => self.listen_host = Some(value.to_owned()),
            "listen_port" => {
                let port =
                    value.parse().map_err(|_| bad_address("listen_port must be a port number".to_owned()))?;
                self.listen_port = Some(port);
            }
            key if DRIVER_PARAMETERS.contains(&key) || key.starts_with("options[") => return Ok(false),
            key => {
                return Err(bad_address(format!(
                    "{key:?} is not a parameter of a postgres:// address; use one of {}",
                    list_parameters()
                )));
            }
        }
        Ok(true)
    }

    const fn has_listen_address(&self) -> bool {
        self.listen_host.is_some() || self.listen_port.is_some()
    }
}

/// The parameters that the driver supports.
const DRIVER_PARAMETERS: &[&str] = &[
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

fn list_parameters() -> String {
    let own = ["schema", "pooler", "listen_host", "listen_port"];
    [DRIVER_PARAMETERS, &own].concat().join(", ")
}

/// Returns true for an identifier that means the same with and without quotes.
fn is_plain_identifier(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c == '_';
    text.len() <= 63
        && text.starts_with(plain)
        && text.chars().all(|c| plain(c) || c.is_ascii_digit())
        && !text.starts_with("pg_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn displayed_name(text: &str) -> String {
        DatabaseUrl::parse(text).expect("an address").to_string()
    }

    #[test]
    fn address_accepts_paths_and_urls() {
        assert!(
            matches!(DatabaseUrl::parse("a/b.db"), Ok(DatabaseUrl::File(path)) if path == Path::new("a/b.db"))
        );
        assert!(
            matches!(DatabaseUrl::parse("sqlite:///a.db"), Ok(DatabaseUrl::File(path)) if path == Path::new("/a.db"))
        );
        assert_eq!(
            displayed_name("postgres://ada:s3cret@db.example:6432/log"),
            "postgres://ada@db.example:6432/log"
        );
        assert_eq!(
            displayed_name("postgresql://ada@/log?host=/run/postgresql&port=5433&schema=tenant_1"),
            "postgres://ada@%2Frun%2Fpostgresql:5433/log?schema=tenant_1"
        );
    }

    #[test]
    fn address_display_hides_password() {
        for text in ["postgres://ada:s3cret@db/log", "postgres://ada@db/log?password=s3cret"] {
            let address = DatabaseUrl::parse(text).expect("an address");
            assert!(!format!("{address} {address:?} {address:#?}").contains("s3cret"));
        }
        for text in [
            "postgres://ada:s3cret@db:port/log",
            "postgres://ada:s3cret@db/log?sslmod=require",
            "postgres://ada:s3cret@db/log?schema=a-b",
            "postgres://ada:s3cret@db/log?sslmode=s3cret",
            "mysql://ada:s3cret@db/log",
            "postgres://ada:1/s3cret@db/log",
            "postgres://ada:s3?s3cret@db/log",
            "postgres://ada:s3#s3cret@db/log",
            "postgres:ada:s3cret@db/log",
            "host=db user=ada password=s3cret",
        ] {
            let error = DatabaseUrl::parse(text).expect_err(text);
            assert_eq!(error.code(), "bad_address");
            assert!(text.contains("sslmode") || !format!("{error} {error:?}").contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn pooled_address_listens_on_direct_connection() {
        let text = "postgres://ada@pooler:6432/log?pooler=transaction&listen_host=db&listen_port=5432";
        let Ok(DatabaseUrl::Postgres(address)) = DatabaseUrl::parse(text) else { panic!("an address") };
        assert!(address.pooled);
        let listen = address.listen.expect("a listening address");
        assert_eq!((listen.get_host(), listen.get_port()), ("db", 5432));
        assert_eq!(address.connect.get_host(), "pooler");
    }
}
