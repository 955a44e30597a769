-- Takes the write lock, and reads the last event's seq, and the oldest layout whose programs may write. If the writer knows
-- that event as the last one, no other process has written since.
BEGIN IMMEDIATE;
SELECT coalesce(max(seq), 0) AS tip, (SELECT oldest FROM layout) AS oldest FROM events
