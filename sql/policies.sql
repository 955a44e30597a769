-- The events that set a policy before seq $1, the last first, $2 rows at most.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE type = 'POLICY_SET' AND seq < $1
ORDER BY seq DESC
LIMIT $2
