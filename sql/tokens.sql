-- The events about access after $1 (a seq), $2 rows at most.
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events
WHERE thread_id = '' AND seq > $1 AND (type = 'TOKEN_CREATED' OR type = 'TOKEN_USED' OR type = 'TOKEN_REVOKED'
        OR type = 'APPROVER_KEY_ADDED' OR type = 'APPROVER_KEY_REMOVED'
        OR type = 'PUSH_DEVICE_SET' OR type = 'PUSH_DEVICE_REMOVED'
        OR type = 'CHAT_ACCOUNT_LINKED' OR type = 'CHAT_ACCOUNT_UNLINKED'
        OR type = 'DELEGATION_SET' OR type = 'DELEGATION_ENDED')
ORDER BY seq
LIMIT $2 + 0
