//! A long log of an older layout is upgraded by the real program, which is killed at any moment. Afterwards every row is there,
//! and the upgrade succeeds.

use crate::{
    PROGRAMS,
    golden_log::{GoldenLog, SQLITE_DUMP, open_log},
};
use countersign_events::{Event, EventType, Json, Principal, Sha256, ThreadId, chain};
use countersign_store::{DatabaseKind, migrations};
use countersign_tests::{
    Database, Process, ProcessWorld, Random, SqlConnection, open_file, run_psql, run_sqlite3, statement,
};
use serde_json::Value;
use std::{env, fs, path::Path, time::Duration};

/// The number of events in the log.
const EVENTS: i64 = 200_000;
/// The number of events that one statement inserts.
const BATCH: i64 = 1_000;
/// The number of kills by default.
const ROUNDS: usize = 2;
/// The number of kills on request: `just upgrades` sets it.
const ROUNDS_VARIABLE: &str = "COUNTERSIGN_UPGRADE_ROUNDS";
/// A round takes less than this, however slow the machine is. It only ends a test that hangs.
const LONGEST_ROUND: Duration = Duration::from_mins(3);

#[tokio::test]
async fn killed_upgrade_of_a_file_loses_nothing() {
    play_rounds(Database::Sqlite).await;
}

#[tokio::test]
async fn killed_upgrade_of_a_server_loses_nothing() {
    play_rounds(Database::Postgres).await;
}

#[expect(clippy::print_stderr, reason = "a failure must name the moment of its kill")]
async fn play_rounds(database: Database) {
    let wanted = env::var(ROUNDS_VARIABLE).ok().map(|rounds| rounds.parse().expect("a number"));
    let rounds = wanted.unwrap_or(ROUNDS);
    let played = async {
        let mut random = Random::seeded_from_environment(2_026);
        let log = OlderLog::make(database).await;
        // How often the test can look while an upgrade is not killed. The last part of that time is the migration itself.
        let looks = log.upgrade("whole", None).await;
        log.remove("whole");
        for round in 0..rounds {
            let name = format!("round_{round}");
            let last_part = if round % 2 == 0 { looks } else { looks / 5 };
            let moment = looks.saturating_sub(random.below(last_part.max(1)));
            let seen = log.upgrade(&name, Some(moment)).await;
            eprintln!(
                "{name}: killed at {seen} of {looks}, with {:?}",
                log.list_files(&format!("{name}.layout-"))
            );
            log.assert_upgraded(&name).await;
            if wanted.is_some() || round + 1 == rounds {
                log.assert_verified(&name).await;
            }
            log.remove(&name);
        }
    };
    let limit = LONGEST_ROUND * u32::try_from(rounds + 2).expect("a small number");
    tokio::time::timeout(limit, played).await.expect("no round hangs");
}

/// A long log with the layout before the last one, from which each round makes its copy.
struct OlderLog {
    world: ProcessWorld,
    tip: Sha256,
}

impl OlderLog {
    /// Makes a log with the rows of the newest golden log, and as many messages as it takes.
    async fn make(database: Database) -> Self {
        let mut world = ProcessWorld::of_processes(PROGRAMS, database).await;
        let (mut connection, kind) = match database {
            Database::Sqlite => {
                fs::write(world.file("base"), []).expect("writes");
                let file = open_file(&world.file("base")).await;
                (SqlConnection::Sqlite(file), DatabaseKind::Sqlite)
            }
            Database::Postgres => {
                let url = world.server().database("base").await;
                (SqlConnection::open(&url).await, DatabaseKind::Postgres)
            }
        };
        let steps = migrations(kind);
        connection.migrate(&steps[..steps.len() - 1]).await;
        let golden = GoldenLog::read_all().pop().expect("there is a golden log");
        let dump = golden.read(SQLITE_DUMP);
        let rows: Vec<_> = dump.lines().filter(|line| line.starts_with("INSERT INTO events ")).collect();
        let expected = golden.expectation();
        let mut link = serde_json::from_value(expected.tip.into()).expect("a hash");
        connection.run("BEGIN").await.expect("begins");
        connection.run(&rows.join("\n")).await.expect("the rows fit into the older layout");
        let mut seq = expected.events;
        while seq < EVENTS {
            let count = BATCH.min(EVENTS - seq);
            connection.run(&insert_messages(seq, count, &mut link)).await.expect("inserted");
            seq += count;
        }
        connection.run("COMMIT").await.expect("commits");
        connection.close().await;
        Self { world, tip: link }
    }

    /// Returns the address of a round's log.
    fn url(&self, name: &str) -> String {
        match self.world.database() {
            Database::Sqlite => self.world.file(name).display().to_string(),
            Database::Postgres => {
                let url = self.world.url();
                let (server, _) = url.rsplit_once('/').expect("an address");
                format!("{server}/{name}")
            }
        }
    }

