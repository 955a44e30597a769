-- The number of events of thread $1 up to $2 (a seq).
SELECT count(*) AS events FROM events WHERE thread_id = $1 || '' AND seq <= $2
