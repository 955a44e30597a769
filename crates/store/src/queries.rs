//! The named queries. Each is a file in `sql/`, embedded at compile time.
//!
//! A test prepares each query against the migrated schema of each database that it serves. Where one query cannot serve
//! both databases, there is a pair of files with the same name.

use crate::DatabaseKind;

/// A named query.
#[derive(Debug, Clone, Copy)]
pub struct NamedQuery {
    /// Its file in `sql/`.
    pub file: &'static str,
    /// The text of that file.
    pub text: &'static str,
    /// Whether it runs on SQLite.
    pub on_sqlite: bool,
    /// Whether it runs on PostgreSQL.
    pub on_postgres: bool,
}

/// A query with a separate text for each database.
#[derive(Debug, Clone, Copy)]
pub struct QueryPair {
    sqlite: &'static str,
    postgres: &'static str,
}

impl QueryPair {
    /// Returns the text for this kind of database.
    #[must_use]
    pub const fn on(self, kind: DatabaseKind) -> &'static str {
        match kind {
            DatabaseKind::Sqlite => self.sqlite,
            DatabaseKind::Postgres => self.postgres,
        }
    }
}

macro_rules! texts {
    ($($name:ident = $file:literal,)*) => {
        $(
            #[doc = concat!("`sql/", $file, "`")]
            pub const $name: &str = include_str!(concat!("../../../sql/", $file));
        )*
    };
}

macro_rules! queries {
    (
        both { $($shared:ident = $file:literal,)* }
        pairs { $($pair:ident = $pair_file:literal,)* }
        sqlite { $($light:ident = $light_file:literal,)* }
        postgres { $($large:ident = $large_file:literal,)* }
    ) => {
        texts! { $($shared = $file,)* }

        $(
            #[doc = concat!("`sql/sqlite/", $pair_file, "` and `sql/postgres/", $pair_file, "`")]
            pub const $pair: QueryPair = QueryPair {
                sqlite: include_str!(concat!("../../../sql/sqlite/", $pair_file)),
                postgres: include_str!(concat!("../../../sql/postgres/", $pair_file)),
            };
        )*

        /// The queries that run on SQLite only.
        pub mod sqlite {
            texts! { $($light = $light_file,)* }
        }

        /// The queries that run on PostgreSQL only.
        pub mod postgres {
            texts! { $($large = $large_file,)* }
        }

        /// All named queries.
        pub const ALL: &[NamedQuery] = &[
            $(NamedQuery { file: $file, text: $shared, on_sqlite: true, on_postgres: true },)*
            $(
                NamedQuery {
                    file: concat!("sqlite/", $pair_file), text: $pair.sqlite, on_sqlite: true, on_postgres: false,
                },
                NamedQuery {
                    file: concat!("postgres/", $pair_file), text: $pair.postgres, on_sqlite: false, on_postgres: true,
                },
            )*
            $(NamedQuery { file: $light_file, text: sqlite::$light, on_sqlite: true, on_postgres: false },)*
            $(NamedQuery { file: $large_file, text: postgres::$large, on_sqlite: false, on_postgres: true },)*
        ];
    };
}

queries! {
    both {
        ABSENT_PROPOSERS = "absent_proposers.sql",
        ADVISORS = "advisors.sql",
        APPLIED = "applied.sql",
        CALL = "call.sql",
        CALL_IN_CONTEXT = "call_in_context.sql",
        CLEAR_OPEN_REQUESTS = "clear_open_requests.sql",
        CONVERSATION_OF_THREAD = "conversation_of_thread.sql",
        COUNT_OF_THREAD = "count_of_thread.sql",
        DEFINITIONS = "definitions.sql",
        DUE = "due.sql",
        EVENTS = "events.sql",
        EVENTS_OF_THREAD = "events_of_thread.sql",
        HASH_AT = "hash_at.sql",
        HISTORY_OF_THREAD = "history_of_thread.sql",
        HOLD_LEASE = "hold_lease.sql",
        LEASE = "lease.sql",
        NEXT_DUE = "next_due.sql",
        NEXT_GRANT_END = "next_grant_end.sql",
        MISMATCH_COUNT = "mismatch_count.sql",
        OLDEST_NEIGHBOUR = "oldest_neighbour.sql",
        OPEN_NOW = "open_now.sql",
        OPEN_REQUESTS = "open_requests.sql",
        OPEN_REQUESTS_PURE = "open_requests_pure.sql",
        POLICY_IN_FORCE = "policy_in_force.sql",
        PROBE = "probe.sql",
        PROBED = "probed.sql",
        PRUNE_PRESENCE = "prune_presence.sql",
        REBUILD_OPEN_REQUESTS = "rebuild_open_requests.sql",
        REPEATED_CALLS = "repeated_calls.sql",
        SEARCH = "search.sql",
        SEARCH_OF_THREAD = "search_of_thread.sql",
        SIGN_IN_SECRET = "sign_in_secret.sql",
        SPAN_OF_THREAD = "span_of_thread.sql",
        SPAN_OF_THREAD_BACK = "span_of_thread_back.sql",
        THREADS = "threads.sql",
        THREAD_TIP = "thread_tip.sql",
        TIP = "tip.sql",
        TOKENS = "tokens.sql",
        TOOL_OF_CALL = "tool_of_call.sql",
        WEBHOOKS = "webhooks.sql",
    }
    pairs {
        ANSWERED_BY_ADVISOR = "answered_by_advisor.sql",
        CALLS = "calls.sql",
        CALLS_OF_THREAD = "calls_of_thread.sql",
        DUE_GRANTS = "due_grants.sql",
        HALF_COPIED = "half_copied.sql",
        LAST_CALLS = "last_calls.sql",
        MESSAGES = "messages.sql",
        PENDING = "pending.sql",
        PENDING_OF_THREAD = "pending_of_thread.sql",
        PRESENCE = "presence.sql",
        REPLACE_DATA = "replace_data.sql",
        RESPONSES = "responses.sql",
        RUNNING = "running.sql",
        SCHEMA_OBJECTS = "schema_objects.sql",
        TALLY = "tally.sql",
        THREAD = "thread.sql",
    }
    sqlite {
        APPEND = "sqlite/append.sql",
        BEGIN = "sqlite/begin.sql",
        LACKS_EVENTS = "sqlite/lacks_events.sql",
        LOAD = "sqlite/load.sql",
        RECORD_PRESENCE = "sqlite/record_presence.sql",
    }
    postgres {
        APPEND = "postgres/append.sql",
        BEGIN = "postgres/begin.sql",
        EXAMINE = "postgres/examine.sql",
        LOAD = "postgres/load.sql",
        LOCK_HOLDER = "postgres/lock_holder.sql",
        LOG_USERS = "postgres/log_users.sql",
        RECORD_PRESENCE = "postgres/record_presence.sql",
    }
}
