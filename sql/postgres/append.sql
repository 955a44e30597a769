-- All new rows of a batch in one statement ($1: [[seq, thread, type, timestamp, principal, data, hash], ...]).
-- `data` travels as a string, so that not a byte of it changes on the way. jsonb_array_elements gives the rows in
-- their order, and the table refuses them in any other.
INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
SELECT (r.value ->> 0)::bigint, r.value ->> 1, r.value ->> 2, r.value ->> 3, r.value ->> 4, r.value ->> 5, r.value ->> 6
FROM jsonb_array_elements(CAST($1 AS text)::jsonb) r
