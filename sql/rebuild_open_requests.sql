-- Makes the table open_requests anew from the events alone. It must be empty.
INSERT INTO open_requests (seq, thread_id, tool_call_id, expires_at)
SELECT q.seq, q.thread_id, q.tool_call_id, q.data ->> 'expiresAt'
FROM events q
WHERE q.type = 'TOOL_APPROVAL_REQUEST' AND NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.thread_id = q.thread_id AND r.tool_call_id = q.tool_call_id AND r.type = 'TOOL_APPROVAL_RESPONSE')
