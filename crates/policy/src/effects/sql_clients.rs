//! The statements that client programs for databases, and other programs, run.

use super::{
    sql::{NamedDatabases, SqlUse, uses_of_text},
    sql_names::names_of_database,
    sql_text,
    word_list::has_word,
};
use countersign_patterns::command::CommandWords;

/// A client program for databases, and its options.
pub(super) struct SqlClient {
    names: &'static str,
    /// The options with a statement.
    statements: &'static str,
    /// The options with a database.
    databases: &'static str,
    /// The other options with a value.
    values: &'static str,
    /// Whether the operand after the database is a statement.
    takes_statement: bool,
    /// Whether its statements may run programs.
    runs_programs: bool,
    /// Whether its operands are commands, among which a database may be.
    has_commands: bool,
}

/// The options with a host.
const HOSTS: &str = "-h --host -S --server --hostname -H";
/// The options with a file of statements.
const FILES: &str = "-f --file -init -i --input-file --init-file";

const CLIENTS: &[SqlClient] = &[
    SqlClient {
        names: "psql pgcli",
        statements: "-c --command",
        databases: "-d --dbname",
        values: "-F -L -P -R -T -U -o -p -v --field-separator --log-file --output --port --pset --record-separator --set \
            --table-attr --username --variable",
        takes_statement: false,
        runs_programs: true,
        has_commands: false,
    },
    SqlClient {
        names: "mysql mariadb mycli",
        statements: "-e --execute --init-command",
        databases: "-D --database",
        values: "-P -u --defaults-extra-file --defaults-file --port --protocol --socket --user",
        takes_statement: false,
        runs_programs: true,
        has_commands: false,
    },
    SqlClient {
        names: "sqlite3 duckdb",
        statements: "-cmd -c",
        databases: "",
        values: "-separator -nullvalue -newline -maxsize -mmap",
        takes_statement: true,
        runs_programs: true,
        has_commands: false,
    },
    SqlClient {
        names: "litecli sqlite-utils datasette harlequin",
        statements: "-e --execute",
        databases: "",
        values: "--param -p",
        takes_statement: false,
        runs_programs: false,
        has_commands: false,
    },
    SqlClient {
        names: "clickhouse-client clickhouse sqlcmd osql isql tsql bq snowsql snow usql cockroach mongosh mongo beeline hive impala-shell \
            spark-sql trino presto cqlsh sqlplus sqlcl octosql spanner-cli influx edgedb gel steampipe",
        statements: "-q --query -Q -e -E -c --command --eval --execute -execute --query-string --sql",
        databases: "-b -d --database -database -D --dbname --dataset_id -k --keyspace --catalog --project --project_id -u --url -url --connect",
        values: "-U -P --user --username --password --port",
        takes_statement: false,
        runs_programs: true,
        has_commands: true,
    },
    SqlClient {
        names: "dropdb createdb pg_restore mysqladmin mysqlimport pgbench vacuumdb reindexdb clusterdb",
        statements: "",
        databases: "-d --dbname",
        values: "-U -p -u -P -j -T -t --table --port --username --user --jobs",
        takes_statement: false,
        runs_programs: false,
        has_commands: false,
    },
];

/// Programs that print, search or store words that may look like a statement.
const TEXT_PROGRAMS: &str = "[ ack ag awk basename bat cat cmp cut diff dirname echo egrep expr fgrep find fd fzf gawk gh git glab grep head \
    hub jq less logger ls more notify-send perl printf python python3 node ruby rg say sd sed sort tail tea tee test tldr touch tr ugrep uniq wc \
    which write xargs yq";
/// The options that name a database in most programs.
const DATABASE_OPTIONS: &str =
    "-d --database -database -D --dbname --db --catalog --keyspace --url -url --database-url --connection";

/// The options with prose.
const MESSAGE_OPTIONS: &str =
    "-m --message --title --body --description --comment --notes --reason --subject --summary --text -t";

/// What a command's words say about statements.
#[derive(Default)]
struct ReadWords<'a> {
    statements: Vec<&'a str>,
    databases: Vec<&'a str>,
    hosts: Vec<&'a str>,
    operands: Vec<&'a str>,
    /// Whether a part is unknown.
    is_open: bool,
    /// Whether an operand may be an option's value.
    is_unsure: bool,
}

/// Whether the program may run other programs by its statements.
pub(super) fn may_run_programs(program: &str) -> bool {
    CLIENTS.iter().any(|client| client.runs_programs && has_word(client.names, program))
}

/// The statements that a command runs.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<SqlUse> {
    let Some(client) = CLIENTS.iter().find(|client| has_word(client.names, command.program())) else {
        return uses_of_other_program(command);
    };
    let arguments: Vec<_> = command.arguments().collect();
    let mut read = client.read(&arguments);
    read.is_open |= command.has_input();
    if client.takes_statement && read.operands.len() > 1 {
        let statements = read.operands.drain(1..).collect::<Vec<_>>();
        read.statements.extend(statements);
    } else if read.operands.iter().any(|word| sql_text::begins_statement(word)) {
        let (statements, operands) =
            read.operands.drain(..).partition(|word| sql_text::begins_statement(word));
        read.statements.extend::<Vec<_>>(statements);
        read.operands = operands;
    }
    read.is_unsure |= client.has_commands;
    let mut databases = read.names();
    databases.add_variables(command);
    let joined = read.statements.join("\n");
    // A statement may connect to another database for the next one.
    databases.possible.extend(sql_text::named_databases(&joined));
    let mut found: Vec<_> =
        read.statements.iter().flat_map(|statement| uses_of_text(statement, &databases)).collect();
    if read.statements.is_empty() || read.is_open {
        found.extend(databases.uses(None, &[]));
    }
    found
}

