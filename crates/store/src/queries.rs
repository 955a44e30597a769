//! The named queries: each is a file in `sql/`, embedded from there, and prepared by a test against
//! the migrated schema.

macro_rules! queries {
    ($($name:ident = $file:literal,)*) => {
        $(
            #[doc = concat!("`sql/", $file, "`")]
            pub const $name: &str = include_str!(concat!("../../../sql/", $file));
        )*

        /// All of them, with the names of their files.
        pub const ALL: &[(&str, &str)] = &[$(($file, $name)),*];
    };
}

queries! {
    APPEND = "append.sql",
    BEGIN = "begin.sql",
    CALL = "call.sql",
    CALLS = "calls.sql",
    CALLS_OF_THREAD = "calls_of_thread.sql",
    CLEAR_OPEN_REQUESTS = "clear_open_requests.sql",
    EVENTS = "events.sql",
    EVENTS_OF_THREAD = "events_of_thread.sql",
    EXPIRED = "expired.sql",
    LOAD = "load.sql",
    NEXT_EXPIRY = "next_expiry.sql",
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
