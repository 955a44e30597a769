-- The hash of the event with seq $1. It shows if a cursor is from this log. After a lost connection, the writer compares it to find out if its commit
-- succeeded.
SELECT hash FROM events WHERE seq = $1
