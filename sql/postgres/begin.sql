-- Takes the lock that all writers take, and tells how long the log is and how it ends: if that is what the writer
-- knows, no other process has written since. Each statement sees the log as it is when that statement begins, so what
-- is read after the lock is how the log ends. The level is named because a database may have another default, at
-- which all statements would see the log as it was before the lock. The lock is named by "CSGN" and by the table.
BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT pg_advisory_xact_lock(x'4353474e'::int, 'events'::regclass::oid::int);
SELECT coalesce(max(last.seq), 0) AS tip, max(last.hash) AS hash
FROM (SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1) last
