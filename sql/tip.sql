-- The seq of the last event of the log; 0 if it is empty.
SELECT coalesce(max(seq), 0) AS tip FROM events
