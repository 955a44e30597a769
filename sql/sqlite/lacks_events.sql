-- Whether the log lacks one of these events, without having archived its thread. $1 is a JSON array of objects with `seq`,
-- `thread` and `timestamp`.
SELECT EXISTS (
    SELECT 1
    FROM json_each($1) w
    WHERE NOT EXISTS (
            SELECT 1
            FROM events e
            WHERE e.seq = w.value ->> 'seq' AND e.thread_id = w.value ->> 'thread'
                AND e.timestamp = w.value ->> 'timestamp'
        )
        AND NOT EXISTS (
            SELECT 1
            FROM events e
            WHERE e.thread_id = w.value ->> 'thread' AND e.type = 'THREAD_ARCHIVED'
        )
) AS lacks
