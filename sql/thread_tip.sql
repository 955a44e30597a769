-- The seq of the last event of thread $1; 0 if it has none. For max(seq), PostgreSQL may read the whole thread.
SELECT coalesce((SELECT seq FROM events WHERE thread_id = CAST($1 AS text) ORDER BY seq DESC LIMIT 1), 0) AS tip