/// The statements among the words of a program that is no known client.
fn uses_of_other_program(command: CommandWords<'_>) -> Vec<SqlUse> {
    if has_word(TEXT_PROGRAMS, command.program()) {
        return Vec::new();
    }
    let words: Vec<_> = command.arguments().flatten().map(|word| (word, value_of(word))).collect();
    let is_message = |at: usize| {
        let before = at.checked_sub(1).map_or("", |before| words[before].0);
        let option = words[at].0.split_once('=').map_or(before, |(option, _)| option);
        has_word(MESSAGE_OPTIONS, option)
    };
    let is_statement = |at: &usize| {
        let value = words[*at].1;
        value.contains(' ') && sql_text::begins_statement(value) && !is_message(*at)
    };
    let statements: Vec<_> = (0..words.len()).filter(is_statement).map(|at| words[at].1).collect();
    if statements.is_empty() {
        return Vec::new();
    }
    let mut databases = NamedDatabases::default();
    databases.add_variables(command);
    for (at, (word, value)) in words.iter().enumerate() {
        if sql_text::begins_statement(value) {
            continue;
        }
        let follows = at > 0 && has_word(DATABASE_OPTIONS, words[at - 1].0);
        let is_attached = word.split_once('=').is_some_and(|(option, _)| has_word(DATABASE_OPTIONS, option));
        if follows || is_attached {
            databases.certain.extend(names_of_database(value));
        } else if !word.starts_with('-') && !value.contains(' ') {
            databases.possible.extend(names_of_database(value));
        }
    }
    statements.iter().flat_map(|statement| uses_of_text(statement, &databases)).collect()
}

/// The value that a word with an option has, or the word.
fn value_of(word: &str) -> &str {
    word.split_once('=')
        .filter(|(option, _)| option.starts_with('-') && !option.contains(' '))
        .map_or(word, |(_, value)| value)
}

impl SqlClient {
    fn read<'a>(&self, arguments: &[Option<&'a str>]) -> ReadWords<'a> {
        let mut found = ReadWords::default();
        let mut arguments = arguments.iter().copied().peekable();
        while let Some(word) = arguments.next() {
            let Some(word) = word else {
                found.is_open = true;
                continue;
            };
            if !word.starts_with('-') || word.len() < 2 {
                found.operands.push(word);
                continue;
            }
            let (option, attached) = self.split(word);
            if !self.has_value(&option) {
                let next_is_operand =
                    arguments.peek().is_some_and(|next| next.is_none_or(|next| !next.starts_with('-')));
                found.is_unsure |= word.starts_with("--") && attached.is_none() && next_is_operand;
                continue;
            }
            let Some(value) = attached.or_else(|| arguments.next().flatten()) else {
                found.is_open |= !has_word(self.values, &option);
                continue;
            };
            match &*option {
                option if has_word(self.statements, option) => found.statements.push(value),
                option if has_word(self.databases, option) => found.databases.push(value),
                option if has_word(HOSTS, option) => found.hosts.push(value),
                option if has_word(FILES, option) => found.is_open = true,
                _ => {}
            }
        }
        found
    }

    fn has_value(&self, option: &str) -> bool {
        [self.statements, self.databases, self.values, HOSTS, FILES].iter().any(|list| has_word(list, option))
    }

    /// The option of a word, and the value that is attached to it. The last letter of a bundle may have one.
    fn split<'a>(&self, word: &'a str) -> (String, Option<&'a str>) {
        if self.has_value(word) {
            return (word.to_owned(), None);
        }
        if let Some((option, value)) =
            word.split_once('=').filter(|(option, _)| option.starts_with("--") || self.has_value(option))
        {
            return (option.to_owned(), Some(value));
        }
        // A password is attached, and may have any letters.
        if word.starts_with("--") || word.starts_with("-p") && self.names.starts_with("mysql") {
            return (word.to_owned(), None);
        }
        let with_value =
            word.char_indices().skip(1).find(|(_, letter)| self.has_value(&format!("-{letter}")));
        with_value.map_or_else(
            || (word.to_owned(), None),
            |(at, letter)| {
                let rest = &word[at + letter.len_utf8()..];
                (format!("-{letter}"), (!rest.is_empty()).then_some(rest))
            },
        )
    }
}

impl ReadWords<'_> {
    fn names(&self) -> NamedDatabases {
        let all = |words: &[&str]| words.iter().flat_map(|word| names_of_database(word)).collect::<Vec<_>>();
        let certain = [&self.databases[..], if self.is_unsure { &[] } else { &self.operands }].concat();
        let possible =
            if self.is_unsure { [&self.hosts[..], &self.operands].concat() } else { self.hosts.clone() };
        NamedDatabases { certain: all(&certain), possible: all(&possible) }
    }
}

impl NamedDatabases {
    /// Adds what the variables before a command name.
    pub(super) fn add_variables(&mut self, command: CommandWords<'_>) {
        for (name, value) in command.assignments() {
            let upper = name.to_ascii_uppercase();
            let has = |parts: &[&str]| parts.iter().any(|part| upper.contains(part));
            let is_known = !value.contains('\u{ffff}');
            if has(&["DATABASE", "DBNAME", "DB_NAME"]) && is_known && self.certain.is_empty() {
                self.certain.extend(names_of_database(value));
            } else if has(&["DATABASE", "DB", "HOST", "SERVICE", "URL", "DSN", "CONN", "ENV", "MYSQL"]) {
                self.possible.extend(names_of_database(value));
            }
        }
    }
}
