-- The hash of the event at $1: whether what was being written when a connection was lost is there.
SELECT hash FROM events WHERE seq = $1
