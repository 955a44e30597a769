//! Programs that change databases without a statement on their command line: migrations, dumps and other tools.

use super::{
    sql::{NamedDatabases, SqlKind, SqlUse},
    sql_names::names_of_database,
    word_list::has_word,
};
use countersign_patterns::command::CommandWords;

/// A program that changes databases.
struct DatabaseProgram {
    names: &'static str,
    /// The first words, or how they begin with a colon, after which it does. Empty: all.
    parts: &'static str,
    /// Among the first words, those of which it is known that they change nothing.
    harmless: &'static str,
}

const PROGRAMS: &[DatabaseProgram] = &[
    DatabaseProgram {
        names: "alembic",
        parts: "",
        harmless: "branches check current heads history init list_templates merge revision show",
    },
    DatabaseProgram {
        names: "prisma",
        parts: "",
        harmless: "diff format generate init platform status validate version",
    },
    DatabaseProgram { names: "drizzle-kit", parts: "", harmless: "check export generate up" },
    DatabaseProgram {
        names: "knex sequelize sequelize-cli typeorm",
        parts: "",
        harmless: "init migrate:list migrate:make migrate:status migration:create migration:generate migration:show model:generate seed:generate \
            seed:make entity:create db:migrate:status migration:create schema:log",
    },
    DatabaseProgram { names: "flyway", parts: "", harmless: "check help info list validate version" },
    DatabaseProgram {
        names: "liquibase",
        parts: "",
        harmless: "diff generate-changelog history init snapshot status update-sql validate",
    },
    DatabaseProgram {
        names: "dbmate goose migrate",
        parts: "",
        harmless: "create dump fix help new status validate version",
    },
    DatabaseProgram {
        names: "diesel sqlx sea-orm-cli",
        parts: "",
        harmless: "add generate info init list prepare print-schema setup-docs status",
    },
    DatabaseProgram {
        names: "atlas",
        parts: "",
        harmless: "diff fmt hash inspect lint new status validate version",
    },
    DatabaseProgram {
        names: "supabase",
        parts: "db migration migrations",
        harmless: "diff dump fetch lint list new start status",
    },
    DatabaseProgram {
        names: "turso pscale planetscale",
        parts: "",
        harmless: "auth inspect list org show tokens whoami",
    },
    DatabaseProgram { names: "dbt", parts: "", harmless: "clean compile debug deps docs init list ls parse" },
    DatabaseProgram {
        names: "redis-cli iredis",
        parts: "",
        harmless: "PING ping INFO info GET get KEYS keys TTL ttl TYPE type DBSIZE dbsize",
    },
    DatabaseProgram {
        names: "mongoimport mongorestore mongotop ent soar visidata",
        parts: "",
        harmless: "describe new",
    },
    DatabaseProgram {
        names: "hasura",
        parts: "metadata migrate seed",
        harmless: "create diff export list status",
    },
    DatabaseProgram { names: "railway", parts: "connect", harmless: "" },
    DatabaseProgram {
        names: "rails rake bin/rails",
        parts: "db: dbconsole db console c runner r",
        harmless: "db:migrate:status db:version db:abort_if_pending_migrations",
    },
    DatabaseProgram {
        names: "mix",
        parts: "ecto. ash_postgres.",
        harmless: "ecto.gen.migration ecto.migrations ecto.gen.repo",
    },
    DatabaseProgram {
        names: "artisan",
        parts: "migrate db: db",
        harmless: "migrate:status db:show db:table db:monitor",
    },
    DatabaseProgram {
        names: "manage.py django-admin",
        parts: "dbshell flush loaddata migrate sqlflush reset_db",
        harmless: "sqlflush",
    },
    DatabaseProgram {
        names: "flask",
        parts: "db",
        harmless: "current heads history init migrate revision show",
    },
    DatabaseProgram {
        names: "heroku",
        parts: "pg:",
        harmless: "pg:info pg:ps pg:locks pg:outliers pg:diagnose",
    },
    DatabaseProgram { names: "fly flyctl", parts: "postgres pg mpg", harmless: "list status" },
    DatabaseProgram { names: "wrangler", parts: "d1", harmless: "info list" },
    DatabaseProgram { names: "gcloud", parts: "sql spanner bigtable firestore", harmless: "describe list" },
    DatabaseProgram {
        names: "aws",
        parts: "rds rds-data redshift redshift-data athena dynamodb docdb",
        harmless: "describe-db-instances describe-db-clusters describe-table get-item list-tables query scan",
    },
    DatabaseProgram { names: "sql", parts: "", harmless: "" },
];

/// Interpreters and runners, whose first operand may be the program.
const INTERPRETERS: &str = "bun bundle php pnpm poetry python python2 python3 ruby uv yarn";
/// Programs that copy tables, with the option for a table.
const DUMPS: &[(&str, &str, &str)] = &[
    (
        "pg_dump",
        "-t --table",
        "-F -U -f -h -j -n -N -p -T -Z --file --format --host --port --username --schema --exclude-table",
    ),
    ("pg_dumpall", "", "-U -f -h -p -l --file --host --port --username"),
    ("mysqldump", "", "-P -S -h -u --host --port --user --socket --where -w --result-file -r"),
    ("mariadb-dump", "", "-P -S -h -u --host --port --user --socket --where -w --result-file -r"),
    ("mongoexport", "-c --collection", "-h -u -p -o -q -f --host --port --uri --out --query --fields --type"),
    ("mongodump", "-c --collection", "-h -u -p -o -q --host --port --uri --out --query"),
    ("bcp", "", "-S -U -P -d -f -t -r -b"),
];
/// The options and variables that name a database, or what stands for one.
const DATABASE_OPTIONS: &str = "-a -b -d -database -u -url --app --bucket --connection --database --database-url --db --db-url --env \
    --environment -e --target --url";

