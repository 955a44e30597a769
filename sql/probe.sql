-- Writes what sql/probed.sql reads back: whether the file takes writes is found out by writing to it. The later of
-- two moments stays, so that whoever has written reads back nothing older.
INSERT INTO probe (id, written_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET written_at = max(written_at, excluded.written_at)
