-- The events about definitions of tools after $1 (a seq), $2 rows at most.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE thread_id = '' AND seq > $1 AND (type = 'DEFINITION_SEEN' OR type = 'DEFINITION_CHANGED' OR type = 'DEFINITION_ACCEPTED')
ORDER BY seq
LIMIT $2 + 0
