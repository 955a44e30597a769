-- All that deciding on a batch needs, in one statement: the events of every call that it touches
-- ($1: [[thread, call], ...]), of the calls that gave grants in threads where that matters
-- ($2: [thread, ...]), of the calls that wait for people in threads about to close ($3), what holds for
-- the threads themselves ($4), and the end of the log, from its last sealed row on.
-- CROSS JOIN keeps SQLite from scanning the log to look for the keys.
WITH keys (thread_id, tool_call_id) AS (
    SELECT value ->> 0, value ->> 1 FROM json_each($1)
    UNION
    SELECT e.thread_id, e.tool_call_id
    FROM json_each($2) t CROSS JOIN events e ON e.thread_id = t.value
        AND e.type = 'TOOL_APPROVAL_RESPONSE' AND e.data ->> 'decision' = 'allow_session'
    UNION
    SELECT e.thread_id, e.tool_call_id
    FROM json_each($3) t CROSS JOIN open_requests o ON o.thread_id = t.value
        CROSS JOIN events e ON e.seq = o.seq
)
SELECT 0 AS tip, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM keys k CROSS JOIN events e ON e.thread_id = k.thread_id AND e.tool_call_id = k.tool_call_id
UNION ALL
SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM json_each($2) t CROSS JOIN events e ON e.thread_id = t.value AND e.type = 'GRANT_REVOKED'
UNION ALL
SELECT 0, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM json_each($4) t CROSS JOIN events e ON e.thread_id = t.value AND e.type = 'THREAD_CLOSED'
UNION ALL
SELECT 1, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, e.hash
FROM events e
WHERE e.seq >= coalesce((SELECT s.seq FROM events s WHERE s.hash IS NOT NULL ORDER BY s.seq DESC LIMIT 1), 1)
