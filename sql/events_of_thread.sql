-- The events of thread $3 after seq $1, $2 rows at most.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE thread_id = CAST($3 AS text) AND seq > $1
ORDER BY seq
LIMIT $2 + 0
