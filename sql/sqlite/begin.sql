-- Takes the write lock, and reads the seq of the last event. If the writer knows that event as the last one, no other
-- process has written since.
BEGIN IMMEDIATE;
SELECT coalesce(max(seq), 0) AS tip FROM events
