-- Fills the empty table open_requests from the events alone. sql/open_requests_pure.sql defines its content.
INSERT INTO open_requests (seq, thread_id, tool_call_id, due_at, proposer)
SELECT q.seq, q.thread_id, q.data ->> 'toolCallId', (
    SELECT min(due.at) FROM (
        SELECT q.data ->> 'expiresAt' AS at
        UNION ALL
        SELECT q.data ->> 'remindAt' WHERE NOT EXISTS (
            SELECT 1 FROM events m
            WHERE m.type = 'TOOL_APPROVAL_REMINDER' AND m.data ->> 'toolCallId' = q.data ->> 'toolCallId'
                AND m.thread_id = q.thread_id)
        UNION ALL
        SELECT q.data ->> 'escalateAt' WHERE NOT EXISTS (
            SELECT 1 FROM events x
            WHERE x.type = 'TOOL_APPROVAL_ESCALATED' AND x.data ->> 'toolCallId' = q.data ->> 'toolCallId'
                AND x.thread_id = q.thread_id)
    ) due), q.principal
FROM events q
WHERE q.type = 'TOOL_APPROVAL_REQUEST' AND NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = q.data ->> 'toolCallId'
        AND r.thread_id = q.thread_id)
