-- What deciding on a batch needs and the writer does not have at hand, in one statement: the events of
-- calls ($1: [[thread, call], ...]); what holds for threads ($2: [thread, ...]), with the calls that gave
-- grants in them; the calls that wait for people in threads about to close ($3); and where $4 is true the
-- end of the log, from its last sealed row on.
-- LEFT JOIN keeps PostgreSQL from scanning the log to look for the keys; WHERE drops the keys that it does not
-- have, in words that leave the LEFT JOIN one. One row comes back, a JSON array, as on SQLite.
WITH threads (thread_id) AS (
    SELECT t.value FROM jsonb_array_elements_text(CAST($2 AS text)::jsonb) t
), keys (thread_id, tool_call_id) AS (
    SELECT k.value ->> 0, k.value ->> 1 FROM jsonb_array_elements(CAST($1 AS text)::jsonb) k
    UNION
    SELECT e.thread_id, e.tool_call_id
    FROM threads t LEFT JOIN events e ON e.thread_id = t.thread_id
        AND e.type = 'TOOL_APPROVAL_RESPONSE' AND e.data ->> 'decision' = 'allow_session'
    UNION
    SELECT o.thread_id, o.tool_call_id
    FROM jsonb_array_elements_text(CAST($3 AS text)::jsonb) t LEFT JOIN open_requests o ON o.thread_id = t.value
), found (tip, seq, thread_id, type, timestamp, principal, data, hash) AS (
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM keys k LEFT JOIN events e ON e.thread_id = k.thread_id AND e.tool_call_id = k.tool_call_id
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM threads t LEFT JOIN events e ON e.thread_id = t.thread_id AND e.type = 'GRANT_REVOKED'
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM threads t LEFT JOIN events e ON e.thread_id = t.thread_id AND e.type = 'THREAD_CLOSED'
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM threads t LEFT JOIN events e ON e.thread_id = t.thread_id AND e.type = 'THREAD_MODE_SET'
    UNION ALL
    SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM threads t LEFT JOIN events e ON e.thread_id = t.thread_id AND e.type = 'TOOL_POLICY_SET'
    UNION ALL
    SELECT 1, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
    FROM events e
    WHERE $4 AND e.seq >= coalesce(
        (SELECT s.seq FROM events s WHERE s.hash IS NOT NULL ORDER BY s.seq DESC LIMIT 1), 1)
)
SELECT coalesce(json_agg(json_build_array(tip, seq, thread_id, type, timestamp, principal, data, hash)), '[]')::text
FROM found
WHERE coalesce(seq, 0) > 0
