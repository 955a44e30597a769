-- All new rows of a batch in one statement ($1: [[seq, thread, type, timestamp, principal, data, hash], ...]).
-- `data` travels as a string, so that not a byte of it changes on the way. json_each gives the rows in
-- their order, and the table refuses them in any other.
-- OR ROLLBACK, as in the guards' RAISE: with ABORT SQLite would copy every page before it touches it, to
-- undo this statement alone, and nobody here wants to keep half a batch.
INSERT OR ROLLBACK INTO events (seq, thread_id, type, timestamp, principal, data, hash)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
FROM json_each($1)
