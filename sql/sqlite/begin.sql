-- Reads the last event's seq, and the oldest layout whose programs may write, after the write lock was taken. If the writer knows
-- that event as the last one, no other process has written since.
SELECT coalesce(max(seq), 0) AS tip, (SELECT oldest FROM layout) AS oldest FROM events
