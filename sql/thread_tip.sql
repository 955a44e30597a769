-- The seq of the last event of thread $1; 0 if it has none. For max(seq), PostgreSQL may read the whole thread.
SELECT coalesce((SELECT seq FROM events WHERE thread_id = $1 || '' ORDER BY seq DESC LIMIT 1), 0) AS tip
