-- The content that the table open_requests must have, computed from the events alone. The next due time of a request is
-- the earliest of its reminder, its escalation and its expiry; a reminder or an escalation that has happened does not
-- count. The cost grows with the log.
SELECT q.seq, q.thread_id, q.data ->> 'toolCallId' AS tool_call_id, (
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
    ) due) AS due_at, q.principal AS proposer
FROM events q
WHERE q.type = 'TOOL_APPROVAL_REQUEST' AND NOT EXISTS (
    SELECT 1 FROM events r
    WHERE r.type = 'TOOL_APPROVAL_RESPONSE' AND r.data ->> 'toolCallId' = q.data ->> 'toolCallId'
        AND r.thread_id = q.thread_id)
ORDER BY q.seq
