//! The named queries: each is a file in `sql/`, embedded from there, and prepared by a test against the migrated
//! schema of each database that it serves. Where one text cannot serve both, there is a pair, named alike.

/// A named query.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// Its file in `sql/`.
    pub file: &'static str,
    /// What stands in it.
    pub text: &'static str,
    /// Whether SQLite is asked so.
    pub on_sqlite: bool,
    /// Whether PostgreSQL is asked so.
    pub on_postgres: bool,
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
        sqlite { $($light:ident = $light_file:literal,)* }
        postgres { $($large:ident = $large_file:literal,)* }
    ) => {
        texts! { $($shared = $file,)* }

        /// Those that only SQLite is asked.
        pub mod sqlite {
            texts! { $($light = $light_file,)* }
        }

        /// Those that only PostgreSQL is asked.
        pub mod postgres {
            texts! { $($large = $large_file,)* }
        }

        /// All of them.
        pub const ALL: &[Query] = &[
            $(Query { file: $file, text: $shared, on_sqlite: true, on_postgres: true },)*
            $(Query { file: $light_file, text: sqlite::$light, on_sqlite: true, on_postgres: false },)*
            $(Query { file: $large_file, text: postgres::$large, on_sqlite: false, on_postgres: true },)*
        ];
    };
}

queries! {
    both {
        APPLIED = "applied.sql",
        CALL = "call.sql",
        CALLS = "calls.sql",
        CALLS_OF_THREAD = "calls_of_thread.sql",
        CLEAR_OPEN_REQUESTS = "clear_open_requests.sql",
        DUE = "due.sql",
        EVENTS = "events.sql",
        EVENTS_OF_THREAD = "events_of_thread.sql",
        HASH_AT = "hash_at.sql",
        HISTORY_OF_THREAD = "history_of_thread.sql",
        NEXT_DUE = "next_due.sql",
        OLDEST_NEIGHBOUR = "oldest_neighbour.sql",
        OPEN_NOW = "open_now.sql",
        OPEN_REQUESTS = "open_requests.sql",
        OPEN_REQUESTS_PURE = "open_requests_pure.sql",
        PENDING = "pending.sql",
        PENDING_OF_THREAD = "pending_of_thread.sql",
        PROBE = "probe.sql",
        PROBED = "probed.sql",
        REBUILD_OPEN_REQUESTS = "rebuild_open_requests.sql",
        SEARCH = "search.sql",
        SEARCH_OF_THREAD = "search_of_thread.sql",
        SPAN_OF_THREAD = "span_of_thread.sql",
        SPAN_OF_THREAD_BACK = "span_of_thread_back.sql",
        TALLY = "tally.sql",
        THREAD = "thread.sql",
        THREADS = "threads.sql",
        THREAD_TIP = "thread_tip.sql",
        TIP = "tip.sql",
        TOOL_OF_CALL = "tool_of_call.sql",
    }
    sqlite {
        APPEND = "sqlite/append.sql",
        BEGIN = "sqlite/begin.sql",
        HALF_COPIED = "sqlite/half_copied.sql",
        LOAD = "sqlite/load.sql",
    }
    postgres {
        APPEND = "postgres/append.sql",
        BEGIN = "postgres/begin.sql",
        EXAMINE = "postgres/examine.sql",
        HALF_COPIED = "postgres/half_copied.sql",
        LOAD = "postgres/load.sql",
    }
}
