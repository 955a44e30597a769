-- The reports on advisors and their modes after $1 (a seq), $2 rows at most.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE thread_id = '' AND seq > $1 AND (type = 'ADVISOR_REPORTED' OR type = 'ADVISOR_MODE_SET')
ORDER BY seq
LIMIT $2 + 0
