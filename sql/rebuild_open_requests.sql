-- Makes the table open_requests anew from the events alone, as sql/open_requests_pure.sql says. It must be empty.
INSERT INTO open_requests (seq, thread_id, tool_call_id, due_at)
SELECT q.seq, q.thread_id, q.tool_call_id, (
    SELECT min(due.at) FROM (
        SELECT q.data ->> 'expiresAt' AS at
        UNION ALL
        SELECT q.data ->> 'remindAt' WHERE NOT EXISTS (
            SELECT 1 FROM events m
            WHERE m.thread_id = q.thread_id AND m.tool_call_id = q.tool_call_id AND m.type = 'TOOL_APPROVAL_REMINDER')
        UNION ALL
        SELECT q.data ->> 'escalateAt' WHERE NOT EXISTS (
            SELECT 1 FROM events x
            WHERE x.thread_id = q.thread_id AND x.tool_call_id = q.tool_call_id AND x.type = 'TOOL_APPROVAL_ESCALATED')
    ) due)
FROM events q
WHERE q.type = 'TOOL_APPROVAL_REQUEST' AND NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.thread_id = q.thread_id AND r.tool_call_id = q.tool_call_id AND r.type = 'TOOL_APPROVAL_RESPONSE')
