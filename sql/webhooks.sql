-- The events about webhooks after $1 (a seq), $2 rows at most.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE thread_id = '' AND seq > $1 AND (type = 'WEBHOOK_ADDED' OR type = 'WEBHOOK_REMOVED' OR type = 'WEBHOOK_DELIVERED'
    OR type = 'WEBHOOK_PARKED' OR type = 'WEBHOOK_RETRIED' OR type = 'WEBHOOK_SECRET_SET')
ORDER BY seq
LIMIT $2 + 0
