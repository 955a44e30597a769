-- Reads with one statement the events that a batch needs and that the writer does not have in memory:
-- - the events of calls ($1: [[thread, call], ...]);
-- - the state of threads ($2: [thread, ...]), with the calls that gave their grants and remembered denials;
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
-- LATERAL with OFFSET 0, and a subquery with LIMIT 1, make PostgreSQL look up each key in the index, whatever its
-- statistics are. The result is one row with a JSON array, as on SQLite.
WITH threads (thread_id) AS (
    SELECT t.value FROM jsonb_array_elements_text(CAST($2 AS text)::jsonb) t
), keys (thread_id, tool_call_id) AS (
    SELECT k.value ->> 0, k.value ->> 1 FROM jsonb_array_elements(CAST($1 AS text)::jsonb) k
    UNION
    SELECT g.thread_id, g.tool_call_id
    FROM threads t, LATERAL (
        SELECT thread_id, data ->> 'toolCallId' AS tool_call_id FROM events
        WHERE thread_id = t.thread_id AND type = 'TOOL_APPROVAL_RESPONSE' AND (data ->> 'decision' = 'allow_session'
            OR data ->> 'decision' = 'deny' AND data ->> 'scope' IS NOT NULL)
        OFFSET 0) g
    UNION
    SELECT l.thread_id, l.tool_call_id
    FROM jsonb_array_elements(CAST($7 AS text)::jsonb) a, LATERAL (
        SELECT thread_id, data ->> 'toolCallId' AS tool_call_id FROM events
        WHERE thread_id = a.value ->> 0 AND data ->> 'argumentsHash' = a.value ->> 1
            AND type = 'TOOL_APPROVAL_RESPONSE'
            AND (data ->> 'source' = 'approver' OR data ->> 'scope' = 'once') AND timestamp >= $5
        OFFSET 0) l
    UNION
    SELECT l.thread_id, l.tool_call_id
    FROM jsonb_array_elements_text(CAST($12 AS text)::jsonb) a, LATERAL (
        SELECT thread_id, data ->> 'toolCallId' AS tool_call_id FROM events
        WHERE thread_id = a.value AND type = 'TOOL_APPROVAL_RESPONSE'
            AND (data ->> 'source' = 'approver' OR data ->> 'scope' = 'once') AND timestamp >= $5
        OFFSET 0) l
    UNION
    SELECT o.thread_id, o.tool_call_id
    FROM jsonb_array_elements_text(CAST($3 AS text)::jsonb) t, LATERAL (
        SELECT thread_id, tool_call_id FROM open_requests WHERE thread_id = t.value OFFSET 0) o
    UNION
    SELECT o.thread_id, o.tool_call_id FROM open_requests o WHERE $6
    UNION
    SELECT u.thread_id, u.tool_call_id
    FROM jsonb_array_elements_text(CAST($3 AS text)::jsonb) t, LATERAL (
        SELECT thread_id, data ->> 'toolCallId' AS tool_call_id FROM events e
        WHERE thread_id = t.value AND type = 'TOOL_APPROVAL_RESPONSE'
            AND data ->> 'decision' IN ('allow_once', 'allow_session') AND (
            SELECT s.seq FROM events s WHERE s.type = 'TOOL_EXECUTION_STARTED' AND s.thread_id = e.thread_id
                AND s.data ->> 'toolCallId' = e.data ->> 'toolCallId' LIMIT 1) IS NULL
            AND (
            SELECT s.seq FROM events s WHERE s.type = 'TOOL_RESULT' AND s.thread_id = e.thread_id
                AND s.data ->> 'toolCallId' = e.data ->> 'toolCallId' LIMIT 1) IS NULL
        OFFSET 0) u
    UNION
    SELECT e.thread_id, e.data ->> 'toolCallId'
    FROM (SELECT * FROM events WHERE $6 AND seq > (SELECT seq FROM events ORDER BY seq DESC LIMIT 1) - 100000
        OFFSET 0) e
    WHERE type = 'TOOL_APPROVAL_RESPONSE'
        AND data ->> 'decision' IN ('allow_once', 'allow_session') AND (
            SELECT s.seq FROM events s WHERE s.type = 'TOOL_EXECUTION_STARTED' AND s.thread_id = e.thread_id
                AND s.data ->> 'toolCallId' = e.data ->> 'toolCallId' LIMIT 1) IS NULL
        AND (
            SELECT s.seq FROM events s WHERE s.type = 'TOOL_RESULT' AND s.thread_id = e.thread_id
                AND s.data ->> 'toolCallId' = e.data ->> 'toolCallId' LIMIT 1) IS NULL
), found AS (
    SELECT 0 AS tip, e.* FROM keys k, LATERAL (
        SELECT seq, thread_id, type, timestamp, principal, data, hash FROM call_events
        WHERE thread_id = k.thread_id AND tool_call_id = k.tool_call_id OFFSET 0) e
    UNION ALL
    SELECT 0, e.* FROM threads t, LATERAL (
        SELECT * FROM setting_events WHERE thread_id = t.thread_id OFFSET 0) e
    UNION ALL
    SELECT 0, e.* FROM (SELECT thread_id FROM keys EXCEPT SELECT thread_id FROM threads) t, LATERAL (
        SELECT * FROM setting_events WHERE thread_id = t.thread_id AND type NOT IN ('GRANT_REVOKED', 'GRANT_USED', 'GRANT_ENDED', 'GRANT_PROLONGED', 'THREAD_CLOSED', 'THREAD_ARCHIVED', 'THREAD_MODE_SET', 'TOOL_POLICY_SET')
        OFFSET 0) e
    UNION ALL
    SELECT 0, e.* FROM threads t, LATERAL (
        SELECT m.seq, m.thread_id, m.type, m.timestamp, m.principal, '{}', m.hash FROM events m
        WHERE m.thread_id = t.thread_id
            AND (m.type = 'USER_MESSAGE' OR m.type = 'AGENT_MESSAGE' OR m.type = 'SYSTEM_PROMPT'
            OR m.type = 'USER_SYSTEM_PROMPT' OR m.type = 'LOCAL_SYSTEM_MESSAGE' OR m.type = 'COMPACTION')
        ORDER BY m.seq DESC LIMIT 1) e
    UNION ALL
    SELECT 0, e.* FROM setting_events e
    WHERE $10 AND e.thread_id = '' AND e.type IN ('TOKEN_CREATED', 'TOKEN_USED', 'TOKEN_REVOKED', 'APPROVER_KEY_ADDED', 'APPROVER_KEY_REMOVED', 'PUSH_DEVICE_SET', 'PUSH_DEVICE_REMOVED', 'CHAT_ACCOUNT_LINKED', 'CHAT_ACCOUNT_UNLINKED', 'DELEGATION_SET', 'DELEGATION_ENDED',
        'WEBHOOK_ADDED', 'WEBHOOK_REMOVED', 'WEBHOOK_DELIVERED', 'WEBHOOK_PARKED', 'WEBHOOK_RETRIED', 'WEBHOOK_SECRET_SET',
        'ADVISOR_REPORTED', 'ADVISOR_MODE_SET')
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal,
        json_build_object('tool', e.data ->> 'tool', 'definitionHash', e.data ->> 'definitionHash')::text, e.hash
    FROM jsonb_array_elements_text(CAST($11 AS text)::jsonb) t, LATERAL (
        SELECT * FROM events WHERE thread_id = ''
            AND type IN ('DEFINITION_SEEN', 'DEFINITION_CHANGED', 'DEFINITION_ACCEPTED')
            AND coalesce(data ->> 'id', data ->> 'tool') = t.value OFFSET 0) e
    UNION ALL
    SELECT 1, e.* FROM events e
    WHERE $4 AND e.seq >= coalesce(
        (SELECT s.seq FROM events s WHERE s.hash IS NOT NULL ORDER BY s.seq DESC LIMIT 1), 1)
    UNION ALL
    SELECT 2, e.seq, e.thread_id, e.type, e.timestamp, e.principal,
        json_build_object('hash', e.data ->> 'hash')::text, e.hash
    FROM events e
    WHERE $4 AND e.seq = (
        SELECT p.seq FROM setting_events p WHERE p.thread_id = '' AND p.type = 'POLICY_SET' ORDER BY p.seq DESC LIMIT 1)
    UNION ALL
    SELECT 3, c.open, t.value, 'TOOL_APPROVAL_REQUEST', $5, 'system:count', '{}', NULL
    FROM jsonb_array_elements_text(CAST($8 AS text)::jsonb) t, LATERAL (
        SELECT count(*) AS open FROM open_requests WHERE thread_id = t.value OFFSET 0) c
    UNION ALL
    SELECT 4, c.open, '', 'TOOL_APPROVAL_REQUEST', $5, p.value, '{}', NULL
    FROM jsonb_array_elements_text(CAST($9 AS text)::jsonb) p, LATERAL (
        SELECT count(*) AS open FROM open_requests WHERE proposer = p.value OFFSET 0) c
)
SELECT coalesce(json_agg(json_build_array(tip, seq, thread_id, type, timestamp, principal, data, hash)), '[]')::text
FROM found
