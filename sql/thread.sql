-- What holds for thread $1: the calls that gave grants or remembered denials, what was revoked, its mode and
-- policies, whether it is closed. In no order, for the same reason as in sql/call.sql. LEFT JOIN looks the calls up one by one on both
-- databases; none is without events. || '' hides from PostgreSQL that all are of one thread: of a log that was
-- short when it made its plan, it would read the whole thread.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT thread_id || '' AS thread_id, tool_call_id FROM events
    WHERE thread_id = $1 AND type = 'TOOL_APPROVAL_RESPONSE' AND data ->> 'decision' = 'allow_session'
    UNION ALL
    SELECT thread_id || '', tool_call_id FROM events
    WHERE thread_id = $1 AND type = 'TOOL_APPROVAL_RESPONSE'
        AND data ->> 'decision' = 'deny' AND data ->> 'match' IS NOT NULL
) k LEFT JOIN events e ON e.thread_id = k.thread_id AND e.tool_call_id = k.tool_call_id
UNION ALL
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events WHERE thread_id = $1 AND type = 'GRANT_REVOKED'
UNION ALL
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events WHERE thread_id = $1 AND type = 'THREAD_CLOSED'
UNION ALL
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events WHERE thread_id = $1 AND type = 'THREAD_MODE_SET'
UNION ALL
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM events WHERE thread_id = $1 AND type = 'TOOL_POLICY_SET'
