-- The active policy: the last event that set one.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM setting_events
WHERE thread_id = '' AND type = 'POLICY_SET'
ORDER BY seq DESC
LIMIT 1
