-- Inserts all new rows of a batch with one statement ($1: [[seq, thread, type, timestamp, principal, data, hash],
-- ...]). `data` is a JSON string, so that its text stays the same byte for byte. jsonb_array_elements returns the rows
-- in their order, and the table rejects them in any other order. It inserts nothing if
-- the log excludes programs that know no later layout than $2.
INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash)
SELECT (r.value ->> 0)::bigint, r.value ->> 1, r.value ->> 2, r.value ->> 3, r.value ->> 4, r.value ->> 5, r.value ->> 6
FROM jsonb_array_elements(CAST($1 AS text)::jsonb) r
WHERE (SELECT oldest FROM layout) <= CAST($2 AS bigint)