/// The uses that a program for databases makes without a statement.
pub(super) fn uses_of_command(command: CommandWords<'_>) -> Vec<SqlUse> {
    let mut program = command.program();
    let mut arguments: Vec<Option<&str>> = command.arguments().collect();
    if has_word(INTERPRETERS, program)
        && let Some(at) = arguments.iter().position(|word| word.is_some_and(|word| !word.starts_with('-')))
    {
        let script = arguments[at].unwrap_or_default();
        program = script.rsplit('/').next().unwrap_or(script);
        arguments.drain(..=at);
    }
    if let Some((_, tables, values)) = DUMPS.iter().find(|(name, ..)| *name == program) {
        return uses_of_dump(program, &arguments, tables, values, command);
    }
    let Some(known) = PROGRAMS.iter().find(|known| has_word(known.names, program)) else { return Vec::new() };
    let operands: Vec<&str> =
        arguments.iter().flatten().copied().filter(|word| !word.starts_with('-')).collect();
    let first = operands.first().copied().unwrap_or_default();
    let begins = |part: &str| {
        part.ends_with([':', '.']) && first.starts_with(part)
            || part == first
            || first.split(':').next() == Some(part)
    };
    let is_part = known.parts.is_empty()
        || known.parts.split_ascii_whitespace().any(begins)
        || arguments.first() == Some(&None);
    let asks_help = arguments.iter().flatten().all(|word| has_word("--help -h --version -V", word))
        && !arguments.contains(&None);
    // The words before the first option say what it does.
    let shown = arguments.iter().map_while(|word| word.filter(|word| !word.starts_with('-')));
    let is_harmless = shown.take(2).any(|word| has_word(known.harmless, word));
    if !is_part || is_harmless || asks_help {
        return Vec::new();
    }
    named_databases(&arguments, command).uses(None, &[])
}

/// The databases that the options, addresses and variables name.
fn named_databases(arguments: &[Option<&str>], command: CommandWords<'_>) -> NamedDatabases {
    let mut found = NamedDatabases::default();
    found.add_variables(command);
    let environment = |name: &str| name.ends_with("_ENV") || name.contains("DATABASE");
    let variables = command.assignments().filter(|(name, _)| environment(name)).map(|(_, value)| value);
    found.certain.extend(variables.filter(|value| !value.contains('\u{ffff}')).flat_map(names_of_database));
    for (at, word) in arguments.iter().enumerate() {
        let Some(word) = word else { continue };
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (*word, arguments.get(at + 1).copied().flatten()),
        };
        if has_word(DATABASE_OPTIONS, option) || option.ends_with("_ENV") {
            found.certain.extend(value.into_iter().flat_map(|value| {
                names_of_database(value.trim_start_matches("jdbc:").trim_start_matches("db="))
            }));
        } else if word.contains("://") && !word.starts_with("http") || word.contains("dbname=") {
            found.certain.extend(names_of_database(word));
        } else if !word.starts_with('-') {
            found.possible.extend(names_of_database(word));
        }
    }
    found
}

/// What a dump reads: the tables that its options or the operands after the database name, or all of them.
fn uses_of_dump(
    program: &str,
    arguments: &[Option<&str>],
    table_options: &str,
    values: &str,
    command: CommandWords<'_>,
) -> Vec<SqlUse> {
    let (mut tables, mut operands, mut databases) = (Vec::new(), Vec::new(), NamedDatabases::default());
    databases.add_variables(command);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(word) = *word else { continue };
        let (option, attached) = word
            .split_once('=')
            .filter(|_| word.starts_with("--"))
            .map_or((word, None), |(o, v)| (o, Some(v)));
        if has_word(table_options, option) {
            tables.push(attached.or_else(|| words.next().copied().flatten()).unwrap_or("*"));
        } else if has_word("-d --dbname --db", option) {
            databases.certain.extend(
                attached.or_else(|| words.next().copied().flatten()).into_iter().flat_map(names_of_database),
            );
        } else if has_word(values, option) && attached.is_none() {
            words.next();
        } else if !word.starts_with('-') {
            operands.push(word);
        }
    }
    if program == "bcp" {
        tables.extend(operands.first());
        let qualifiers =
            operands.first().and_then(|name| name.rsplit_once('.')).map(|(before, _)| before.split('.'));
        databases.certain.extend(qualifiers.into_iter().flatten().map(str::to_lowercase));
    } else if let Some((database, rest)) = operands.split_first() {
        databases.certain.extend(names_of_database(database));
        if program.starts_with('m') && !arguments.contains(&Some("--databases")) {
            tables.extend(rest);
        }
    }
    let kind =
        if program == "bcp" && operands.get(1) == Some(&"in") { SqlKind::Write } else { SqlKind::Read };
    let is_known = !tables.is_empty() && !tables.iter().any(|table| table.contains(['*', '?', '|']));
    let names: Vec<_> = tables
        .iter()
        .filter_map(|table| table.rsplit('.').next())
        .map(|table| table.trim_matches('"').to_lowercase())
        .collect();
    databases.uses(Some(kind), if is_known && !arguments.contains(&None) { &names } else { &[] })
}
