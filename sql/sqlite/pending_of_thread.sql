-- The pending calls of thread $3. See pending.sql, which reads all threads.
SELECT o.seq, e.seq, e.thread_id, e.type, e.timestamp, e.principal, e.data, NULL AS hash
FROM (
    SELECT seq, thread_id, tool_call_id || '' AS tool_call_id FROM open_requests
    WHERE thread_id = CAST($3 AS text) AND seq > $1 ORDER BY seq LIMIT $2 + 0) o
    LEFT JOIN events e ON e.seq IN (
        SELECT k.seq FROM call_events k WHERE k.thread_id = o.thread_id AND k.tool_call_id = o.tool_call_id)
WHERE coalesce(e.seq, 0) > 0
