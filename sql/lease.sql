-- The server that does the task $1, until when, and the state of its progress.
SELECT holder, held_until, state FROM leases WHERE task = $1
