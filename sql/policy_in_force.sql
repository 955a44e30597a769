-- The policy in force: the last event that set one.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE type = 'POLICY_SET'
ORDER BY seq DESC
LIMIT 1
