-- The events of the log after seq $1, $2 rows at most.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE seq > $1
ORDER BY seq
LIMIT $2 + 0
