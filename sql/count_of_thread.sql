-- The number of events of thread $1 up to $2 (a seq).
SELECT count(*) AS events FROM events WHERE thread_id = CAST($1 AS text) AND seq <= $2