    /// Copies the log, and upgrades the copy. Returns how often it looked at the running program: until `moment`, at which it
    /// kills the program.
    async fn upgrade(&self, name: &str, moment: Option<usize>) -> usize {
        let mut watcher = match self.world.database() {
            Database::Sqlite => {
                fs::copy(self.world.file("base"), self.world.file(name)).expect("copied");
                None
            }
            Database::Postgres => {
                let copy = format!("CREATE DATABASE {name} TEMPLATE base");
                run_psql(&self.world.url(), &copy).await.expect("copied");
                Some(SqlConnection::open(&self.world.url()).await)
            }
        };
        let url = self.url(name);
        let mut program = Process::start(&mut self.world.countersign(&["--database", &url, "migrate"]));
        let mut looks = 0;
        while !program.has_ended() && Some(looks) != moment {
            // A look takes a little time, and says nothing: the moments of the kills are spread over the whole upgrade.
            match &mut watcher {
                None => drop(fs::read_dir(self.world.folder()).expect("reads").count()),
                Some(watcher) => drop(watcher.query_texts("SELECT 'a look'").await.expect("answers")),
            }
            tokio::task::yield_now().await;
            looks += 1;
        }
        program.kill().await;
        if let Some(watcher) = watcher {
            watcher.close().await;
        }
        looks
    }

    /// Asserts that the log of a round is upgraded, or can be, and that it has every row.
    async fn assert_upgraded(&self, name: &str) {
        let url = self.url(name);
        for words in [["migrate"].as_slice(), &["migrate", "--check"]] {
            let mut command = self.world.countersign(&["--database", &url]);
            let ended = Process::start(command.args(words)).ended().await;
            assert_eq!(ended.code, 0, "{name}: {words:?}: {ended:?}");
        }
        let last = format!(
            "SELECT count(*) FROM events UNION ALL SELECT max(seq) FROM events WHERE hash = '{}';",
            self.tip
        );
        let found = match self.world.database() {
            Database::Sqlite => run_sqlite3(Path::new(&url), &last).await,
            Database::Postgres => run_psql(&url, &last).await,
        };
        assert_eq!(found, Ok(format!("{EVENTS}\n{EVENTS}")), "{name}");
        open_log(&url).await.close().await;
        self.assert_copies_are_whole(name).await;
    }

    /// Asserts that the chain and the rules hold over all rows.
    async fn assert_verified(&self, name: &str) {
        let url = self.url(name);
        let verified = self.world.countersign(&["--database", &url, "--json", "verify"]).output().await;
        let verified: Value = serde_json::from_slice(&verified.expect("it ends").stdout).expect("JSON");
        assert_eq!(verified["holds"], true, "{name}: {verified}");
        let checkpoint = format!("{EVENTS}:{}", self.tip);
        assert_eq!(
            (verified["checkpoint"].as_str(), verified["unsealed"].as_u64()),
            (Some(&*checkpoint), Some(0))
        );
    }

    /// Each copy that has its name is the whole log, as it was before.
    async fn assert_copies_are_whole(&self, name: &str) {
        let is_copy = |name: &String| !name.ends_with(".partial") && !name.ends_with("-journal");
        for copy in self.list_files(&format!("{name}.layout-")).into_iter().filter(is_copy) {
            let query = "SELECT count(*) FROM events UNION ALL SELECT count(*) FROM _sqlx_migrations;";
            let found = run_sqlite3(&self.world.file(&copy), query).await.expect("the copy reads");
            let layout = migrations(DatabaseKind::Sqlite).len() - 1;
            assert_eq!(found, format!("{EVENTS}\n{layout}"), "{copy}");
        }
    }

    /// Removes the files of a round, because the next one needs the room.
    fn remove(&self, name: &str) {
        for file in self.list_files(name) {
            fs::remove_file(self.world.file(&file)).expect("it is a file");
        }
    }

    fn list_files(&self, start: &str) -> Vec<String> {
        let entries = fs::read_dir(self.world.folder()).expect("reads");
        let names = entries.map(|entry| entry.expect("reads").file_name().into_string().expect("UTF-8"));
        names.filter(|name| Path::new(name).is_relative() && name.starts_with(start)).collect()
    }
}

/// Returns a statement that inserts messages with valid hashes after the event `tip`, whose link is `link`.
fn insert_messages(tip: i64, count: i64, link: &mut Sha256) -> String {
    let row = |seq: i64| {
        let mut event = Event {
            seq,
            thread_id: ThreadId::new(&format!("long-{}", seq / 500)).expect("valid"),
            kind: EventType::UserMessage,
            timestamp: "2026-02-01T09:00:00.000Z".parse().expect("valid"),
            principal: Principal::user("ada"),
            data: Json::parse(&format!(r#"{{"text":"message {seq}"}}"#)).expect("valid"),
            hash: None,
        };
        *link = chain::link(*link, &event);
        event.hash = Some(*link);
        statement(&event)
    };
    let statements: Vec<_> = (tip + 1..=tip + count).map(row).collect();
    let values = |statement: &String| statement.split_once("VALUES").expect("a row").1.to_owned();
    let (head, _) = statements[0].split_once("VALUES").expect("a row");
    format!("{head}VALUES {}", statements.iter().map(values).collect::<Vec<_>>().join(","))
}
