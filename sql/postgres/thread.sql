-- The events that define the state of thread $1: those of the calls that gave its grants and remembered denials, and of the
-- calls that people decided since $2; the changes of its grants, its mode, its policies, its closing and its archive. They have no
-- order, because the reader sorts them. LATERAL with OFFSET 0 makes PostgreSQL look up each call in the indexes. Otherwise, a
-- plan that was made for a short log would read the whole thread.
SELECT e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM (
    SELECT thread_id, data ->> 'toolCallId' AS tool_call_id FROM events
    WHERE thread_id = $1 AND type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'decision' = 'allow_session'
        OR data ->> 'decision' = 'deny' AND data ->> 'scope' IS NOT NULL)
    UNION
    SELECT thread_id, data ->> 'toolCallId' FROM events
    WHERE thread_id = $1 AND type = 'TOOL_APPROVAL_RESPONSE'
        AND (data ->> 'source' = 'approver' OR data ->> 'scope' = 'once') AND timestamp >= $2
) k, LATERAL (
    SELECT * FROM call_events WHERE thread_id = k.thread_id AND tool_call_id = k.tool_call_id OFFSET 0) e
UNION ALL
SELECT seq, thread_id, type, timestamp, principal, data, hash
FROM setting_events
WHERE thread_id = $1 AND type IN ('GRANT_REVOKED', 'GRANT_USED', 'GRANT_ENDED', 'GRANT_PROLONGED', 'THREAD_CLOSED', 'THREAD_ARCHIVED', 'THREAD_MODE_SET', 'TOOL_POLICY_SET')
