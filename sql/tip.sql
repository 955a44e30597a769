-- How long the log is.
SELECT coalesce(max(seq), 0) AS tip FROM events
