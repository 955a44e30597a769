-- What the table open_requests must hold, from the events alone. It takes longer the longer the log is.
SELECT q.seq, q.thread_id, q.tool_call_id, q.data ->> 'expiresAt' AS expires_at
FROM events q
WHERE q.type = 'TOOL_APPROVAL_REQUEST' AND NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.thread_id = q.thread_id AND r.tool_call_id = q.tool_call_id AND r.type = 'TOOL_APPROVAL_RESPONSE')
ORDER BY q.seq
