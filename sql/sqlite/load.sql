-- Reads with one statement the events that a batch needs and that the writer does not have in memory:
-- - the events of calls ($1: [[thread, call], ...]);
-- - the state of threads ($2: [thread, ...]), with the calls that gave their grants and remembered denials, and with the
--   last message of their conversation without its content;
-- - calls with the same arguments ($7: [[thread, hash], ...]) that people decided since $5, or that an approval moved
--   to since $5, and all such calls of the threads $12 ([thread, ...]);
-- - the calls of some threads ($3: [thread, ...]) that are pending, or allowed and not started. If $6 is true, those of
--   all threads; the allowed calls then only among the last 100,000 events, so that a stop never reads a whole log
--   under the write lock;
-- - the events of types that only a newer version knows, in the threads of these calls and in those of $2;
-- - if $4 is true, the end of the log from its last row with a hash on, and the hash of the active policy;
-- - the number of open requests of threads ($8: [thread, ...]) and of proposers ($9: [principal, ...]);
-- - if $10 is true, the events about tokens, webhooks and advisors;
-- - the events about the definitions of tools ($11: [tool, ...]), without the definitions themselves.
-- CROSS JOIN prevents SQLite from scanning the log for the keys. || '' removes the type of a column, because SQLite
-- uses an index on an expression only for a value without a type. The result is one row with a JSON array, because one
-- row per event would cost more time in the driver.
WITH keys (thread_id, tool_call_id) AS (
    SELECT value ->> 0, value ->> 1 FROM json_each($1)
    UNION
    SELECT e.thread_id, e.data ->> 'toolCallId'
    FROM json_each($2) t CROSS JOIN events e ON e.thread_id = t.value AND e.type = 'TOOL_APPROVAL_RESPONSE'
        AND (e.data ->> 'decision' = 'allow_session'
            OR e.data ->> 'decision' = 'deny' AND e.data ->> 'scope' IS NOT NULL)
    UNION
    SELECT e.thread_id, e.data ->> 'toolCallId'
    FROM json_each($7) a CROSS JOIN events e ON e.thread_id = a.value ->> 0
        AND e.data ->> 'argumentsHash' = a.value ->> 1 AND e.type = 'TOOL_APPROVAL_RESPONSE'
        AND (e.data ->> 'source' = 'approver' OR e.data ->> 'scope' = 'once') AND e.timestamp >= $5
    UNION
    SELECT e.thread_id, e.data ->> 'toolCallId'
    FROM json_each($12) t CROSS JOIN events e INDEXED BY recent_decisions_by_thread ON e.thread_id = t.value
        AND e.type = 'TOOL_APPROVAL_RESPONSE' AND (e.data ->> 'source' = 'approver' OR e.data ->> 'scope' = 'once')
        AND e.timestamp >= $5
    UNION
    SELECT o.thread_id, o.tool_call_id || ''
    FROM json_each($3) t CROSS JOIN open_requests o ON o.thread_id = t.value
    UNION
    SELECT o.thread_id, o.tool_call_id || '' FROM open_requests o WHERE $6
    UNION
    SELECT e.thread_id, e.data ->> 'toolCallId'
    FROM json_each($3) t CROSS JOIN events e ON e.thread_id = t.value AND e.type = 'TOOL_APPROVAL_RESPONSE'
        AND e.data ->> 'decision' IN ('allow_once', 'allow_session') AND NOT EXISTS (
            SELECT 1 FROM events s WHERE s.type = 'TOOL_EXECUTION_STARTED' AND s.thread_id = e.thread_id
                AND s.data ->> 'toolCallId' = e.data ->> 'toolCallId')
        AND NOT EXISTS (
            SELECT 1 FROM events s WHERE s.type = 'TOOL_RESULT' AND s.thread_id = e.thread_id
                AND s.data ->> 'toolCallId' = e.data ->> 'toolCallId')
    UNION
    SELECT e.thread_id, e.data ->> 'toolCallId' FROM events e
    WHERE $6 AND e.seq > (SELECT max(seq) FROM events) - 100000 AND e.type = 'TOOL_APPROVAL_RESPONSE'
        AND e.data ->> 'decision' IN ('allow_once', 'allow_session') AND NOT EXISTS (
            SELECT 1 FROM events s WHERE s.type = 'TOOL_EXECUTION_STARTED' AND s.thread_id = e.thread_id
                AND s.data ->> 'toolCallId' = e.data ->> 'toolCallId')
        AND NOT EXISTS (
            SELECT 1 FROM events s WHERE s.type = 'TOOL_RESULT' AND s.thread_id = e.thread_id
                AND s.data ->> 'toolCallId' = e.data ->> 'toolCallId')
), found (tip, seq, thread_id, type, timestamp, principal, data, hash) AS (
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM keys k CROSS JOIN events e ON e.seq IN (
        SELECT c.seq FROM call_events c WHERE c.thread_id = k.thread_id AND c.tool_call_id = k.tool_call_id)
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM json_each($2) t CROSS JOIN setting_events e ON e.thread_id = t.value
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM (SELECT thread_id FROM keys EXCEPT SELECT value FROM json_each($2)) t
        CROSS JOIN setting_events e ON e.thread_id = t.thread_id AND e.type NOT IN ('GRANT_REVOKED', 'GRANT_USED', 'GRANT_ENDED', 'GRANT_PROLONGED', 'THREAD_CLOSED', 'THREAD_ARCHIVED', 'THREAD_MODE_SET', 'TOOL_POLICY_SET')
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, '{}', e.hash
    FROM json_each($2) t CROSS JOIN events e ON e.seq = (
        SELECT m.seq FROM events m WHERE m.thread_id = t.value
            AND (m.type = 'USER_MESSAGE' OR m.type = 'AGENT_MESSAGE' OR m.type = 'SYSTEM_PROMPT'
                OR m.type = 'USER_SYSTEM_PROMPT' OR m.type = 'LOCAL_SYSTEM_MESSAGE' OR m.type = 'COMPACTION')
        ORDER BY m.seq DESC LIMIT 1)
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM setting_events e
    WHERE $10 AND e.thread_id = '' AND e.type IN ('TOKEN_CREATED', 'TOKEN_USED', 'TOKEN_REVOKED', 'APPROVER_KEY_ADDED', 'APPROVER_KEY_REMOVED', 'PUSH_DEVICE_SET', 'PUSH_DEVICE_REMOVED', 'CHAT_ACCOUNT_LINKED', 'CHAT_ACCOUNT_UNLINKED', 'DELEGATION_SET', 'DELEGATION_ENDED',
        'WEBHOOK_ADDED', 'WEBHOOK_REMOVED', 'WEBHOOK_DELIVERED', 'WEBHOOK_PARKED', 'WEBHOOK_RETRIED', 'WEBHOOK_SECRET_SET',
        'ADVISOR_REPORTED', 'ADVISOR_MODE_SET')
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal,
        json_object('tool', e.data ->> 'tool', 'definitionHash', e.data ->> 'definitionHash'), e.hash
    FROM json_each($11) t CROSS JOIN events e ON e.thread_id = ''
        AND e.type IN ('DEFINITION_SEEN', 'DEFINITION_CHANGED', 'DEFINITION_ACCEPTED')
        AND coalesce(e.data ->> 'id', e.data ->> 'tool') = t.value
    UNION ALL
    SELECT 1, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM events e
    WHERE $4 AND e.seq >= coalesce(
        (SELECT s.seq FROM events s WHERE s.hash IS NOT NULL ORDER BY s.seq DESC LIMIT 1), 1)
    UNION ALL
    SELECT 2, e.seq, e.thread_id, e.type, e.timestamp, e.principal, json_object('hash', e.data ->> 'hash'), e.hash
    FROM events e
    WHERE $4 AND e.seq = (
        SELECT p.seq FROM setting_events p WHERE p.thread_id = '' AND p.type = 'POLICY_SET' ORDER BY p.seq DESC LIMIT 1)
    UNION ALL
    SELECT 3, (SELECT count(*) FROM open_requests o WHERE o.thread_id = t.value), t.value,
        'TOOL_APPROVAL_REQUEST', $5, 'system:count', '{}', NULL
    FROM json_each($8) t
    UNION ALL
    SELECT 4, (SELECT count(*) FROM open_requests o WHERE o.proposer = p.value), '',
        'TOOL_APPROVAL_REQUEST', $5, p.value, '{}', NULL
    FROM json_each($9) p
)
SELECT json_group_array(json_array(tip, seq, thread_id, type, timestamp, principal, data, hash)) FROM found
