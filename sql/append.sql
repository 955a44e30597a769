-- All new rows of a batch in one statement ($1: [[seq, thread, type, timestamp, principal, data, hash], ...]).
-- `data` travels as a string, so that not a byte of it changes on the way.
INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
FROM json_each($1)
ORDER BY key
