-- Writes what sql/probed.sql reads back: whether the log takes writes is found out by writing. The later of
-- two moments stays, so that a writer reads back nothing older.
INSERT INTO probe (id, written_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET written_at =
    CASE WHEN excluded.written_at > probe.written_at THEN excluded.written_at ELSE probe.written_at END
