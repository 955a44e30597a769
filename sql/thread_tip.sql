-- The seq of the last event of thread $1; 0 if it has none.
SELECT coalesce(max(seq), 0) AS tip FROM events WHERE thread_id = $1
