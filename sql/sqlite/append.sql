-- Inserts a new row. The rows of a batch come in their order, and the table rejects them in any other.
-- The statement has no conflict clause, because the guard against INSERT OR REPLACE refuses any (migrations/sqlite/0001_log.sql).
INSERT INTO events (seq, thread_id, type, timestamp, principal, data, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)
