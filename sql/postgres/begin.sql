-- Takes the writers' lock, and reads the last event's seq and hash, and the oldest layout whose programs may write. If the
-- writer knows that event as the last one, no other process has written since.
-- Under READ COMMITTED, each statement sees the log as it is when the statement begins, so the read after the lock sees
-- the end of the log. The level is named because a database can have another default, under which all statements would
-- see the log as it was before the lock. The key of the lock is "CSGN" and the table.
-- By default PostgreSQL may decide to plan the statements of the triggers again for each row, which takes longer than
-- everything else.
BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL plan_cache_mode = force_generic_plan;
SELECT pg_advisory_xact_lock(x'4353474e'::int, 'events'::regclass::oid::int);
SELECT coalesce(max(last.seq), 0) AS tip, max(last.hash) AS hash, (SELECT oldest FROM layout) AS oldest
FROM (SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1) last
