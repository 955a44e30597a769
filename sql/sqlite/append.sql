-- All new rows of a batch in one statement ($1: [[seq, thread, type, timestamp, principal, data, hash], ...]).
-- `data` travels as a string, so that not a byte of it changes on the way. json_each gives the rows in
-- their order, and the table refuses them in any other.
-- MATERIALIZED makes the text of each row once; folded into the outer query it would be made seven times.
-- OR ROLLBACK, as in the guards' RAISE: with ABORT SQLite would copy every page before it touches it, to
-- undo this statement alone, and half a batch is never kept.
WITH rows (row) AS MATERIALIZED (SELECT value FROM json_each($1))
INSERT OR ROLLBACK INTO events (seq, thread_id, type, timestamp, principal, data, hash)
SELECT row ->> 0, row ->> 1, row ->> 2, row ->> 3, row ->> 4, row ->> 5, row ->> 6
FROM rows
