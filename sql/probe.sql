-- Writes a row that sql/probed.sql reads back, to check that the database accepts writes. If two processes write, the
-- later time is kept, so that no process reads back a time before its own.
INSERT INTO probe (id, written_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET written_at =
    CASE WHEN excluded.written_at > probe.written_at THEN excluded.written_at ELSE probe.written_at END
