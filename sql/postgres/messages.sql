-- The messages with the seqs $1 (a JSON array of numbers), in their order. LATERAL with OFFSET 0 makes PostgreSQL look up
-- each event by its seq.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM jsonb_array_elements_text(CAST($1 AS jsonb)) s (wanted), LATERAL (
    SELECT * FROM events WHERE seq = s.wanted::bigint OFFSET 0) e
ORDER BY e.seq
