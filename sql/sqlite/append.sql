-- Inserts all new rows of a batch with one statement ($1: [[seq, thread, type, timestamp, principal, data, hash],
-- ...]). `data` is a JSON string, so that its text stays the same byte for byte. json_each returns the rows in their
-- order, and the table rejects them in any other order. It inserts nothing if
-- the log excludes programs that know no later layout than $2.
-- MATERIALIZED reads the text of each row once. Without it, SQLite folds the rows into the outer query and reads the
-- text seven times.
-- The statement has no conflict clause, because the guard against INSERT OR REPLACE refuses any (migrations/sqlite/0001_log.sql).
WITH rows (row) AS MATERIALIZED (SELECT value FROM json_each($1))
INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
SELECT row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6
FROM rows
WHERE (SELECT oldest FROM layout) <= $2
