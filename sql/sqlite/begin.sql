-- Takes the write lock, and tells how long the log is: if that is what the writer knows, no other process has
-- written since.
BEGIN IMMEDIATE;
SELECT coalesce(max(seq), 0) AS tip FROM events
